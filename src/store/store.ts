// What the ledger asks of a store: records by kind, and transactions over them. Row shapes stay inside this folder.
import type { Right } from '../base/rights.ts'

export type Annotations = Readonly<Record<string, string>>

export type UserRecord = {
  readonly id: string
  readonly identityProviderId: string
  readonly primaryParty: string
  readonly isDeactivated: boolean
  readonly primaryPartyAuthentication: boolean
  readonly resourceVersion: bigint
  readonly annotations: Annotations
}

export type PartyRecord = {
  readonly party: string
  readonly isLocal: boolean
  readonly identityProviderId: string
  readonly resourceVersion: bigint
  readonly annotations: Annotations
}

export type IdentityProviderRecord = {
  readonly id: string
  readonly issuer: string
  readonly jwksUrl: string
  readonly audience: string
  readonly isDeactivated: boolean
}

export type PackageRecord = {
  readonly id: string
  readonly name: string
  readonly version: string
  readonly languageVersion: string
  /** Whether its name stands for a line of versions, of which there is one package each. */
  readonly isUpgradable: boolean
  /** Bytes of the dalf. */
  readonly size: number
  readonly uploadedAtMs: number
}

export type DarRecord = {
  /** SHA-256 of the file, in hex. */
  readonly hash: string
  readonly mainPackageId: string
  /** Whether all of its packages are vetted without bounds; false also when that is in doubt. */
  readonly isVetted: boolean
}

/** Times are microseconds since 1970; a missing one is no bound. */
export type VettedPackage = {
  readonly packageId: string
  readonly validFrom: bigint | undefined
  readonly validUntil: bigint | undefined
}

/** What is vetted on a synchronizer, and how often that has changed. */
export type VettingRecord = {
  readonly synchronizer: bigint
  readonly serial: number
  readonly packages: readonly VettedPackage[]
}

export type VettingChange = {
  readonly synchronizer: bigint
  /** After the change. */
  readonly serial: number
  /** Those that are new or have new bounds. */
  readonly vetted: readonly VettedPackage[]
  readonly unvetted: readonly string[]
}

/** A slice of an ordered list: what comes after `after`, at most `limit` of it, and not many more bytes than `bytesMax`. */
export type Page = { readonly after: string; readonly limit: number; readonly bytesMax: number }

/** `isCut` when it ended early because of its bytes. */
export type PageOf<T> = { readonly records: readonly T[]; readonly isCut: boolean }

export interface UserRecords {
  get(id: string): Promise<UserRecord | undefined>
  list(identityProviderId: string, page: Page): Promise<PageOf<UserRecord>>
  count(identityProviderId: string): Promise<bigint>
  insert(user: UserRecord): Promise<void>
  update(user: UserRecord): Promise<void>
  delete(id: string): Promise<void>
  rights(id: string): Promise<Right[]>
  /** Adds what the user does not hold yet. */
  grant(id: string, rights: readonly Right[]): Promise<void>
  revoke(id: string, rights: readonly Right[]): Promise<void>
}

export interface PartyRecords {
  get(party: string): Promise<PartyRecord | undefined>
  /** Ordered by party; only those that start with `prefix`. */
  list(prefix: string, page: Page): Promise<PageOf<PartyRecord>>
  count(identityProviderId: string): Promise<bigint>
  insert(party: PartyRecord): Promise<void>
  update(party: PartyRecord): Promise<void>
  /** Numbers of the synchronizers where the party is hosted. */
  synchronizersOf(party: string): Promise<bigint[]>
  /** Also there from now on. */
  host(party: string, synchronizers: readonly bigint[]): Promise<void>
}

/** Who signs for a party that holds its keys itself. */
export type ExternalPartyRecord = {
  readonly party: string
  /** By its number. */
  readonly synchronizer: bigint
  readonly keys: readonly { readonly keySpec: string; readonly keyData: Uint8Array }[]
  /** How many of the keys have to sign. */
  readonly threshold: number
}

