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
  /** Some contracts that went up to an offset where the participant does not see them; they may have come back. */
  departed(upTo: bigint, limit: number): Promise<readonly bigint[]>
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
  /** The ids of the contracts and reassignments that it takes. */
  readonly taken: readonly string[]
}

export type WaitingSummary = {
  readonly synchronizer: bigint
  readonly count: number
  readonly bytes: number
  /** The record time of the first. */
  readonly since: bigint
}

/** A contract that a waiting update archives or moves, or a reassignment that it completes. */
export type Taken = {
  readonly id: string
  /** Where that happens. */
  readonly synchronizer: bigint
  readonly isDecided: boolean
}

export interface WaitingUpdateRecords {
  /** Which of these synchronizers something waits on. */
  behind(synchronizers: readonly bigint[]): Promise<ReadonlySet<bigint>>
  /** Returns their numbers. */
  append(updates: readonly NewWaitingUpdate[]): Promise<readonly bigint[]>
  /** Numbers are used again; only a record time means the same update. Undefined if it is not waiting any more. */
  find(number: bigint, recordTime: bigint): Promise<WaitingUpdate | undefined>
  /** Gives an update its content. */
  decide(update: WaitingUpdate, content: Uint8Array): Promise<void>
  /** Those of a synchronizer, the first ones first. */
  next(synchronizer: bigint, page: { readonly limit: number; readonly bytesMax: number }): Promise<WaitingUpdate[]>
  delete(numbers: readonly bigint[]): Promise<void>
  /** The contracts stay as they are. */
  release(numbers: readonly bigint[]): Promise<void>
  /** Which of these contracts and reassignments waiting updates take. */
  taken(ids: readonly string[]): Promise<readonly Taken[]>
  undecided(): Promise<readonly bigint[]>
  summaries(): Promise<readonly WaitingSummary[]>
}
