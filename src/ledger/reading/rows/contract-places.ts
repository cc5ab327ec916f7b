// Where contracts were at an offset: where they were created, where their last move up to then brought them, or on the
// way between two synchronizers. Only contracts that were ever moved cost a look at their moves.
import type { ContractMove, ContractRow, ReassignmentRecord, Store } from '../../../store/store.ts'

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
  /** The last one. */
  readonly activation: Activation
  /** The move it was on after that. */
  readonly departure: Move | undefined
}

/** In the order of the rows, whose state is that of the offset or a later one. */
export async function placesAt(store: Store, rows: readonly ContractRow[], offset: bigint): Promise<ContractPlace[]> {
  const moved = rows.flatMap(({ counter, number }) => (counter > 0n ? [number] : []))
  if (moved.length === 0) return rows.map(placeOfCreation)
  const moves = await store.reassignments.lastMoves(moved, offset)
  const byContract = Map.groupBy(moves, ({ contract }) => contract)
  return rows.map((row) => placeAt(row, byContract.get(row.number) ?? [], offset))
}

/** `moves` are those that had begun. */
function placeAt(row: ContractRow, moves: readonly Move[], offset: bigint): ContractPlace {
  const last = latest(moves)
  if (last === undefined) return placeOfCreation(row)
  const arrived = arrivalOf(last, offset)
  if (arrived !== undefined) return { activation: arrived, departure: undefined }
  const before = latest(moves.filter((move) => move !== last))
  const activation = (before && arrivalOf(before, offset)) ?? creationOf(row)
  return { activation, departure: last }
}

function latest(moves: readonly Move[]): Move | undefined {
  return moves.reduce<Move | undefined>((a, b) => (a === undefined || b.counter > a.counter ? b : a), undefined)
}

/** Undefined while the contract was on its way. */
function arrivalOf({ of, nodeId, counter }: Move, offset: bigint): Activation | undefined {
  if (of.assigned === undefined || of.assigned.offset > offset) return undefined
  const { offset: assignedOffset, workflowId } = of.assigned
  return { offset: assignedOffset, nodeId, workflowId, synchronizer: of.target, counter }
}

function placeOfCreation(row: ContractRow): ContractPlace {
  return { activation: creationOf(row), departure: undefined }
}

function creationOf({ createdOffset, nodeId, workflowId, synchronizer }: ContractRow): Activation {
  return { offset: createdOffset, nodeId, workflowId, synchronizer, counter: 0n }
}
