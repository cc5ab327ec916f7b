// What the node asks the threads that read packages, and what they answer.
import type { ErrorCode, ErrorDetails } from '../../base/errors.ts'
import type { CreatePackageChecker } from '../../lf/checking/check-package.ts'
import type { SeenEntries } from '../../lf/dar/dar.ts'
import type { NamedVersion } from '../../lf/upgrading/compare-types.ts'
import type { PackageRecord } from '../../store/core/administration-records.ts'
import type { DecodedPackages } from './decoded-packages.ts'
import type { Contents } from './known-packages.ts'

export type ReadPackage = Omit<PackageRecord, 'uploadedAtMs'> & {
  readonly contents: Contents
  readonly bytes: Uint8Array
}

/** The main package first. Packages that are known already are neither read nor checked: they are ids alone. */
export type ReadDar = readonly (ReadPackage | { readonly knownId: string })[]

/** What reading needs of a package that was uploaded before. */
export type KnownPackage = {
  readonly id: string
  readonly languageVersion: string
  /** Absent if it was uploaded before the node stored them. */
  readonly dependencies: readonly string[] | undefined
}

export type ReadingParts = {
  /** Those of some packages that were uploaded before. */
  readonly knownAmong: (ids: readonly string[]) => Promise<readonly KnownPackage[]>
  /** Called after each package that was checked. */
  readonly onProgress?: (checked: number, of: number) => void
  /** Undefined reads without checking types. */
  readonly createChecker: CreatePackageChecker | undefined
  /** What was read before. */
  readonly decoded?: DecodedPackages
  readonly seen?: SeenEntries
  /** The DAR's name in errors. */
  readonly fileName: string
}

/** What stays outside of the thread that reads a DAR. */
export type AsideParts = Pick<ReadingParts, 'knownAmong' | 'onProgress' | 'fileName'> & {
  /** False reads without checking types. */
  readonly isChecking?: boolean
}

/** When a DAR's types are checked: before anything is said about it, after it was described, or not at all. */
export type TypeCheck = 'first' | 'last' | 'none'

/** By package id. */
export type Archives = ReadonlyMap<string, Uint8Array>

export type UpgradeQuestion = {
  /** Sizes of the archives that it is about, by package id. They are asked for if they are not decoded already. */
  readonly sizes: ReadonlyMap<string, number>
  /** All known packages. */
  readonly names: ReadonlyMap<string, NamedVersion>
  readonly pairs: readonly (readonly [past: string, present: string])[]
  /** Ids of packages whose references are wanted. */
  readonly described: readonly string[]
}

export type UpgradeAnswer = {
  /** For each pair the problem, or undefined. */
  readonly problems: readonly (string | undefined)[]
  readonly dependencies: ReadonlyMap<string, readonly string[]>
}

/** A task, or the answer to a question about it. */
export type ToPackageThread =
  | { readonly kind: 'dar'; readonly bytes: Uint8Array; readonly typeCheck: TypeCheck; readonly fileName: string }
  | { readonly kind: 'upgrades'; readonly question: UpgradeQuestion }
  | { readonly kind: 'known'; readonly known: readonly KnownPackage[] }
  | { readonly kind: 'archives'; readonly archives: Archives }

/** What a thread says while it works on a task. */
export type OnTheWay =
  | { readonly kind: 'packages'; readonly ids: readonly string[] }
  | { readonly kind: 'wanted'; readonly ids: readonly string[] }
  | { readonly kind: 'progress'; readonly checked: number; readonly of: number }
  | { readonly kind: 'described'; readonly dar: ReadDar }

/** What a thread says last; it ends the task. */
export type Final =
  | { readonly kind: 'read'; readonly dar: ReadDar }
  /** It was described before. */
  | { readonly kind: 'valid' }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly message: string; readonly details: ErrorDetails }
  | { readonly kind: 'answer'; readonly answer: UpgradeAnswer }

export type FromPackageThread = OnTheWay | Final
