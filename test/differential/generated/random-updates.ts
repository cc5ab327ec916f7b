// Random updates: what a choice may do, in any combination. Choices call only those before them, so that all end.
import type { Expression, Parameter, Type, Update } from '../../../src/lf/syntax/ast.ts'
import { tuple2Type } from '../../../src/lf/values/data-types.ts'
import type { Generator, Option, Scope } from './generator.ts'
import { builtin, e, keyOf, own, p, types } from './syntax.ts'

export type ModelChoice = { readonly name: string; readonly argument: Type; readonly result: Type }

export type ModelTemplate = {
  readonly name: string
  readonly key: Type | undefined
  readonly isAsset: boolean
  /** Those that may be called now. */
  readonly choices: ModelChoice[]
}

export type Model = {
  readonly templates: readonly ModelTemplate[]
  /** The choices of the interface that may be called now. */
  readonly assetChoices: ModelChoice[]
}

const asset = types.data('Asset')
const idOf = (name: string): Type => types.contractId(types.data(name))

export function updatesFor(generator: Generator, model: Model): (type: Type, scope: Scope, levels: number) => Option[] {
  const { random } = generator

  /** Ways to make an `Update result`. */
  return (result, scope, levels) => {
    const inner = (of: Type): Expression => generator.expression(of, scope, levels - 1)
    const again = types.update(result)
    const doing = (update: Update): Expression => e.update(update)
    const isId = result.kind === 'builtin' && result.name === 'ContractId'
    const pure = (): Expression => doing({ kind: 'pure', type: result, value: inner(result) })
    if (levels <= 0)
      return [[1, isId ? () => withId(result, scope, (id) => doing({ kind: 'pure', type: result, value: id })) : pure]]
    const options: Option[] = isId ? [] : [[0.5, pure]]
    options.push(
      [6, () => bound(result, scope, levels)],
      [2, () => tried(result, scope, levels)],
      [0.3, () => doing({ kind: 'embed-expression', type: result, body: inner(again) })],
      [0.4, () => e.throw(again, types.data('Oops'), inner(types.data('Oops')))],
    )
    if (keyOf(result) === keyOf(types.timestamp)) options.push([3, () => doing({ kind: 'get-time' })])
    if (keyOf(result) === keyOf(types.bool)) {
      options.push([2, () => doing({ kind: 'ledger-time-lt', time: inner(types.timestamp) })])
    }
    for (const { name, isAsset, key, choices } of model.templates) {
      const [contract, id] = [types.data(name), idOf(name)]
      if (keyOf(result) === keyOf(id)) {
        options.push([3, () => doing({ kind: 'create', template: own(name), value: inner(contract) })])
      }
      if (keyOf(result) === keyOf(contract)) {
        options.push([
          3,
          () => withId(id, scope, (contractId) => doing({ kind: 'fetch', template: own(name), contractId })),
        ])
      }
      for (const choice of choices.filter((each) => keyOf(each.result) === keyOf(result))) {
        options.push([2, () => withId(id, scope, (contractId) => exercised(name, choice, contractId, inner))])
        if (key) {
          options.push([
            1,
            () =>
              doing({
                kind: 'exercise-by-key',
                template: own(name),
                choice: choice.name,
                key: inner(key),
                argument: inner(choice.argument),
              }),
          ])
        }
      }
      if (isAsset && keyOf(result) === keyOf(types.contractId(asset))) {
        const value = (): Expression => ({
          kind: 'to-interface',
          interface: own('Asset'),
          template: own(name),
          value: inner(contract),
          location: undefined,
        })
        options.push([2, () => doing({ kind: 'create-interface', interface: own('Asset'), value: value() })])
      }
    }
    if (keyOf(result) === keyOf(asset)) {
      options.push([
        4,
        () =>
          withId(types.contractId(asset), scope, (contractId) =>
            doing({ kind: 'fetch-interface', interface: own('Asset'), contractId }),
          ),
      ])
    }
    for (const choice of model.assetChoices.filter((each) => keyOf(each.result) === keyOf(result))) {
      options.push([
        2,
        () =>
          withId(types.contractId(asset), scope, (contractId) =>
            doing({
              kind: 'exercise-interface',
              interface: own('Asset'),
              choice: choice.name,
              contractId,
              argument: inner(choice.argument),
            }),
          ),
      ])
    }
    return options
  }

  /** Uses a contract id that is known, or creates a contract first. */
  function withId(type: Type, scope: Scope, use: (id: Expression) => Expression): Expression {
    const same = scope.variables.filter((each) => keyOf(each.type) === keyOf(type))
    if (same.length > 0 && random.chance(0.9)) return use(e.variable(random.pick(same).name))
    const [wanted] = (type as { args: readonly Type[] }).args as [Type]
    const others = scope.variables.filter(({ type: of }) => of.kind === 'builtin' && of.name === 'ContractId')
    const isAny = keyOf(wanted) === keyOf(asset)
    if (others.length > 0 && random.chance(isAny ? 0.6 : 0.05)) {
      const other = random.pick(others)
      const [held] = (other.type as { args: readonly Type[] }).args as [Type]
      return use(builtin('COERCE_CONTRACT_ID', [held, wanted], e.variable(other.name)))
    }
    const name = isAny
      ? random.pick(model.templates.filter(({ isAsset }) => isAsset)).name
      : wanted.kind === 'constructor'
        ? wanted.id.name
        : ''
    const contract = types.data(name)
    const made = e.update({ kind: 'create', template: own(name), value: generator.expression(contract, scope, 1) })
    const id = isAny ? builtin('COERCE_CONTRACT_ID', [contract, wanted], e.variable('made')) : e.variable('made')
    return e.update({ kind: 'block', bindings: [{ name: 'made', type: idOf(name), bound: made }], body: use(id) })
  }

  function exercised(
    name: string,
    choice: ModelChoice,
    contractId: Expression,
    inner: (of: Type) => Expression,
  ): Expression {
    return e.update({
      kind: 'exercise',
      template: own(name),
      choice: choice.name,
      contractId,
      argument: inner(choice.argument),
    })
  }

  /** What a step of a block may give; most steps have an effect. */
  function stepType(): Type {
    const template = random.pick(model.templates)
    const choices = [...model.assetChoices, ...model.templates.flatMap((each) => each.choices)]
    return random.weighted<() => Type>([
      [5, () => idOf(template.name)],
      [2, () => types.data(template.name)],
      [choices.length > 0 ? 4 : 0, () => (choices.length > 0 ? random.pick(choices).result : types.unit)],
      [1, () => types.timestamp],
      [1, () => types.bool],
      [1, () => types.contractId(asset)],
      [0.5, () => asset],
      [1, () => types.text],
    ])()
  }

  function bound(result: Type, scope: Scope, levels: number): Expression {
    const keyed = model.templates.filter(({ key }) => key !== undefined)
    if (keyed.length > 0 && random.chance(0.2)) return byKey(random.pick(keyed), result, scope, levels)
    const bindings = []
    let inside = scope
    const count = 1 + random.below(3)
    for (let index = 0; index < count; index++) {
      const variable: Parameter = { name: generator.name(), type: stepType() }
      const value = generator.expression(types.update(variable.type), inside, levels - 1)
      bindings.push({ ...variable, bound: value })
      const rest = inside.variables.filter(({ name }) => name !== variable.name)
      inside = { ...inside, variables: [...rest, variable] }
    }
    const body = generator.expression(types.update(result), inside, levels - 1)
    return e.update({ kind: 'block', bindings, body })
  }

  /** Fetches or queries by key, and goes on with the ids that were found. */
  function byKey({ name, key }: ModelTemplate, result: Type, scope: Scope, levels: number): Expression {
    const [id, contract] = [idOf(name), types.data(name)]
    const found: Type = { kind: 'constructor', id: tuple2Type.id, args: [id, contract] }
    const next = (variable: Parameter): Expression => {
      return generator.under([variable], types.update(result), scope, levels - 1)
    }
    const keyValue = generator.expression(key!, scope, levels - 1)
    const first = (of: Expression): Expression => {
      return {
        kind: 'record-projection',
        type: { id: tuple2Type.id, args: [id, contract] },
        field: '_1',
        record: of,
        location: undefined,
      }
    }
    const template = own(name)
    if (random.chance(0.5)) {
      const fetched = e.call(e.update({ kind: 'fetch-by-key', template }), keyValue)
      const body = e.let('k', id, first(e.variable('f')), next({ name: 'k', type: id }))
      return e.update({ kind: 'block', bindings: [{ name: 'f', type: found, bound: fetched }], body })
    }
    const several = types.optional(types.list(found))
    const queried = e.call(e.update({ kind: 'query-n-by-key', template }), e.int64(random.below(4)), keyValue)
    const otherwise = (): Expression => generator.expression(types.update(result), scope, levels - 1)
    const body = e.match(
      e.variable('q'),
      [
        p.some('l'),
        e.match(
          e.variable('l'),
          [p.cons('h', 't'), e.let('k', id, first(e.variable('h')), next({ name: 'k', type: id }))],
          [p.default, otherwise()],
        ),
      ],
      [p.default, otherwise()],
    )
    return e.update({ kind: 'block', bindings: [{ name: 'q', type: several, bound: queried }], body })
  }

  function tried(result: Type, scope: Scope, levels: number): Expression {
    const again = types.update(result)
    const body = generator.expression(again, scope, levels - 1)
    const handling = (): Expression => e.some(again, generator.expression(again, scope, levels - 1))
    const handler = random.weighted<() => Expression>([
      [4, handling],
      [1, () => e.none(again)],
      [
        2,
        () =>
          e.match(
            e.fromAnyException(types.data('Oops'), e.variable('caught')),
            [
              p.some('oops'),
              e.some(again, generator.under([{ name: 'oops', type: types.data('Oops') }], again, scope, levels - 1)),
            ],
            [p.default, e.none(again)],
          ),
      ],
      [
        1,
        () =>
          builtin(
            'TRACE',
            [types.optional(again)],
            builtin('ANY_EXCEPTION_MESSAGE', [], e.variable('caught')),
            handling(),
          ),
      ],
    ])()
    return e.update({ kind: 'try-catch', returnType: result, body, binder: 'caught', handler })
  }
}
