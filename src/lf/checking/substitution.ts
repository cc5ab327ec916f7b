// Substitution of type variables that does not capture: bound variables that would are renamed, to the names that the
// reference gives them. Mirrors TypeSubst.scala.
import { spend } from './limits.ts'
import type { Type } from './type.ts'
import type { Types } from './types.ts'

export type Substitution = ReadonlyMap<string, Type>

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
