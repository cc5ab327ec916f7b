// Records of what happened on the ledger: updates, contracts, reassignments and completions, by offset. Row shapes stay
// inside the store.

/** A certificate of a namespace. */
export type CertificateRecord = {
  readonly namespace: string
  /** By number. */
  readonly synchronizer: bigint
  /** The fingerprint of the key that may sign; empty where several owners control the namespace. */
  readonly target: string
  /** The transaction, as it was signed. */
  readonly content: Uint8Array
}

/** Transactions to host a party that others have yet to sign. */
export type ProposalRecord = {
  readonly party: string
  /** By number. */
  readonly synchronizer: bigint
  /** The hash over the transactions, in hex. */
  readonly hash: string
  /** The user that sent them first; empty if nobody knows. */
  readonly proposedBy: string
  /** The number of requests that brought them. */
  readonly requests: bigint
  /** The fingerprints of the keys that signed each transaction. */
  readonly signers: readonly (readonly string[])[]
}

export interface TopologyRecords {
  /** Ordered by namespace and target. */
  certificates(synchronizer: bigint, namespaces: readonly string[]): Promise<CertificateRecord[]>
  insertCertificate(certificate: CertificateRecord): Promise<void>
  proposal(party: string, synchronizer: bigint, hash: string): Promise<ProposalRecord | undefined>
  /** Replaces the proposal with the same party, synchronizer and hash. */
  putProposal(proposal: ProposalRecord): Promise<void>
  deleteProposals(party: string, synchronizer: bigint): Promise<void>
  /** The user's proposals of the party on the synchronizer. */
  countProposals(party: string, synchronizer: bigint, proposedBy: string): Promise<bigint>
  /** The number of requests that proposed to host the party, on any synchronizer. */
  countRequests(party: string): Promise<bigint>
  /** The parties that the user proposed to host. */
  proposedParties(proposedBy: string): Promise<string[]>
}

