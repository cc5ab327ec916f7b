// The uploaded packages and their vetting, in memory, because every command needs both. Loaded from the store on first
// use; later changes go through here, one at a time. Changes by other nodes are read again.
import { createQueue } from '../../base/queue.ts'
import type { Package } from '../../lf/syntax/ast.ts'
import { comparePackageVersions } from '../../lf/syntax/names.ts'
import type {
  PackageRecord,
  VettedPackage,
  VettingChange,
  VettingRecord,
} from '../../store/core/administration-records.ts'
import type { Records, Store } from '../../store/core/store.ts'

export type Vetting = {
  readonly serial: number
  readonly packages: ReadonlyMap<string, VettedPackage>
}

/** A live view: it follows every change. */
export type KnownPackages = {
  get(id: string): PackageRecord | undefined
  /** Lowest version first. */
  named(name: string): readonly PackageRecord[]
  names(): Iterable<string>
  /** Undefined if nothing was ever vetted there. */
  vetting(synchronizer: bigint): Vetting | undefined
}

/** What one package defines, by names within it: `Module:Entity`. */
export type Contents = {
  readonly interfaces: readonly string[]
  /** Templates, each with the interfaces it implements: `package-id:Module:Entity`. */
  readonly templates: Readonly<Record<string, readonly string[]>>
  /** Names of choices by `Module:Entity`, where there are any. Older nodes did not store them. */
  readonly choices?: Readonly<Record<string, readonly string[]>>
  /** Ids of the packages it imports or refers to, without the stable ones. Older nodes did not store them. */
  readonly dependencies?: readonly string[]
  /** Ids of packages that it is known to upgrade. */
  readonly upgrades?: readonly string[]
}

export function contentsOf({ modules }: Package): Contents {
  const interfaces: string[] = []
  const templates: [name: string, implemented: string[]][] = []
  const choices: [name: string, choices: string[]][] = []
  for (const module of modules.values()) {
    for (const { name, choices: own } of [...module.interfaces.values(), ...module.templates.values()]) {
      if (own.size > 0) choices.push([`${module.name}:${name}`, [...own.keys()]])
    }
    for (const name of module.interfaces.keys()) interfaces.push(`${module.name}:${name}`)
    for (const { name, interfaceInstances } of module.templates.values()) {
      const implemented = interfaceInstances.map(({ interface: { packageId, module, name } }) => {
        return `${packageId}:${module}:${name}`
      })
      templates.push([`${module.name}:${name}`, implemented])
    }
  }
  return { interfaces, templates: Object.fromEntries(templates), choices: Object.fromEntries(choices) }
}

export type PackageChange = {
  readonly added?: readonly { readonly record: PackageRecord; readonly contents: Contents }[]
  readonly vettings?: readonly VettingChange[]
}

type Outcome<T> = { readonly result: T; readonly change: PackageChange }

export type PackageState = ReturnType<typeof createPackageState>

