// The ledger as it should be: contracts, updates, completions, deduplication and pruning, in plain lists. What only the
// node can know (ids of contracts and updates, record times, blobs) it tells once and must stick to.
import {
  type Contract,
  interpret,
  type Node,
  Refused,
  type Request,
  sorted,
  type Transaction,
} from './interpretation.ts'
import { quickstart } from './quickstart.ts'

export const users = ['clerk', 'trader'] as const
export type User = (typeof users)[number]

/** As far back as a submission asks to look for an earlier one of the same command. */
export type Period =
  | { readonly kind: 'longest' }
  | { readonly kind: 'duration'; readonly micros: bigint }
  | { readonly kind: 'offset'; readonly offset: number }

export type Submission = Omit<Request, 'disclosed'> & {
  readonly userId: User
  readonly commandId: string
  readonly submissionId: string
  readonly workflowId: string
  readonly period: Period
  readonly disclosed: readonly StoredContract[]
}

export type StoredContract = Contract & {
  readonly createdOffset: number
  readonly nodeId: number
  readonly createdAt: string
  readonly workflowId: string
  readonly blob: string
  archivedOffset: number | undefined
}

export type Update = {
  readonly offset: number
  readonly updateId: string
  readonly commandId: string
  readonly workflowId: string
  readonly submitters: readonly string[]
  readonly effectiveAt: string
  readonly recordTime: string
  readonly traceContext: unknown
  readonly nodes: readonly Node[]
}

export type Completion = {
  readonly offset: number
  readonly userId: User
  readonly actAs: readonly string[]
  /** As the node told it first. */
  readonly json: Readonly<Record<string, unknown>>
}

export type Verdict = {
  /** Undefined when it is accepted. */
  readonly rejection: string | undefined
  readonly deduplicationOffset: number
  /** Where the same command was accepted before, of a duplicate. */
  readonly duplicateOf: number | undefined
}

type Change = { readonly offset: number; readonly publishedAt: bigint }

export type Model = ReturnType<typeof createModel>

const day = 86_400_000_000n
/** The longest period there is, which is also the one of a submission that names none. */
const longestPeriod = 7n * day