export type LedgerState = {
  readonly end: bigint
  readonly lastContract: bigint
  readonly lastName: bigint
  /** When the last update or completion was published, in microseconds since 1970. */
  readonly publishedAt: bigint
  readonly prunedUpTo: bigint
  /** Accepted changes up to this offset, published up to this time, are deleted. */
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

export type UpdateRecord = {
  readonly offset: bigint
  /** The first eight bytes of its id's hash; not unique. */
  readonly idKey: bigint
  /** Numbers of the templates of its events, between commas: ",3,17,". */
  readonly templates: string
  readonly meta: string
  /** UTF-8. */
  readonly body: Uint8Array
  /** Its length when it is unpacked, if it is packed (events/format/packed-text.ts). */
  readonly bodyBytes?: number | undefined
}

/** The columns that readers need. */
export type UpdateRow = {
  readonly offset: bigint
  readonly meta: string
  /** As it is stored: packed (events/format/packed-text.ts) or not. */
  readonly body: string
  /** Set by the first reader that needs it, for all readers of the row. */
  unpacked?: string
}

/** An update with its size; large parts are null, and loaded on demand. */
export type SizedUpdate = {
  readonly offset: bigint
  readonly bytes: bigint
  readonly meta: string | null
  readonly body: string | null
}

/** The beginning of an update: enough to say in short what it is, however large it is. */
export type UpdateBeginning = {
  readonly offset: bigint
  /** The description, or as much of it as is read with it. */
  readonly meta: string
  readonly metaBytes: bigint
  /** As it is stored. */
  readonly body: Uint8Array
}

/** An update that a party sees. */
export type SeenUpdate = { readonly offset: bigint; readonly templates: string }

/** Offsets after `after`, up to and including `upTo`; at most `limit`: the first ones, or the last if descending. */
export type OffsetRange = {
  readonly after: bigint
  readonly upTo: bigint
  readonly limit: number
  readonly descending?: boolean
}

export interface UpdateRecords {
  insert(updates: readonly UpdateRecord[], seen: readonly (SeenUpdate & { readonly party: bigint })[]): Promise<void>
  /** For all readers. */
  range(range: OffsetRange): Promise<(SizedUpdate & SeenUpdate)[]>
  /** Updates that the party sees. */
  rangeSeenBy(party: bigint, range: OffsetRange): Promise<SizedUpdate[]>
  /** Of all readers; only their offsets and templates. */
  listed(range: OffsetRange): Promise<SeenUpdate[]>
  /** Only their offsets and templates. */
  seenBy(party: bigint, range: OffsetRange): Promise<SeenUpdate[]>
  /** In the order of the given offsets; leaves out missing ones. */
  at(offsets: readonly bigint[]): Promise<SizedUpdate[]>
  /** In the order of the given offsets; leaves out missing ones. */
  beginnings(offsets: readonly bigint[]): Promise<UpdateBeginning[]>
  /** The newest up to an offset. */
  beginningUpTo(offset: bigint): Promise<UpdateBeginning | undefined>
  /** Offsets of updates whose key is within these bounds, a few. */
  withIdKeys(from: bigint, to: bigint, limit: number): Promise<bigint[]>
  /** Whole updates, in no particular order. */
  whole(offsets: readonly bigint[]): Promise<UpdateRow[]>
  /** Their descriptions, without bodies. */
  metas(range: OffsetRange): Promise<Pick<UpdateRow, 'offset' | 'meta'>[]>
  withIdKey(idKey: bigint): Promise<SizedUpdate[]>
  /** The offset of the oldest. */
  first(): Promise<bigint | undefined>
  /** The parties are all that see any of these updates. */
  prune(range: OffsetRange, parties: readonly bigint[]): Promise<void>
}

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

export type ReassignmentRecord = {
  readonly unassignedOffset: bigint
  readonly id: string
  readonly source: bigint
  readonly target: bigint
  /** Like user, command and workflow, of the unassignment. */
  readonly submitter: string
  /** Until then only the submitter may assign; microseconds since 1970. */
  readonly exclusiveUntil: bigint
  readonly userId: string
  readonly commandId: string
  readonly workflowId: string
  /**
   * Undefined while its contracts are in transit. A participant that sees only the assignment, or sees it first, has
   * `unassignedOffset` equal to its offset; one that sees only the unassignment has `unseen`.
   */
  readonly assigned: { readonly offset: bigint; readonly workflowId: string } | undefined
}

/** The offset of an assignment that this participant does not see: it hosts no stakeholder where the contracts went. */
export const unseen = 0n

/** One move of one contract. */
export type ContractMove = {
  readonly contract: bigint
  readonly counter: bigint
  readonly unassignedOffset: bigint
  /** The same in unassignment and assignment. */
  readonly nodeId: number
}

/** The position of a reassignment in the order in which others may assign it. */
export type Turn = Pick<ReassignmentRecord, 'exclusiveUntil' | 'unassignedOffset'>

export interface ReassignmentRecords {
  insert(reassignments: readonly ReassignmentRecord[], moves: readonly ContractMove[]): Promise<void>
  complete(unassignedOffset: bigint, assigned: NonNullable<ReassignmentRecord['assigned']>): Promise<void>
  /** Replaces those that were assigned before their unassignment was seen. */
  replace(reassignments: readonly ReassignmentRecord[]): Promise<void>
  byId(ids: readonly string[]): Promise<ReassignmentRecord[]>
  /** The next incomplete reassignment that others may assign. */
  nextInTransit(after: Turn, targets: readonly bigint[]): Promise<ReassignmentRecord | undefined>
  /** Ordered by node id. */
  contractsOf(unassignedOffset: bigint): Promise<ContractMove[]>
  /** All moves of these contracts, in no particular order. */
  movesOf(contracts: readonly bigint[]): Promise<(ContractMove & { readonly of: ReassignmentRecord })[]>
  /** The last two moves of each contract that began up to an offset, in no particular order. */
  lastMoves(
    contracts: readonly bigint[],
    upTo?: bigint,
  ): Promise<(ContractMove & { readonly of: ReassignmentRecord })[]>
  /** Deletes the moves of contracts before these completed reassignments. */
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
  /** Completions of one user or of all: one batch, up to and including `last`. */
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
  /** Goes through all, a few at a time, and deletes some; returns where to continue, undefined at the end. */
  prune(
    after: Uint8Array,
    limit: number,
    isForgotten: (change: AcceptedChange) => boolean,
  ): Promise<{ readonly forgotten: readonly AcceptedChange[]; readonly last: Uint8Array | undefined }>
}

/** An update that a participant of a network has not been given yet. */
export type WaitingUpdate = {
  /** Its place among all that wait. */
  readonly number: bigint
  readonly synchronizer: bigint
  readonly recordTime: bigint
  /** Empty while it is not decided. */
  readonly content: Uint8Array
}

export type NewWaitingUpdate = Omit<WaitingUpdate, 'number'> & {
  /** The ids of contracts that it archives or moves. */
  readonly contracts: readonly string[]
}

export type WaitingSummary = {
  readonly synchronizer: bigint
  readonly count: number
  readonly bytes: number
  /** The record time of the first. */
  readonly since: bigint
}

export interface WaitingUpdateRecords {
  /** Which of these synchronizers something waits on. */
  behind(synchronizers: readonly bigint[]): Promise<ReadonlySet<bigint>>
  /** Returns their numbers. */
  append(updates: readonly NewWaitingUpdate[]): Promise<readonly bigint[]>
  /** Gives an update its content; false if it is not waiting any more. */
  decide(number: bigint, content: Uint8Array): Promise<boolean>
  /** Those of a synchronizer, the first ones first. */
  next(synchronizer: bigint, page: { readonly limit: number; readonly bytesMax: number }): Promise<WaitingUpdate[]>
  delete(numbers: readonly bigint[]): Promise<void>
  /** The contracts stay as they are. */
  release(numbers: readonly bigint[]): Promise<void>
  /** Which of these contracts waiting updates archive or move, on which synchronizer, and whether that is decided. */
  contracts(contractIds: readonly string[]): Promise<
    readonly {
      readonly contractId: string
      readonly synchronizer: bigint
      readonly isDecided: boolean
    }[]
  >
  undecided(): Promise<readonly bigint[]>
  summaries(): Promise<readonly WaitingSummary[]>
}