export function createPackageState(store: Store) {
  const alone = createQueue()
  const listeners: ((change: PackageChange) => void)[] = []
  let loading: Promise<KnownPackages> | undefined
  let loaded: (KnownPackages & Writable) | undefined
  let contents: Promise<Map<string, Contents>> | undefined
  /** What was read before a change must not replace what is known after it. */
  let changes = 0

  async function readContents(): Promise<Map<string, Contents>> {
    const texts = await store.packages.contents()
    return new Map([...texts].map(([id, text]) => [id, JSON.parse(text) as Contents]))
  }

  async function read(): Promise<KnownPackages> {
    const known = createKnownPackages()
    known.replace(...(await readAll()))
    loaded = known
    return known
  }

  async function readAll(): Promise<[readonly PackageRecord[], readonly VettingRecord[]]> {
    for (;;) {
      const before = changes
      const found: [PackageRecord[], VettingRecord[]] = [await store.packages.list(), await store.vetting.list()]
      if (before === changes) return found
    }
  }

  /** Without waiting, because reading them may wait for the change. */
  function addContents({ added = [] }: PackageChange): void {
    contents = contents?.then((known) => {
      for (const { record, contents: own } of added) known.set(record.id, own)
      return known
    })
  }

  return {
    load(): Promise<KnownPackages> {
      loading ??= alone(read).catch((error) => {
        loading = undefined
        throw error
      })
      return loading
    },

    /** Undefined until it was loaded. */
    present: (): KnownPackages | undefined => loaded,

    /** What packages define and depend on: few requests need it, so it is read when one does. */
    async contents(): Promise<(packageId: string) => Contents | undefined> {
      contents ??= alone(readContents).catch((error) => {
        contents = undefined
        throw error
      })
      const known = await contents
      return (packageId) => known.get(packageId)
    },

    /** Runs the transaction and applies its change here, with no other change in between. */
    change<T>(body: (records: Records) => Promise<Outcome<T>>): Promise<T> {
      return alone(async () => {
        const { result, change } = await store.transaction(body)
        changes += 1
        loaded?.apply(change)
        addContents(change)
        for (const listener of listeners) listener(change)
        return result
      })
    },

    /** Another node has changed packages or vetting. Does not wait for changes of this one, which may wait for it. */
    async reload(): Promise<void> {
      changes += 1
      if (loaded === undefined) {
        // A load that is under way may have begun before.
        loading = undefined
        contents = undefined
        return
      }
      const known = loaded
      const [records, vettings] = await readAll()
      const fresh = records.filter(({ id }) => known.get(id) === undefined)
      const texts = fresh.length === 0 ? new Map<string, string>() : await store.packages.contents()
      const added = fresh.flatMap((record) => {
        const text = texts.get(record.id)
        return text === undefined ? [] : [{ record, contents: JSON.parse(text) as Contents }]
      })
      known.replace(records, vettings)
      addContents({ added })
      for (const listener of listeners) listener({ added })
    },

    /** Called after each change. */
    onChange(listener: (change: PackageChange) => void): void {
      listeners.push(listener)
    },
  }
}

export function isValidAt({ validFrom, validUntil }: VettedPackage, micros: bigint): boolean {
  return (validFrom === undefined || validFrom <= micros) && (validUntil === undefined || micros < validUntil)
}

type Writable = {
  add(record: PackageRecord): void
  change(change: VettingChange): void
  apply(change: PackageChange): void
  /** Forgets everything else. */
  replace(records: readonly PackageRecord[], vettings: readonly VettingRecord[]): void
}

function createKnownPackages(): KnownPackages & Writable {
  const byId = new Map<string, PackageRecord>()
  const byName = new Map<string, PackageRecord[]>()
  const vettings = new Map<bigint, { serial: number; packages: Map<string, VettedPackage> }>()

  function add(record: PackageRecord): void {
    byId.set(record.id, record)
    const versions = [...(byName.get(record.name) ?? []), record]
    byName.set(record.name, versions.sort(compareVersions))
  }

  function change({ synchronizer, serial, vetted, unvetted }: VettingChange): void {
    const packages = vettings.get(synchronizer)?.packages ?? new Map<string, VettedPackage>()
    for (const id of unvetted) packages.delete(id)
    for (const entry of vetted) packages.set(entry.packageId, entry)
    vettings.set(synchronizer, { serial, packages })
  }

  return {
    get: (id) => byId.get(id),
    named: (name) => byName.get(name) ?? [],
    names: () => byName.keys(),
    vetting: (synchronizer) => vettings.get(synchronizer),
    add,
    change,
    replace(records, all) {
      byId.clear()
      byName.clear()
      vettings.clear()
      for (const record of records) add(record)
      for (const { synchronizer, serial, packages } of all) {
        change({ synchronizer, serial, vetted: packages, unvetted: [] })
      }
    },
    apply({ added = [], vettings = [] }) {
      for (const { record } of added) add(record)
      for (const vetting of vettings) change(vetting)
    },
  }
}

/** Equal versions are ordered by id. */
function compareVersions(a: PackageRecord, b: PackageRecord): number {
  return comparePackageVersions(a.version, b.version) || (a.id < b.id ? -1 : 1)
}
