// The names of all templates, interfaces and choices, read once, and ranked while one types (ranking.ts).
import { get } from './client.ts'
import type { NamedThing } from './ranking.ts'

/** The newest version of each package, those one uploaded before libraries. */
export type NamedPackage = {
  readonly packageId: string
  readonly name: string
  readonly version: string
  /** A package that other packages only build on, such as the standard library. */
  readonly isLibrary: boolean
  /** Choices by `Module:Template`. */
  readonly templates: Readonly<Record<string, readonly string[]>>
  /** Choices by `Module:Interface`. */
  readonly interfaces: Readonly<Record<string, readonly string[]>>
}

/** Browsers keep it, and ask whether it has changed. */
export async function readNames(signal?: AbortSignal): Promise<readonly NamedPackage[]> {
  return (await get<{ packages: readonly NamedPackage[] }>('/explorer/find/names', { signal })).packages
}

export type NamedKind = 'template' | 'interface' | 'choice' | 'package'

export type IndexedName = NamedThing & {
  readonly kind: NamedKind
  readonly packageId: string
  /** `#package:Module:Entity` of the template or interface; "" for a package. */
  readonly of: string
  /** Whether `of` is an interface. */
  readonly isOfInterface: boolean
}

/** All names in one list, to be ranked: packages, their templates and interfaces, and the choices of these. */
export function namesIn(packages: readonly NamedPackage[]): readonly IndexedName[] {
  return packages.flatMap(({ packageId, name: packageName, isLibrary, templates, interfaces }) => {
    const common = { packageName, packageId, isLibrary }
    const entities = (kind: 'template' | 'interface', choicesByEntity: NamedPackage['templates']) =>
      Object.entries(choicesByEntity).flatMap(([entity, choices]): IndexedName[] => {
        const [module = '', name = ''] = entity.split(':')
        const place = { ...common, module, of: `#${packageName}:${entity}`, isOfInterface: kind === 'interface' }
        return [
          { ...place, kind, name },
          ...choices.map((choice): IndexedName => ({ ...place, kind: 'choice', name: choice, owner: name })),
        ]
      })
    const own = { ...common, kind: 'package', name: packageName, module: '', of: '', isOfInterface: false } as const
    return [own, ...entities('template', templates), ...entities('interface', interfaces)]
  })
}
