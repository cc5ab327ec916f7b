// Types with their parameters filled in.
import type { Type } from './ast.ts'

/** Parameters that are not bound stay as they are. */
export function substitute(type: Type, bound: ReadonlyMap<string, Type | undefined>): Type {
  if (type.kind === 'variable') return (type.args.length === 0 && bound.get(type.name)) || type
  if ((type.kind !== 'builtin' && type.kind !== 'constructor') || type.args.length === 0) return type
  return { ...type, args: type.args.map((argument) => substitute(argument, bound)) }
}
