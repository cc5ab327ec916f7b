// Random packages and changes to them, from a seed: for comparing the upgrade checker with the reference on more pairs
// than anybody writes. A change breaks a rule, or does not; that is for the checkers to say.
import type { Identifier, Kind, Type } from '../../../src/lf/syntax/ast.ts'
import {
  boolType,
  dateType,
  intType,
  listType,
  numericType,
  optionalType,
  partyType,
  textMapType,
  textType,
  unitType,
  variableType,
} from './data-package.ts'
import {
  type DescribedData,
  type DescribedModule,
  type DescribedPackage,
  self,
  writePackage,
} from './described-package.ts'

export type Mutant = { readonly past: DescribedPackage; readonly present: DescribedPackage }

/** Names in order, so that changes of order can be made. */
type Fields = [name: string, type: Type][]
type Data = {
  kind: 'record' | 'variant' | 'enum'
  fields: Fields
  parameters: [string, Kind][]
  isSerializable: boolean
}
type Draft = { minor: 1 | 3; modules: Map<string, ModuleDraft> }
type TemplateDraft = { choices: Fields; key: Type | undefined; instances: Identifier[] }
type ModuleDraft = {
  data: Map<string, Data>
  templates: Map<string, TemplateDraft>
  values: string[]
  exceptions: string[]
}

/** The packages that mutants refer to. */
export const mutantDependencies = ['1.0.0', '1.2.0', '1.10.0'].map((version) =>
  writePackage({
    name: 'mutant-dependency',
    version,
    modules: {
      Lib: {
        data: {
          D: { record: { d: intType } },
          ...Object.fromEntries(['I', 'J', 'K'].flatMap((name) => interfaceData(name))),
        },
        interfaces: { I: 'IView', J: 'JView', K: 'KView' },
      },
    },
  }),
)

function interfaceData(name: string): [string, DescribedData][] {
  return [
    [name, { interface: true }],
    [`${name}View`, { record: { p: partyType } }],
  ]
}

export function* upgradeMutants(count: number, seed: number): Generator<Mutant> {
  const random = createRandom(seed)
  for (let i = 0; i < count; i++) {
    const draft = randomDraft(random)
    const past = describe(draft, '1.0.0')
    const changes = 1 + random.below(3)
    for (let change = 0; change < changes; change++) random.pick(mutations)(draft, random)
    yield { past, present: describe(draft, '2.0.0') }
  }
}

type Random = { below(n: number): number; pick<T>(list: readonly T[]): T; chance(percent: number): boolean }

function createRandom(seed: number): Random {
  let state = seed >>> 0
  const below = (n: number) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % n
  }
  return { below, pick: (list) => list[below(list.length)]!, chance: (percent) => below(100) < percent }
}

// ── Packages

const star: Kind = { kind: 'star' }
const kinds: readonly Kind[] = [star, { kind: 'nat' }, { kind: 'arrow', parameter: star, result: star }]
const simple = [intType, textType, partyType, boolType, dateType, unitType, numericType(10), numericType(2)]
const dependencyType = (random: Random): Type => ({
  kind: 'constructor',
  id: { packageId: random.pick(mutantDependencies).id, module: 'Lib', name: 'D' },
  args: [],
})

function randomType(random: Random, own: readonly Type[]): Type {
  const roll = random.below(10)
  if (roll < 4) return random.pick(simple)
  if (roll < 5 && own.length > 0) return random.pick(own)
  if (roll < 6) return dependencyType(random)
  const inner = randomType(random, own)
  return random.pick([optionalType, listType, textMapType])(inner)
}

const name = (random: Random, first: string): string => `${first}${random.below(1000).toString(36)}`

function randomFields(random: Random, prefix: string, own: readonly Type[], max: number): Fields {
  const fields = new Map<string, Type>()
  for (let i = random.below(max + 1); i > 0; i--) fields.set(name(random, prefix), randomType(random, own))
  return [...fields]
}

function randomDraft(random: Random): Draft {
  const modules = new Map<string, ModuleDraft>()
  for (let i = 1 + random.below(random.chance(30) ? 7 : 2); i > 0; i--) {
    const path = Array.from({ length: 1 + random.below(3) }, () => name(random, 'M')).join('.')
    modules.set(path, randomModule(random, path))
  }
  return { minor: 3, modules }
}

