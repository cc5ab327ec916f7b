// Which values may go onto a ledger: values of their type, but not all of them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  boolType,
  contractIdType,
  dataType,
  dateType,
  enumeration,
  genMapType,
  intType,
  listType,
  numericType,
  optionalType,
  packageOf,
  partyType,
  record,
  testId,
  testPackageId,
  textMapType,
  textType,
  timeType,
  unitType,
  variableType,
  variant,
} from '../../../test/support/lf/data-package.ts'
import type { Type } from '../../lf/syntax/ast.ts'
import { createDataTypes } from '../../lf/values/data-types.ts'
import { KindError } from '../../lf/values/kinds.ts'
import { numericOf } from '../../lf/values/numeric.ts'
import { OrderedMap } from '../../lf/values/ordered-map.ts'
import { createRecordType, structTypeOf } from '../../lf/values/structures.ts'
import {
  Any,
  Cons,
  ContractId,
  EnumValue,
  type LfValue,
  listFromArray,
  nil,
  none,
  Some,
  TypeRep,
  unit,
  Variant,
} from '../../lf/values/values.ts'
import { Failure } from '../failures/failures.ts'
import { compareTexts, compareValues } from './order.ts'
import { createValueCheck } from './value-check.ts'

const dataTypes = createDataTypes(
  new Map([
    [
      testPackageId,
      packageOf(testPackageId, [
        record('Two', { first: optionalType(intType), second: optionalType(intType) }),
        record('Needs', { first: intType, second: textType }),
        record('Empty', {}),
        record('Box', { of: variableType('a') }, ['a']),
        variant('Text', { Plain: textType, Count: intType }),
        enumeration('Colour', 'Red', 'Green'),
        enumeration('Other', 'Red', 'Green'),
      ]),
    ],
  ]),
)
const check = createValueCheck(dataTypes)
const two = dataTypes.record(testId('Two'))
const needs = dataTypes.record(testId('Needs'))
const empty = dataTypes.record(testId('Empty'))
const box = dataTypes.record(testId('Box'))
const text = dataTypes.variant(testId('Text'))
const colour = dataTypes.enum(testId('Colour'))
const other = dataTypes.enum(testId('Other'))

const nestedType = (depth: number, innermost: Type): Type =>
  depth === 0 ? innermost : optionalType(nestedType(depth - 1, innermost))
const nested = (depth: number, innermost: LfValue = unit): LfValue =>
  depth === 0 ? innermost : new Some(nested(depth - 1, innermost))
const textMap = (...entries: [LfValue, LfValue][]) =>
  entries.reduce(
    (map, [key, value]) => map.with(key, value),
    OrderedMap.empty(compareTexts as (a: LfValue, b: LfValue) => number),
  )

const tooDeep = 'Value exceeds maximum nesting value of 100'
const malformed = (problem: string) => `Text is malformed: Text contains ${problem}`
const ints = listType(intType)

const limits: [name: string, type: Type, value: LfValue, problem: string | undefined][] = [
  ['100 levels', nestedType(100, unitType), nested(100), undefined],
  ['101 levels', nestedType(101, unitType), nested(101), tooDeep],
  ['100 levels and an empty list', nestedType(100, ints), nested(100, nil), undefined],
  ['100 levels and a list of one', nestedType(100, ints), nested(100, listFromArray([1])), tooDeep],
  ['None at the end, not stored', nestedType(100, dataType('Two')), nested(100, new two.create(none, none)), undefined],
  ['None that is stored', nestedType(100, dataType('Two')), nested(100, new two.create(none, new Some(1))), tooDeep],
  ['a long list', ints, listFromArray(Array.from({ length: 100_000 }, () => 1)), undefined],
  ['an astral text', textType, '𝄞', undefined],
  ['a text with NUL', textType, 'a\0', malformed('null character')],
  ['a high surrogate alone', textType, 'a\ud800b', malformed('unpaired high surrogate')],
  ['a low surrogate alone', textType, 'a\udc00\0', malformed('unpaired low surrogate')],
  ['a high surrogate at the end', textType, '𝄞\ud834', malformed('unpaired high surrogate')],
  ['a key of a map', textMapType(intType), textMap(['\0', 1]), malformed('null character')],
  [
    'inside a variant in a list',
    listType(dataType('Text')),
    listFromArray([new Variant(text, 0, '\0')]),
    malformed('null character'),
  ],
]

for (const [name, type, value, problem] of limits) {
  test(`${name}: ${problem ?? 'fine'}`, () => {
    if (problem === undefined) check(value, type)
    else
      assert.throws(
        () => check(value, type),
        (error) => error instanceof Failure && error.message === problem,
      )
  })
}

