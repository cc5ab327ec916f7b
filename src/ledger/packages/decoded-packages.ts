// Packages as the engine reads them, decoded when they are first asked for and kept by id, up to a number of bytes of
// their dalfs; what was not asked for the longest makes room.
import type { Package } from '../../lf/syntax/ast.ts'

export type DecodedPackages = { get(id: string): Promise<Package | undefined> }

type LoadDalf = (id: string) => Promise<Uint8Array | undefined>
type Entry = { readonly package: Package; readonly size: number }

export function createDecodedPackages(bytesMax: number, loadDalf: LoadDalf): DecodedPackages {
  const entries = new Map<string, Entry>() // In the order of use.
  const loading = new Map<string, Promise<Entry | undefined>>()
  let bytes = 0

  async function load(id: string): Promise<Entry | undefined> {
    const dalf = await loadDalf(id)
    if (dalf === undefined) return undefined
    const { decodeArchive } = await import('../../lf/archive/archive.ts')
    const entry = { package: decodeArchive(dalf).package, size: dalf.length }
    keep(id, entry)
    return entry
  }

  function keep(id: string, entry: Entry): void {
    entries.set(id, entry)
    bytes += entry.size
    for (const [oldest, { size }] of entries) {
      if (bytes <= bytesMax) break
      entries.delete(oldest)
      bytes -= size
    }
  }

  return {
    async get(id) {
      const known = entries.get(id)
      if (known !== undefined) {
        entries.delete(id)
        entries.set(id, known)
        return known.package
      }
      const pending = loading.get(id) ?? load(id).finally(() => loading.delete(id))
      loading.set(id, pending)
      return (await pending)?.package
    },
  }
}
