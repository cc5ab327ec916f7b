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
  readonly isVetted: boolean
  /** Bytes of the dalf. */
  readonly size: number
  readonly uploadedAtMs: number
}

export type DarRecord = {
  /** SHA-256 of the file, in hex. */
  readonly hash: string
  readonly mainPackageId: string
  /** Whether all of its packages were vetted with it. */
  readonly isVetted: boolean
}

/** A slice of an ordered list: what comes after `after`, at most `limit` of it. */
export type Page = { readonly after: string; readonly limit: number }

export interface UserRecords {
  get(id: string): Promise<UserRecord | undefined>
  list(identityProviderId: string, page: Page): Promise<UserRecord[]>
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
  list(prefix: string, page: Page): Promise<PartyRecord[]>
  count(identityProviderId: string): Promise<bigint>
  insert(party: PartyRecord): Promise<void>
  update(party: PartyRecord): Promise<void>
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
  named(name: string, version: string): Promise<PackageRecord[]>
  insert(record: PackageRecord, dalf: Uint8Array): Promise<void>
  vet(id: string): Promise<void>
}

export interface DarRecords {
  get(hash: string): Promise<DarRecord | undefined>
  put(dar: DarRecord): Promise<void>
}

/** The node's own few facts, such as its keys. */
export interface NodeRecords {
  get(name: string): Promise<Uint8Array | undefined>
  insert(name: string, value: Uint8Array): Promise<void>
}

export interface Records {
  readonly users: UserRecords
  readonly parties: PartyRecords
  readonly identityProviders: IdentityProviderRecords
  readonly packages: PackageRecords
  readonly dars: DarRecords
  readonly node: NodeRecords
}

export interface Store extends Records, AsyncDisposable {
  /** All of `body` or nothing, with no other writer beside it. Inside, use only the records it is given. */
  transaction<T>(body: (records: Records) => Promise<T>): Promise<T>
  /** Throws when the store would not answer a request now. */
  check(): Promise<void>
}
