// Evaluation for one ledger: packs requests for the threads, and unpacks what they answer.
import { LedgerError } from '../../base/errors.ts'
import type { InterpretationRequest, Preferences } from '../interpreter.ts'
import { alone } from '../ledger-access.ts'
import type { PlanValues } from '../requests/event-types.ts'
import { failedView, type ViewRequest, type ViewResult } from '../requests/interface-views.ts'
import type { ElementsRequest } from '../requests/protobuf-elements.ts'
import { type PackedResult, packRequest, type ServedInterpretation, unpackResult } from './interpretation-messages.ts'
import type { Result, Work } from './messages.ts'

export type LedgerEngine = {
  /** For interfaces. Holds for all later requests; replaces earlier preferences. */
  prefer(byName: Preferences): void
  /**
   * Throws a LedgerError for a refusal, and the signal's reason when it is aborted. Clients share the threads: `client`
   * names the caller.
   */
  interpret(request: InterpretationRequest, signal?: AbortSignal, client?: string): Promise<ServedInterpretation>
  /** In the order of the requests. A failed view is a result of its own; the budgets hold for each view. */
  views(requests: readonly ViewRequest[], signal?: AbortSignal): Promise<readonly ViewResult[]>
  /** Elements of answers as protobuf, each in the frame of gRPC. */
  render(request: ElementsRequest, signal?: AbortSignal): Promise<Uint8Array>
  /** How the values of these templates and choices are rendered. */
  plans(names: readonly string[], signal?: AbortSignal): Promise<ReturnType<PlanValues>>
}

type Parts = {
  readonly prefer: LedgerEngine['prefer']
  /** Throws if the work is refused at once. */
  readonly submit: (work: Work, client: string, signal: AbortSignal | undefined) => Promise<Result>
}

/** The client name for all readers of views. */
const readers = 'views'
/** Maximum number of views in one message; those left over after its time slice are sent again. */
const viewsMax = 100

export function createLedgerEngine({ prefer, submit }: Parts): LedgerEngine {
  return {
    prefer,
    async interpret(request, signal, client = '') {
      const work: Work = { kind: 'interpret', request: packRequest(request) }
      return unpackResult((await submit(work, client, signal)) as PackedResult)
    },
    async render(request, signal) {
      return (await submit({ kind: 'render', request }, readers, signal)) as Uint8Array
    },
    async plans(names, signal) {
      return (await submit({ kind: 'plans', names }, readers, signal)) as ReturnType<PlanValues>
    },
    views(requests, signal) {
      return viewsInTurns(requests, async (turn) => {
        const sent = turn.map((request) => ({ ...request, blob: alone(request.blob) }))
        return (await submit({ kind: 'views', requests: sent }, readers, signal)) as readonly ViewResult[]
      })
    },
  }
}

/** Returns at least one of the results, in order. */
type ComputeViews = (requests: readonly ViewRequest[]) => Promise<readonly ViewResult[]>

/**
 * Computes many views, a few milliseconds of work at a time, so that others get their turn in between. A view that
 * exhausts its budget fails alone: after a thread was lost, its views are computed one by one.
 */
async function viewsInTurns(requests: readonly ViewRequest[], compute: ComputeViews): Promise<ViewResult[]> {
  const results: ViewResult[] = []
  /** Views before this index are computed one by one. */
  let aloneUntil = 0
  while (results.length < requests.length) {
    const start = results.length
    const turn = requests.slice(start, start + (start < aloneUntil ? 1 : viewsMax))
    try {
      results.push(...(await compute(turn)))
    } catch (error) {
      if (!(error instanceof LedgerError) || error.code !== 'INTERPRETATION_TIME_EXCEEDED') throw error
      if (turn.length > 1) aloneUntil = start + turn.length
      else results.push(failedView(error))
    }
  }
  return results
}
