// The journal of a development node: the last submissions that were refused, or rejected at commit, each with who sent
// what, the error, and where in Daml it happened. In memory, and bounded.
import { LedgerError } from '../../base/errors.ts'
import type { Limits } from '../../base/settings.ts'
import { instantToText } from '../../lf/codec/time-text.ts'
import type { Decision } from '../commit/commit-item.ts'
import type { OutcomeListener } from '../commit/outcome.ts'
import { createWaiting } from '../model/waiting.ts'
import type { ReadHints } from '../reading/reader.ts'
import type { Elements } from '../reading/requests/queries.ts'
import { type RejectedRequest, submitted, toExecute, toPrepare, toReassign } from './rejected-request.ts'

export type Rejections = {
  /** Errors that are no refusals are not noted: they are bugs. */
  note(request: RejectedRequest, error: unknown, facts: { readonly at: bigint; readonly offset?: bigint }): void
  /** Keeps the hint that the client gets for an error that was noted. */
  hinted(error: LedgerError, hint: string): void
  /** Notes the request if the commit rejects it. */
  watch(outcome: Promise<Decision>, request: RejectedRequest, now: () => bigint): void
  /** Those after a number, and then, as they come, new ones; as JSON. */
  after(number: number, signal: AbortSignal, hints?: ReadHints): Elements
  /** Those after a number, as JSON. */
  list(number: number): readonly string[]
}

const keptBytesMax = 8 * 1024 * 1024

/** `json` is without the hint, which may come later. */
type Entry = { readonly number: number; readonly json: string; hint: string | undefined }

const hintLengthMax = 1000

/** `adviceFor` says what to do about an error in general, for those that no client waits for. */
export function createRejections(
  { rejectionsKept }: Limits,
  adviceFor: (error: LedgerError) => string | undefined,
): Rejections {
  const noted = new WeakMap<LedgerError, Entry>()
  const entries: Entry[] = []
  let bytes = 0
  let last = 0
  const waiting = createWaiting()

  function keep(entry: Entry): void {
    entries.push(entry)
    bytes += entry.json.length
    while (entries.length > rejectionsKept || bytes > keptBytesMax) bytes -= entries.shift()!.json.length
    waiting.wake()
  }

  const list = (number: number) => entries.filter((entry) => entry.number > number)

  const note: Rejections['note'] = (request, error, { at, offset }) => {
    if (!(error instanceof LedgerError)) return
    last += 1
    const facts = { number: last, ...describe(request, error, at, offset) }
    const whole = JSON.stringify({ ...facts, commands: request.commands(), reassignments: request.reassignments() })
    // One that would take more than a part of the journal keeps its facts only.
    const isSmall = whole.length <= keptBytesMax / 8
    const json = isSmall ? whole : JSON.stringify({ ...facts, commands: null, reassignments: null })
    const entry = { number: last, json, hint: adviceFor(error) }
    noted.set(error, entry)
    keep(entry)
  }

  return {
    note,
    hinted(error, hint) {
      const entry = noted.get(error)
      if (entry !== undefined) entry.hint = hint.slice(0, hintLengthMax)
    },
    watch(outcome, request, now) {
      outcome.then(
        (decision) => {
          if (decision.kind !== 'rejected') return
          note(request, decision.error, { at: now(), offset: decision.offset })
        },
        () => undefined, // The commit queue has logged what it could not write.
      )
    },
    list: (number) => list(number).map(shown),
    async *after(number, signal, { onWaiting } = {}) {
      let seen = number
      while (!signal.aborted) {
        const found = list(seen)
        if (found.length > 0) {
          seen = found.at(-1)!.number
          yield found.map(shown)
          continue
        }
        onWaiting?.()
        await waiting.until(signal)
      }
    },
  }
}

function shown({ json, hint }: Entry): string {
  return `${json.slice(0, -1)},"hint":${JSON.stringify(hint ?? null)}}`
}

/** Listeners to the requests of every kind that note in the journal those that are refused or rejected. */
export function listenersFor(journal: Rejections, now: () => bigint) {
  function noting<Request>(
    describeRequest: (request: Request, submissionId: string) => RejectedRequest,
  ): OutcomeListener<Request> {
    return {
      refused: ({ request, submissionId }, error, at) =>
        journal.note(describeRequest(request, submissionId), error, { at }),
      enqueued: ({ request, submissionId }, outcome) =>
        journal.watch(outcome, describeRequest(request, submissionId), now),
    }
  }
  return {
    submissions: noting(submitted),
    preparations: noting(toPrepare),
    executions: noting(toExecute),
    reassignments: noting(toReassign),
  }
}

function describe({ operation, sender }: RejectedRequest, error: LedgerError, at: bigint, offset: bigint | undefined) {
  const { code, message, details } = error
  const { choice, definition, location, exercises } = details.remarks ?? {}
  return {
    at: instantToText(at),
    operation,
    ...sender,
    code,
    cause: message,
    category: error.category.number,
    context: details.context ?? {},
    where: {
      choice: choice ?? null,
      definition: definition ?? null,
      location: location ?? null,
      exercises: exercises?.split('\n') ?? [],
    },
    traces: details.traces ?? [],
    /** Of the completion, if the commit refused it. */
    offset: offset === undefined ? null : Number(offset),
  }
}