export interface ExternalPartyRecords {
  /** One for each synchronizer; none unless it is an external party. */
  of(party: string): Promise<ExternalPartyRecord[]>
  insert(party: ExternalPartyRecord): Promise<void>
}

export interface IdentityProviderRecords {
  get(id: string): Promise<IdentityProviderRecord | undefined>
  byIssuer(issuer: string): Promise<IdentityProviderRecord | undefined>
  list(): Promise<IdentityProviderRecord[]>
  insert(config: IdentityProviderRecord): Promise<void>
  update(config: IdentityProviderRecord): Promise<void>
  delete(id: string): Promise<void>
}

export interface PackageRecords {
  get(id: string): Promise<PackageRecord | undefined>
  dalf(id: string): Promise<Uint8Array | undefined>
  ids(): Promise<string[]>
  /** Main packages of DARs, in the order of their uploads. */
  mains(): Promise<PackageRecord[]>
  list(): Promise<PackageRecord[]>
  named(name: string, version: string): Promise<PackageRecord[]>
  insert(record: PackageRecord, dalf: Uint8Array): Promise<void>
  /** What packages define, as JSON, by package id. */
  contents(): Promise<Map<string, string>>
  putContents(contents: ReadonlyMap<string, string>): Promise<void>
}

export interface DarRecords {
  get(hash: string): Promise<DarRecord | undefined>
  put(dar: DarRecord): Promise<void>
  /** After something was unvetted: which files that concerns is found out when one is uploaded again. */
  doubtVetting(): Promise<void>
}

export interface VettingRecords {
  list(): Promise<VettingRecord[]>
  change(change: VettingChange): Promise<void>
}

/** The node's own few facts, such as its keys. */
export interface NodeRecords {
  get(name: string): Promise<Uint8Array | undefined>
  insert(name: string, value: Uint8Array): Promise<void>
  put(name: string, value: Uint8Array): Promise<void>
  delete(name: string): Promise<void>
}

/** How far the ledger has come. */
export type LedgerState = {
  readonly end: bigint
  readonly lastContract: bigint
  readonly lastName: bigint
  /** When the last update or completion was published, in microseconds since 1970. */
  readonly publishedAt: bigint
  readonly prunedUpTo: bigint
  /** Accepted changes up to this offset, published up to this time, are forgotten. */
  readonly forgottenUpTo: bigint
  readonly forgottenAt: bigint
}

export interface LedgerStateRecords {
  get(): Promise<LedgerState>
  put(state: LedgerState): Promise<void>
}

/** Numbers of parties (`hint::fingerprint`) and templates (`#package-name:Module:Entity`). */
export interface NameRecords {
  numbers(names: readonly string[]): Promise<Map<string, bigint>>
  names(numbers: readonly bigint[]): Promise<Map<bigint, string>>
  insert(rows: readonly { readonly number: bigint; readonly name: string }[]): Promise<void>
}

export type SynchronizerRecord = {
  readonly number: bigint
  readonly id: string
  readonly alias: string
  /** The last one it gave, in microseconds since 1970. */
  readonly recordTime: bigint
  readonly isConnected: boolean
}

export interface SynchronizerRecords {
  list(): Promise<SynchronizerRecord[]>
  insert(synchronizer: SynchronizerRecord): Promise<void>
  setRecordTime(number: bigint, recordTime: bigint): Promise<void>
  setConnected(number: bigint, isConnected: boolean): Promise<void>
}

export type UpdateRecord = {
  readonly offset: bigint
  /** The first eight bytes of its id's hash: other updates may have the same. */
  readonly idKey: bigint
  /** Numbers of the templates of its events, between commas: ",3,17,". */
  readonly templates: string
  readonly meta: string
  /** UTF-8. */
  readonly body: Uint8Array
}

/** What is read of an update. */
export type UpdateRow = { readonly offset: bigint; readonly meta: string; readonly body: string }

