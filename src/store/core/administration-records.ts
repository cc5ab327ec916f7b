// Records about the participant: users, parties, identity providers, packages, vetting, synchronizers, and facts about the
// node itself. Row shapes stay inside the store.
import type { Right } from '../../base/rights.ts'
import type { Permission } from '../../events/format/stored-update.ts'

/** A slice of an ordered list: at most `limit` records after `after`, and not many more bytes than `bytesMax`. */
export type Page = { readonly after: string; readonly limit: number; readonly bytesMax: number }

/** `isCut` if the byte limit ended it early. */
export type PageOf<T> = { readonly records: readonly T[]; readonly isCut: boolean }

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

export interface UserRecords {
  get(id: string): Promise<UserRecord | undefined>
  list(identityProviderId: string, page: Page): Promise<PageOf<UserRecord>>
  count(identityProviderId: string): Promise<bigint>
  insert(user: UserRecord): Promise<void>
  update(user: UserRecord): Promise<void>
  delete(id: string): Promise<void>
  rights(id: string): Promise<Right[]>
  /** Adds the rights that the user does not have yet. */
  grant(id: string, rights: readonly Right[]): Promise<void>
  revoke(id: string, rights: readonly Right[]): Promise<void>
}

export type PartyRecord = {
  readonly party: string
  readonly isLocal: boolean
  readonly identityProviderId: string
  readonly resourceVersion: bigint
  readonly annotations: Annotations
}

export interface PartyRecords {
  get(party: string): Promise<PartyRecord | undefined>
  /** Ordered by party; only parties that start with `prefix`. */
  list(prefix: string, page: Page): Promise<PageOf<PartyRecord>>
  count(identityProviderId: string): Promise<bigint>
  insert(party: PartyRecord): Promise<void>
  update(party: PartyRecord): Promise<void>
  /** Numbers of the synchronizers where the party is hosted. */
  synchronizersOf(party: string): Promise<bigint[]>
  /** Adds these synchronizers. */
  host(party: string, synchronizers: readonly bigint[]): Promise<void>
  /** The participants that host the party, in a network; none if this participant alone hosts it. */
  hostsOf(party: string): Promise<HostRecord[]>
  /** Replaces hosts with the same party, synchronizer and participant. */
  putHosts(party: string, hosts: readonly HostRecord[]): Promise<void>
}

export type HostRecord = {
  /** By number. */
  readonly synchronizer: bigint
  /** The id of the participant. */
  readonly participant: string
  readonly permission: Permission
  /** How many of the party's participants must confirm for it on the synchronizer. */
  readonly threshold: number
}

/** The signing keys of an external party. */
export type ExternalPartyRecord = {
  readonly party: string
  /** By number. */
  readonly synchronizer: bigint
  readonly keys: readonly { readonly keySpec: string; readonly keyData: Uint8Array }[]
  /** The number of keys that must sign. */
  readonly threshold: number
}

export interface ExternalPartyRecords {
  /** One per synchronizer; empty unless it is an external party. */
  of(party: string): Promise<ExternalPartyRecord[]>
  insert(party: ExternalPartyRecord): Promise<void>
}

export type IdentityProviderRecord = {
  readonly id: string
  readonly issuer: string
  readonly jwksUrl: string
  readonly audience: string
  readonly isDeactivated: boolean
}

export interface IdentityProviderRecords {
  get(id: string): Promise<IdentityProviderRecord | undefined>
  byIssuer(issuer: string): Promise<IdentityProviderRecord | undefined>
  list(): Promise<IdentityProviderRecord[]>
  insert(config: IdentityProviderRecord): Promise<void>
  update(config: IdentityProviderRecord): Promise<void>
  delete(id: string): Promise<void>
}

export type PackageRecord = {
  readonly id: string
  readonly name: string
  readonly version: string
  readonly languageVersion: string
  /** Whether its name stands for a line of versions, with one package per version. */
  readonly isUpgradable: boolean
  /** Size of the dalf in bytes. */
  readonly size: number
  readonly uploadedAtMs: number
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
  /** What packages define, as JSON by package id. */
  contents(): Promise<Map<string, string>>
  putContents(contents: ReadonlyMap<string, string>): Promise<void>
}

export type DarRecord = {
  /** SHA-256 of the file, in hex. */
  readonly hash: string
  readonly mainPackageId: string
  /** Whether all of its packages are vetted without bounds; false if in doubt. */
  readonly isVetted: boolean
}

export interface DarRecords {
  get(hash: string): Promise<DarRecord | undefined>
  put(dar: DarRecord): Promise<void>
  /** Called when packages are unvetted: the next upload of a file finds out whether it is still vetted. */
  doubtVetting(): Promise<void>
}

/** Times are microseconds since 1970; an absent one is no bound. */
export type VettedPackage = {
  readonly packageId: string
  readonly validFrom: bigint | undefined
  readonly validUntil: bigint | undefined
}

/** The vetted packages of a synchronizer, and the number of changes so far. */
export type VettingRecord = {
  readonly synchronizer: bigint
  readonly serial: number
  readonly packages: readonly VettedPackage[]
}

export type VettingChange = {
  readonly synchronizer: bigint
  /** The serial after the change. */
  readonly serial: number
  /** Packages that are new or have new bounds. */
  readonly vetted: readonly VettedPackage[]
  readonly unvetted: readonly string[]
}

export interface VettingRecords {
  list(): Promise<VettingRecord[]>
  change(change: VettingChange): Promise<void>
}

export type SynchronizerRecord = {
  readonly number: bigint
  readonly id: string
  readonly alias: string
  /** The last record time, in microseconds since 1970. */
  readonly recordTime: bigint
  readonly isConnected: boolean
}

export interface SynchronizerRecords {
  list(): Promise<SynchronizerRecord[]>
  insert(synchronizer: SynchronizerRecord): Promise<void>
  setRecordTime(number: bigint, recordTime: bigint): Promise<void>
  setConnected(number: bigint, isConnected: boolean): Promise<void>
}

/** A few facts about the node itself, such as its keys. */
export interface NodeRecords {
  get(name: string): Promise<Uint8Array | undefined>
  /** By name, as of one moment. */
  getAll(names: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>
  insert(name: string, value: Uint8Array): Promise<void>
  put(name: string, value: Uint8Array): Promise<void>
  delete(name: string): Promise<void>
}
