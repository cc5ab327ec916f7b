// Reassignments as they should be: which are refused at once, and what happens to the others.
import {
  counterOf,
  locationOf,
  type Move,
  type Reassignment,
  type ReassignmentCommand,
  type ReassignmentSubmission,
  type ReassignmentUpdate,
  type StoredContract,
} from './records.ts'
import type { Synchronizers } from './synchronizers.ts'

/** Why it is refused: the answer contains one of these texts. */
export type Refusal = { readonly kind: 'refused'; readonly texts: readonly string[] }

export type Checked =
  | {
      readonly kind: 'unassignment'
      readonly source: string
      readonly target: string
      readonly contracts: readonly StoredContract[]
      readonly counters: readonly number[]
    }
  | { readonly kind: 'assignment'; readonly reassignment: Reassignment }

type Parts = {
  readonly contracts: ReadonlyMap<string, StoredContract>
  readonly synchronizers: Synchronizers
  readonly state: { readonly now: bigint; readonly prunedUpTo: number }
  isKnown(contract: StoredContract): boolean
}

export type Reassigning = ReturnType<typeof createReassigning>

const refused = (...texts: readonly string[]): Refusal => ({ kind: 'refused', texts })

export function createReassigning({ contracts, synchronizers, state, isKnown }: Parts) {
  const { isConnected, isHosted, byId } = synchronizers
  const all = new Map<string, Reassignment>()

  function foresee({ reassignments, submitter }: ReassignmentSubmission): Checked | Refusal {
    const [first] = reassignments
    const problem = batchProblem(reassignments)
    if (first === undefined || problem !== undefined) return refused(`commands was invalid: ${problem}`)
    if (first.kind === 'assign') return foreseeAssignment(first.reassignmentId, first.target, submitter)
    const ids = new Set(reassignments.map((one) => (one as typeof first).contractId))
    return foreseeUnassignment([...ids], first.source, first.target, submitter)
  }

  function foreseeUnassignment(ids: readonly string[], source: string, target: string, submitter: string) {
    if (!isConnected(source) || !isConnected(target)) return refused('Unable to resolve')
    if (source === target) return refused('source and target synchronizers are the same')
    const leaving: StoredContract[] = []
    for (const id of ids) {
      const contract = contracts.get(id)
      const problem = absence(contract, source)
      if (problem !== undefined) return refused(problem)
      leaving.push(contract!)
    }
    const [{ stakeholders, signatories }] = leaving as [StoredContract]
    const isAlike = (one: StoredContract) =>
      isSame(one.stakeholders, stakeholders) && isSame(one.signatories, signatories)
    if (!leaving.every(isAlike)) return refused('DifferingStakeholders')
    if (!stakeholders.includes(submitter)) return refused('is not a stakeholder')
    if (!stakeholders.every((party) => isHosted(party, target))) {
      return refused('stakeholders are not active on the target synchronizer')
    }
    return { kind: 'unassignment', source, target, contracts: leaving, counters: leaving.map(counterOf) } as const
  }

  /** Why a contract cannot leave a synchronizer; undefined if it can. */
  function absence(contract: StoredContract | undefined, source: string): string | undefined {
    if (contract === undefined || !isKnown(contract)) return 'unknown contract'
    if (locationOf(contract) === source) {
      return contract.archivedOffset === undefined ? undefined : 'Current status Archived'
    }
    const last = rememberedMoves(contract).findLast(({ of }) => of.source === source)
    return last === undefined ? 'unknown contract' : `Current status ReassignedAway(${shortId(last.of.target)})`
  }

  /** Pruning removes the moves before the last one that was complete at that time. */
  function rememberedMoves({ moves }: StoredContract): Move[] {
    const last = moves.findLastIndex(({ of: { assigned } }) => assigned && assigned.offset <= state.prunedUpTo)
    return moves.slice(Math.max(0, last))
  }

  function foreseeAssignment(id: string, target: string, submitter: string): Checked | Refusal {
    if (!isConnected(target)) return refused('Unable to resolve')
    const reassignment = all.get(id)
    if (reassignment?.target !== target) return refused('unknown reassignment id')
    const [{ stakeholders }] = reassignment.contracts as [StoredContract]
    if (reassignment.assigned !== undefined) {
      const isForgotten = !reassignment.contracts.some(
        (one) => isKnown(one) && rememberedMoves(one).some(({ of }) => of === reassignment),
      )
      return refused(isForgotten ? 'unknown reassignment id' : 'reassignment already completed')
    }
    if (!stakeholders.includes(submitter)) return refused('is not a stakeholder')
    return { kind: 'assignment', reassignment }
  }

  /** The codes that its completion may have; "" means accepted. */
  function judge(checked: Checked, submitter: string): string[] {
    if (checked.kind === 'assignment') return [judgeAssignment(checked.reassignment, submitter)]
    const { contracts: leaving, counters, source } = checked
    const code = 'UNASSIGNMENT_ACTIVENESS_CHECK_FAILED'
    if (!leaving.every((one) => one.archivedOffset === undefined && locationOf(one) === source)) return [code]
    // A contract that left and came back may have been read before.
    return leaving.every((one, index) => counterOf(one) === counters[index]) ? [''] : ['', code]
  }

  function judgeAssignment(reassignment: Reassignment, submitter: string): string {
    const { assigned, exclusiveUntil, target } = reassignment
    if (assigned !== undefined) return 'ASSIGNMENT_ALREADY_COMPLETED'
    const isExclusive = synchronizers.nextTime(target, state.now) < exclusiveUntil
    return isExclusive && submitter !== reassignment.submitter ? 'REASSIGNMENT_VALIDATION_FAILED' : ''
  }

  return {
    all,
    foresee,
    judge,
    judgeAssignment,
    inTransit: () => [...all.values()].filter(({ assigned }) => assigned === undefined),

    /** Before it is recorded. */
    exclusiveUntil: (target: string): bigint =>
      synchronizers.nextTime(target, state.now) + BigInt(byId(target).exclusivityMs) * 1000n,

    /** The automatic assignments that are due now, in the node's order. */
    due: (): Reassignment[] =>
      [...all.values()]
        .filter(({ assigned, target, exclusiveUntil }) => {
          const isWanted = assigned === undefined && byId(target).exclusivityMs > 0
          return isWanted && isConnected(target) && exclusiveUntil <= state.now
        })
        .sort((a, b) =>
          a.exclusiveUntil === b.exclusiveUntil
            ? a.unassignedOffset - b.unassignedOffset
            : Number(a.exclusiveUntil - b.exclusiveUntil),
        ),

    apply({ kind, reassignment, offset, workflowId }: ReassignmentUpdate): void {
      if (kind === 'assignment') {
        reassignment.assigned = { offset, workflowId }
        return
      }
      all.set(reassignment.id, reassignment)
      for (const [nodeId, contract] of reassignment.contracts.entries()) {
        contract.moves.push({ of: reassignment, nodeId, counter: counterOf(contract) + 1 })
      }
    },

    /** The contract's counter from this reassignment. */
    counterIn: ({ moves }: StoredContract, reassignment: Reassignment): number =>
      moves.find(({ of }) => of === reassignment)!.counter,
  }
}

function batchProblem(reassignments: readonly ReassignmentCommand[]): string | undefined {
  const [first, ...others] = reassignments
  if (first === undefined) return 'no commands'
  if (first.kind === 'assign') return others.length === 0 ? undefined : 'mixed assign with other commands'
  for (const { kind, source, target } of others) {
    if (kind === 'assign') return 'mixed assign with other commands'
    if (source !== first.source || target !== first.target) return 'differing synchronizers'
  }
  return undefined
}

const isSame = (some: readonly string[], others: readonly string[]) => some.join() === others.join()

/** As in messages: twelve characters of the fingerprint. */
function shortId(id: string): string {
  return `${id.slice(0, id.indexOf('::') + 2 + 12)}...`
}
