// Records of contracts: what is stored of each, where it is now, and how readers find it.
import type { OffsetRange } from './ledger-records.ts'

export type ContractRecord = {
  readonly number: bigint
  readonly contractId: string
  readonly template: bigint
  readonly createdOffset: bigint
  readonly nodeId: number
  /** Where it was created; 0 if this participant has only seen it. */
  readonly synchronizer: bigint
  readonly workflowId: string
  /** Numbers between commas: ",3,17,". */
  readonly stakeholders: string
  readonly keyHash: string | undefined
  /** The JSON of its created event, in two pieces; the first has `eventCut` bytes. */
  readonly event: Uint8Array
  readonly eventCut: number
  readonly blob: Uint8Array
}

/** An event that is stored only in the body of the update that created the contract. */
export type EventPlace = {
  /** As it is stored. */
  readonly body: Uint8Array
  /** Positions in the unpacked body. */
  readonly start: number
  readonly end: number
}

export type NewContract = Omit<ContractRecord, 'event'> & { readonly event: Uint8Array | EventPlace }

/** A contract's current location. */
export type Location = {
  /** The number of a synchronizer, or 0 while it is in transit. */
  readonly location: bigint
  /** The number of unassignments so far. */
  readonly counter: bigint
}

/** What commit needs of a contract. */
export type ContractState = Pick<
  ContractRecord,
  'number' | 'contractId' | 'template' | 'createdOffset' | 'stakeholders' | 'keyHash'
> &
  Location & { readonly archivedOffset: bigint | undefined }

/** The position of a contract in lists of active contracts. */
export type ContractPosition = { readonly template: bigint; readonly number: bigint }

/** The position of a contract in the order of archives. */
export type ArchivePlace = { readonly archivedOffset: bigint; readonly number: bigint }

/** With its current state. */
export type StoredContractRow = ContractRecord & ContractState

/** What readers need; the blob is read separately, on demand. */
export type ContractRow = Omit<StoredContractRow, 'blob'>

/** With its size; a large event is null, and loaded on demand. */
export type SizedContract = Omit<ContractRow, 'event'> & { readonly event: Uint8Array | null; readonly bytes: bigint }

/** A contract that is no longer active. */
export type PastContract = ContractPosition & {
  /** Its stakeholders, and 0 for anybody. */
  readonly parties: readonly bigint[]
  readonly createdOffset: bigint
  readonly archivedOffset: bigint
}

/** Contracts of a party (0: anybody) that were active at one offset and archived since, up to another. */
export type PastQuery = {
  readonly party: bigint
  readonly template: bigint
  readonly activeAt: bigint
  readonly archivedUpTo: bigint
  /** The number of the last contract created up to the offset. */
  readonly lastNumber: bigint
}

type KeyRow = { readonly number: bigint; readonly keyHash: string }
/** A place among the contracts of a key: the offset since which it has the contract, and the contract's number. */
type KeyPlace = { readonly since: bigint; readonly number: bigint }

export interface ContractRecords {
  insert(contracts: readonly NewContract[]): Promise<void>
  /** Rows of the index of active contracts; party 0 stands for anybody. */
  activate(rows: readonly (ContractPosition & { readonly party: bigint })[]): Promise<void>
  deactivate(rows: readonly (ContractPosition & { readonly party: bigint })[]): Promise<void>
  archive(rows: readonly PastContract[]): Promise<void>
  /** `since` is the offset that gave the key its contract. */
  addKeys(rows: readonly (KeyRow & { readonly since: bigint })[]): Promise<void>
  removeKeys(rows: readonly KeyRow[]): Promise<void>
  move(rows: readonly (Location & { readonly number: bigint })[]): Promise<void>
  states(contractIds: readonly string[]): Promise<ContractState[]>
  find(contractIds: readonly string[]): Promise<StoredContractRow[]>
  /** Blobs of those that are not archived: the first, and others within a byte limit. */
  blobs(contractIds: readonly string[]): Promise<(Pick<ContractRecord, 'contractId' | 'blob'> & Location)[]>
  /**
   * The key's contracts that are not in transit: one batch, and the place before which there may be more. The newest
   * are first; one that came from another synchronizer is as new as its assignment.
   */
  withKey(
    keyHash: string,
    before?: KeyPlace,
  ): Promise<{
    readonly contracts: readonly Pick<ContractRecord, 'contractId' | 'blob'>[]
    readonly before: KeyPlace | undefined
  }>
  /** Numbers of active contracts of a party (0: anybody) and a template, after one number, up to another, in order. */
  active(party: bigint, template: bigint, after: bigint, upTo: bigint, limit: number): Promise<bigint[]>
  /** The first of these of each template. */
  firstActive(party: bigint, after: bigint, upTo: bigint): Promise<{ template: bigint; number: bigint }[]>
  /** How many of these there are, up to `limit`, and the number of the last one that was counted. */
  countActive(
    party: bigint,
    template: bigint,
    after: bigint,
    upTo: bigint,
    limit: number,
  ): Promise<{ readonly count: number; readonly last: bigint }>
  /** Numbers of active contracts of a party and a template before one number, the newest first. */
  activeBefore(party: bigint, template: bigint, before: bigint, limit: number): Promise<bigint[]>
  /** The first of these of each template. */
  lastActive(party: bigint, before: bigint): Promise<{ template: bigint; number: bigint }[]>
  /** Numbers of contracts of a party and a template that were active at an offset and archived since, in order. */
  past(query: PastQuery, after: bigint, limit: number): Promise<bigint[]>
  /** Those before one number, the newest first. */
  pastBefore(query: PastQuery, before: bigint, limit: number): Promise<bigint[]>
  /** How many there are, up to `limit`. */
  countPast(query: PastQuery, limit: number): Promise<number>
  /** The templates of which the party has past contracts. */
  pastTemplates(party: bigint): Promise<bigint[]>
  /** The number of the last contract created up to an offset, or a greater one that no contract has. */
  lastCreated(upTo: bigint): Promise<bigint>
  /** Numbers of contracts whose key is within these bounds, a few. */
  withIdKeys(from: bigint, to: bigint, limit: number): Promise<bigint[]>
  /** By their numbers, in no particular order. */
  at(numbers: readonly bigint[]): Promise<StoredContractRow[]>
  sized(numbers: readonly bigint[]): Promise<SizedContract[]>
  sizedById(contractIds: readonly string[]): Promise<SizedContract[]>
  events(numbers: readonly bigint[]): Promise<Map<bigint, Uint8Array>>
  /** Active or not. */
  blobsOf(contractIds: readonly string[]): Promise<Pick<ContractRecord, 'contractId' | 'blob'>[]>
  positions(numbers: readonly bigint[]): Promise<Pick<ContractState, 'number' | 'template' | 'stakeholders'>[]>
  /** Archives after a place, in the order of archives. */
  archivedAfter(after: ArchivePlace, limit: number): Promise<ArchivePlace[]>
  /**
   * Deletes contracts archived within the range, and their moves; others that were created there no longer need their
   * updates afterwards. `lastNumber` is the last contract created before the range, if it is known; returns the last one
   * created within it.
   */
  prune(range: OffsetRange, lastNumber?: bigint): Promise<bigint>
}