/** An update and how large it is; what of it is large itself is null, and read when it is needed. */
export type SizedUpdate = {
  readonly offset: bigint
  readonly bytes: bigint
  readonly meta: string | null
  readonly body: string | null
}

/** An update that a party sees something of. */
export type SeenUpdate = { readonly offset: bigint; readonly templates: string }

/** Offsets after `after`, up to and with `upTo`; at most `limit` of them, the first or, descending, the last. */
export type OffsetRange = {
  readonly after: bigint
  readonly upTo: bigint
  readonly limit: number
  readonly descending?: boolean
}

export interface UpdateRecords {
  insert(updates: readonly UpdateRecord[], seen: readonly (SeenUpdate & { readonly party: bigint })[]): Promise<void>
  /** Whoever sees them. */
  range(range: OffsetRange): Promise<(SizedUpdate & SeenUpdate)[]>
  /** Those that the party sees anything of. */
  rangeSeenBy(party: bigint, range: OffsetRange): Promise<SizedUpdate[]>
  /** Only where to find them. */
  seenBy(party: bigint, range: OffsetRange): Promise<SeenUpdate[]>
  /** In the order of the offsets given; those that are not there are left out. */
  at(offsets: readonly bigint[]): Promise<SizedUpdate[]>
  /** Everything of them, in no particular order. */
  whole(offsets: readonly bigint[]): Promise<UpdateRow[]>
  /** What is said of them, without their bodies. */
  metas(range: OffsetRange): Promise<Pick<UpdateRow, 'offset' | 'meta'>[]>
  withIdKey(idKey: bigint): Promise<SizedUpdate[]>
  /** The offset of the oldest. */
  first(): Promise<bigint | undefined>
  prune(range: OffsetRange, seen: readonly { readonly party: bigint; readonly offset: bigint }[]): Promise<void>
}

export type ContractRecord = {
  readonly number: bigint
  readonly contractId: string
  readonly template: bigint
  readonly createdOffset: bigint
  readonly nodeId: number
  /** Where it was created. */
  readonly synchronizer: bigint
  readonly workflowId: string
  /** Their numbers, between commas: ",3,17,". */
  readonly stakeholders: string
  readonly keyHash: string | undefined
  /** The JSON of its created event, in two pieces; the first has `eventCut` bytes. */
  readonly event: Uint8Array
  readonly eventCut: number
  readonly blob: Uint8Array
}

/** Where a contract is. */
export type Location = {
  /** The number of a synchronizer, or 0 while it is in transit. */
  readonly location: bigint
  /** How often it was unassigned. */
  readonly counter: bigint
}

/** What commit needs to know of a contract. */
export type ContractState = Pick<
  ContractRecord,
  'number' | 'contractId' | 'template' | 'createdOffset' | 'stakeholders' | 'keyHash'
> &
  Location & { readonly archivedOffset: bigint | undefined }

/** Where a contract stands in the order in which active contracts are listed. */
export type ContractPosition = { readonly template: bigint; readonly number: bigint }

/** Where a contract stands in the order in which contracts were archived. */
export type ArchivePlace = { readonly archivedOffset: bigint; readonly number: bigint }

/** As it is now. */
export type StoredContractRow = ContractRecord & ContractState

/** What its readers need of it; the blob is read apart, by those who want it. */
export type ContractRow = Omit<StoredContractRow, 'blob'>

/** With its size; an event that is large is null, and read when it is needed. */
export type SizedContract = Omit<ContractRow, 'event'> & { readonly event: Uint8Array | null; readonly bytes: bigint }

/** A contract that is not active any more. */
export type PastContract = ContractPosition & {
  /** Its stakeholders, and 0 for anybody. */
  readonly parties: readonly bigint[]
  readonly createdOffset: bigint
  readonly archivedOffset: bigint
}

/** Contracts of a party (0: anybody) that were active at an offset, and were archived since, up to another. */
export type PastQuery = {
  readonly party: bigint
  readonly template: bigint
  readonly activeAt: bigint
  readonly archivedUpTo: bigint
  /** Of the last contract that was created up to the offset. */
  readonly lastNumber: bigint
}

