// What the items of a batch are judged against.
import type { ContractState, LedgerState, ReassignmentRecord } from '../../store/store.ts'
import type { Duplicates } from './deduplication.ts'

export type Setting = {
  readonly before: LedgerState
  readonly publishedAt: bigint
  /** The last record time of each synchronizer; moved on by each decision. */
  readonly clocks: Map<bigint, bigint>
}

/** As earlier items of the batch leave it. */
export type Known = {
  readonly contracts: Map<string, ContractState>
  /** Contracts that each key has, by hash, and since when. */
  readonly keys: Map<string, { readonly contractId: string; readonly since: bigint }[]>
  readonly duplicates: Duplicates
  readonly reassignments: Map<string, ReassignmentRecord>
}
