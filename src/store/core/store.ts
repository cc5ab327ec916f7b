// The store interface: records by kind, transactions over them, and copies of the whole ledger.
import type { Readable } from 'node:stream'
import type {
  DarRecords,
  ExternalPartyRecords,
  IdentityProviderRecords,
  NodeRecords,
  PackageRecords,
  PartyRecords,
  SynchronizerRecords,
  UserRecords,
  VettingRecords,
} from './administration-records.ts'
import type { ContractRecords } from './contract-records.ts'
import type {
  AcceptedChangeRecords,
  CompletionRecords,
  LedgerStateRecords,
  NameRecords,
  ReassignmentRecords,
  TopologyRecords,
  UpdateRecords,
  WaitingUpdateRecords,
} from './ledger-records.ts'

export interface Records {
  readonly state: LedgerStateRecords
  readonly names: NameRecords
  readonly synchronizers: SynchronizerRecords
  readonly updates: UpdateRecords
  readonly contracts: ContractRecords
  readonly reassignments: ReassignmentRecords
  readonly completions: CompletionRecords
  readonly acceptedChanges: AcceptedChangeRecords
  readonly users: UserRecords
  readonly parties: PartyRecords
  readonly externalParties: ExternalPartyRecords
  readonly topology: TopologyRecords
  readonly identityProviders: IdentityProviderRecords
  readonly packages: PackageRecords
  readonly dars: DarRecords
  readonly vetting: VettingRecords
  readonly waitingUpdates: WaitingUpdateRecords
  readonly node: NodeRecords
}

/** The records inside a transaction. */
export interface TransactionRecords extends Records {
  /** Those of another participant of the same database, by number, in the same transaction. */
  of(participant: number): TransactionRecords
}

export interface Store extends Records, AsyncDisposable {
  /** Whether other nodes may write to it, too. Its transactions never end with an unknown outcome. */
  readonly isShared: boolean
  /** All of `body` or nothing, with no concurrent writer. Use only the given records inside. */
  transaction<T>(body: (records: TransactionRecords) => Promise<T>): Promise<T>
  /**
   * All of `body` or nothing, for work on rows that nobody else writes and that may be done twice: beside other writers,
   * if the database can.
   */
  beside<T>(body: (records: Records) => Promise<T>): Promise<T>
  /** Whether other writers wait for what runs `beside` them. */
  readonly isBesideAlone: boolean
  /** Returns unused space to the operating system, as far as the database can, until aborted. */
  reclaim(signal?: AbortSignal): Promise<void>
  /** Called when the node stops: ends the wait for the outcome of a transaction, which may stay unknown. */
  giveUp(): void
  /** Throws if the store cannot answer requests now. */
  check(): Promise<void>
}

/** A copy of the whole ledger. */
export type Snapshot = {
  readonly name: string
  readonly takenAtMs: number
  readonly bytes: number
  /** The end of its ledger; 0 if it cannot be read. */
  readonly offset: bigint
  /** Why it cannot be used; undefined if it can. */
  readonly problem?: string
}

export type SnapshotContent = {
  readonly bytes: number
  /** To be read or destroyed. */
  readonly stream: Readable
}

/** Is dropped when it is disposed of before it is kept. */
export type ReceivedSnapshot = AsyncDisposable & {
  keep(name: string): Promise<void>
}
