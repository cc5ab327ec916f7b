// Forms that give a value of any type: control, functions, failures and loops.
import type { Expression, Parameter, Pattern, Type } from '../../../src/lf/syntax/ast.ts'
import { substitute } from '../../../src/lf/syntax/types.ts'
import type { Callable, Generator, Options } from './generator.ts'
import { builtin, e, keyOf, p, types } from './syntax.ts'

const { unit, bool, int64, text, any } = types

export function controlFor(generator: Generator): { ofAnyType: Options; loops: Options } {
  const { random, data } = generator

  const ofAnyType: Options = (type, scope, levels) => {
    const inner = (of: Type): Expression => generator.expression(of, scope, levels - 1)
    const under = (variables: readonly Parameter[], of = type): Expression => {
      return generator.under(variables, of, scope, levels - 1)
    }
    const fresh = (of: Type): Parameter => ({ name: generator.name(), type: of })
    const anyType = (): Type => generator.type(scope, 1)
    const isPlain = type.kind === 'constructor' && type.args.length === 0
    const callable = generator.callables.filter((each) => keyOf(each.result) === keyOf(type))
    return [
      [1.5, () => e.match(inner(bool), [p.true, inner(type)], [random.pick([p.false, p.default]), inner(type)])],
      [1, () => caseOf(type, inner, under, anyType())],
      [
        1.5,
        () => {
          const bound = fresh(random.chance(0.2) ? types.to(anyType(), anyType()) : anyType())
          return e.let(bound.name, bound.type, inner(bound.type), under([bound]))
        },
      ],
      [
        1,
        () => {
          const parameters = Array.from({ length: 1 + random.below(3) }, () => fresh(anyType()))
          return e.call(e.lambda(parameters, under(parameters)), ...parameters.map((each) => inner(each.type)))
        },
      ],
      [
        0.5,
        () => {
          const from = anyType()
          return e.call(inner(types.to(from, type)), inner(from))
        },
      ],
      [1, () => builtin('TRACE', [type], inner(text), inner(type))],
      [0.15, () => builtin('ERROR', [type], inner(text))],
      [0.15, () => thrown(type, inner)],
      [
        0.1,
        () =>
          builtin(
            'FAIL_WITH_STATUS',
            [type],
            inner(text),
            e.category(random.chance(0.5)),
            inner(text),
            inner(types.textMap(text)),
          ),
      ],
      [
        1,
        () => {
          const other = anyType()
          const [pair, field] = random.chance(0.5)
            ? [types.data('Pair', type, other), 'first']
            : [types.data('Pair', other, type), 'second']
          return e.field(pair, field, inner(pair))
        },
      ],
      [0.7, () => e.structField('s', inner(types.struct(['s', type], ['r', anyType()])))],
      ...(isPlain ? [[0.5, () => fromAny(type, inner)] as const] : []),
      ...callable.slice(-3).map((each) => [1, () => called(each, inner)] as const),
    ]
  }

  const called = ({ name, parameters }: Callable, inner: (of: Type) => Expression): Expression => {
    return e.call(e.value(name), ...parameters.map(inner))
  }

  function thrown(type: Type, inner: (of: Type) => Expression): Expression {
    const exception = types.data(random.pick(['Oops', 'Oops', 'Speechless']))
    return e.throw(type, exception, inner(exception))
  }

  function fromAny(type: Type, inner: (of: Type) => Expression): Expression {
    const held = random.chance(0.7) ? type : any
    const anything = held === any ? inner(any) : e.toAny(type, inner(type))
    return e.match(e.fromAny(type, anything), [p.some('held'), e.variable('held')], [p.default, inner(type)])
  }

  function caseOf(
    type: Type,
    inner: (of: Type) => Expression,
    under: (variables: readonly Parameter[]) => Expression,
    element: Type,
  ): Expression {
    const head = generator.name()
    const tail = generator.nameBut(head)
    return random.weighted<() => Expression>([
      [
        2,
        () =>
          e.match(
            inner(types.list(element)),
            [p.nil, inner(type)],
            [
              p.cons(head, tail),
              under([
                { name: head, type: element },
                { name: tail, type: types.list(element) },
              ]),
            ],
          ),
      ],
      [
        2,
        () =>
          e.match(
            inner(types.optional(element)),
            [p.some(head), under([{ name: head, type: element }])],
            [p.default, inner(type)],
          ),
      ],
      [1, () => e.match(inner(unit), [p.unit, inner(type)])],
      [3, () => caseOfData(type, inner, under)],
    ])()
  }

  function caseOfData(
    type: Type,
    inner: (of: Type) => Expression,
    under: (variables: readonly Parameter[]) => Expression,
  ): Expression {
    const choices = [...data.values()].filter(({ constructors }) => constructors.kind !== 'record')
    const { name, parameters, constructors } = random.pick(choices)
    const of = types.data(name, ...parameters.map(() => generator.type({ variables: [], types: [], loops: 0 }, 1)))
    const bound = new Map(parameters.map((each, index) => [each.name, (of as { args: readonly Type[] }).args[index]!]))
    const enums = constructors.kind === 'enum' ? constructors.names : []
    const fields = constructors.kind === 'variant' ? constructors.fields : []
    const rows = random.shuffled([
      ...enums.map((tag) => (): [Pattern, Expression] => [p.enum(of, tag), inner(type)]),
      ...fields.map((field) => (): [Pattern, Expression] => {
        const variable = { name: generator.name(), type: substitute(field.type, bound) }
        return [p.variant(of, field.name, variable.name), under([variable])]
      }),
    ])
    const shown = random.chance(0.5) ? rows : rows.slice(0, 1 + random.below(rows.length))
    const alternatives = shown.map((row) => row())
    if (shown.length < rows.length) alternatives.push([p.default, inner(type)])
    return e.match(inner(of), ...alternatives)
  }

  // ── Loops

  const loops: Options = (type, scope, levels) => {
    const inner = (of: Type): Expression => generator.expression(of, scope, levels - 1)
    const body = (...parameters: Parameter[]): Expression => {
      // The order shows where the result is made of both.
      const both = random.chance(0.5) ? joined(type, parameters) : undefined
      return e.lambda(parameters, both ?? generator.under(parameters, type, generator.loop(scope), levels - 1))
    }
    const [one, other] = random.shuffled(['x', 'y', 'acc', 'n']) as [string, string]
    return [
      [
        1.5,
        () => {
          const element = generator.type(scope, 1)
          const f = body({ name: one, type }, { name: other, type: element })
          return builtin('FOLDL', [element, type], f, inner(type), inner(types.list(element)))
        },
      ],
      [
        1.5,
        () => {
          const element = generator.type(scope, 1)
          const f = body({ name: other, type: element }, { name: one, type })
          return builtin('FOLDR', [element, type], f, inner(type), inner(types.list(element)))
        },
      ],
      [
        1.5,
        () => {
          const f = body({ name: other, type: int64 }, { name: one, type })
          const turns = builtin('MOD_INT64', [], inner(int64), e.int64(5))
          return e.call(e.at(e.value(random.pick(['loop', 'stack'])), type), turns, f, inner(type))
        },
      ],
    ]
  }

  /** A result of both parameters that tells their order and values, for types that can hold it. */
  function joined(type: Type, parameters: readonly Parameter[]): Expression | undefined {
    const [one, other] = parameters as [Parameter, Parameter]
    const [result, element] = keyOf(one.type) === keyOf(type) ? [one, other] : [other, one]
    const [r, v] = [e.variable(result.name), e.variable(element.name)]
    const isInt = keyOf(element.type) === keyOf(int64)
    if (keyOf(type) === keyOf(text)) {
      if (keyOf(element.type) === keyOf(text)) return builtin('APPEND_TEXT', [], v, r)
      return isInt ? builtin('APPEND_TEXT', [], builtin('INT64_TO_TEXT', [], v), r) : undefined
    }
    if (keyOf(type) === keyOf(int64) && isInt) {
      return builtin('ADD_INT64', [], builtin('MUL_INT64', [], r, e.int64(3)), v)
    }
    if (keyOf(type) === keyOf(types.list(element.type))) return e.cons(element.type, [v], r)
    return undefined
  }

  return { ofAnyType, loops }
}
