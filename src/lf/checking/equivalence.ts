// Equality of types up to the names of bound variables. Mirrors AlphaEquiv.scala: synonyms are equal by name here.
import { type Budget, spend } from './limits.ts'
import type { Type } from './type.ts'

type Bound = {
  readonly depth: number
  readonly left: ReadonlyMap<string, number>
  readonly right: ReadonlyMap<string, number>
}

const nothingBound: Bound = { depth: 0, left: new Map(), right: new Map() }

export function isEquivalent(budget: Budget, left: Type, right: Type): boolean {
  return left === right || compare(budget, nothingBound, left, right, new Map())
}

/** `known` holds pairs that were found equal under the same binders, so that shared parts are compared once. */
function compare(budget: Budget, bound: Bound, left: Type, right: Type, known: Map<Type, Set<Type>>): boolean {
  // Without binders around or inside, types are equal only if they are the same object.
  if (bound.depth === 0 && (left === right || !left.hasForall || !right.hasForall)) return left === right
  if (left.tag !== right.tag) return false
  if (left === right && !left.hasVariables) return true
  if (left.tag === 'variable') {
    const [l, r] = [bound.left.get(left.name), bound.right.get(right.name)]
    return l === undefined && r === undefined ? left === right : l === r
  }
  if (known.get(left)?.has(right)) return true
  spend(budget)
  if (!compareParts(budget, bound, left, right, known)) return false
  const equals = known.get(left)
  if (equals === undefined) known.set(left, new Set([right]))
  else equals.add(right)
  return true
}

function compareParts(budget: Budget, bound: Bound, left: Type, right: Type, known: Map<Type, Set<Type>>): boolean {
  switch (left.tag) {
    case 'application':
      return (
        compare(budget, bound, left.left!, right.left!, known) &&
        compare(budget, bound, left.right!, right.right!, known)
      )
    case 'forall': {
      if (left.kind !== right.kind) return false
      spend(budget, bound.depth)
      const inner = {
        depth: bound.depth + 1,
        left: new Map(bound.left).set(left.name, bound.depth),
        right: new Map(bound.right).set(right.name, bound.depth),
      }
      return compare(budget, inner, left.left!, right.left!, new Map())
    }
    case 'struct':
      if (left.fieldNames.join() !== right.fieldNames.join()) return false
      return left.parts.every((part, index) => compare(budget, bound, part, right.parts[index]!, known))
    case 'synonym': {
      const [l, r] = [left.identifier!, right.identifier!]
      if (l.name !== r.name || l.module !== r.module || l.packageId !== r.packageId) return false
      if (left.parts.length !== right.parts.length) return false
      return left.parts.every((part, index) => compare(budget, bound, part, right.parts[index]!, known))
    }
    default:
      return left === right
  }
}
