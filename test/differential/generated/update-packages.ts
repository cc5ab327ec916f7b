// Random small packages: templates, an interface and choices whose bodies are random updates.
import type { Choice, DataType, Expression, Interface, Package, Template, Type } from '../../../src/lf/syntax/ast.ts'
import type { Option, Scope } from './generator.ts'
import { dictionary, exceptionData, exceptions, preludeValues, record } from './prelude.ts'
import { randomFrom } from './random.ts'
import { createGenerator, emptyScope } from './random-expressions.ts'
import { randomData, randomType } from './random-types.ts'
import { type Model, type ModelChoice, updatesFor } from './random-updates.ts'
import { e, keyOf, own, p, self, types } from './syntax.ts'

const templatesPerPackage = 3
const choicesPerTemplate = 2
const { party, text, int64 } = types

export function updatePackage(seed: number): Package {
  const random = randomFrom(seed, 'updates')
  const minor = 1 + (seed % 3)
  const plain = randomData(random, 3)
  const extra = (): Type => randomType(random, plain, 1)
  const templateData = Array.from({ length: templatesPerPackage }, (_, index) => templateRecord(index, extra()))
  const keyData = record(
    'Key',
    [],
    [
      ['owner', party],
      ['name', text],
    ],
  )
  const viewData = record(
    'View',
    [],
    [
      ['label', text],
      ['owner', party],
    ],
  )
  const model: Model = {
    templates: templateData.map(({ name }, index) => ({
      name,
      key: minor === 3 && index < 2 ? types.data('Key') : undefined,
      isAsset: index !== 1,
      choices: [],
    })),
    assetChoices: [],
  }
  const data = new Map([...plain, ...[...templateData, keyData].map((each) => [each.name, each] as const)])
  const generator = createGenerator(random, data, minor, ['Alice', 'Alice', 'Alice', 'Alice', 'Bob'])
  const updates = updatesFor(generator, model)
  generator.more = (type, scope, levels) => moreForms(type, scope, levels)

  const argumentData: DataType[] = []
  const newChoice = (name: string, owner: Type): ModelChoice => {
    const target = types.optional(types.contractId(types.data(random.pick(templateData).name)))
    argumentData.push(
      record(
        name,
        [],
        [
          ['n', int64],
          ['x', extra()],
          ['target', target],
        ],
      ),
    )
    data.set(name, argumentData.at(-1)!)
    const result = random.weighted<() => Type>([
      [3, () => types.unit],
      [2, () => types.contractId(types.data(random.pick(templateData).name))],
      [2, extra],
      [1, () => owner],
    ])()
    return { name, argument: types.data(name), result }
  }

  const assetChoices = [0, 1].map((index) => {
    const choice = newChoice(`AC${index}`, text)
    const made = choiceOf(choice, types.data('Asset'), index === 0, assetOwner())
    model.assetChoices.push(choice)
    return made
  })
  const templates = model.templates.map((of): Template => {
    const choices = Array.from({ length: choicesPerTemplate }, (_, index) => {
      const choice = newChoice(`${of.name}C${index}`, types.data(of.name))
      const made = choiceOf(choice, types.data(of.name), index === 0, ownerOf(of.name))
      of.choices.push(choice)
      return made
    })
    return templateOf(of.name, choices, of.isAsset, of.key)
  })
  return packageWith({
    data: [
      ...data.values(),
      viewData,
      dictionary,
      ...exceptionData,
      { name: 'Asset', parameters: [], isSerializable: false, constructors: { kind: 'interface' } },
    ],
    templates,
    interfaces: [asset(assetChoices)],
    minor,
    seed,
  })

  /** Updates, and what interfaces give. */
  function moreForms(type: Type, scope: Scope, levels: number): readonly Option[] {
    const value = (): Expression => generator.expression(types.data('Asset'), scope, levels - 1)
    const ofAsset = { interface: own('Asset'), location: undefined } as const
    const hasAsset = scope.variables.some(({ type: of }) => of.kind === 'constructor' && of.id.name === 'Asset')
    const weight = hasAsset ? 3 : 0.3
    if (type.kind === 'builtin' && type.name === 'Update') return updates(type.args[0]!, scope, levels)
    if (keyOf(type) === keyOf(text)) {
      return [
        [weight, () => ({ kind: 'call-interface', method: 'label', value: value(), ...ofAsset })],
        [weight, () => e.field(types.data('View'), 'label', { kind: 'view-interface', value: value(), ...ofAsset })],
      ]
    }
    if (keyOf(type) === keyOf(types.list(party))) {
      return [
        [weight, () => ({ kind: 'signatory-interface', value: value(), ...ofAsset })],
        [weight, () => ({ kind: 'observer-interface', value: value(), ...ofAsset })],
      ]
    }
    const contract = templateData.find(({ name }) => keyOf(type) === keyOf(types.optional(types.data(name))))
    if (contract === undefined || contract.name === 'T1') return []
    return [[weight, () => ({ kind: 'from-interface', template: own(contract.name), value: value(), ...ofAsset })]]
  }

  function choiceOf(choice: ModelChoice, self_: Type, isConsuming: boolean, owner: Expression): Choice {
    const scope: Scope = {
      ...emptyScope,
      variables: [
        { name: 'this', type: self_ },
        { name: 'arg', type: choice.argument },
        { name: 'self', type: types.contractId(self_) },
        { name: 'owner', type: party },
      ],
    }
    const body = generator.expression(types.update(choice.result), scope, 3 + random.below(3))
    const controllers = e.cons(party, [owner, ...(random.chance(0.15) ? [named('Bob')] : [])], e.nil(party))
    const observers = random.chance(0.3) ? e.cons(party, [named('Charlie')], e.nil(party)) : e.nil(party)
    return {
      name: choice.name,
      isConsuming,
      controllers: () => controllers,
      observers: () => observers,
      selfBinder: 'self',
      argument: { name: 'arg', type: choice.argument },
      returnType: choice.result,
      update: () => e.let('owner', party, owner, body),
    }
  }

  function templateOf(name: string, choices: readonly Choice[], isAsset: boolean, key: Type | undefined): Template {
    const scope: Scope = { ...emptyScope, variables: [{ name: 'this', type: types.data(name) }] }
    const precondition = random.chance(0.3) ? generator.expression(types.bool, scope, 2) : undefined
    const observers = random.chance(0.5) ? e.field(types.data(name), 'others', e.variable('this')) : e.nil(party)
    const label = generator.expression(text, scope, 2)
    const view = e.record(types.data('View'), ['label', label], ['owner', ownerOf(name)])
    const keyValue = e.record(
      types.data('Key'),
      ['owner', ownerOf(name)],
      ['name', e.field(types.data(name), 'note', e.variable('this'))],
    )
    return {
      name,
      parameter: 'this',
      // Most preconditions hold, whatever they compute.
      precondition:
        precondition &&
        (() => e.match(precondition, [p.true, e.bool(true)], [p.false, e.bool(name !== 'T1' || seed % 4 > 0)])),
      signatories: () => e.cons(party, [ownerOf(name)], e.nil(party)),
      observers: () => observers,
      choices: new Map(choices.map((choice) => [choice.name, choice])),
      key: key && {
        type: key,
        body: () => keyValue,
        maintainers: () =>
          e.lambda([{ name: 'k', type: key }], e.cons(party, [e.field(key, 'owner', e.variable('k'))], e.nil(party))),
      },
      interfaceInstances: isAsset
        ? [
            {
              interface: own('Asset'),
              methods: new Map([
                ['label', () => label],
                ['holder', () => ownerOf(name)],
              ]),
              view: () => view,
            },
          ]
        : [],
    }
  }
}

