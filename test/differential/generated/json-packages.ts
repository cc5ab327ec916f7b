// Packages whose choices take random types, random JSON for them, and what our codec makes of it.

import { parseExactly } from '../../../src/base/exact-json.ts'
import { compareValues } from '../../../src/engine/values/order.ts'
import { decodeArchive } from '../../../src/lf/archive/archive.ts'
import { createJsonCodec } from '../../../src/lf/codec/json.ts'
import { ValueError } from '../../../src/lf/codec/value-error.ts'
import type { Choice, DataType, Package, Type } from '../../../src/lf/syntax/ast.ts'
import { createDataTypes } from '../../../src/lf/values/data-types.ts'
import { encodePackage } from '../../support/lf/package-encoder.ts'
import { record } from './prelude.ts'
import { type Random, randomFrom } from './random.ts'
import { jsonText, randomJson, spoilt } from './random-json.ts'
import { type DataTypes, randomData, randomType } from './random-types.ts'
import { e, self, types } from './syntax.ts'

const choicesPerPackage = 20
const casesPerChoice = 5

const template = record('T', [], [['owner', types.party]])

export type JsonPackage = {
  readonly given: Package
  readonly cases: readonly (readonly [choice: string, json: string])[]
}

export function jsonPackage(seed: number): JsonPackage {
  const random = randomFrom(seed, 'json')
  const data = randomData(random, 8)
  const choices = Array.from({ length: choicesPerPackage }, (_, index) =>
    choice(`C${index}`, argumentType(random, data)),
  )
  const cases = choices.flatMap(({ name, argument }) =>
    Array.from({ length: casesPerChoice }, () => [name, randomCase(argument.type, data, random)] as const),
  )
  return { given: packageWith([...data.values(), template], choices, 1 + (seed % 3), seed), cases }
}

function argumentType(random: Random, data: DataTypes): Type {
  if (random.chance(0.1)) return types.contractId(types.data('T'))
  if (random.chance(0.1)) return types.optional(types.optional(randomType(random, data, 1)))
  return randomType(random, data, 3)
}

function randomCase(type: Type, data: DataTypes, random: Random): string {
  const json = randomJson(type, data, random, 4)
  const times = random.weighted([
    [5, 0],
    [7, 1],
  ])
  let result = json
  for (let time = 0; time < times; time++) result = spoilt(result, random)
  return jsonText(result)
}

function choice(name: string, argument: Type): Choice {
  const noParties = () => e.nil(types.party)
  return {
    name,
    isConsuming: false,
    controllers: noParties,
    observers: noParties,
    selfBinder: 'self',
    argument: { name: 'arg', type: argument },
    returnType: types.unit,
    update: () => e.update({ kind: 'pure', type: types.unit, value: e.unit }),
  }
}

function packageWith(data: readonly DataType[], choices: readonly Choice[], minor: number, seed: number): Package {
  const byName = <Item extends { readonly name: string }>(items: readonly Item[]) =>
    new Map(items.map((item) => [item.name, item]))
  const signatories = () =>
    e.cons(types.party, [e.field(types.data('T'), 'owner', e.variable('this'))], e.nil(types.party))
  const main = {
    name: 'Main',
    synonyms: new Map(),
    dataTypes: byName(data),
    values: new Map(),
    templates: byName([
      {
        name: 'T',
        parameter: 'this',
        precondition: undefined,
        signatories,
        observers: () => e.nil(types.party),
        choices: byName(choices),
        key: undefined,
        interfaceInstances: [],
      },
    ]),
    exceptions: new Map(),
    interfaces: new Map(),
  }
  return {
    id: self,
    languageVersion: `2.${minor}` as Package['languageVersion'],
    name: `json-${seed}`,
    version: '1.0.0',
    upgrades: undefined,
    imports: undefined,
    modules: new Map([['Main', main]]),
  }
}

export type JsonAnswer = { readonly json: string } | { readonly code: string; readonly reason: string }

/** What we make of each case: the JSON that comes out again, or the refusal. */
export function jsonAnswers({ given, cases }: JsonPackage): JsonAnswer[] {
  const { package: decoded } = decodeArchive(encodePackage(given).archive)
  const dataTypes = createDataTypes(new Map([[decoded.id, decoded]]))
  const codec = createJsonCodec({ dataTypes, compare: compareValues })
  const { choices } = decoded.modules.get('Main')!.templates.get('T')!
  return cases.map(([name, json]) => {
    const { decode, encode } = codec.codecFor(choices.get(name)!.argument.type)
    try {
      const parsed = parseExactly(json)
      // The argument of a choice may be null: then it is the empty object.
      return { json: encode(decode(parsed === null ? {} : parsed)) }
    } catch (error) {
      if (error instanceof ValueError) return { code: error.code, reason: error.reason }
      throw error
    }
  })
}
