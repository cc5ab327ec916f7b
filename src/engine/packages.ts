// The packages of one thread: each is requested when something first refers to it, decoded, and kept.
import { openArchive } from '../lf/archive/archive.ts'
import type { DecodedPackage } from '../lf/archive/package.ts'
import type { Package } from '../lf/syntax/ast.ts'
import type { Packages } from '../lf/values/data-types.ts'
import type { LedgerReader } from './ledger-access.ts'

/**
 * By default, as much of a package is decoded as is used: the ledger has read all of it. `check` is called meanwhile, and
 * throws to end that. Deep types take a deep stack, which threads of the engine have.
 */
export function createPackages(
  ledger: Pick<LedgerReader, 'package'>,
  check?: () => void,
  decode: (dalf: Uint8Array) => DecodedPackage = (dalf) => openArchive(dalf).decodeKnown(check),
): Packages {
  const known = new Map<string, Package>()
  return {
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
