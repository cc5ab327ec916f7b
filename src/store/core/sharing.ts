// What nodes over one database need of each other. Each remembers rows that every request needs; this names what may be
// remembered, by the tables it is read from. A transaction that writes to such a table raises the version of its kind, so
// a node that missed the news finds out by comparing versions.
import type { LedgerState } from './ledger-records.ts'

/** Kinds of rows that nodes remember. */
export const kinds = ['users', 'parties', 'identityProviders', 'packages', 'synchronizers', 'facts'] as const
export type Kind = (typeof kinds)[number]
export type Versions = Readonly<Record<Kind, bigint>>

/** By table. `none`: nobody remembers its rows, or a row that can be read never changes. */
const kindOfTable: Readonly<Record<string, Kind | 'none'>> = {
  node: 'facts',
  identity_providers: 'identityProviders',
  users: 'users',
  user_rights: 'users',
  parties: 'parties',
  party_synchronizers: 'parties',
  party_hosts: 'parties',
  external_parties: 'parties',
  packages: 'packages',
  package_contents: 'packages',
  vetting: 'packages',
  vetted_packages: 'packages',
  synchronizers: 'synchronizers',
  namespace_certificates: 'none',
  party_proposals: 'none',
  dars: 'none',
  ledger: 'none', // Its end is published by the look itself.
  names: 'none',
  updates: 'none',
  update_parties: 'none',
  contracts: 'none',
  archives: 'none',
  active_contracts: 'none',
  contract_keys: 'none',
  completions: 'none',
  accepted_changes: 'none',
  reassignments: 'none',
  contract_moves: 'none',
  past_contracts: 'none',
  waiting_updates: 'none',
  waiting_contracts: 'none',
  schema_version: 'none',
}

export const sharedTables: ReadonlySet<string> = new Set(Object.keys(kindOfTable))

const write = /^\s*(?:INSERT INTO|UPDATE|DELETE FROM)\s+(\w+)/i
/** Each commit moves it; the end of the ledger is published with it. */
const recordTime = /^\s*UPDATE (?:p\d+_synchronizers AS )?synchronizers SET record_time\b/

/** Before the tables of further participants (participant-tables.ts). Nodes drop what they remember of all participants. */
const ofParticipant = /^p\d+_/

/** What a statement changes: a kind, `none` for rows that nobody remembers, undefined for a statement that only reads. */
export function changedBy(sql: string): Kind | 'none' | undefined {
  const table = write.exec(sql)?.[1]?.replace(ofParticipant, '')
  if (table === undefined) return undefined
  if (table === 'synchronizers' && recordTime.test(sql)) return 'none'
  return Object.hasOwn(kindOfTable, table) ? kindOfTable[table] : 'none'
}

/** The ledger over the database, told of what other nodes have done. */
export type Follower = {
  /** Drops what is remembered of these kinds, or reads it anew. Must not write. */
  drop(changed: ReadonlySet<Kind>): Promise<void>
  advance(present: Present): void
}

/** Of one moment. */
export type Present = {
  readonly state: LedgerState
  /** Of synchronizers, by number. */
  readonly recordTimes: ReadonlyMap<bigint, bigint>
  /** What the database's clock shows, in microseconds since 1970. */
  readonly now: bigint
}

/** One of several nodes over a database. A database for one node has none. */
export interface Sharing {
  readonly nodeId: string
  /** From now on the follower is told: of the first participant, or of another one by its number. */
  follow(follower: Follower, participant?: number): Promise<void>
  /** Settles when the follower knows everything that was committed before the call. */
  look(): Promise<void>
  /** How often the follower was told to drop something. */
  changes(): number
  /** The living nodes that do not know the schema of this version, in words; read with `query`. */
  olderNodes(query: (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>): Promise<readonly string[]>
  /** Whether the node has looked within the time that others wait before they take it for dead. */
  isCurrent(): boolean
  /** Whether this node does the work that only one may do, such as automatic assignment. */
  leads(): boolean
  /** Called when it begins to lead. */
  onLead(listener: () => void): void
  /** The node's URL, for others to see. */
  announce(url: string): void
  /** From now on other nodes may join; see `isAlone` of PostgresOptions. */
  open(): Promise<void>
  counts(): SharingCounts
}

export type SharingCounts = {
  readonly nodes: number
  readonly lookAgeMs: number
  readonly looks: number
  readonly notifications: number
  /** By kind. */
  readonly drops: Readonly<Record<Kind, number>>
  readonly claims: number
}
