// The names of templates, interfaces and choices of the newest version of each package, for searches. A compact JSON,
// written once for each set of packages.
import { hash } from 'node:crypto'
import type { Package } from '../../lf/syntax/ast.ts'
import type { PackageRecord } from '../../store/core/administration-records.ts'
import type { Store } from '../../store/core/store.ts'
import type { Contents, PackageState } from './known-packages.ts'
import { contentsOf } from './known-packages.ts'

export type NameIndex = { readonly json: Buffer; readonly etag: string }

type Parts = {
  readonly store: Store
  readonly state: PackageState
  readonly newest: (name: string) => Promise<PackageRecord | undefined>
  readonly decode: (id: string) => Promise<Package | undefined>
}

/** Every template has this choice. */
const everybodys = 'Archive'

export function createNameIndex({ store, state, newest, decode }: Parts): () => Promise<NameIndex> {
  let written: { readonly key: string; readonly index: Promise<NameIndex> } | undefined

  async function write(ids: readonly string[], mains: ReadonlySet<string>): Promise<NameIndex> {
    const [known, contents] = [await state.load(), await state.contents()]
    const packages = []
    for (const id of ids) {
      const { interfaces, templates, choices } = await withChoices(id, contents(id))
      if (interfaces.length + Object.keys(templates).length === 0) continue
      const { name, version } = known.get(id)!
      const choicesOf = (entity: string) => [entity, own(choices, entity).filter((choice) => choice !== everybodys)]
      packages.push({
        packageId: id,
        name,
        version,
        isLibrary: !mains.has(id),
        templates: Object.fromEntries(Object.keys(templates).map(choicesOf)),
        interfaces: Object.fromEntries(interfaces.map(choicesOf)),
      })
    }
    packages.sort((a, b) => Number(a.isLibrary) - Number(b.isLibrary) || (a.name < b.name ? -1 : 1))
    const json = Buffer.from(JSON.stringify({ packages }))
    return { json, etag: `"${hash('sha256', json, 'base64url').slice(0, 27)}"` }
  }

  /** Packages that were uploaded before the node stored choices are decoded once. */
  async function withChoices(id: string, stored: Contents | undefined) {
    if (stored?.choices !== undefined) return { ...stored, choices: stored.choices }
    const decoded = contentsOf((await decode(id))!)
    const contents = { ...stored, ...decoded, choices: decoded.choices! }
    await store.packages.putContents(new Map([[id, JSON.stringify(contents)]]))
    return contents
  }

  return async () => {
    const known = await state.load()
    const ids: string[] = []
    for (const name of known.names()) ids.push((await newest(name))!.id)
    const mains = new Set((await store.packages.mains()).map(({ id }) => id))
    const key = ids.map((id) => `${id}${mains.has(id) ? '!' : ''}`).join()
    if (written?.key !== key) {
      const index = write(ids, mains)
      written = { key, index }
      index.catch(() => {
        if (written?.index === index) written = undefined
      })
    }
    return written.index
  }
}

function own(choices: Readonly<Record<string, readonly string[]>>, entity: string): readonly string[] {
  return Object.hasOwn(choices, entity) ? choices[entity]! : []
}