function templateRecord(index: number, extra: Type): DataType {
  const link = types.optional(types.contractId(types.data('T0')))
  return record(
    `T${index}`,
    [],
    [
      ['owner', party],
      ['others', types.list(party)],
      ['note', text],
      ['extra', extra],
      ['link', link],
    ],
  )
}

const ownerOf = (name: string): Expression => e.field(types.data(name), 'owner', e.variable('this'))

function assetOwner(): Expression {
  return {
    kind: 'call-interface',
    interface: own('Asset'),
    method: 'holder',
    value: e.variable('this'),
    location: undefined,
  }
}

function named(name: string): Expression {
  const found = { kind: 'builtin', name: 'TEXT_TO_PARTY', location: undefined } as const
  return e.match(
    e.call(found, e.text(name)),
    [p.some('q'), e.variable('q')],
    [p.none, e.call(e.at(e.builtin('ERROR'), party), e.text('no party'))],
  )
}

function asset(choices: readonly Choice[]): Interface {
  return {
    name: 'Asset',
    parameter: 'this',
    requires: [],
    methods: new Map<string, Type>([
      ['label', text],
      ['holder', party],
    ]),
    choices: new Map(choices.map((choice) => [choice.name, choice])),
    viewType: types.data('View'),
  }
}

type Parts = {
  readonly data: readonly DataType[]
  readonly templates: readonly Template[]
  readonly interfaces: readonly Interface[]
  readonly minor: number
  readonly seed: number
}

function packageWith({ data, templates, interfaces, minor, seed }: Parts): Package {
  const byName = <Item extends { readonly name: string }>(items: readonly Item[]) =>
    new Map(items.map((item) => [item.name, item]))
  const main = {
    name: 'Main',
    synonyms: new Map(),
    dataTypes: byName(data),
    values: byName(preludeValues),
    templates: byName(templates),
    exceptions: byName(exceptions),
    interfaces: byName(interfaces),
  }
  return {
    id: self,
    languageVersion: `2.${minor}` as Package['languageVersion'],
    name: `updates-${seed}`,
    version: '1.0.0',
    upgrades: undefined,
    imports: undefined,
    modules: new Map([['Main', main]]),
  }
}
