// Two operations on types that take account of bound variables: substitution without capture, which renames bound
// variables as the reference does (TypeSubst.scala), and equality up to their names (AlphaEquiv.scala).
import { type Budget, spend } from './limits.ts'
import type { Type } from './type.ts'
import type { Types } from './types.ts'

type Substitution = ReadonlyMap<string, Type>

export function substitute(types: Types, substitution: Substitution, type: Type): Type {
  if (!type.hasForall && (!type.hasVariables || substitution.size === 0)) return type
  const names = type.hasForall ? namesIn(types, substitution) : noNames
  return replace(types, { names, substitution, number: types.nextNumber() }, type)
}

const noNames: ReadonlySet<string> = new Set()

function namesIn(types: Types, substitution: Substitution): ReadonlySet<string> {
  const names = new Set<string>()
  const seen = new Set<Type>()
  for (const replacement of substitution.values()) addVariables(types, replacement, names, seen)
  return names
}

type Scope = {
  /** The variables that may not be captured. */
  readonly names: ReadonlySet<string>
  readonly substitution: Substitution
  /** Types keep what replaced them last, and in which scope. */
  readonly number: number
}

function replace(types: Types, scope: Scope, type: Type): Type {
  if (!type.hasVariables && !type.hasForall) return type
  if (type.tag === 'variable') return scope.substitution.get(type.name) ?? type
  if (type.replacedIn === scope.number) return type.replacement!
  spend(types.budget)
  const replaced = replaceParts(types, scope, type)
  type.replacedIn = scope.number
  type.replacement = replaced
  return replaced
}

function replaceParts(types: Types, scope: Scope, type: Type): Type {
  switch (type.tag) {
    case 'application':
      return types.apply(replace(types, scope, type.left!), replace(types, scope, type.right!))
    case 'forall':
      return replaceForall(types, scope, type)
    case 'struct':
    case 'synonym': {
      const parts = type.parts.map((part) => replace(types, scope, part))
      return isSame(parts, type.parts) ? type : types.withParts(type, parts)
    }
    default:
      return type
  }
}

const isSame = (some: readonly Type[], others: readonly Type[]): boolean => {
  return some.every((part, index) => part === others[index])
}

function replaceForall(types: Types, { names, substitution }: Scope, type: Type): Type {
  const inner = new Map(substitution)
  spend(types.budget, substitution.size + names.size)
  if (!names.has(type.name)) {
    inner.delete(type.name)
    const scope = { names: new Set(names).add(type.name), substitution: inner, number: types.nextNumber() }
    return types.forall(type.name, type.kind!, replace(types, scope, type.left!))
  }
  const fresh = freshName(names)
  inner.set(type.name, types.variable(fresh))
  const scope = { names: new Set(names).add(fresh), substitution: inner, number: types.nextNumber() }
  return types.forall(fresh, type.kind!, replace(types, scope, type.left!))
}

function freshName(names: ReadonlySet<string>): string {
  for (let index = 0; ; index++) {
    const name = `$freshVar${index}`
    if (!names.has(name)) return name
  }
}

/** Every variable that occurs, bound ones included, as in the reference. */
function addVariables(types: Types, type: Type, names: Set<string>, seen: Set<Type>): void {
  if (!type.hasVariables || seen.has(type)) return
  seen.add(type)
  spend(types.budget)
  if (type.tag === 'variable') names.add(type.name)
  if (type.left !== undefined) addVariables(types, type.left, names, seen)
  if (type.right !== undefined) addVariables(types, type.right, names, seen)
  for (const part of type.parts) addVariables(types, part, names, seen)
}

type Bound = {
  readonly depth: number
  readonly left: ReadonlyMap<string, number>
  readonly right: ReadonlyMap<string, number>
}

const nothingBound: Bound = { depth: 0, left: new Map(), right: new Map() }

/** Whether two types are equal up to the names of bound variables. Synonyms are equal by name. */
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
