// Where contracts were at an offset: where they were created, where their last move by then took them, or in transit.
// Only contracts that were ever moved need a read of their moves.
import type { ContractRow } from '../../../store/core/contract-records.ts'
import { type ContractMove, type ReassignmentRecord, unseen } from '../../../store/core/ledger-records.ts'
import type { Store } from '../../../store/core/store.ts'

/** What made a contract active on a synchronizer: its creation, or an assignment. */
export type Activation = {
  readonly offset: bigint
  readonly nodeId: number
  readonly workflowId: string
  readonly synchronizer: bigint
  readonly counter: bigint
}

export type Move = ContractMove & { readonly of: ReassignmentRecord }

export type ContractPlace = {
  /** The last activation. */
  readonly activation: Activation
  /** The unassignment after that, if there is one. */
  readonly departure: Move | undefined
  /** Set if the contract was assigned before its unassignment was seen: the activation that has not ended yet. */
  readonly early?: { readonly before: Activation; readonly move: Move } | undefined
}

/**
 * In the order of the rows, which may be newer than the offset; undefined for a contract that went where this participant
 * does not see it.
 */
export async function placesAt(
  store: Store,
  rows: readonly ContractRow[],
  offset: bigint,
): Promise<(ContractPlace | undefined)[]> {
  const moved = rows.flatMap(({ counter, number }) => (counter > 0n ? [number] : []))
  if (moved.length === 0) return rows.map(placeOfCreation)
  const moves = await store.reassignments.lastMoves(moved, offset)
  const byContract = Map.groupBy(moves, ({ contract }) => contract)
  return rows.map((row) => placeAt(row, byContract.get(row.number) ?? [], offset))
}

/** In a network: whether the contract came here by an assignment. Canton has events of contracts that were created here. */
export async function isArrival(
  store: Store,
  { number, counter, createdOffset }: Pick<ContractRow, 'number' | 'counter' | 'createdOffset'>,
): Promise<boolean> {
  if (counter === 0n) return false
  const moves = await store.reassignments.movesOf([number])
  return moves.some(({ of }) => of.assigned?.offset === createdOffset)
}

/** `moves` are those begun by then. */
function placeAt(row: ContractRow, moves: readonly Move[], offset: bigint): ContractPlace | undefined {
  const last = latest(moves)
  if (last === undefined) return placeOfCreation(row)
  if (last.of.assigned?.offset === unseen) return undefined
  const previous = latest(moves.filter((move) => move !== last))
  const before = (previous && arrivalOf(previous, offset)) ?? creationOf(row)
  const activation = arrivalOf(last, offset)
  if (activation === undefined) return { activation: before, departure: last }
  const early = isEarly(last, before) ? { before, move: last } : undefined
  return { activation, departure: undefined, early }
}

/** Whether the contract was still active where it comes from when it was assigned. */
function isEarly({ of, unassignedOffset, counter }: Move, before: Activation): boolean {
  if (of.assigned?.offset !== unassignedOffset || before.offset >= unassignedOffset) return false
  return before.synchronizer === of.source && before.counter === counter - 1n
}

function latest(moves: readonly Move[]): Move | undefined {
  return moves.reduce<Move | undefined>((a, b) => (a === undefined || b.counter > a.counter ? b : a), undefined)
}

/** Undefined while the contract was in transit. */
function arrivalOf({ of, nodeId, counter }: Move, offset: bigint): Activation | undefined {
  if (of.assigned === undefined || of.assigned.offset === unseen || of.assigned.offset > offset) return undefined
  const { offset: assignedOffset, workflowId } = of.assigned
  return { offset: assignedOffset, nodeId, workflowId, synchronizer: of.target, counter }
}

function placeOfCreation(row: ContractRow): ContractPlace {
  return { activation: creationOf(row), departure: undefined }
}

function creationOf({ createdOffset, nodeId, workflowId, synchronizer }: ContractRow): Activation {
  return { offset: createdOffset, nodeId, workflowId, synchronizer, counter: 0n }
}
