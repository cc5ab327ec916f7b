// Random expressions of a given type: well-typed by construction, and soon evaluated, because loops have few turns.
import type { Expression, Parameter, Type } from '../../../src/lf/syntax/ast.ts'
import { substitute } from '../../../src/lf/syntax/types.ts'
import type { Generator, Scope } from './generator.ts'
import type { Random } from './random.ts'
import { controlFor } from './random-control.ts'
import { dateLiteral, int64Literal, numericLiteral, textLiteral, timestampLiteral } from './random-literals.ts'
import { operationsFor } from './random-operations.ts'
import { type DataTypes, randomType } from './random-types.ts'
import { builtin, e, keyOf, own, p, types } from './syntax.ts'

export const emptyScope: Scope = { variables: [], types: [], loops: 0 }

const names = ['x', 'y', 'z', 'w', 'this', 'arg', '_0']
const loopsMax = 2

const usualParties = ['Alice', 'Bob', 'Charlie']

export function createGenerator(
  random: Random,
  data: DataTypes,
  minor: number,
  parties: readonly string[] = usualParties,
): Generator {
  // Few types, so that variables often have the type that is wanted.
  const palette = [types.int64, types.text, types.list(types.int64), types.list(types.text)]
  for (let count = 0; count < 4; count++) palette.push(randomType(random, data, random.below(3)))
  const generator: Generator = {
    random,
    data,
    callables: [],
    minor,
    expression,
    operation,
    type(scope, levels = 2) {
      if (scope.types.length === 0 && random.chance(0.7)) return random.pick(palette)
      return randomType(random, data, random.below(levels + 1), scope.types)
    },
    plain: () => types.data(random.pick([...data.values()].filter(({ parameters }) => parameters.length === 0)).name),
    under(variables, type, scope, levels) {
      const hidden = new Set(variables.map(({ name }) => name))
      // A name that is bound twice means the last one.
      const last = variables.filter(
        ({ name }, index) => !variables.slice(index + 1).some((later) => later.name === name),
      )
      const rest = scope.variables.filter(({ name }) => !hidden.has(name))
      return expression(type, { ...scope, variables: [...rest, ...last] }, levels)
    },
    name: () => random.pick(names),
    nameBut: (other) => random.pick(names.filter((name) => name !== other)),
    more: () => [],
    loop: (scope) => ({ ...scope, loops: scope.loops + 1 }),
  }
  const forms = { ofType: operationsFor(generator), ...controlFor(generator) }

  function expression(type: Type, scope: Scope, levels: number): Expression {
    if (levels <= 0) return leaf(type, scope)
    if (isUpdate(type)) return updateOf(type, scope, levels)
    const options = [
      ...(known(type, scope).length > 0 ? [[5, () => leaf(type, scope)] as const] : []),
      [4, () => constructed(type, scope, levels)] as const,
      ...forms.ofType(type, scope, levels),
      ...generator.more(type, scope, levels),
      ...forms.ofAnyType(type, scope, levels),
      ...(scope.loops < loopsMax ? forms.loops(type, scope, levels) : []),
    ]
    return random.weighted<() => Expression>(options)()
  }

  /** An expression that computes: a builtin, if there is one for the type. */
  function operation(type: Type, scope: Scope, levels: number): Expression {
    const options = forms.ofType(type, scope, levels)
    return options.length > 0 ? random.weighted<() => Expression>(options)() : expression(type, scope, levels)
  }

  const known = (type: Type, scope: Scope): readonly Parameter[] => {
    return scope.variables.filter((each) => keyOf(each.type) === keyOf(type))
  }

  /** Mostly an effect; the other forms only choose between them. */
  function updateOf(type: Type, scope: Scope, levels: number): Expression {
    const effects = generator.more(type, scope, levels)
    return random.weighted<() => Expression>(
      random.chance(0.85) ? effects : [...effects, ...forms.ofAnyType(type, scope, levels)],
    )()
  }

  function leaf(type: Type, scope: Scope): Expression {
    if (isUpdate(type)) return random.weighted<() => Expression>(generator.more(type, scope, 0))()
    const variables = known(type, scope)
    if (variables.length > 0 && (type.kind === 'variable' || random.chance(0.85)))
      return e.variable(random.pick(variables).name)
    return constructed(type, scope, 0)
  }

  /** A value made by its constructor. */
  function constructed(type: Type, scope: Scope, levels: number): Expression {
    const inner = (of: Type): Expression => expression(of, scope, levels - 1)
    switch (type.kind) {
      case 'variable':
        return e.variable(`given_${type.name}`)
      case 'struct':
        return e.struct(...type.fields.map((field): [string, Expression] => [field.name, inner(field.type)]))
      case 'constructor':
        return ofData(type, inner, levels)
      case 'builtin':
        return ofBuiltin(type, scope, inner, levels)
      default:
        throw new Error(`no values of ${type.kind}`)
    }
  }

  function ofBuiltin(
    type: Type & { kind: 'builtin' },
    scope: Scope,
    inner: (of: Type) => Expression,
    levels: number,
  ): Expression {
    const [first, second] = type.args as [Type, Type]
    switch (type.name) {
      case 'Unit':
        return e.unit
      case 'Bool':
        return e.bool(random.chance(0.5))
      case 'Int64':
        return e.int64(int64Literal(random))
      case 'Text':
        return e.text(textLiteral(random))
      case 'Date':
        return e.date(dateLiteral(random))
      case 'Timestamp':
        return e.timestamp(timestampLiteral(random))
      case 'Numeric':
        return first.kind === 'nat' ? e.numeric(numericLiteral(random, first.value), first.value) : inner(type)
      case 'Party': {
        const named = e.text(random.pick(parties))
        return e.match(
          builtin('TEXT_TO_PARTY', [], named),
          [p.some('p'), e.variable('p')],
          [p.none, failing(types.party)],
        )
      }
      case 'List': {
        const length = levels <= 0 ? random.below(2) : random.below(4)
        if (length === 0) return e.nil(first)
        return e.cons(
          first,
          Array.from({ length }, () => inner(first)),
          random.chance(0.2) ? inner(type) : e.nil(first),
        )
      }
      case 'Optional':
        // A contract id cannot be made here, only be known.
        if (first.kind === 'builtin' && first.name === 'ContractId' && known(first, scope).length === 0)
          return e.none(first)
        return random.chance(0.4) ? e.none(first) : e.some(first, inner(first))
      case 'TextMap': {
        const size = levels <= 0 ? random.below(2) : random.below(4)
        let map = builtin('TEXTMAP_EMPTY', [first])
        for (let i = 0; i < size; i++) map = builtin('TEXTMAP_INSERT', [first], inner(types.text), inner(first), map)
        return map
      }
      case 'GenMap': {
        const size = levels <= 0 ? random.below(2) : random.below(4)
        let map = builtin('GENMAP_EMPTY', [first, second])
        for (let i = 0; i < size; i++) map = builtin('GENMAP_INSERT', [first, second], inner(first), inner(second), map)
        return map
      }
      case 'Arrow': {
        const parameter = { name: generator.name(), type: first }
        return e.lambda([parameter], generator.under([parameter], second, scope, levels - 1))
      }
      case 'ContractId':
        if (known(type, scope).length > 0) return e.variable(random.pick(known(type, scope)).name)
        return builtin('ERROR', [type], e.text('no contract'))
      case 'Any': {
        const held = generator.plain()
        return e.toAny(held, expression(held, scope, levels - 1))
      }
      case 'TypeRep':
        return e.typeRep(generator.plain())
      case 'AnyException': {
        const exception = random.pick([types.data('Oops'), types.data('Oops'), types.data('Speechless')])
        return e.toAnyException(exception, inner(exception))
      }
      default:
        throw new Error(`no values of ${type.name}`)
    }
  }

  const failing = (type: Type): Expression => builtin('ERROR', [type], e.text('no such party'))

  function ofData(type: Type & { kind: 'constructor' }, inner: (of: Type) => Expression, levels: number): Expression {
    const { name } = type.id
    if (name === 'Oops') return e.record(type, ['code', inner(types.int64)], ['why', inner(types.text)])
    if (name === 'Speechless') return e.record(type, ['why', inner(types.text)])
    if (name === 'Showing') {
      const [of] = type.args as [Type]
      return e.record(type, ['less', inner(types.to(of, of, types.bool))], ['show', inner(types.to(of, types.text))])
    }
    if (name === 'Asset') {
      const value = inner(types.data('T0'))
      return { kind: 'to-interface', interface: type.id, template: own('T0'), value, location: undefined }
    }
    const { parameters, constructors } = data.get(name)!
    const bound = new Map(parameters.map((parameter, index) => [parameter.name, type.args[index]!]))
    switch (constructors.kind) {
      case 'enum':
        return e.enum(type, random.pick(constructors.names))
      case 'record':
        return e.record(
          type,
          ...constructors.fields.map((field): [string, Expression] => [
            field.name,
            inner(substitute(field.type, bound)),
          ]),
        )
      case 'variant': {
        const [base] = constructors.fields
        const field = levels <= 0 && name === 'Tree' ? base! : random.pick(constructors.fields)
        return e.variant(type, field.name, inner(substitute(field.type, bound)))
      }
      case 'interface':
        throw new Error('no values of interfaces')
    }
  }

  return generator
}

const isUpdate = (type: Type): boolean => type.kind === 'builtin' && type.name === 'Update'
