// The packages of one thread: each is requested when something first refers to it, decoded, and kept.
import { openArchive } from '../lf/archive/archive.ts'
import type { DecodedPackage } from '../lf/archive/package.ts'
import type { Package } from '../lf/syntax/ast.ts'
import type { Packages } from '../lf/values/data-types.ts'
import type { LedgerReader } from './ledger-access.ts'

export type KeptPackages = Packages & { has(id: string): boolean }

/** Packages as one of several ledgers has them, which share what is kept: another may have brought a package. */
export function packagesOf(ledger: Pick<LedgerReader, 'package'>, kept: KeptPackages): Packages {
  const found = new Set<string>()
  return {
    get(id) {
      if (!found.has(id)) {
        if (kept.has(id) && ledger.package(id) === undefined) return undefined
        if (kept.get(id) === undefined) return undefined
        found.add(id)
      }
      return kept.get(id)
    },
  }
}

/**
 * By default, as much of a package is decoded as is used: the ledger has read all of it. `check` is called meanwhile, and
 * throws to end that. Deep types take a deep stack, which threads of the engine have.
 */
export function createPackages(
  ledger: Pick<LedgerReader, 'package'>,
  check?: () => void,
  decode: (dalf: Uint8Array) => DecodedPackage = (dalf) => openArchive(dalf).decodeKnown(check),
): KeptPackages {
  const known = new Map<string, Package>()
  return {
    has: (id) => known.has(id),
    get(id) {
      const found = known.get(id)
      if (found !== undefined) return found
      // The ledger may get a missing package later, so only packages that exist are cached.
      const dalf = ledger.package(id)
      if (dalf === undefined) return undefined
      const { package: decoded } = decode(dalf)
      if (decoded.id !== id) throw new Error(`the ledger answered with the package ${decoded.id} instead of ${id}`)
      known.set(id, decoded)
      return decoded
    },
  }
}
