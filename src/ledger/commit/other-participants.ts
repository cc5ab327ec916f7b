// What a commit does on the other participants of a network, in its own transaction: what crosses a synchronizer appears
// on every participant or on none. ledger/network does it; a participant alone has none.
import type { ExternalPartyRecord, HostRecord } from '../../store/core/administration-records.ts'
import type { ContractState } from '../../store/core/contract-records.ts'
import type { LedgerState, Taken } from '../../store/core/ledger-records.ts'
import type { TransactionRecords } from '../../store/core/store.ts'
import type { Accepted, CommitItem, DecidedItem, Decision } from './commit-item.ts'
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
  /** Which of these contracts and reassignments something takes that this participant has not been given yet. */
  waiting(ids: readonly string[], records: TransactionRecords): Promise<readonly Taken[]>
  /** The confirming parties that are on this participant. */
  confirmersHere(
    items: readonly CommitItem[],
    records: TransactionRecords,
  ): Promise<ReadonlyMap<CommitItem, readonly string[]>>
  /** The items that cannot be published now, in their order. */
  heldOf(batch: readonly CommitItem[], records: TransactionRecords): Promise<HeldItems>
  /** Lets these wait: for confirmations, or behind others that do. */
  hold(decided: readonly DecidedItem[], items: HeldItems, at: Written): Promise<HeldResult>
  /** Whether the transaction that let it wait is in the store. */
  isHeld(held: Held, records: TransactionRecords): Promise<boolean>
  /** Whether something waits on one of these synchronizers, so that nothing can be published there. */
  isBehind(synchronizers: readonly bigint[], records: TransactionRecords): Promise<boolean>
  /** Called once the transaction is on disk, for each that is held. */
  follow(held: Held, outcome: Outcome): void
  /** Called when something may be published again. */
  whenGiven(retry: () => void): void
  /** Writes what others see of these. */
  deliver(accepted: readonly Accepted[], at: Written): Promise<readonly Delivery[]>
  /** Writes which parties this participant hosts now. */
  deliverHosting(hostings: readonly DeliveredHosting[], at: Written): Promise<readonly Delivery[]>
  /** Called once the transaction is on disk. */
  publish(deliveries: readonly Delivery[]): void
}

/** `isLocked`: something that is not decided archives or moves it. */
export type StateElsewhere = {
  readonly state: ContractState
  readonly confirming: Confirming
  readonly isLocked: boolean
}

/** By item: the confirming parties that cannot confirm now. Without any, the item waits behind others. */
export type HeldItems = ReadonlyMap<CommitItem, { readonly missing: readonly MissingParty[] }>

export type MissingParty = {
  readonly party: string
  /** The participants that confirm for it, and how many of them must. */
  readonly participants: readonly string[]
  readonly threshold: number
}

/** An item whose outcome is published later. */
export type Held = {
  readonly item: CommitItem
  /** Its place in the line of this participant. Places are used again; its record time is in no other. */
  readonly number: bigint
  /** The end of the ledger then: it is published after this offset. */
  readonly since: bigint
  readonly decided: DecidedItem
  readonly missing: readonly MissingParty[]
  /** Where others wait for it, by participant. */
  readonly places: ReadonlyMap<number, bigint>
}

export type HeldResult = { readonly held: readonly Held[]; readonly deliveries: readonly Delivery[] }

export type Outcome = { resolve(decision: Decision): void; reject(error: unknown): void }

/** Something waits on the synchronizer of a change. */
export class LineBusy extends Error {}

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
