// What a commit does on the other participants of a network, in its own transaction: what crosses a synchronizer appears
// on every participant or on none. ledger/network does it; a participant alone has none.
import type { ExternalPartyRecord, HostRecord } from '../../store/core/administration-records.ts'
import type { ContractState, LedgerState } from '../../store/core/ledger-records.ts'
import type { TransactionRecords } from '../../store/core/store.ts'
import type { Accepted, DecidedItem } from './commit-item.ts'
import type { Confirming } from './known-state.ts'
import type { NewName } from './rows.ts'

export type OtherParticipants = {
  /** The last record time of each synchronizer by number, whichever participant moved it. */
  recordTimes(records: TransactionRecords): Promise<ReadonlyMap<bigint, bigint>>
  /** Moves the clocks of synchronizers for all. */
  advance(recordTimes: ReadonlyMap<bigint, bigint>, records: TransactionRecords): Promise<void>
  /** The states of contracts that this participant does not know, from those that do. */
  states(contractIds: readonly string[], records: TransactionRecords): Promise<readonly StateElsewhere[]>
  /** The transactions as this participant sees them. */
  seenHere<Item extends DecidedItem>(decided: readonly Item[], records: TransactionRecords): Promise<readonly Item[]>
  /** Writes what others see of these. */
  deliver(accepted: readonly Accepted[], at: Written): Promise<readonly Delivery[]>
  /** Writes which parties this participant hosts now. */
  deliverHosting(hostings: readonly DeliveredHosting[], at: Written): Promise<readonly Delivery[]>
  /** Called once the transaction is on disk. */
  publish(deliveries: readonly Delivery[]): void
}

export type StateElsewhere = { readonly state: ContractState; readonly confirming: Confirming }

/** The transaction, and when its contents are published. */
export type Written = { readonly records: TransactionRecords; readonly publishedAt: bigint }

/** What one transaction wrote for another participant, by number. */
export type Delivery = Given | { readonly kind: 'waiting'; readonly participant: number }

/** It is in the tables of the participant. */
export type Given = {
  readonly kind: 'given'
  readonly participant: number
  readonly state: LedgerState
  /** By synchronizer number. */
  readonly recordTimes: ReadonlyMap<bigint, bigint>
  readonly names: readonly NewName[]
  /** Parties whose hosts have changed. */
  readonly parties: readonly string[]
}

/** An update about the topology of a synchronizer, as it is stored, and the hosts that it tells of. */
export type DeliveredHosting = {
  readonly synchronizer: bigint
  readonly recordTime: bigint
  readonly updateId: string
  /** The description of the update. */
  readonly meta: string
  /** The lists in which it is found. */
  readonly lists: readonly string[]
  readonly hosts: readonly (HostRecord & { readonly party: string })[]
  /** Of those that are external parties. */
  readonly keys: readonly ExternalPartyRecord[]
}