/** Where a contract stands in the order in which past contracts are listed. */
export type PastPlace = { readonly node: bigint; readonly bound: bigint; readonly number: bigint }

type KeyRow = { readonly number: bigint; readonly keyHash: string }

export interface ContractRecords {
  insert(contracts: readonly ContractRecord[]): Promise<void>
  /** Rows of the index of active contracts; party 0 stands for anybody. */
  activate(rows: readonly (ContractPosition & { readonly party: bigint })[]): Promise<void>
  deactivate(rows: readonly (ContractPosition & { readonly party: bigint })[]): Promise<void>
  archive(rows: readonly PastContract[]): Promise<void>
  /** `since`: the offset that gave them their contracts. */
  addKeys(rows: readonly (KeyRow & { readonly since: bigint })[]): Promise<void>
  removeKeys(rows: readonly KeyRow[]): Promise<void>
  move(rows: readonly (Location & { readonly number: bigint })[]): Promise<void>
  states(contractIds: readonly string[]): Promise<ContractState[]>
  find(contractIds: readonly string[]): Promise<StoredContractRow[]>
  /** Those of them that are not archived; the first, and others as long as there are not too many bytes. */
  blobs(contractIds: readonly string[]): Promise<(Pick<ContractRecord, 'contractId' | 'blob'> & Location)[]>
  /**
   * Its contracts that are not in transit, newest first: as many as should be read at once, and the number before which
   * there may be more.
   */
  withKey(
    keyHash: string,
    before?: bigint,
  ): Promise<{
    readonly contracts: readonly Pick<ContractRecord, 'contractId' | 'blob'>[]
    readonly before: bigint | undefined
  }>
  /** Contracts that the key has only since after an offset. */
  newToKey(keyHash: string, after: bigint): Promise<{ readonly contractId: string; readonly since: bigint }[]>
  /** Numbers of active ones of a party (0: anybody) and a template: after one, up to another, in order. */
  active(party: bigint, template: bigint, after: bigint, upTo: bigint, limit: number): Promise<bigint[]>
  /** Those of a party and a template that were active at an offset and were archived since, after a place. */
  past(query: PastQuery, after: PastPlace, limit: number): Promise<PastPlace[]>
  /** The template after another of which the party has contracts that are active, or that were. */
  nextTemplate(of: 'active' | 'past', party: bigint, after: bigint): Promise<bigint | undefined>
  /** The number of the last contract that was created up to an offset, or a greater one without a contract. */
  lastCreated(upTo: bigint): Promise<bigint>
  /** By their numbers, in no particular order. */
  at(numbers: readonly bigint[]): Promise<StoredContractRow[]>
  sized(numbers: readonly bigint[]): Promise<SizedContract[]>
  sizedById(contractIds: readonly string[]): Promise<SizedContract[]>
  /** The events of contracts. */
  events(numbers: readonly bigint[]): Promise<Map<bigint, Uint8Array>>
  /** Whether they are active or not. */
  blobsOf(contractIds: readonly string[]): Promise<Pick<ContractRecord, 'contractId' | 'blob'>[]>
  positions(numbers: readonly bigint[]): Promise<Pick<ContractState, 'number' | 'template' | 'stakeholders'>[]>
  /** What was archived after a place in the order of archives, in that order. */
  archivedAfter(after: ArchivePlace, limit: number): Promise<ArchivePlace[]>
  /** Forgets those archived within a range, and their moves. */
  prune(range: OffsetRange): Promise<void>
}

export type ReassignmentRecord = {
  readonly unassignedOffset: bigint
  readonly id: string
  readonly source: bigint
  readonly target: bigint
  /** Of the unassignment, as are user, command and workflow. */
  readonly submitter: string
  /** Until then only its submitter may assign; microseconds since 1970. */
  readonly exclusiveUntil: bigint
  readonly userId: string
  readonly commandId: string
  readonly workflowId: string
  /** Undefined while its contracts are in transit. */
  readonly assigned: { readonly offset: bigint; readonly workflowId: string } | undefined
}

