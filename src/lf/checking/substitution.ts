// Substitution of type variables that does not capture: bound variables that would are renamed, to the names that the
// reference gives them. Mirrors TypeSubst.scala.
import { spend } from './limits.ts'
import type { Type, Types } from './types.ts'

export type Substitution = ReadonlyMap<string, Type>

export function substitute(types: Types, substitution: Substitution, type: Type): Type {
  if (!type.hasForall && (!type.hasVariables || substitution.size === 0)) return type
  const names = new Set<string>()
  const seen = new Set<Type>()
  for (const replacement of substitution.values()) addVariables(types, replacement, names, seen)
  return replace(types, { names, substitution, done: new Map() }, type)
}

type Scope = {
  /** The variables that may not be captured. */
  readonly names: ReadonlySet<string>
  readonly substitution: Substitution
  readonly done: Map<Type, Type>
}

function replace(types: Types, scope: Scope, type: Type): Type {
  if (!type.hasVariables && !type.hasForall) return type
  if (type.tag === 'variable') return scope.substitution.get(type.name) ?? type
  const known = scope.done.get(type)
  if (known !== undefined) return known
  spend(types.budget)
  const replaced = replaceParts(types, scope, type)
  scope.done.set(type, replaced)
  return replaced
}

function replaceParts(types: Types, scope: Scope, type: Type): Type {
  switch (type.tag) {
    case 'application':
      return types.apply(replace(types, scope, type.left!), replace(types, scope, type.right!))
    case 'forall':
      return replaceForall(types, scope, type)
    case 'struct': {
      const parts = type.parts.map((part) => replace(types, scope, part))
      return isSame(parts, type.parts) ? type : types.struct(type.fieldNames, parts)
    }
    case 'synonym': {
      const parts = type.parts.map((part) => replace(types, scope, part))
      return isSame(parts, type.parts) ? type : types.synonym(type.identifier!, parts)
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
    const scope = { names: new Set(names).add(type.name), substitution: inner, done: new Map() }
    return types.forall(type.name, type.kind!, replace(types, scope, type.left!))
  }
  const fresh = freshName(names)
  inner.set(type.name, types.variable(fresh))
  const scope = { names: new Set(names).add(fresh), substitution: inner, done: new Map() }
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
