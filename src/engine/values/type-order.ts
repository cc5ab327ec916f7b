// The order of types, which decides between values of Any and of TypeRep. Mirrors Canton's TypeOrdering.scala: builtin
// types, then type constructors, numbers, structs and applications, each by its parts.
import type { FieldType, Identifier, Type } from '../../lf/syntax/ast.ts'
import { builtinTypes } from '../../lf/syntax/builtins.ts'
import { KindError } from '../../lf/values/kinds.ts'
import { steps } from '../failures/steps.ts'

export function compareTypes(a: Type, b: Type): number {
  if (a === b) return 0
  steps.charge(1)
  const difference = rankOf(a) - rankOf(b)
  if (difference !== 0) return difference
  if ('args' in a && 'args' in b && a.args.length > 0) {
    return compareTypes(functionOf(a), functionOf(b)) || compareTypes(a.args.at(-1)!, b.args.at(-1)!)
  }
  if (a.kind === 'builtin' && b.kind === 'builtin') return builtinTypes[a.name].proto - builtinTypes[b.name].proto
  if (a.kind === 'constructor' && b.kind === 'constructor') return compareIdentifiers(a.id, b.id)
  if (a.kind === 'nat' && b.kind === 'nat') return a.value - b.value
  if (a.kind === 'struct' && b.kind === 'struct') return compareFields(a.fields, b.fields)
  throw new KindError(`types of kind ${a.kind} have no order`)
}

export function compareIdentifiers(a: Identifier, b: Identifier): number {
  if (a === b) return 0
  return compareAscii(a.packageId, b.packageId) || compareDotted(a.module, b.module) || compareDotted(a.name, b.name)
}

/** What the last argument is applied to: `GenMap k` of `GenMap k v`. */
const functionOf = (type: Extract<Type, { args: readonly Type[] }>): Type => ({ ...type, args: type.args.slice(0, -1) })

function rankOf(type: Type): number {
  if ('args' in type && type.args.length > 0) return ranks.application
  const rank = ranks[type.kind as keyof typeof ranks]
  if (rank === undefined) throw new KindError(`types of kind ${type.kind} have no order`)
  return rank
}

const ranks = { builtin: 0, constructor: 1, nat: 2, struct: 3, application: 4 }

function compareFields(a: readonly FieldType[], b: readonly FieldType[]): number {
  const names = compareLists(a, b, (left, right) => compareAscii(left.name, right.name))
  return names || compareLists(a, b, (left, right) => compareTypes(left.type, right.type))
}

/** By segments: as a whole, `A.B` would come after `A$`. */
const compareDotted = (a: string, b: string): number =>
  a === b ? 0 : compareLists(a.split('.'), b.split('.'), compareAscii)

function compareLists<Item>(a: readonly Item[], b: readonly Item[], compare: (a: Item, b: Item) => number): number {
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index += 1) {
    const difference = compare(a[index]!, b[index]!)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

const compareAscii = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
