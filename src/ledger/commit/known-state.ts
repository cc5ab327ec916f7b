// The state that the decisions on a batch depend on.
import type { LedgerError } from '../../base/errors.ts'
import type { ContractState } from '../../store/core/contract-records.ts'
import type { LedgerState, ReassignmentRecord } from '../../store/core/ledger-records.ts'
import type { CommitItem, InterpretedCommand } from './commit-item.ts'
import type { Duplicates } from './deduplication.ts'

export type Setting = {
  readonly before: LedgerState
  readonly publishedAt: bigint
  readonly participantId: string
  /** Why the packages of a command cannot be used any more. */
  readonly vettingProblem: ((item: InterpretedCommand) => LedgerError | undefined) | undefined
  /** The last record time of each synchronizer; each decision advances it. */
  readonly clocks: Map<bigint, bigint>
  /** Whether participants that have to confirm it are away. */
  readonly isPending?: ((item: CommitItem) => boolean) | undefined
}

/** A participant that confirms or rejects the use of a contract, and the parties for which it does. */
export type Confirming = { readonly participantId: string; readonly parties: readonly string[] }

/** Includes the effects of earlier items of the batch. */
export type Known = {
  readonly contracts: Map<string, ContractState>
  /** Those of them that only other participants of the network know, and which answers for each. */
  readonly elsewhere: ReadonlyMap<string, Confirming>
  /** Contracts and reassignments that something takes which waits for confirmation. */
  readonly locked: Set<string>
  /** In a network, the confirming parties on this participant. */
  readonly confirmers: ReadonlyMap<CommitItem, readonly string[]>
  readonly duplicates: Duplicates
  readonly reassignments: Map<string, ReassignmentRecord>
}
