// The packages of one thread: each is requested when something first refers to it, decoded, and kept.
import { decodeArchive } from '../lf/archive/archive.ts'
import type { Package } from '../lf/syntax/ast.ts'
import type { Packages } from '../lf/values/data-types.ts'
import type { LedgerReader } from './ledger-access.ts'

/** `check` is called while a package is decoded, and throws to end that. */
export function createPackages(ledger: Pick<LedgerReader, 'package'>, check?: () => void): Packages {
  const known = new Map<string, Package>()
  return {
    get(id) {
      const found = known.get(id)
      if (found !== undefined) return found
      // The ledger may get a missing package later, so only packages that exist are cached.
      const dalf = ledger.package(id)
      if (dalf === undefined) return undefined
      const { package: decoded } = decodeArchive(dalf, check)
      if (decoded.id !== id) throw new Error(`the ledger answered with the package ${decoded.id} instead of ${id}`)
      known.set(id, decoded)
      return decoded
    },
  }
}