function randomModule(random: Random, path: string): ModuleDraft {
  const module: ModuleDraft = { data: new Map(), templates: new Map(), values: [], exceptions: [] }
  const own: Type[] = []
  for (let i = random.below(random.chance(40) ? 9 : 4); i > 0; i--) {
    const data = addData(random, module, path, own)
    const { parameters } = module.data.get(data)!
    if (parameters.length === 0 && module.data.get(data)!.isSerializable) own.push(ownType(path, data))
  }
  for (let i = random.below(random.chance(30) ? 7 : 3); i > 0; i--) addTemplate(random, module, own)
  for (let i = random.below(random.chance(50) ? 6 : 1); i > 0; i--) module.values.push(name(random, 'v'))
  if (random.chance(20)) addException(random, module)
  return module
}

const ownType = (module: string, data: string): Type => ({
  kind: 'constructor',
  id: { packageId: self, module, name: data },
  args: [],
})

function addData(random: Random, module: ModuleDraft, path: string, own: readonly Type[]): string {
  const data = name(random, 'D')
  const kind = random.pick(['record', 'record', 'variant', 'enum'] as const)
  const parameters: [string, Kind][] =
    kind !== 'enum' && random.chance(20)
      ? [
          ['a', star],
          ['b', star],
        ]
      : []
  const types = [...own, ...parameters.map(([parameter]) => variableType(parameter))]
  const fields = randomFields(random, kind === 'record' ? 'f' : 'C', types, random.chance(20) ? 8 : 3)
  if (kind !== 'record' && fields.length === 0) fields.push(['C', unitType])
  for (const field of kind === 'variant' && random.chance(50) ? fields : []) {
    field[1] = ownType(path, `${data}.${field[0]}`)
    module.data.set(`${data}.${field[0]}`, plainRecord(randomFields(random, 'f', own, 3)))
  }
  module.data.set(data, { kind, fields, parameters, isSerializable: random.chance(90) })
  return data
}

function addTemplate(random: Random, module: ModuleDraft, own: readonly Type[]): void {
  const template = name(random, 'T')
  module.data.set(template, plainRecord(randomFields(random, 'f', own, 4)))
  // Templates never share a choice: the reference would take its argument for that of either, by the hash of all.
  const choices = randomFields(random, `Ch${template}`, own, random.chance(30) ? 7 : 3)
  for (const [choice] of choices) {
    if (random.chance(60)) module.data.set(choice, plainRecord(randomFields(random, 'f', own, 3)))
  }
  const instances = ['I', 'J', 'K'].filter(() => random.chance(25)).map((one) => interfaceOf(random, one))
  module.templates.set(template, { choices, key: random.chance(20) ? randomType(random, own) : undefined, instances })
}

const interfaceOf = (random: Random, of: string): Identifier => {
  return { packageId: random.pick(mutantDependencies).id, module: 'Lib', name: of }
}

function addException(random: Random, module: ModuleDraft): void {
  const exception = name(random, 'X')
  module.data.set(exception, plainRecord([['reason', textType]]))
  module.exceptions.push(exception)
}

const plainRecord = (fields: Fields): Data => ({ kind: 'record', fields, parameters: [], isSerializable: true })

// ── Changes

type Mutation = (draft: Draft, random: Random) => void

