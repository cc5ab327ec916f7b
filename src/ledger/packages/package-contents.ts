// The contents of this participant's packages by name: templates, interfaces, and which template implements which
// interface. Readers' filters and views depend on it. Computed and stored at upload, loaded on first use. Mirrors
// Canton's PackageMetadata.
import { LedgerError } from '../../base/errors.ts'
import type { Package } from '../../lf/syntax/ast.ts'
import type { Store } from '../../store/core/store.ts'
import type { Synchronizer, Synchronizers } from '../model/synchronizers.ts'
import { type Contents, contentsOf, type KnownPackages, type PackageState } from './known-packages.ts'
import { type Discarded, noneFits, noneSatisfies, noneVetted, notConnected } from './selection-refusals.ts'

/** An interface that a template implements, and where. */
export type Implementation = {
  /** `package-id:Module:Entity` of the interface, as the template's package refers to it. */
  readonly interfaceId: string
  /** `package-id:Module:Entity` of the version of the template that implements it. */
  readonly templateId: string
}

/** An interface that a template implements, but in no version that may be used. */
export type Unusable = {
  readonly interfaceId: string
  readonly templateId?: undefined
  readonly problem: LedgerError
}

/** Names are `#package-name:Module:Entity`. */
export type PackageContents = {
  /** Changes whenever an answer may change. */
  version(): number
  hasPackage(packageName: string): boolean
  hasTemplate(name: string): boolean
  hasInterface(name: string): boolean
  packageNames(): Iterable<string>
  /** Undefined for a package id that is not known. */
  nameOfPackage(packageId: string): string | undefined
  /** Templates and interfaces. */
  typeNames(): Iterable<string>
  /** Templates of which some version implements the interface, by name. */
  implementersOf(interfaceName: string): readonly string[]
  /** How the preferred version of a template implements an interface; undefined if none does. */
  implementation(templateName: string, interfaceName: string): Implementation | Unusable | undefined
}

type Parts = {
  readonly store: Store
  readonly state: PackageState
  readonly synchronizers: Synchronizers
  readonly participantId: string
  readonly decode: (id: string) => Promise<Package | undefined>
}

export function createPackageContents({ store, state, synchronizers, participantId, decode }: Parts) {
  let loading: Promise<PackageContents> | undefined
  let index: Index | undefined

  state.onChange(({ added = [] }) => {
    for (const { record, contents } of added) index?.add(record.id, contents)
    index?.changed()
  })
  synchronizers.onChange(() => index?.changed())

  async function read(): Promise<PackageContents> {
    const known = await state.load()
    const stored = await store.packages.contents()
    const filling = createIndex(known, synchronizers.list, participantId)
    index = filling // From here on it sees concurrent uploads; adding twice does no harm.
    for (const name of known.names()) {
      for (const { id } of known.named(name)) filling.add(id, await contentsWith(id, stored.get(id)))
    }
    return filling
  }

  /** Reads packages that were uploaded before the node stored contents. */
  async function contentsWith(id: string, stored: string | undefined): Promise<Contents> {
    if (stored !== undefined) return JSON.parse(stored)
    const contents = contentsOf((await decode(id))!)
    await store.packages.putContents(new Map([[id, JSON.stringify(contents)]]))
    return contents
  }

  return {
    /** A live view: it follows every upload and every change of vetting. */
    load(): Promise<PackageContents> {
      loading ??= read().catch((error) => {
        loading = undefined
        throw error
      })
      return loading
    },
  }
}

type Index = PackageContents & {
  add(packageId: string, contents: Contents): void
  /** Called when packages or vetting have changed. */
  changed(): void
}

/** All packages must be in `known`. */
function createIndex(known: KnownPackages, connected: () => readonly Synchronizer[], participantId: string): Index {
  const byPackage = new Map<string, Contents>()
  const templates = new Set<string>()
  const interfaces = new Set<string>()
  const implementers = new Map<string, Set<string>>()
  let version = 0

  /** Takes `package-id:Module:Entity`; an unknown package has no name. */
  function nameOf(id: string): string {
    const colon = id.indexOf(':')
    return `#${known.get(id.slice(0, colon))?.name ?? ''}${id.slice(colon)}`
  }

  /** Vetting that ends at some time does not count. */
  function isVettedOn({ number }: Synchronizer, packageId: string): boolean {
    const entry = known.vetting(number)?.packages.get(packageId)
    return entry !== undefined && entry.validUntil === undefined
  }

  /** Why no version of the package can compute a view, in the words of IndexServiceImpl.scala. */
  function problemWith(packageName: string, interfaceId: string): LedgerError {
    if (connected().length === 0) {
      const { code, message } = notConnected()
      const text = 'Could not compute a package-id for rendering the interface view. Root cause'
      return new LedgerError(code, `${text}: ${message}`)
    }
    const implementing = [...byPackage].flatMap(([id, contents]) =>
      Object.values(contents.templates).some((implemented) => implemented.includes(interfaceId)) ? [id] : [],
    )
    const discarded = connected().map((synchronizer): Discarded => {
      const vetted = known.named(packageName).filter(({ id }) => isVettedOn(synchronizer, id))
      const reason = (restriction: string) =>
        vetted.length === 0
          ? noneVetted(packageName, participantId)
          : noneFits(packageName, implementing, vetted, restriction)
      return { synchronizer, reason }
    })
    const reason = noneSatisfies(discarded, 'Package-ids with interface instances for the requested interface')
    return new LedgerError(
      'NO_VETTED_INTERFACE_IMPLEMENTATION_PACKAGE',
      `No vetted package for rendering the interface view for package-name '${packageName}'. Reason: ${reason}`,
    )
  }

  return {
    version: () => version,
    changed() {
      version += 1
    },
    add(packageId, contents) {
      const packageName = known.get(packageId)!.name
      byPackage.set(packageId, contents)
      for (const name of contents.interfaces) interfaces.add(`#${packageName}:${name}`)
      for (const [name, implemented] of Object.entries(contents.templates)) {
        const templateName = `#${packageName}:${name}`
        templates.add(templateName)
        for (const interfaceName of implemented.map(nameOf)) {
          const names = implementers.get(interfaceName) ?? new Set<string>()
          implementers.set(interfaceName, names.add(templateName))
        }
      }
    },
    hasPackage: (packageName) => known.named(packageName).length > 0,
    hasTemplate: (name) => templates.has(name),
    hasInterface: (name) => interfaces.has(name),
    packageNames: () => known.names(),
    nameOfPackage: (packageId) => known.get(packageId)?.name,
    typeNames: () => [...templates, ...interfaces],
    implementersOf: (interfaceName) => [...(implementers.get(interfaceName) ?? [])],
    implementation(templateName, interfaceName) {
      const colon = templateName.indexOf(':')
      const [packageName, entity] = [templateName.slice(1, colon), templateName.slice(colon + 1)]
      let unusable: string | undefined
      for (const { id } of known.named(packageName).toReversed()) {
        const implemented = templatesOf(byPackage.get(id), entity)
        const interfaceId = implemented.find((candidate) => nameOf(candidate) === interfaceName)
        if (interfaceId === undefined) continue
        if (connected().some((synchronizer) => isVettedOn(synchronizer, id))) {
          return { interfaceId, templateId: `${id}:${entity}` }
        }
        unusable ??= interfaceId
      }
      return unusable === undefined ? undefined : { interfaceId: unusable, problem: problemWith(packageName, unusable) }
    },
  }
}

function templatesOf(contents: Contents | undefined, entity: string): readonly string[] {
  return contents !== undefined && Object.hasOwn(contents.templates, entity) ? contents.templates[entity]! : []
}