export function createModel(parties: readonly string[], start: bigint) {
  const contracts = new Map<string, StoredContract>()
  const updates: Update[] = []
  const completions: Completion[] = []
  const changes = new Map<string, Change>()
  const state = { end: 0, prunedUpTo: 0, forgottenUpTo: 0, forgottenAt: 0n, now: start, lastRecordTime: '' }

  const isActive = (contract: StoredContract | undefined) =>
    contract !== undefined && contract.archivedOffset === undefined

  function active(contractId: string): StoredContract | undefined {
    const contract = contracts.get(contractId)
    return isActive(contract) ? contract : undefined
  }

  /** What the submission would do now, or the code of the refusal. */
  function foresee(submission: Submission): Transaction | string {
    try {
      checkPeriod(submission.period)
      checkAmounts(submission.commands)
      const transaction = interpret(quickstart, submission, active)
      const informed = new Set(transaction.nodes.flatMap(({ witnesses }) => witnesses))
      return [...informed].every((party) => parties.includes(party)) ? transaction : 'UNKNOWN_INFORMEES'
    } catch (error) {
      if (error instanceof Refused) return error.code
      throw error
    }
  }

  /** What becomes of it at the next offset. */
  function judge(submission: Submission, { inputs }: Transaction): Verdict {
    const last = changes.get(changeOf(submission))
    const { period } = submission
    if (last !== undefined && isWithin(last, period)) {
      return { rejection: 'DUPLICATE_COMMAND', deduplicationOffset: last.offset - 1, duplicateOf: last.offset }
    }
    const deduplicationOffset = last?.offset ?? state.forgottenUpTo
    const isTooEarly = last === undefined && reachesForgotten(period)
    const isInactive = [...inputs].some((id) => active(id) === undefined)
    const rejection = isTooEarly
      ? 'INVALID_DEDUPLICATION_PERIOD'
      : isInactive
        ? 'LOCAL_VERDICT_INACTIVE_CONTRACTS'
        : undefined
    return { rejection, deduplicationOffset, duplicateOf: undefined }
  }

  function isWithin({ offset, publishedAt }: Change, period: Period): boolean {
    return period.kind === 'offset' ? offset > period.offset : publishedAt >= state.now - lengthOf(period)
  }

  function reachesForgotten(period: Period): boolean {
    if (state.forgottenUpTo === 0) return false
    return period.kind === 'offset'
      ? period.offset < state.forgottenUpTo
      : state.now - lengthOf(period) <= state.forgottenAt
  }

  function addCompletion(completion: Completion): void {
    completions.push(completion)
    state.end = completion.offset
  }

  function addUpdate(update: Update, submission: Submission, blobs: ReadonlyMap<string, string>): void {
    updates.push(update)
    for (const node of update.nodes) {
      const { contract, nodeId } = node
      if (node.kind === 'create') {
        const { offset: createdOffset, effectiveAt: createdAt, workflowId } = update
        const blob = blobs.get(contract.id)!
        const rest = { createdOffset, nodeId, createdAt, workflowId, blob, archivedOffset: undefined }
        contracts.set(contract.id, { ...contract, ...rest })
      } else if (node.isConsuming) contracts.get(contract.id)!.archivedOffset = update.offset
    }
    changes.set(changeOf(submission), { offset: update.offset, publishedAt: state.now })
  }

  /** Updates go up to the offset, or have gone further already; accepted commands when they are old enough, too. */
  function prune(upTo: number): void {
    if (upTo > state.prunedUpTo) state.prunedUpTo = upTo
    for (const [key, change] of changes) {
      if (!isForgettable(change, state.prunedUpTo)) continue
      changes.delete(key)
      const { offset, publishedAt } = change
      if (offset > state.forgottenUpTo) Object.assign(state, { forgottenUpTo: offset, forgottenAt: publishedAt })
    }
  }

  const isForgettable = ({ offset, publishedAt }: Change, upTo: number) =>
    offset <= upTo && publishedAt < state.now - longestPeriod

  return {
    parties,
    state,
    contracts,
    updates,
    completions,
    isActive,
    foresee,
    judge,
    addCompletion,
    addUpdate,
    prune,
    /** Whether pruning changes what the node knows of earlier commands. */
    forgets: (upTo: number) =>
      [...changes.values()].some((change) => isForgettable(change, Math.max(upTo, state.prunedUpTo))),
    lastChange: (submission: Submission) => changes.get(changeOf(submission)),
    /** Whether the node still has anything of the contract. */
    isKnown: ({ archivedOffset }: StoredContract) => archivedOffset === undefined || archivedOffset > state.prunedUpTo,
    isTransient: ({ createdOffset, archivedOffset }: StoredContract) => createdOffset === archivedOffset,
  }
}

function changeOf({ userId, commandId, actAs }: Submission): string {
  return JSON.stringify([userId, commandId, sorted(actAs)])
}

function lengthOf(period: Exclude<Period, { kind: 'offset' }>): bigint {
  return period.kind === 'duration' ? period.micros : longestPeriod
}

function checkPeriod(period: Period): void {
  if (period.kind === 'duration' && period.micros < 0n) throw new Refused('INVALID_FIELD')
  if (period.kind === 'offset' && period.offset < 0) throw new Refused('NEGATIVE_OFFSET')
}

/** Values are read before any command is run. Amounts here always have all their decimals, unless they are wrong. */
function checkAmounts(value: unknown): void {
  if (Array.isArray(value)) for (const element of value) checkAmounts(element)
  else if (typeof value === 'object' && value !== null) {
    for (const [name, field] of Object.entries(value)) {
      if (name !== 'amount') checkAmounts(field)
      else if (!/^-?\d+(\.\d+)?$/.test(field)) throw new Refused('INVALID_ARGUMENT')
      else if (!/^-?\d{1,28}\.\d{10}$/.test(field)) throw new Refused('COMMAND_PREPROCESSING_FAILED')
    }
  }
}
