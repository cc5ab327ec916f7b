// Reads the code of signatories and controllers to find which fields of a contract, its view or a choice's argument they
// are. Forms fill in who acts from it. It follows what compilers write for `signatory a, b` and for functions around
// fields; where code decides at run time (a case, a map over a list, …) the answer is that nobody knows.
import type { Body, Expression, Identifier } from '../lf/syntax/ast.ts'
import type { PackageSet } from './package-set.ts'
import type { PartyPlace } from './type-description.ts'

type Environment = ReadonlyMap<string, Value>

type Value =
  | { readonly kind: 'place'; readonly place: PartyPlace }
  | { readonly kind: 'list'; readonly items: readonly Value[] }
  | {
      readonly kind: 'function'
      readonly parameters: readonly string[]
      readonly body: Expression
      readonly in: Environment
    }
  | { readonly kind: 'struct'; readonly fields: ReadonlyMap<string, Value> }
  | {
      readonly kind:
        | 'concat'
        | 'append'
        | 'same'
        | 'same of class'
        | 'view of class'
        | 'signatories of class'
        | 'unknown'
    }

const unknown: Value = { kind: 'unknown' }
const nothing: Environment = new Map()

/** Expressions that are looked at for one body, and how deep they may nest. */
const stepsMax = 2_000
const depthMax = 60

/**
 * Functions of the standard library, whose code is not at hand, by module and name. A party, an Optional and a list become
 * lists of parties; a place may be any of them. Methods of a class take its instance first.
 */
const known: readonly (readonly [name: RegExp, Value])[] = [
  [/^DA\.Internal\.Prelude:concat$/, { kind: 'concat' }],
  [/^(DA\.Internal\.Prelude|GHC\.Base|GHC\.Types):(\+\+|\$u002b\$u002b)$/, { kind: 'append' }],
  [/^DA\.Internal\.Template\.Functions:\$\$ctoParties\d*$/, { kind: 'same' }],
  [/^DA\.Internal\.Template\.Functions:toParties$/, { kind: 'same of class' }],
  [/^DA\.Internal\.Template\.Functions:signatory$/, { kind: 'signatories of class' }],
  [/^DA\.Internal\.Interface:view$/, { kind: 'view of class' }],
]

/** The variables that stand for the contract and for the argument of a choice. */
export type Parameters = {
  readonly contract: string
  readonly argument?: string
  /** Whether it is the code of an interface: its views are those of that interface. */
  readonly isOfInterface?: boolean
}

/** Undefined if they cannot be read from the code. */
export function requiredParties(body: Body, names: Parameters, packages: PackageSet): PartyPlace[] | undefined {
  let steps = 0
  const variables = new Map<string, Value>([
    [names.contract, { kind: 'place', place: { of: 'contract', path: [] } }],
    ...(names.argument === undefined
      ? []
      : [[names.argument, { kind: 'place', place: { of: 'argument', path: [] } }] as const]),
  ])
  return placesIn(evaluate(body(), variables, 0))

  function evaluate(expression: Expression, variables: Environment, depth: number): Value {
    steps += 1
    if (steps > stepsMax || depth > depthMax) return unknown
    const inner = (part: Expression, more = variables) => evaluate(part, more, depth + 1)
    switch (expression.kind) {
      case 'variable':
        return variables.get(expression.name) ?? unknown
      case 'value':
        return definitionOf(expression.id, depth)
      case 'record-projection':
        return fieldOf(inner(expression.record), expression.field)
      case 'struct':
        return { kind: 'struct', fields: new Map(expression.fields.map(({ name, value }) => [name, inner(value)])) }
      case 'struct-projection':
        return fieldOf(inner(expression.struct), expression.field)
      case 'abstraction':
        return {
          kind: 'function',
          parameters: expression.parameters.map(({ name }) => name),
          body: expression.body,
          in: variables,
        }
      case 'type-abstraction':
        return inner(expression.body)
      case 'type-application':
        return inner(expression.expression)
      case 'application':
        return applied(
          inner(expression.function),
          expression.args.map((argument) => inner(argument)),
          depth,
        )
      case 'let': {
        const more = new Map(variables)
        for (const { name, bound } of expression.bindings) more.set(name, inner(bound, more))
        return inner(expression.body, more)
      }
      case 'nil':
        return { kind: 'list', items: [] }
      case 'cons':
        return appended([{ kind: 'list', items: expression.front.map((item) => inner(item)) }, inner(expression.tail)])
      case 'to-interface':
      case 'to-required-interface':
        return inner(expression.value)
      case 'view-interface':
        return viewOf(inner(expression.value))
      case 'signatory-interface':
        return signatoriesOf(inner(expression.value))
      default:
        return unknown
    }
  }

  function viewOf(value: Value): Value {
    return names.isOfInterface && isWhole(value) ? { kind: 'place', place: { of: 'view', path: [] } } : unknown
  }

  function definitionOf(id: Identifier, depth: number): Value {
    const special = known.find(([name]) => name.test(`${id.module}:${id.name}`))
    if (special !== undefined) return special[1]
    const found = packages.get(id.packageId)?.modules.get(id.module)?.values.get(id.name)
    return found === undefined ? unknown : evaluate(found.body(), nothing, depth + 1)
  }

  function applied(called: Value, args: readonly Value[], depth: number): Value {
    const [first = unknown] = args
    if (called.kind === 'concat') return first.kind === 'list' ? appended(first.items) : first
    if (called.kind === 'append') return appended(args)
    if (called.kind === 'same') return first
    if (called.kind === 'same of class') return args[1] ?? { kind: 'same' }
    if (called.kind === 'signatories of class') return signatoriesOf(args[1] ?? unknown)
    if (called.kind === 'view of class') return viewOf(args[1] ?? unknown)
    if (called.kind !== 'function') return unknown
    const { parameters, body } = called
    const variables = new Map(called.in)
    for (const [index, name] of parameters.slice(0, args.length).entries()) variables.set(name, args[index]!)
    if (args.length < parameters.length) {
      return { kind: 'function', parameters: parameters.slice(args.length), body, in: variables }
    }
    const result = evaluate(body, variables, depth + 1)
    const rest = args.slice(parameters.length)
    return rest.length === 0 ? result : applied(result, rest, depth + 1)
  }
}

function fieldOf(value: Value, field: string): Value {
  if (value.kind === 'struct') return value.fields.get(field) ?? unknown
  if (value.kind !== 'place' || value.place.of === 'signatories') return unknown
  return { kind: 'place', place: { of: value.place.of, path: [...value.place.path, field] } }
}

const isWhole = (value: Value) =>
  value.kind === 'place' && value.place.of === 'contract' && value.place.path.length === 0

function signatoriesOf(value: Value): Value {
  return isWhole(value) ? { kind: 'place', place: { of: 'signatories', path: [] } } : unknown
}

/** One list after the other; a place may hold a list. */
function appended(lists: readonly Value[]): Value {
  const items = lists.flatMap((list) => (list.kind === 'list' ? list.items : [list]))
  return { kind: 'list', items }
}

function placesIn(value: Value): PartyPlace[] | undefined {
  const items = value.kind === 'list' ? value.items : [value]
  const places = items.map((item) => (item.kind === 'place' ? item.place : undefined))
  return places.includes(undefined) ? undefined : (places as PartyPlace[])
}