/** One move of one contract. */
export type ContractMove = {
  readonly contract: bigint
  readonly counter: bigint
  readonly unassignedOffset: bigint
  /** The same in the unassignment and in the assignment. */
  readonly nodeId: number
}

/** Where a reassignment stands in the order in which others may assign it. */
export type Turn = Pick<ReassignmentRecord, 'exclusiveUntil' | 'unassignedOffset'>

export interface ReassignmentRecords {
  insert(reassignments: readonly ReassignmentRecord[], moves: readonly ContractMove[]): Promise<void>
  complete(unassignedOffset: bigint, assigned: NonNullable<ReassignmentRecord['assigned']>): Promise<void>
  byId(ids: readonly string[]): Promise<ReassignmentRecord[]>
  /** Of those that are not complete, the one that others may assign next. */
  nextInTransit(after: Turn, targets: readonly bigint[]): Promise<ReassignmentRecord | undefined>
  /** By node id. */
  contractsOf(unassignedOffset: bigint): Promise<ContractMove[]>
  /** All moves of these contracts, in no particular order. */
  movesOf(contracts: readonly bigint[]): Promise<(ContractMove & { readonly of: ReassignmentRecord })[]>
  /** Of the moves of these contracts that began up to an offset, the last two of each, in no particular order. */
  lastMoves(
    contracts: readonly bigint[],
    upTo?: bigint,
  ): Promise<(ContractMove & { readonly of: ReassignmentRecord })[]>
  /** Forgets what happened to contracts before reassignments that are complete. */
  prune(completed: readonly string[]): Promise<void>
}

export type CompletionRecord = {
  readonly offset: bigint
  readonly userId: string
  readonly actAs: readonly string[]
  /** JSON before and after the list of acting parties. */
  readonly head: string
  readonly tail: string
}

export interface CompletionRecords {
  insert(completions: readonly CompletionRecord[]): Promise<void>
  /** Of one user, or of all: as many as should be read at once, up to and with `last`. */
  range(
    userId: string | undefined,
    range: OffsetRange,
  ): Promise<{
    readonly rows: readonly CompletionRecord[]
    readonly last: bigint | undefined
    readonly hasMore: boolean
  }>
  /** The offset of the oldest. */
  first(): Promise<bigint | undefined>
  prune(range: OffsetRange): Promise<void>
}

export type AcceptedChange = {
  readonly changeId: Uint8Array
  readonly offset: bigint
  readonly publishedAt: bigint
  readonly submissionId: string
}

export interface AcceptedChangeRecords {
  get(changeIds: readonly Uint8Array[]): Promise<AcceptedChange[]>
  put(changes: readonly AcceptedChange[]): Promise<void>
  /** Walks through all, a few at a time, and forgets some; answers where to go on, if there is more. */
  prune(
    after: Uint8Array,
    limit: number,
    isForgotten: (change: AcceptedChange) => boolean,
  ): Promise<{ readonly forgotten: readonly AcceptedChange[]; readonly last: Uint8Array | undefined }>
}

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
  readonly identityProviders: IdentityProviderRecords
  readonly packages: PackageRecords
  readonly dars: DarRecords
  readonly vetting: VettingRecords
  readonly node: NodeRecords
}

export interface Store extends Records, AsyncDisposable {
  /** All of `body` or nothing, with no other writer beside it. Inside, use only the records it is given. */
  transaction<T>(body: (records: Records) => Promise<T>): Promise<T>
  /** Gives space that is not needed any more back to the operating system, as far as the database can, until aborted. */
  reclaim(signal?: AbortSignal): Promise<void>
  /** The node stops: what became of a transaction is not waited for any longer, and may be unknown. */
  giveUp(): void
  /** Throws when the store would not answer a request now. */
  check(): Promise<void>
}
