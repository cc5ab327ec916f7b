// The ledger as it should be: contracts, updates, completions, deduplication and pruning, in plain lists. What only the
// node can know (ids of contracts, updates and reassignments, blobs) is learned once and must not change.
import { interpret, Refused, sorted, type Transaction } from './interpretation.ts'
import { quickstart } from './quickstart.ts'
import { createReassigning } from './reassigning.ts'
import {
  type Completion,
  locationOf,
  type Period,
  type ReassignmentUpdate,
  type StoredContract,
  type Submission,
  type TransactionUpdate,
  type Update,
  type Verdict,
} from './records.ts'
import { type Route, routeOf } from './routing.ts'
import type { Synchronizers } from './synchronizers.ts'

type Change = { readonly offset: number; readonly publishedAt: bigint }

export type Model = ReturnType<typeof createModel>

const day = 86_400_000_000n
/** The longest deduplication period, which is also the default. */
const longestPeriod = 7n * day

export function createModel(parties: readonly string[], start: bigint, synchronizers: Synchronizers) {
  const contracts = new Map<string, StoredContract>()
  const updates: Update[] = []
  const completions: Completion[] = []
  const changes = new Map<string, Change>()
  const state = { end: 0, prunedUpTo: 0, forgottenUpTo: 0, forgottenAt: 0n, now: start }
  const reassigning = createReassigning({ contracts, synchronizers, state, isKnown })

  const isActive = (contract: StoredContract | undefined) =>
    contract !== undefined && contract.archivedOffset === undefined

  function active(contractId: string): StoredContract | undefined {
    const contract = contracts.get(contractId)
    return isActive(contract) ? contract : undefined
  }

  /** Whether the node still holds anything about the contract. */
  function isKnown({ archivedOffset }: StoredContract): boolean {
    return archivedOffset === undefined || archivedOffset > state.prunedUpTo
  }

  /** What the submission would do now, or the code of the refusal. */
  function foresee(submission: Submission): Transaction | string {
    try {
      checkPeriod(submission.period)
      checkSynchronizer(submission)
      checkAmounts(submission.commands)
      return interpret(quickstart, submission, active)
    } catch (error) {
      if (error instanceof Refused) return error.code
      throw error
    }
  }

  /** Packages are selected for the synchronizer that hosts the first actor. */
  function checkSynchronizer({ synchronizerId, actAs }: Submission): void {
    const { connected, isConnected, isHosted } = synchronizers
    if (connected().length === 0) throw new Refused('NOT_CONNECTED_TO_ANY_SYNCHRONIZER')
    if (synchronizerId !== '' && !isConnected(synchronizerId)) throw new Refused('INVALID_PRESCRIBED_SYNCHRONIZER_ID')
    const party = actAs[0]!
    if (!connected().some(({ id }) => isHosted(party, id))) throw new Refused('UNKNOWN_INFORMEES')
    if (synchronizerId !== '' && !isHosted(party, synchronizerId)) {
      throw new Refused('INVALID_PRESCRIBED_SYNCHRONIZER_ID')
    }
  }

  /** The synchronizer it would go to now. */
  function route(submission: Submission, transaction: Transaction): Route | string {
    const known = (id: string) => {
      const contract = contracts.get(id)
      return contract !== undefined && isKnown(contract) ? contract : undefined
    }
    return routeOf({ submission, transaction, synchronizers, known })
  }

  /** Its outcome at the next offset, on the synchronizer it was sent to. */
  function judge(submission: Submission, { inputs }: Transaction, synchronizerId: string): Verdict {
    const last = changes.get(changeOf(submission))
    const { period } = submission
    if (last !== undefined && isWithin(last, period)) {
      return { rejection: 'DUPLICATE_COMMAND', deduplicationOffset: last.offset - 1, duplicateOf: last.offset }
    }
    const deduplicationOffset = last?.offset ?? state.forgottenUpTo
    const isTooEarly = last === undefined && reachesForgotten(period)
    const isInactive = [...inputs].some((id) => {
      const contract = active(id)
      return contract === undefined || locationOf(contract) !== synchronizerId
    })
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
    if (period.kind === 'offset') return period.offset < state.prunedUpTo
    return state.forgottenUpTo > 0 && state.now - lengthOf(period) <= state.forgottenAt
  }

  function addCompletion(completion: Completion): void {
    completions.push(completion)
    state.end = completion.offset
  }

  function addTransaction(update: TransactionUpdate, submission: Submission, blobs: ReadonlyMap<string, string>): void {
    updates.push(update)
    for (const node of update.nodes) {
      const { contract, nodeId } = node
      if (node.kind === 'create') {
        const { offset: createdOffset, effectiveAt: createdAt, workflowId, synchronizerId } = update
        const blob = blobs.get(contract.id)!
        const rest = { createdOffset, nodeId, createdAt, workflowId, synchronizerId, blob }
        contracts.set(contract.id, { ...contract, ...rest, moves: [], archivedOffset: undefined })
      } else if (node.isConsuming) contracts.get(contract.id)!.archivedOffset = update.offset
    }
    changes.set(changeOf(submission), { offset: update.offset, publishedAt: state.now })
  }

  function addReassignment(update: ReassignmentUpdate): void {
    updates.push(update)
    reassigning.apply(update)
  }

  /**
   * Removes updates up to the offset, unless pruning was further already, and accepted commands once they are old
   * enough.
   */
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
    /** Everything that changes. */
    parts: { contracts, updates, completions, changes, state, reassignments: reassigning.all },
    parties,
    synchronizers,
    reassigning,
    state,
    contracts,
    updates,
    completions,
    isActive,
    isKnown,
    foresee,
    route,
    judge,
    addCompletion,
    addTransaction,
    addReassignment,
    prune,
    /** Whether pruning changes what the node knows about earlier commands. */
    forgets: (upTo: number) =>
      [...changes.values()].some((change) => isForgettable(change, Math.max(upTo, state.prunedUpTo))),
    lastChange: (submission: Submission) => changes.get(changeOf(submission)),
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

/** Values are decoded before any command runs. Amounts here have all their decimals, unless they are wrong. */
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
