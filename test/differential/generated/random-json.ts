// Random JSON for a type: what the JSON API accepts, in all the forms that it accepts, and what is nearly that.
import type { Type } from '../../../src/lf/syntax/ast.ts'
import { substitute } from '../../../src/lf/syntax/types.ts'
import type { Random } from './random.ts'
import { dateLiteral, int64Literal, numericLiteral, textLiteral, timestampLiteral } from './random-literals.ts'
import type { DataTypes } from './random-types.ts'

/** Numbers are kept as they are written. */
export class RawNumber {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export type Json = null | boolean | string | RawNumber | Json[] | Map<string, Json>

export function jsonText(json: Json): string {
  if (json instanceof RawNumber) return json.text
  if (Array.isArray(json)) return `[${json.map(jsonText).join(',')}]`
  if (json instanceof Map)
    return `{${[...json].map(([key, value]) => `${JSON.stringify(key)}:${jsonText(value)}`).join(',')}}`
  return JSON.stringify(json)
}

export function randomJson(type: Type, data: DataTypes, random: Random, levels: number): Json {
  const inner = (of: Type): Json => randomJson(of, data, random, levels - 1)
  const several = <Item>(make: () => Item): Item[] => Array.from({ length: levels <= 0 ? 0 : random.below(4) }, make)
  if (type.kind === 'constructor') return ofData(type, data, random, levels)
  if (type.kind !== 'builtin') throw new Error(`no JSON of ${type.kind}`)
  const [first, second] = type.args as [Type, Type]
  switch (type.name) {
    case 'Unit':
      return random.chance(0.9) ? new Map() : junk(random)
    case 'Bool':
      return random.chance(0.5)
    case 'Int64':
      return intJson(random)
    case 'Numeric':
      return numericJson(random, first.kind === 'nat' ? first.value : 0)
    case 'Text':
      return textLiteral(random)
    case 'Party':
      return random.pick(['Alice', 'Bob', 'a::1220', 'with space', '-'])
    case 'Date':
      return dateText(dateLiteral(random))
    case 'Timestamp':
      return timestampJson(random)
    case 'ContractId':
      return `00${random.bigint(264).toString(16).padStart(66, '0')}`
    case 'Optional':
      if (first.kind === 'builtin' && first.name === 'Optional') return nested(type, data, random, levels)
      return random.chance(0.4) ? null : inner(first)
    case 'List':
      return several(() => inner(first))
    case 'TextMap':
      return new Map(several((): [string, Json] => [textLiteral(random), inner(first)]))
    case 'GenMap':
      return several(() => [inner(first), inner(second)])
    default:
      throw new Error(`no JSON of ${type.name}`)
  }
}

/** An Optional inside another: `[]` is None, `[x]` is Some, and the innermost one is nested in the same way. */
function nested(type: Type, data: DataTypes, random: Random, levels: number): Json {
  if (type.kind !== 'builtin' || type.name !== 'Optional') return randomJson(type, data, random, levels - 1)
  return random.chance(0.4) ? [] : [nested(type.args[0]!, data, random, levels)]
}

function ofData(type: Type & { kind: 'constructor' }, data: DataTypes, random: Random, levels: number): Json {
  const { parameters, constructors } = data.get(type.id.name)!
  const bound = new Map(parameters.map(({ name }, index) => [name, type.args[index]!]))
  const inner = (of: Type): Json => randomJson(substitute(of, bound), data, random, levels - 1)
  if (constructors.kind === 'enum') return random.pick(constructors.names)
  if (constructors.kind === 'variant') {
    const [base] = constructors.fields
    const field = levels <= 0 && type.id.name === 'Tree' ? base! : random.pick(constructors.fields)
    const members: [string, Json][] = [
      ['tag', field.name],
      ['value', inner(field.type)],
    ]
    return new Map(random.chance(0.1) ? members.toReversed() : members)
  }
  if (constructors.kind !== 'record') throw new Error('no JSON of interfaces')
  const members = constructors.fields.map(({ name, type: of }): [string, Json] => [name, inner(of)])
  const present = members.filter(([, value]) => value !== null || random.chance(0.5))
  const extra: [string, Json][] = random.chance(0.05) ? [['unknown', null]] : []
  return new Map(random.chance(0.2) ? random.shuffled([...present, ...extra]) : [...present, ...extra])
}

function intJson(random: Random): Json {
  const text = String(int64Literal(random))
  return random.weighted<() => Json>([
    [10, () => text],
    [1, () => random.pick(['+1', '007', '-0', '٣', '-१२', '９'])],
  ])()
}

function numericJson(random: Random, scale: number): Json {
  const unscaled = numericLiteral(random, scale)
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, '0')
  const [whole, fraction] = [digits.slice(0, digits.length - scale), digits.slice(digits.length - scale)]
  const sign = unscaled < 0n ? '-' : ''
  const short = fraction.replace(/0+$/, '')
  return random.weighted<() => Json>([
    [6, () => `${sign}${whole}.${fraction}`],
    [4, () => (short === '' ? `${sign}${whole}` : `${sign}${whole}.${short}`)],
    [1, () => `${sign}${whole}.${scale < 37 ? `${fraction}0` : fraction}`],
    [1, () => `+00${whole}.`],
    // Those that a double holds, and that it writes without an exponent.
    [
      1,
      () =>
        new RawNumber(
          random.pick(
            scale >= 3 && scale <= 30
              ? ['0', '1', '-1', '1.5', '-0', '-0.0', '100000', '0.001', '1e3', '1.0']
              : ['0', '1', '-1', '1e1'],
          ),
        ),
    ],
  ])()
}

