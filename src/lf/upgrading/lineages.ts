// The lineages that vetting packages affects: for each name among them and what they depend on, the vetted packages by
// version. Mirrors PackageUpgradeValidator.scala of Canton: dependencies first, as a package can only be judged when what
// its types come from has been.
import { hashOfText } from '../../base/scala-hashes.ts'
import { inMapOrder, inTableOrder, inTrieOrder } from '../../base/scala-order.ts'
import { comparePackageVersions } from '../syntax/names.ts'

export type LineagePackage = {
  readonly id: string
  readonly name: string
  readonly version: string
  /** False for libraries: packages without ledger types have no upgrades. */
  readonly isUpgradable: boolean
}

export type LineageStep<P> =
  /** A standard library with ledger types, which nobody may vet. */
  | { readonly kind: 'library'; readonly package: P }
  /** Two packages with one name and version. */
  | { readonly kind: 'same-version'; readonly past: P; readonly present: P }
  /** `present` must upgrade `past`. */
  | { readonly kind: 'upgrade'; readonly past: P; readonly present: P }

export type Affected<P> = {
  /** Ids of the packages that are vetted now. */
  readonly added: Iterable<string>
  /** Ids of all that will be vetted. */
  readonly vetted: Iterable<string>
  readonly find: (id: string) => P | undefined
  /** Ids of the packages that one refers to. */
  readonly dependenciesOf: (id: string) => readonly string[]
}

/** What is wrong or has to be checked, in the reference's order: the first that is wrong is the one to report. */
export function* lineageSteps<P extends LineagePackage>(affected: Affected<P>): Generator<LineageStep<P>> {
  const { added, vetted, find, dependenciesOf } = affected
  const order = dependencyOrder(added, dependenciesOf)
  const names = new Set(order.flatMap((id) => find(id)?.name ?? []))
  const candidates = [...vetted].flatMap((id) => find(id) ?? []).filter(({ name }) => names.has(name))
  const lineages = Map.groupBy(candidates, ({ name }) => name)
  for (const name of names) yield* stepsOf(lineages.get(name) ?? [])
}

function* stepsOf<P extends LineagePackage>(packages: readonly P[]): Generator<LineageStep<P>> {
  const lineage = packages.filter(({ isUpgradable }) => isUpgradable).sort(compare)
  for (const one of lineage) if (isStandardLibrary(one.name)) yield { kind: 'library', package: one }
  const pairs = lineage.slice(1).map((present, i) => ({ past: lineage[i]!, present }))
  for (const pair of pairs) if (pair.past.version === pair.present.version) yield { kind: 'same-version', ...pair }
  for (const pair of pairs) yield { kind: 'upgrade', ...pair }
}

/** These packages and all they depend on, each after its dependencies, in the reference's order. */
export function dependencyOrder(ids: Iterable<string>, dependenciesOf: (id: string) => readonly string[]): string[] {
  const dependencies = new Map<string, readonly string[]>()
  const reached = new Set(ids)
  for (const id of reached) {
    const own = inReferenceOrder(dependenciesOf(id))
    dependencies.set(id, own)
    for (const dependency of own) reached.add(dependency)
  }
  const ordered = new Set<string>()
  const entered = new Set<string>()
  for (const root of inTrieOrder(reached, hashOfText)) {
    const pending = [root]
    for (let id = pending.at(-1); id !== undefined; id = pending.at(-1)) {
      if (entered.has(id)) {
        ordered.add(id)
        pending.pop()
        continue
      }
      entered.add(id)
      for (const dependency of dependencies.get(id)!.toReversed()) {
        if (!entered.has(dependency)) pending.push(dependency)
      }
    }
  }
  return [...ordered]
}

/** The reference collects references in a mutable set and copies it into an immutable one. */
function inReferenceOrder(ids: readonly string[]): readonly string[] {
  return inMapOrder(inTableOrder(ids, hashOfText), hashOfText)
}

function compare(a: LineagePackage, b: LineagePackage): number {
  return comparePackageVersions(a.version, b.version) || (a.id < b.id ? -1 : 1)
}

function isStandardLibrary(name: string): boolean {
  return name === 'daml-prim' || name === 'daml-stdlib'
}
