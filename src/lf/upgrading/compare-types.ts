// Decides whether a type is the same after an upgrade. A type of another package may come from a later version of it.
import type { DataType, Identifier, Kind, Type } from '../syntax/ast.ts'
import { comparePackageVersions } from '../syntax/names.ts'

export type NamedVersion = { readonly name: string; readonly version: string }

/** Undefined for a package that is not known. */
export type PackageNames = (id: string) => NamedVersion | undefined

export type TypeComparison = {
  /** Variables are those of the two data types, by position; other types have none. */
  isSame(past: Type, present: Type, pastData?: DataType, presentData?: DataType): boolean
}

/**
 * Pairs of parts that one check of a package may compare. Written out in full, a type may be far larger than in memory,
 * so a pair of parts is compared once for each data type; a package may still be made to have many pairs.
 */
const pairsMax = 20_000_000

export function createTypeComparison(names: PackageNames): TypeComparison {
  let pairs = 0

  function isSameId(past: Identifier, present: Identifier): boolean {
    if (past.module !== present.module || past.name !== present.name) return false
    if (past.packageId === present.packageId) return true
    const [before, after] = [names(past.packageId), names(present.packageId)]
    if (before === undefined || after === undefined || before.name !== after.name) return false
    return comparePackageVersions(before.version, after.version) <= 0
  }

  return {
    isSame(past, present, pastData, presentData) {
      const seen = new Map<Type, Set<Type>>()
      const pending: [past: Type, present: Type][] = [[past, present]]
      const positions = { past: positionsOf(pastData), present: positionsOf(presentData) }
      for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
        const [before, after] = next
        const known = seen.get(before) ?? new Set()
        if (known.has(after)) continue
        seen.set(before, known.add(after))
        pairs += 1
        if (pairs > pairsMax || !isSameHead(before, after)) return false
        if (!('args' in before) || !('args' in after)) continue
        if (before.args.length !== after.args.length) return false
        for (const [i, argument] of before.args.entries()) pending.push([argument, after.args[i]!])
      }
      return true

      function isSameHead(before: Type, after: Type): boolean {
        if (before.kind === 'variable' && after.kind === 'variable') {
          const position = positions.past.get(before.name)
          return position !== undefined && position === positions.present.get(after.name)
        }
        if (before.kind === 'constructor' && after.kind === 'constructor') return isSameId(before.id, after.id)
        if (before.kind === 'builtin' && after.kind === 'builtin') return before.name === after.name
        // Synonyms, structs and polymorphic types are never the same, as in the reference: ledger data has none.
        return before.kind === 'nat' && after.kind === 'nat' && before.value === after.value
      }
    },
  }
}

export function isSameKind(a: Kind, b: Kind): boolean {
  const seen = new Map<Kind, Set<Kind>>()
  const pending: [Kind, Kind][] = [[a, b]]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [before, after] = next
    const known = seen.get(before) ?? new Set()
    if (known.has(after)) continue
    seen.set(before, known.add(after))
    if (before.kind !== after.kind) return false
    if (before.kind === 'arrow' && after.kind === 'arrow') {
      pending.push([before.parameter, after.parameter], [before.result, after.result])
    }
  }
  return true
}

export function isOptional(type: Type): boolean {
  return type.kind === 'builtin' && type.name === 'Optional' && type.args.length === 1
}

function positionsOf(data: DataType | undefined): ReadonlyMap<string, number> {
  return new Map(data?.parameters.map(({ name }, i) => [name, i]))
}
