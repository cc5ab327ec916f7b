// The templates and interfaces that a picker offers: those of the packages whose name the text begins with, or contains.
import { post } from '../api/client.ts'
import { loadTypes, type PackageTypes, referenceIn } from '../state/packages.ts'
import { Badge } from './badge.tsx'
import type { Option } from './picker.tsx'

type Vetted = { readonly packageId: string; readonly packageName: string; readonly packageVersion: string }
type VettedList = { readonly vettedPackages?: readonly { readonly packages: readonly Vetted[] }[] }

/** Packages of the standard library have no templates. */
const isLibrary = /^(daml-(prim|stdlib|script)|ghc-stdlib)/
const packagesLookedAt = 8
const optionsMax = 20

/** The newest version of each vetted package, by name. */
export async function vettedPackages(signal?: AbortSignal): Promise<readonly Vetted[]> {
  const { vettedPackages: lists = [] } = await post<VettedList>('/v2/package-vetting/list', {}, { signal })
  const newest = new Map<string, Vetted>()
  for (const vetted of lists.flatMap(({ packages }) => packages)) {
    const known = newest.get(vetted.packageName)
    if (known === undefined || compareVersions(vetted.packageVersion, known.packageVersion) > 0) {
      newest.set(vetted.packageName, vetted)
    }
  }
  return [...newest.values()].filter(({ packageName }) => packageName !== '' && !isLibrary.test(packageName))
}

function compareVersions(one: string, other: string): number {
  const [a, b] = [one, other].map((text) => text.split('.').map(Number)) as [number[], number[]]
  const index = a.findIndex((part, at) => part !== (b[at] ?? 0))
  return index < 0 ? a.length - b.length : a[index]! - (b[index] ?? 0)
}

/** Values are `#package:Module:Template`, with `interface ` before an interface. */
export async function kindOptions(text: string, signal: AbortSignal): Promise<readonly Option[]> {
  const wanted = text.replace(/^(interface )?#/, '').toLowerCase()
  const packageWanted = wanted.split(':')[0]!
  const packages = await vettedPackages(signal)
  const byName = packages.filter(({ packageName }) => packageName.toLowerCase().includes(packageWanted))
  const looked = (byName.length > 0 ? byName : packages).slice(0, packagesLookedAt)
  const types = await Promise.all(looked.map(({ packageId }) => loadTypes(packageId)))
  const options = types.flatMap((of) => (of === undefined ? [] : kindsOf(of)))
  return options.filter(({ value }) => value.toLowerCase().includes(wanted)).slice(0, optionsMax)
}

function kindsOf(types: PackageTypes): Option[] {
  const option = (id: string, kind: 'template' | 'interface'): Option => {
    const reference = referenceIn(types, id)
    return {
      value: kind === 'interface' ? `interface ${reference}` : reference,
      words: (
        <>
          <Badge kind={kind === 'interface' ? 'move' : 'neutral'}>{kind}</Badge> {reference.slice(1)}
        </>
      ),
    }
  }
  return [
    ...types.templates.map(({ id }) => option(id, 'template')),
    ...types.interfaces.map(({ id }) => option(id, 'interface')),
  ]
}