const mutations: readonly Mutation[] = [
  (draft) => {
    draft.minor = 1
  },
  (draft, random) => void draft.modules.delete(random.pick([...draft.modules.keys()])),
  (draft, random) =>
    void draft.modules.set(name(random, 'N'), { data: new Map(), templates: new Map(), values: [], exceptions: [] }),
  inModule((module, random) => {
    for (const one of [...module.templates.keys()].filter(() => random.chance(50))) module.templates.delete(one)
  }),
  inModule((module, random) => addTemplate(random, module, [])),
  inModule((module, random) => {
    for (const one of [...module.data.keys()].filter(() => random.chance(40))) removeData(module, one)
  }),
  inModule((module, random, path) => void addData(random, module, path, [])),
  inModule((module, random) => addException(random, module)),
  inModule((module, random) => void module.values.push(name(random, 'w'))),
  inTemplate((template, random) => {
    template.choices = template.choices.filter(() => random.chance(50))
  }),
  inTemplate((template, random) => {
    for (const choice of template.choices) if (random.chance(50)) choice[1] = randomType(random, [])
  }),
  inTemplate((template, random) => void template.choices.push([name(random, 'NewCh'), intType])),
  inTemplate((template, random) => {
    template.key = random.chance(50) ? undefined : randomType(random, [])
  }),
  inTemplate((template, random) => {
    template.instances = template.instances.filter(() => random.chance(40))
  }),
  inTemplate((template, random) => {
    const missing = ['I', 'J', 'K'].find((one) => template.instances.every((instance) => instance.name !== one))
    if (missing !== undefined) template.instances.push(interfaceOf(random, missing))
  }),
  inData((data, random) => {
    data.fields = data.fields.filter(() => random.chance(60))
  }),
  inData((data, random) => {
    for (const field of data.fields) if (random.chance(50)) field[1] = randomType(random, [])
  }),
  inData((data, random) => {
    const place = random.chance(50) ? data.fields.length : 0
    const type = random.chance(50) ? optionalType(intType) : randomType(random, [])
    data.fields.splice(place, 0, [name(random, data.kind === 'record' ? 'g' : 'N'), type])
  }),
  inData((data) => void data.fields.reverse()),
  inData((data, random) => {
    const field = data.fields.length > 0 ? random.pick(data.fields) : undefined
    if (field !== undefined) field[0] = `${field[0]}x`
  }),
  inData((data) => {
    data.isSerializable = !data.isSerializable
  }),
  inData((data, random) => void data.parameters.push([name(random, 'p'), random.pick(kinds)])),
  inData((data) => void data.parameters.reverse()),
  inData((data, random) => {
    for (const parameter of data.parameters) if (isUnused(data, parameter[0])) parameter[1] = random.pick(kinds)
  }),
  inData((data, random) => {
    const wanted = random.pick(['record', 'variant', 'enum'] as const)
    if (wanted !== 'enum' || data.parameters.length === 0) data.kind = wanted
    if (data.kind !== 'record' && data.fields.length === 0) data.fields.push(['C', unitType])
  }),
]

function inModule(change: (module: ModuleDraft, random: Random, path: string) => void): Mutation {
  return ({ modules }, random) => {
    if (modules.size === 0) return
    const path = random.pick([...modules.keys()])
    change(modules.get(path)!, random, path)
  }
}

function inTemplate(change: (template: TemplateDraft, random: Random) => void): Mutation {
  return inModule(({ templates }, random) => {
    for (const template of templates.values()) if (random.chance(60)) change(template, random)
  })
}

function inData(change: (data: Data, random: Random) => void): Mutation {
  return inModule(({ data, templates, exceptions }, random) => {
    for (const [of, one] of data) {
      const mustBeRecord = templates.has(of) || exceptions.includes(of)
      if (!random.chance(50)) continue
      const before = structuredClone({ ...one })
      change(one, random)
      if (mustBeRecord) Object.assign(one, { kind: before.kind, parameters: [], isSerializable: true })
    }
  })
}

const isUnused = ({ fields }: Data, parameter: string): boolean =>
  !JSON.stringify(fields).includes(`"kind":"variable","name":"${parameter}"`)

function removeData(module: ModuleDraft, data: string): void {
  if (!module.templates.has(data) && !module.exceptions.includes(data)) module.data.delete(data)
}

// ── Descriptions

function describe({ minor, modules }: Draft, version: string): DescribedPackage {
  return {
    name: 'mutant',
    version,
    minor,
    modules: Object.fromEntries([...modules].map(([path, module]) => [path, describeModule(module, minor)])),
  }
}

function describeModule(draft: ModuleDraft, minor: Draft['minor']): DescribedModule {
  const { data, templates, values, exceptions } = draft
  return {
    data: Object.fromEntries([...data].map(([one, of]) => [one, describeData(of)])),
    templates: Object.fromEntries(
      [...templates].map(([one, { choices, key, instances }]) => [
        one,
        { choices: Object.fromEntries(choices), ...(key && minor === 3 ? { key } : {}), implements: [...instances] },
      ]),
    ),
    values: Object.fromEntries(values.map((value) => [value, intType])),
    exceptions: [...exceptions],
  }
}

function describeData({ kind, fields, parameters, isSerializable }: Data): DescribedData {
  const shared = { parameters: parameters.map(([of, kind]) => [of, kind] as const), isSerializable }
  if (kind === 'enum') return { isSerializable, enum: fields.map(([one]) => one) }
  const described = Object.fromEntries(fields)
  return kind === 'record' ? { ...shared, record: described } : { ...shared, variant: described }
}