/** Types, with values of each. */
const types: [type: Type, ...values: LfValue[]][] = [
  [unitType, unit],
  [boolType, true, false],
  [intType, 0, -1, 2 ** 40, 2n ** 62n, -(2n ** 63n)],
  [dateType, 0, -719162, 2932896],
  [timeType, 0, 253402300799999999n],
  [partyType, 'Alice', 'a::1220 b-_:'],
  [textType, '', 'text"\n', '9'],
  [contractIdType, new ContractId('00ab')],
  [numericType(10), numericOf(1n, 10)],
  [numericType(2), numericOf(1n, 2)],
  [optionalType(intType), none, new Some(1)],
  [ints, nil, new Cons(1, nil)],
  [textMapType(intType), textMap(), textMap(['k', 1])],
  [genMapType(intType, intType), OrderedMap.empty(compareValues).with(1, 1)],
  [dataType('Two'), new two.create(none, none), new two.create(new Some(1), none)],
  [dataType('Needs'), new needs.create(1, '')],
  [dataType('Empty'), new empty.create()],
  [dataType('Box', intType), new box.create(7)],
  [dataType('Box', textType), new box.create('7')],
  [dataType('Text'), new Variant(text, 0, ''), new Variant(text, 1, 1)],
  [dataType('Colour'), colour.values[0]],
  [dataType('Other'), other.values[1]],
]

/** Values of no type: numbers out of range, missing parts, and values that only code can hold. */
const misfits: [name: string, value: LfValue][] = [
  ['nothing', undefined],
  ['null', null],
  ['a fraction', 0.5],
  ['not a number', Number.NaN],
  ['an infinity', Infinity],
  ['more than 64 bits', 2n ** 63n],
  ['a list without an end', new Cons(1, 2 as never)],
  ['a record without fields', new needs.create()],
  ['a record with None for a text', new needs.create(1, none)],
  ['an enum beyond its names', new EnumValue({ ...colour }, 7)],
  ['a variant of another type', new Variant({ kind: 'variant', id: text.id, tags: text.tags }, 0, '')],
  ['a record of a type of the same name', new (createRecordType(needs.id, needs.fieldNames).create)(1, '')],
  ['a struct', new (structTypeOf(['first', 'second']).create)(1, '')],
  ['an object', { text: '00ab', type: needs, value: 1 }],
  ['an array', [1]],
  ['an Any', new Any(intType, 1)],
  ['a TypeRep', new TypeRep(intType)],
  ['a function', (x: LfValue) => x],
  ['an update', () => unit],
  ['a class', Some],
]

/** Types whose values cannot be distinguished at run time. */
const alike = new Set(['Int64 Date', 'Int64 Timestamp', 'Date Int64', 'Date Timestamp', 'Timestamp Int64']).union(
  new Set(['Timestamp Date', 'Party Text', 'Text Party']),
)

test('a value is of its type, and of no other', () => {
  for (const [type, ...values] of types) {
    for (const value of values) check(value, type)
    for (const [otherType, ...others] of types) {
      const names = [type, otherType].map((each) => ('name' in each ? each.name : ''))
      const isSame = type === otherType || alike.has(names.join(' '))
      const mayBeEmpty = names.every((name) => ['TextMap', 'GenMap'].includes(name))
      if (isSame) continue
      for (const value of others) {
        if (mayBeEmpty && (value as OrderedMap).size === 0) continue
        assert.throws(() => check(value, type), KindError, `${names.join(' is no ')}: ${String(value)}`)
      }
    }
    for (const [name, value] of misfits) {
      assert.throws(() => check(value, type), KindError, `${name} as ${JSON.stringify(type)}`)
    }
  }
})

const outOfRange: [type: Type, value: LfValue][] = [
  [dateType, 2932897],
  [dateType, -719163],
  [dateType, 1n],
  [timeType, 253402300800000000n],
  [timeType, -62135596800000001n],
  [partyType, ''],
  [partyType, '"'],
  [partyType, 'a"],"forged":["yes'],
  [partyType, 'x'.repeat(256)],
  [numericType(10), numericOf(1n, 9)],
]

test('types that look alike at run time are distinguished by their range', () => {
  for (const [type, value] of outOfRange) assert.throws(() => check(value, type), KindError, String(value))
})

test('types that are not serializable have no values on a ledger', () => {
  for (const name of ['Any', 'TypeRep', 'Arrow', 'Update', 'AnyException', 'FailureCategory'] as const) {
    assert.throws(() => check(unit, { kind: 'builtin', name, args: [] }), KindError)
  }
  assert.throws(() => check(unit, variableType('a')), KindError)
  assert.throws(() => check(unit, dataType('Missing')), KindError)
  assert.throws(() => check(new box.create(1), dataType('Box')), KindError)
})
