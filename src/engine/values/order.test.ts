import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyText } from '../../../test/fixtures/any-text.ts'
import { fc } from '../../../test/fixtures/seed.ts'
import { outcomeOf } from '../../../test/support/engine/evaluate.ts'
import type { Identifier, Type } from '../../lf/syntax/ast.ts'
import { numericOf } from '../../lf/values/numeric.ts'
import { OrderedMap } from '../../lf/values/ordered-map.ts'
import { createRecordType, structTypeOf } from '../../lf/values/structures.ts'
import {
  Any,
  ContractId,
  type EnumType,
  EnumValue,
  int64,
  type LfValue,
  listFromArray,
  none,
  Some,
  TypeRep,
  unit,
  Variant,
  type VariantType,
} from '../../lf/values/values.ts'
import { compareTexts, compareValues, equalValues } from './order.ts'

const idOf = (name: string, module = 'M', packageId = 'p'): Identifier => ({ packageId, module, name })
const structType = structTypeOf(['a', 'b'])
const struct = (a: LfValue, b: LfValue) => new structType.create(a, b)
const pairType = createRecordType(idOf('Pair'), ['first', 'second'])
const otherType = createRecordType(idOf('Quad'), ['first', 'second'])
const pair = (first: LfValue, second: LfValue) => new pairType.create(first, second)
const other = (first: LfValue, second: LfValue) => new otherType.create(first, second)
const list = (...items: LfValue[]) => listFromArray(items)
const some = (value: LfValue) => new Some(value)
const map = (...entries: [LfValue, LfValue][]) =>
  entries.reduce((result, [key, value]) => result.with(key, value), OrderedMap.empty(compareValues))
const shapeType: VariantType = { kind: 'variant', id: idOf('Shape'), tags: ['Point', 'Circle'] }
const shape = (rank: number, value: LfValue) => new Variant(shapeType, rank, value)
const colorType: EnumType = { kind: 'enum', id: idOf('Color'), tags: ['Red', 'Green'], values: [] }
const color = (rank: number) => new EnumValue(colorType, rank)
const type = (id: Identifier): Type => ({ kind: 'constructor', id, args: [] })
const v1 = (last: string, suffix = '') => new ContractId(`00${'00'.repeat(31)}${last}${suffix}`)
const v2 = (last: string, suffix = '') => new ContractId(`01${'11'.repeat(11)}${last}${suffix}`)
const identity = (x: LfValue) => x

// Each row is strictly ascending.
const ascending: [what: string, values: LfValue[]][] = [
  ['Bool', [false, true]],
  ['Int64 in both its forms', [-(2n ** 63n), -(2n ** 53n), -Number.MAX_SAFE_INTEGER, -1, 0, 2, 10, 2n ** 53n]],
  ['Numeric', [numericOf(-15n, 1), numericOf(0n, 1), numericOf(9n, 1), numericOf(10n, 1)]],
  ['Text by code point', ['', '\0', 'A', 'Z', 'Za', 'a', 'aa', 'é', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '😀']],
  ['Text with a surrogate in common', ['\u{10000}', '\u{10001}', '\u{10001}a', '\u{103ff}', '\u{10400}']],
  ['Optional', [none, some(none), some(some(-1)), some(some(0))]],
  ['List', [list(), list(1), list(1, 0), list(1, 2), list(2)]],
  ['record', [pair(1, 'b'), pair(2, 'a'), pair(2, 'b')]],
  ['variant', [shape(0, 9), shape(1, 1), shape(1, 2)]],
  ['enum', [color(0), color(1)]],
  ['struct', [struct(1, 2), struct(2, 0), struct(2, 1)]],
  ['map', [map(), map([1, 'a']), map([1, 'a'], [2, '']), map([1, 'b']), map([2, ''])]],
  ['Any', [new Any(type(pairType.id), pair(9, '')), new Any(type(otherType.id), other(1, ''))]],
  ['Any of one type', [new Any(type(pairType.id), pair(1, '')), new Any(type(pairType.id), pair(2, ''))]],
  ['interface: by template', [pair(9, ''), other(1, '')]],
  ['TypeRep', ['A', 'B'].map((name) => new TypeRep(type(idOf(name))))],
  [
    'ContractId',
    [v1('01'), v1('02', 'aa'), v1('02', 'aaaa'), v1('02', 'ab'), v1('03'), v2('01'), v2('02', '80aa'), v2('02', '81')],
  ],
]

for (const [what, values] of ascending) {
  test(`the order of ${what}`, () => {
    for (const [i, a] of values.entries()) {
      for (const [j, b] of values.entries()) {
        assert.equal(Math.sign(compareValues(a, b)), Math.sign(i - j), `${i} against ${j}`)
        assert.equal(equalValues(a, b), i === j)
      }
    }
  })
}

