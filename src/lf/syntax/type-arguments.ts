// Types with their parameters filled in.
import type { Type } from './ast.ts'

/**
 * Parameters that are not bound stay as they are. What is one type in several places stays one: written out in full, a
 * type may be far larger than it is, so each part is done once, also for all types that share `done`.
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
  const filled = { ...type, args: type.args.map((argument) => substitute(argument, bound, done)) }
  done.set(type, filled)
  return filled
}
