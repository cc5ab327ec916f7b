// The rows that a batch adds to the ledger's tables, gathered so that each table is written once.
import type { ContractPosition, Location, NewContract, PastContract } from '../../store/core/contract-records.ts'
import type {
  AcceptedChange,
  CompletionRecord,
  ContractMove,
  ReassignmentRecord,
  SeenUpdate,
  UpdateRecord,
} from '../../store/core/ledger-records.ts'
import type { Records } from '../../store/core/store.ts'

export type NewName = { readonly name: string; readonly number: bigint }

export type Rows = {
  readonly updates: UpdateRecord[]
  readonly seen: (SeenUpdate & { party: bigint })[]
  readonly contracts: NewContract[]
  readonly activated: (ContractPosition & { party: bigint })[]
  readonly deactivated: (ContractPosition & { party: bigint })[]
  readonly archives: PastContract[]
  readonly newKeys: { number: bigint; keyHash: string; since: bigint }[]
  readonly oldKeys: { number: bigint; keyHash: string }[]
  readonly moved: (Location & { number: bigint })[]
  readonly unassigned: ReassignmentRecord[]
  readonly moves: ContractMove[]
  readonly assigned: ReassignmentRecord[]
  /** Those whose unassignment is seen after their assignment. */
  readonly unassignedLate: ReassignmentRecord[]
  readonly completions: CompletionRecord[]
  readonly accepted: AcceptedChange[]
}

export function emptyRows(): Rows {
  return {
    updates: [],
    seen: [],
    contracts: [],
    activated: [],
    deactivated: [],
    archives: [],
    newKeys: [],
    oldKeys: [],
    moved: [],
    unassigned: [],
    moves: [],
    assigned: [],
    unassignedLate: [],
    completions: [],
    accepted: [],
  }
}

export async function writeRows(rows: Rows, names: readonly NewName[], records: Records): Promise<void> {
  await records.names.insert(names)
  await records.updates.insert(rows.updates, rows.seen)
  await records.contracts.insert(rows.contracts)
  await records.contracts.activate(rows.activated)
  await records.contracts.deactivate(rows.deactivated)
  await records.contracts.addKeys(rows.newKeys)
  await records.contracts.removeKeys(rows.oldKeys)
  await records.contracts.archive(rows.archives)
  await records.contracts.move(rows.moved)
  await records.reassignments.insert(rows.unassigned, rows.moves)
  for (const { unassignedOffset, assigned } of rows.assigned) {
    await records.reassignments.complete(unassignedOffset, assigned!)
  }
  await records.reassignments.replace(rows.unassignedLate)
  await records.completions.insert(rows.completions)
  await records.acceptedChanges.put(rows.accepted)
}
