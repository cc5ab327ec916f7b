// Packages that a thread decoded for earlier uploads, because most uploads refer to the same few. What was used last
// stays, up to a number of bytes.
import type { DecodedPackage } from '../../lf/archive/package.ts'

export type DecodedPackages = {
  get(id: string): DecodedPackage | undefined
  /** `size` is that of the archive. */
  add(id: string, decoded: DecodedPackage, size: number): void
}

export function createDecodedPackages(bytesMax: number): DecodedPackages {
  const entries = new Map<string, { readonly decoded: DecodedPackage; readonly size: number }>()
  let bytes = 0

  function remove(id: string): void {
    bytes -= entries.get(id)?.size ?? 0
    entries.delete(id)
  }

  return {
    get(id) {
      const entry = entries.get(id)
      if (entry === undefined) return undefined
      entries.delete(id)
      entries.set(id, entry) // Now the last one to go.
      return entry.decoded
    },
    add(id, decoded, size) {
      remove(id)
      entries.set(id, { decoded, size })
      bytes += size
      for (const oldest of entries.keys()) {
        if (bytes <= bytesMax) break
        remove(oldest)
      }
    },
  }
}
