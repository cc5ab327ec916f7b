// Checks the packages of a DAR that are not trusted yet, and whether the DAR is complete. Mirrors Engine.validateDar and
// its use in PackageUploader: packages see only what is in the DAR, and the first problem counts; a thorough check goes on
// with the other packages.
import { hashOfText } from '../../base/scala-hashes.ts'
import { inMapOrder } from '../../base/scala-order.ts'
import type { DecodedPackage } from '../archive/package.ts'
import { stablePackages } from '../archive/stable-packages.ts'
import type { OpenDar, OpenPackage } from '../dar/dar.ts'
import type { Package } from '../syntax/ast.ts'
import type { CreatePackageChecker } from './check-package.ts'
import { referredByLibrary } from './library-packages.ts'
import { ValidationError } from './validation-error.ts'

export type CheckedPackage = {
  readonly package: Package
  readonly bytes: Uint8Array
  /** The packages it declares to import, or else those it refers to; the stable ones are left out. */
  readonly dependencies: readonly string[]
}

/** The first problem of a package. */
type PackageProblem = { readonly package: Package; readonly error: ValidationError }

type CheckedDar = {
  /** Those that were not trusted, in the order of the DAR. */
  readonly packages: readonly CheckedPackage[]
  /** The dependencies of a package that was trusted; reads all of it. */
  readonly dependenciesOf: (trusted: OpenPackage) => readonly string[]
  /** In the order of the reference: the first is the one that an upload reports. */
  readonly problems: readonly PackageProblem[]
}

type Options = {
  /** A trusted package was checked before; it is decoded if another one refers to it, and not checked. */
  readonly isTrusted: (packageId: string) => boolean
  /** Undefined only reads, without the code of the checker, which is large. */
  readonly createChecker: CreatePackageChecker | undefined
  /** What library packages refer to; the usual table unless a test has another. */
  readonly libraries?: typeof referredByLibrary
  /** Packages that were decoded before. */
  readonly cache?: {
    get(id: string): DecodedPackage | undefined
    add(id: string, decoded: DecodedPackage, size: number): void
  }
  /** True checks all packages, whatever is wrong with the first. */
  readonly isThorough?: boolean
  /** Called after each package. */
  readonly onProgress?: (checked: number, of: number) => void
}

/**
 * Packages that were checked without a problem, with those that they refer to. Their ids say what they are and what they
 * refer to, so they need no second check for as long as a cache has them decoded.
 */
const checkedBefore = new WeakMap<DecodedPackage, ReadonlySet<string>>()

export function checkDar(
  { packages }: OpenDar,
  { isTrusted, createChecker, libraries = referredByLibrary, cache, isThorough = false, onProgress }: Options,
): CheckedDar {
  const byId = new Map(packages.map((one) => [one.id, one]))
  const isThere = (id: string): boolean => byId.has(id)
  const isLibrary = ({ id }: OpenPackage): boolean => libraries(id)?.keys().every(isThere) === true
  const decoded = new Map<string, DecodedPackage>()
  const decode = (one: OpenPackage): DecodedPackage => {
    const known = decoded.get(one.id) ?? cache?.get(one.id)
    const isKnown = isTrusted(one.id) || isLibrary(one)
    const found = known ?? (isKnown ? one.decodeKnown() : one.decode())
    if (known === undefined) cache?.add(one.id, found, one.bytes.length)
    decoded.set(one.id, found)
    return found
  }
  const untrusted = packages.filter(({ id }) => !isTrusted(id))
  for (const one of untrusted) decode(one)
  const find = (id: string): Package | undefined => {
    const one = byId.get(id)
    return one && decode(one).package
  }
  const checker = createChecker?.(find)
  const referred = new Map<string, ReadonlySet<string>>()
  const problems: PackageProblem[] = []

  /** A stable package is what its id says, and its id says that it is fine. So is a library package that has what it needs. */
  function check(one: OpenPackage): ReadonlySet<string> {
    if (stablePackages.has(one.id)) return new Set()
    if (isLibrary(one)) return libraries(one.id)!
    const package_ = decode(one)
    const before = checkedBefore.get(package_)
    if (before?.keys().every(isThere)) return before
    try {
      if (checker !== undefined && (isThorough || problems.length === 0)) {
        const referred = checker.check(package_)
        checkedBefore.set(package_, referred)
        return referred
      }
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error
      problems.push({ package: package_.package, error })
    }
    return package_.checkBodies()
  }

  const ordered = inMapOrder(packages, ({ id }) => hashOfText(id)).filter(({ id }) => !isTrusted(id))
  for (const [index, one] of ordered.entries()) {
    referred.set(
      one.id,
      one.reading(() => check(one)),
    )
    onProgress?.(index + 1, ordered.length)
  }
  return {
    problems,
    packages: untrusted.map((one) => {
      const { package: described } = decode(one)
      return { package: described, bytes: one.bytes, dependencies: declared(described, referred.get(one.id)!) }
    }),
    dependenciesOf: (one) => {
      const { package: described, checkBodies } = decode(one)
      return declared(described, described.imports === undefined ? one.reading(checkBodies) : new Set())
    },
  }
}

export function declared({ imports }: Package, referred: ReadonlySet<string>): readonly string[] {
  return imports ?? [...referred].filter((id) => !stablePackages.has(id))
}

type DarContents = {
  readonly mainId: string
  readonly mainLanguageVersion: string
  /** For each package, the ids of the packages that it needs. */
  readonly packages: ReadonlyMap<string, readonly string[]>
}

export type UnmetDependencies = { readonly missing: readonly string[]; readonly extra: readonly string[] }

/**
 * Ids of packages that are missing or superfluous; undefined for a consistent DAR. Before LF 2.2, packages did not declare
 * their imports, so superfluous packages were allowed.
 */
export function unmetDependencies(contents: DarContents): UnmetDependencies | undefined {
  const { mainId, mainLanguageVersion, packages } = contents
  const needed = closureOf(mainId, packages)
  const missing = [...needed].filter((id) => !packages.has(id) && !stablePackages.has(id))
  const extra = [...packages.keys()].filter((id) => !needed.has(id) && !stablePackages.has(id))
  const mayHaveMore = mainLanguageVersion === '2.1'
  return missing.length === 0 && (extra.length === 0 || mayHaveMore) ? undefined : { missing, extra }
}

/** The main package and its transitive dependencies. */
function closureOf(mainId: string, packages: ReadonlyMap<string, readonly string[]>): Set<string> {
  const needed = new Set([mainId])
  for (const id of needed) for (const other of packages.get(id) ?? []) needed.add(other)
  return needed
}
