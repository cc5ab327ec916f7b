// Which versions of a package name may be chosen on a synchronizer: those that are vetted there, and whose dependencies
// are, as far as they matter. Mirrors PackagePreferenceBackend.scala: with protocol version 34 all dependencies that define
// templates or interfaces matter, later only those whose names were asked for as well.
import { shortHash } from '../../base/names.ts'
import type { PackageRecord } from '../../store/core/administration-records.ts'
import type { Synchronizer } from '../model/synchronizers.ts'
import { type Contents, isValidAt, type KnownPackages, type Vetting } from './known-packages.ts'

export type CandidateRequest = {
  readonly known: KnownPackages
  readonly synchronizer: Synchronizer
  /** Whether everyone concerned has vetted a package. */
  readonly isVetted: (packageId: string) => boolean
  /** The names that were asked for together. */
  readonly names: ReadonlySet<string>
  /** Undefined for what was never stored. */
  readonly contentsOf: (packageId: string) => Contents | undefined
}

/** Lowest version first; a text says why there is none although some are vetted. */
export type Candidates = readonly PackageRecord[] | string

/** Whether the contents of packages are needed to tell. */
export function needsContents({ protocolVersion }: Synchronizer, names: number): boolean {
  return protocolVersion === 34 || names > 1
}

export function createCandidates(request: CandidateRequest): (name: string) => Candidates {
  const { known, synchronizer, isVetted, names, contentsOf } = request
  const unvetted = new Map<string, string | undefined>()

  function matters(id: string): boolean {
    if (synchronizer.protocolVersion === 34) return isSchema(contentsOf(id))
    return names.has(known.get(id)?.name ?? '')
  }

  /** The first dependency that would have to be vetted; the package itself counts. */
  function unvettedIn(id: string): string | undefined {
    if (unvetted.has(id)) return unvetted.get(id)
    unvetted.set(id, undefined)
    const found =
      matters(id) && !isVetted(id)
        ? id
        : (contentsOf(id)?.dependencies ?? []).map(unvettedIn).find((one) => one !== undefined)
    unvetted.set(id, found)
    return found
  }

  const shown = (id: string): string => {
    const { name, version } = known.get(id) ?? { name: '', version: '' }
    return `pkg:${name}:${version}/${shortHash(id)}`
  }

  return (name) => {
    const vetted = known.named(name).filter(({ id }) => isVetted(id)) // Lowest version first.
    if (vetted.length === 0 || !needsContents(synchronizer, names.size)) return vetted
    const fitting = vetted.filter(({ id }) => unvettedIn(id) === undefined)
    if (fitting.length > 0) return fitting
    const pairs = vetted.map(({ id }) => `${shown(id)} -> ${shown(unvettedIn(id)!)}`)
    const text = 'Packages with required dependencies not vetted by all interested parties'
    return `${text}: List(${pairs.join(', ')})`
  }
}

function isSchema(contents: Contents | undefined): boolean {
  return contents !== undefined && (contents.interfaces.length > 0 || Object.keys(contents.templates).length > 0)
}

export function isVetted(packageId: string, vetting: Vetting | undefined, now: bigint): boolean {
  const entry = vetting?.packages.get(packageId)
  return entry !== undefined && isValidAt(entry, now)
}

/** These packages and all they depend on. */
export function withDependencies(
  packageIds: Iterable<string>,
  contentsOf: (packageId: string) => Contents | undefined,
): Set<string> {
  const reached = new Set(packageIds)
  for (const id of reached) for (const dependency of contentsOf(id)?.dependencies ?? []) reached.add(dependency)
  return reached
}
