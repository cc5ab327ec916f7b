// Substitution of type parameters.
import type { Type } from './ast.ts'

/**
 * Unbound parameters stay as they are. Shared parts stay shared: written out in full, a type may be far larger than in
 * memory, so each part is substituted once, also for all types that share `done`.
 */
export function substitute(
  type: Type,
  bound: ReadonlyMap<string, Type | undefined>,
  done: Map<Type, Type> = new Map(),
): Type {
  if (type.kind === 'variable') return (type.args.length === 0 && bound.get(type.name)) || type
  if ((type.kind !== 'builtin' && type.kind !== 'constructor') || type.args.length === 0) return type
  const known = done.get(type)
  if (known !== undefined) return known
  const args = type.args.map((argument) => substitute(argument, bound, done))
  const isOfParameter = type.kind === 'builtin' && type.name === 'Optional' && type.args[0]!.kind === 'variable'
  const filled: Type = isOfParameter ? { ...type, args, isOfParameter } : { ...type, args }
  done.set(type, filled)
  return filled
}