const dateText = (days: number): string => new Date(days * 86_400_000).toISOString().slice(0, 10)
const oddTexts = [
  '+1',
  '',
  ' 1',
  '1 ',
  '0x1',
  '1.0',
  '1e3',
  '9223372036854775808',
  '-9223372036854775809',
  '.5',
  'NaN',
  '1,5',
  '- 1',
  '1'.repeat(39),
  `0.${'1'.repeat(38)}`,
  '--1',
]
const oddTimes = [
  '2020-01-01T00:00:00',
  '2020-01-01 00:00:00Z',
  '2020-01-01T24:00:00Z',
  '2016-12-31T23:59:60Z',
  '2020-01-01T00:00:00,5Z',
  '10000-01-01T00:00:00Z',
  '+10000-01-01T00:00:00Z',
  '0000-12-31T00:00:00Z',
  '2020-01-01T00:00:00+01:00[Nowhere]',
  '2020-01-01T00:00:00.Z',
  '2020-01-01T00Z',
  '2020-01-01T00:00:00+19:00',
  '2020-01-01T00:00:00+0100',
  '2020-01-01T00:00:00+01',
  '9999-12-31T23:59:59-00:01',
  '2020-01-01t00:00:00Z',
]
const oddNumbers = ['7', '9007199254740993', '1.5', '1e3', '10000000', '0.0001', '1e22', '12345678901234567890', '1E-3']
const oddDates = [
  '2020-02-30',
  '2021-02-29',
  '2020-2-3',
  '0000-01-01',
  '10000-01-01',
  '+10000-01-01',
  '-0001-01-01',
  '2020-01-01Z',
  '',
  '2020-13-01',
  '20200101',
  '2020-01-01T00:00:00Z',
  '2000-02-29',
  '1900-02-29',
]

function timestampJson(random: Random): Json {
  const micros = timestampLiteral(random)
  const seconds = (micros - (((micros % 1_000_000n) + 1_000_000n) % 1_000_000n)) / 1_000_000n
  const rest = String(micros - seconds * 1_000_000n).padStart(6, '0')
  const base = new Date(Number(seconds) * 1000).toISOString().slice(0, 19)
  const inside = `${String(1900 + random.below(200))}${base.slice(4)}`.replace('-02-29', '-02-28') // No offset leads out of the years.
  return random.weighted<() => Json>([
    [6, () => `${base}.${rest}Z`],
    [2, () => `${base}Z`],
    [1, () => `${base}.${rest.slice(0, 1 + random.below(6))}Z`],
    [1, () => `${base}.${rest}${random.below(1000)}Z`],
    [
      1,
      () =>
        `${inside}${random.pick(['+01:00', '-11:30', '+00:00', '+18:00', '-00:00', '+01:00:30', 'z', 'Z[UTC]', '+01:00[Europe/Paris]'])}`,
    ],
    [0.5, () => `${base.slice(0, 16)}Z`],
  ])()
}

const oddIds = [
  '',
  '00',
  '01',
  `00${'ab'.repeat(33)}`,
  `00${'AB'.repeat(33)}`,
  `00${'ab'.repeat(32)}`,
  `01${'ab'.repeat(12)}`,
  `02${'ab'.repeat(33)}`,
  'xyz',
  '00a',
]

export function junk(random: Random): Json {
  return random.pick<() => Json>([
    () => null,
    () => true,
    () => textLiteral(random),
    () => new RawNumber(random.pick(['0', '1', '-1.5', '1e400', '12345678901234567890123'])),
    () => [],
    () => [null],
    () => ['a', 'b'],
    () => new Map(),
    () => new Map<string, Json>([['tag', 'A']]),
    () =>
      new Map<string, Json>([
        ['tag', 'A'],
        ['value', new Map()],
      ]),
    () =>
      new Map<string, Json>([
        ['tag', new RawNumber('1')],
        ['value', null],
      ]),
  ])()
}

/** The JSON with one thing changed somewhere in it. */
export function spoilt(json: Json, random: Random): Json {
  const parts: (() => Json)[] = [() => junk(random)]
  if (Array.isArray(json)) {
    for (const [index, part] of json.entries()) {
      for (let weight = 0; weight < 3; weight++) parts.push(() => json.with(index, spoilt(part, random)))
    }
    parts.push(
      () => [...json, junk(random)],
      () => json.slice(1),
    )
  }
  if (json instanceof Map) {
    for (const [key, part] of json) {
      for (let weight = 0; weight < 3; weight++) parts.push(() => new Map([...json, [key, spoilt(part, random)]]))
      parts.push(() => new Map([...json].filter(([other]) => other !== key)))
    }
    parts.push(() => new Map<string, Json>([...json, [random.pick(['more', 'a', 'tag', '__proto__']), junk(random)]]))
  }
  if (typeof json === 'string') {
    parts.push(
      () => `${json}${random.pick(['x', ' ', '0', '.'])}`,
      () => json.slice(1),
      () => new RawNumber(random.pick(oddNumbers)),
      () => textLiteral(random),
      ...[oddTexts, oddTimes, oddDates, oddIds].map((odd) => () => random.pick(odd)),
    )
  }
  return random.pick(parts)()
}