test('unit equals itself', () => assert.equal(compareValues(unit, unit), 0))

const notComparable = 'NON_COMPARABLE_VALUES: functions are not comparable'
const conflict = (id: ContractId) =>
  `CONTRACT_ID_COMPARABILITY: The global contract ID ${id.text} conflicts with a local contract ID`

const outcomes: [what: string, a: LfValue, b: LfValue, want: unknown][] = [
  ['a function with itself', identity, identity, notComparable],
  ['lists of functions', list(identity), list(identity), notComparable],
  ['a function with none', some(identity), none, 1],
  ['functions after a difference', pair(1, identity), pair(2, identity), -1],
  ['functions after equal parts', pair(1, identity), pair(1, identity), notComparable],
  ['functions under different keys', map(['a', identity]), map(['b', identity]), -1],
  ['functions of variants of different rank', shape(0, identity), shape(1, identity), -1],
  ['a local id with a global one', v1('01'), v1('01', 'aa'), conflict(v1('01', 'aa'))],
  ['a global id with a local one', v1('01', 'aa'), v1('01'), conflict(v1('01', 'aa'))],
  ['a relative id with an absolute one', v2('01', '01aa'), v2('01', '81aa'), conflict(v2('01', '01aa'))],
  ['an absolute id with a relative one', v2('01', '81aa'), v2('01', '01aa'), conflict(v2('01', '81aa'))],
  ['a relative id with itself', v2('01', '01aa'), v2('01', '01aa'), 0],
  ['a relative id with one of another contract', v2('01', '01aa'), v2('02', '81aa'), -1],
]

for (const [what, a, b, want] of outcomes) {
  test(`comparing ${what}`, () => {
    const sign = (result: unknown) => (typeof result === 'number' ? Math.sign(result) : result)
    assert.deepEqual(
      outcomeOf(() => sign(compareValues(a, b))),
      want,
    )
    assert.deepEqual(
      outcomeOf(() => equalValues(a, b)),
      typeof want === 'number' ? want === 0 : want,
    )
  })
}

test('neither length nor depth of a value exhausts the stack', () => {
  const million = Array.from({ length: 1_000_000 }, (_, index) => index)
  assert.ok(equalValues(list(...[]), list()))
  assert.equal(compareValues(listFromArray(million), listFromArray([...million, 0])), -1)
  const deep = (end: LfValue) => million.slice(0, 500_000).reduce<LfValue>((inner) => pair(inner, 0), end)
  assert.equal(Math.sign(compareValues(deep(1), deep(2))), -1)
})

test('texts are ordered by their UTF-8', () => {
  fc.assert(
    fc.property(anyText(), anyText(), (a, b) => {
      assert.equal(Math.sign(compareTexts(a, b)), Buffer.compare(Buffer.from(a), Buffer.from(b)))
    }),
  )
})

/** Pairs and triples of values of one type, whatever it is. */
const values: fc.Arbitrary<fc.Arbitrary<LfValue>> = fc.letrec<{ type: fc.Arbitrary<LfValue> }>((tie) => ({
  type: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<fc.Arbitrary<LfValue>>(
      fc.boolean(),
      fc.bigInt({ min: -3n, max: 3n }).map(int64),
      fc.bigInt({ min: 2n ** 53n - 3n, max: 2n ** 53n + 3n }).map(int64),
      anyText({ maxLength: 2 }),
      fc.integer({ min: 0, max: 1 }).map(color),
    ),
    tie('type').map((item) => fc.array(item, { maxLength: 3 }).map(listFromArray)),
    tie('type').map((item) => fc.option(item).map((value) => (value === null ? none : some(value)))),
    tie('type').map((item) =>
      fc.tuple(fc.integer({ min: 0, max: 1 }), item).map(([rank, value]) => shape(rank, value)),
    ),
    fc.tuple(tie('type'), tie('type')).map(([a, b]) => fc.tuple(a, b).map(([first, second]) => pair(first, second))),
    fc
      .tuple(tie('type'), tie('type'))
      .map(([key, value]) => fc.array(fc.tuple(key, value), { maxLength: 3 }).map((entries) => map(...entries))),
  ),
})).type

test('the order is total, antisymmetric and transitive, and equality is its zero', () => {
  const triples = values.chain((value) => fc.tuple(value, value, value))
  fc.assert(
    fc.property(triples, ([a, b, c]) => {
      assert.equal(compareValues(a, a), 0)
      assert.equal(Math.sign(compareValues(a, b)) + Math.sign(compareValues(b, a)), 0)
      assert.equal(equalValues(a, b), compareValues(a, b) === 0)
      const [low, middle, high] = [a, b, c].sort(compareValues)
      assert.ok(compareValues(low, middle) <= 0 && compareValues(middle, high) <= 0 && compareValues(low, high) <= 0)
    }),
  )
})
