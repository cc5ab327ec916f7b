import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareValues } from '../../../test/support/lf/compare-values.ts'
import {
  boolType,
  contractIdType,
  dataType,
  dateType,
  genMapType,
  intType,
  listType,
  numericType,
  optionalType,
  partyType,
  testId,
  textMapType,
  textType,
  timeType,
  unitType,
} from '../../../test/support/lf/data-package.ts'
import { sampleTypes } from '../../../test/support/lf/sample-types.ts'
import { keptJson, parseExactly } from '../../base/exact-json.ts'
import type { Type } from '../syntax/ast.ts'
import { int64, type LfValue, none, Some } from '../values/values.ts'
import { createJsonCodec } from './json.ts'
import { typeToText } from './shapes.ts'
import { ValueError } from './value-error.ts'

const parts = { dataTypes: sampleTypes, compare: compareValues }
const { codecFor } = createJsonCodec(parts)
const lenient = createJsonCodec({ ...parts, isLenient: true })

const decimal = numericType(10)
const party = 'alice::1220ab'
const contract = `00${'1f'.repeat(32)}ca121220${'ab'.repeat(32)}`
const nested = optionalType(optionalType(intType))
const intMap = genMapType(intType, textType)

/** What clients may send, and what they get back. */
const accepted: [type: Type, input: unknown, output: unknown][] = [
  [intType, '123', '123'],
  [intType, '+7', '7'],
  [intType, '-0', '0'],
  [intType, '0000000000000000000000000000012', '12'],
  [intType, '9007199254740993', '9007199254740993'],
  [intType, '9223372036854775807', '9223372036854775807'],
  [intType, '-9223372036854775808', '-9223372036854775808'],
  [decimal, '999.99', '999.9900000000'],
  [decimal, 1, '1.0000000000'],
  [decimal, 0.5, '0.5000000000'],
  [decimal, -12.25, '-12.2500000000'],
  [decimal, '+1', '1.0000000000'],
  [decimal, '-0', '0.0000000000'],
  [decimal, '-0.0000000001', '-0.0000000001'],
  [decimal, '1.', '1.0000000000'],
  [decimal, '00012.340000000000000', '12.3400000000'],
  [decimal, '9999999999999999999999999999.9999999999', '9999999999999999999999999999.9999999999'],
  [numericType(0), '5', '5.'],
  [numericType(37), '0.5', `0.5${'0'.repeat(36)}`],
  [textType, '', ''],
  [textType, 'a "quoted" \\ \n\u2028 😂', 'a "quoted" \\ \n\u2028 😂'],
  [boolType, true, true],
  [boolType, false, false],
  [partyType, party, party],
  [contractIdType, contract, contract],
  [contractIdType, `01${'00'.repeat(12)}80`, `01${'00'.repeat(12)}80`],
  [dateType, '2000-01-31', '2000-01-31'],
  [dateType, '0001-01-01', '0001-01-01'],
  [dateType, '9999-12-31', '9999-12-31'],
  [dateType, '2024-02-29', '2024-02-29'],
  [timeType, '2000-01-01T12:12:32.777111Z', '2000-01-01T12:12:32.777111Z'],
  [timeType, '2000-01-01T12:12:32.770Z', '2000-01-01T12:12:32.77Z'],
  [timeType, '2000-01-01T12:12:32.000Z', '2000-01-01T12:12:32Z'],
  [timeType, '2000-01-01T12:12:32.777111999Z', '2000-01-01T12:12:32.777111Z'],
  [timeType, '1969-12-31T23:59:59.999999Z', '1969-12-31T23:59:59.999999Z'],
  [timeType, '1969-12-31T23:59:59.9999999Z', '1969-12-31T23:59:59.999999Z'],
  [timeType, '2000-01-01T12:12Z', '2000-01-01T12:12:00Z'],
  [timeType, '2000-01-01T12:12:32+01:30', '2000-01-01T10:42:32Z'],
  [timeType, '2000-01-01t00:00:00-18:00', '2000-01-01T18:00:00Z'],
  [timeType, '0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
  [timeType, '9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999999Z'],
  [unitType, {}, {}],
  [unitType, null, {}],
  [unitType, ['anything'], {}],
  [optionalType(intType), null, null],
  [optionalType(intType), '5', '5'],
  [optionalType(unitType), {}, {}],
  [nested, [], []],
  [nested, [[]], [[]]],
  [nested, [['1']], [['1']]],
  [optionalType(nested), [[[]]], [[[]]]],
  [optionalType(nested), [[['1']]], [[['1']]]],
  [listType(intType), [], []],
  [listType(intType), ['1', '+2', '3'], ['1', '2', '3']],
  [textMapType(boolType), {}, {}],
  [textMapType(boolType), { b: true, a: false, '': true }, { '': true, a: false, b: true }],
  [textMapType(boolType), JSON.parse('{"__proto__": true}'), JSON.parse('{"__proto__": true}')],
  [
    genMapType(textType, intType),
    [
      ['😂', '1'],
      ['\uffff', '2'],
    ],
    [
      ['\uffff', '2'],
      ['😂', '1'],
    ],
  ],
  [intMap, [], []],
  [
    intMap,
    [
      ['2', 'b'],
      ['1', 'a'],
      ['2', 'c'],
    ],
    [
      ['1', 'a'],
      ['2', 'c'],
    ],
  ],
  // As the reference: what comes after the key and the value, or after the one element, does not count.
  [intMap, [['1', 'a', 'more']], [['1', 'a']]],
  [nested, [[], 'more'], [[]]],
  [intType, '٣', '3'],
  [intType, '-१२', '-12'],
  [timeType, '2020-01-01T00:00:00Z[UTC]', '2020-01-01T00:00:00Z'],
  [timeType, '2020-01-01T00:00:00+01:00[Europe/Paris]', '2019-12-31T23:00:00Z'],
  [timeType, '2020-01-01T00:00:00.Z', '2020-01-01T00:00:00Z'],
  // The offset counts, not the place.
  [timeType, '2020-01-01T00:00:00+05:00[Europe/Paris]', '2019-12-31T19:00:00Z'],
  [dataType('Colour'), 'Green', 'Green'],
  [dataType('Shape'), { tag: 'Circle', value: '1.5' }, { tag: 'Circle', value: '1.50' }],
  [dataType('Shape'), { tag: 'Point', value: null }, { tag: 'Point', value: {} }],
  [
    dataType('Shape'),
    { value: { second: '2', first: '1' }, tag: 'Square' },
    { tag: 'Square', value: { first: '1', second: '2' } },
  ],
  [dataType('Empty'), {}, {}],
  [dataType('Iou'), { issuer: party, amount: 1 }, { issuer: party, amount: '1.0000000000' }],
  [dataType('Iou'), { note: null, amount: 1, issuer: party }, { issuer: party, amount: '1.0000000000' }],
  [dataType('Iou'), { issuer: party, amount: 1, note: '' }, { issuer: party, amount: '1.0000000000', note: '' }],
  [dataType('Iou'), { issuer: party, amount: 1, more: null }, { issuer: party, amount: '1.0000000000' }],
  [dataType('Optionals'), {}, {}],
  [dataType('Optionals'), { y: '1' }, { x: null, y: '1' }],
  [dataType('Optionals'), { x: '1', z: '3' }, { x: '1', y: null, z: '3' }],
  [dataType('Middle'), { y: '1' }, { x: null, y: '1' }],
  [dataType('Nest'), { x: '1', y: [] }, { x: '1', y: [] }],
  [dataType('Nest'), { x: '1', y: [[]] }, { x: '1', y: [[]] }],
  [dataType('Pair', textType, optionalType(boolType)), { first: 'x' }, { first: 'x' }],
  [dataType('Box', optionalType(intType)), { content: null }, {}],
  [dataType('Box', optionalType(intType)), { content: '1' }, { content: '1' }],
  [dataType('Box', nested), {}, {}],
  [dataType('Box', nested), { content: [] }, { content: [] }],
  [dataType('Box', nested), { content: [[]] }, { content: [[]] }],
  [dataType('Box', nested), { content: [['1']] }, { content: [['1']] }],
  [dataType('Row', optionalType(intType)), { second: '2' }, { first: null, second: '2' }],
  [dataType('Outer', optionalType(intType)), { box: {}, deep: [] }, { box: {}, deep: [] }],
  [
    dataType('Outer', optionalType(intType)),
    { box: { content: '1' }, deep: [[null]], either: '2' },
    { box: { content: '1' }, deep: [[null]], either: '2' },
  ],
  [dataType('Outer', optionalType(intType)), { box: {}, deep: [['1']] }, { box: {}, deep: [['1']] }],
  [dataType('Odd'), { constructor: '1' }, { constructor: '1' }],
  [dataType('Odd'), { constructor: '1', toString: 'x' }, { constructor: '1', toString: 'x' }],
  [
    dataType('Chain'),
    { head: '1', tail: { head: '2', tail: { head: '3' } } },
    { head: '1', tail: { head: '2', tail: { head: '3' } } },
  ],
  [
    dataType('Growing', boolType),
    { items: [true], next: { items: [{ first: true, second: false }] } },
    { items: [true], next: { items: [{ first: true, second: false }] } },
  ],
]

test('numbers keep all digits that were sent, also inside a value that came as text', () => {
  const rows: [type: Type, json: string, output: string][] = [
    [decimal, '0.1000000000000000000', '"0.1000000000"'],
    [decimal, '1234567.0123456789', '"1234567.0123456789"'],
    [decimal, '1.234567012345678900e6', '"1234567.0123456789"'],
  ]
  for (const [type, json, output] of rows) {
    const { encode, decode } = codecFor(type)
    assert.equal(encode(decode(parseExactly(json))), output)
    const list = codecFor(listType(type))
    assert.equal(list.encode(list.decode(keptJson(`[${json}]`))), `[${output}]`)
  }
})

for (const [type, input, output] of accepted) {
  test(`${typeToText(type)}: ${JSON.stringify(input)} is read, and written as ${JSON.stringify(output)}`, () => {
    const { encode, decode } = codecFor(type)
    const text = encode(decode(input))
    assert.equal(text, JSON.stringify(output))
    assert.equal(encode(decode(JSON.parse(text))), text)
  })
}

test('spaces tell Some None from None where Canton writes null for both', () => {
  const some = (value: LfValue) => new Some(value)
  const someNone = some(none)
  const rowOf = (...fields: LfValue[]) => new (sampleTypes.record(testId('Row')).create)(...fields)
  const boxOf = (content: LfValue) => new (sampleTypes.record(testId('Box')).create)(content)
  const [box, row] = [dataType('Box', optionalType(intType)), dataType('Row', optionalType(intType))]
  const rows: [type: Type, value: LfValue, text: string][] = [
    [box, boxOf(none), '{}'],
    [box, boxOf(someNone), '{ \t}'],
    [row, rowOf(someNone, none, none), '{ \t}'],
    [row, rowOf(none, someNone, none), '{\t \t}'],
    [row, rowOf(someNone, someNone, none), '{ \t \t}'],
    [row, rowOf(someNone, some(some(int64(2n))), none), '{"first": null,"second":"2"}'],
    [row, rowOf(some(some(int64(1n))), someNone, none), '{"first":"1" \t}'],
    [row, rowOf(none, someNone, some(int64(3n))), '{"first":null,"second": null,"last":"3"}'],
    [dataType('Box', nested), boxOf(someNone), '{"content":[]}'],
    [dataType('Box', nested), boxOf(none), '{}'],
  ]
  for (const [type, value, text] of rows) assert.equal(codecFor(type).encode(value), text)
})

const readLeniently: [type: Type, json: string, output: string][] = [
  [intType, '123', '"123"'],
  [intType, '-0', '"0"'],
  [intType, '9223372036854775807', '"9223372036854775807"'],
  [intType, '-9007199254740993', '"-9007199254740993"'],
  [decimal, '10000000', '"10000000.0000000000"'],
  [decimal, '0.0001', '"0.0001000000"'],
  [decimal, '1234567890123456789.0123456789', '"1234567890123456789.0123456789"'],
  [decimal, '1.2345678901234567e9', '"1234567890.1234567000"'],
  [nested, 'null', '[]'],
  [dataType('Nest'), '{"x":1}', '{"x":"1","y":[]}'],
]

for (const [type, json, output] of readLeniently) {
  test(`a lenient codec reads ${json} as ${typeToText(type)}, and writes it as ${output}`, () => {
    const { encode, decode } = lenient.codecFor(type)
    assert.equal(encode(decode(parseExactly(json))), output)
    const list = lenient.codecFor(listType(type))
    assert.equal(list.encode(list.decode(keptJson(`[${json}]`))), `[${output}]`)
  })
}

test('a lenient codec refuses numbers that are no Int64', () => {
  for (const json of ['1.5', '9223372036854775808', '1.2345678901234567', '1e30']) {
    assert.equal(errorOf(() => lenient.codecFor(intType).decode(parseExactly(json))).code, 'INVALID_ARGUMENT', json)
  }
})

type Wrong = {
  reason: string | RegExp
  code?: 'COMMAND_PREPROCESSING_FAILED'
  path?: string
  expected?: string
  hint?: string
}

const engine = 'COMMAND_PREPROCESSING_FAILED'
const noVariant = "Variant type json must have 'tag' and 'value' fields."

/** The code is INVALID_ARGUMENT unless the row says otherwise. */
const refused: [type: Type, input: unknown, wrong: Wrong][] = [
  [intType, 'abc', { reason: 'For input string: "abc"', expected: 'Int64' }],
  [intType, '', { reason: 'For input string: ""' }],
  [intType, '1\n"2"', { reason: 'For input string: "1\n"2""' }],
  [intType, '1.0', { reason: 'For input string: "1.0"' }],
  [intType, ' 1', { reason: 'For input string: " 1"' }],
  [intType, '9223372036854775808', { reason: 'For input string: "9223372036854775808"' }],
  [intType, '-9223372036854775809', { reason: 'For input string: "-9223372036854775809"' }],
  [intType, 1, { reason: 'Expected a string, but got 1', hint: 'write it as a string: "1"' }],
  [intType, 1.5, { reason: 'Expected a string, but got 1.5', hint: 'write it as a string: "1.5"' }],
  [intType, parseExactly('9223372036854775807'), { reason: 'Expected a string, but got 9223372036854775807' }],
  [intType, null, { reason: 'Expected a string, but got null' }],
  [intType, true, { reason: 'Expected a string, but got true' }],
  [decimal, 'x', { reason: 'Could not read Numeric string "x"', expected: 'Numeric 10' }],
  [decimal, '', { reason: 'Could not read Numeric string ""' }],
  [decimal, '.5', { reason: 'Could not read Numeric string ".5"' }],
  [decimal, '1e3', { reason: 'Could not read Numeric string "1e3"' }],
  [
    decimal,
    1e7,
    { reason: 'Could not read Numeric string "1.0E7"', hint: 'write the Numeric as a string: "10000000"' },
  ],
  [decimal, -12345678.5, { reason: 'Could not read Numeric string "-1.23456785E7"' }],
  [decimal, 0.0001, { reason: 'Could not read Numeric string "1.0E-4"' }],
  [decimal, 1e22, { reason: 'Could not read Numeric string "1.0E22"' }],
  [
    decimal,
    parseExactly('1234567890123456789.0123456789'),
    { reason: 'Could not read Numeric string "1.2345678901234568E18"' },
  ],
  [decimal, 2 ** 60, { reason: /^Could not read Numeric string/ }],
  [decimal, '1'.repeat(39), { reason: /^Could not read Numeric string/ }],
  [decimal, `${'1'.repeat(30)}.${'1'.repeat(9)}`, { reason: /^Could not read Numeric string/ }],
  [
    decimal,
    '0.12345678901',
    { reason: 'Cannot represent 0.12345678901 as (Numeric 10) without loss of precision', code: engine },
  ],
  [decimal, '1'.repeat(29), { reason: `Out-of-bounds (Numeric 10) ${'1'.repeat(29)}.0000000000`, code: engine }],
  [numericType(0), '0.5', { reason: 'Cannot represent 0.5 as (Numeric 0) without loss of precision', code: engine }],
  [decimal, false, { reason: 'false is not a valid numeric value' }],
  [decimal, null, { reason: 'null is not a valid numeric value' }],
  [decimal, [1, { a: 'b' }], { reason: '[1,{"a":"b"}] is not a valid numeric value' }],
  [decimal, parseExactly('1e400'), { reason: 'Could not read Numeric string "Infinity"' }],
  [
    decimal,
    parseExactly('0.12345678901234567'),
    { reason: 'Cannot represent 0.12345678901234567 as (Numeric 10) without loss of precision', code: engine },
  ],
  [textType, 5, { reason: 'Expected a string, but got 5', expected: 'Text' }],
  [textType, parseExactly('12345678901234567'), { reason: 'Expected a string, but got 12345678901234567' }],
  [decimal, keptJson('[1,'), { reason: /JSON/ }],
  [textType, 'a\0', { reason: 'Text contains null character', code: engine }],
  [textType, '\ud800', { reason: 'Text contains unpaired high surrogate', code: engine }],
  [textType, 'x\udc00', { reason: 'Text contains unpaired low surrogate', code: engine }],
  [textType, '😂\ud83d😂', { reason: 'Text contains unpaired high surrogate', code: engine }],
  [boolType, 'true', { reason: 'Expected a boolean, but got "true"', expected: 'Bool' }],
  [partyType, '', { reason: 'Daml-LF Party is empty', expected: 'Party' }],
  [partyType, 'a.b', { reason: 'non expected character 0x2e in Daml-LF Party "a.b"' }],
  [partyType, 'x'.repeat(256), { reason: 'Daml-LF Party is too long (max: 255)' }],
  [contractIdType, '#1:0', { reason: 'cannot parse ContractId "#1:0"', expected: 'ContractId Any:Template' }],
  [contractIdType, contract.toUpperCase(), { reason: /^cannot parse ContractId "/ }],
  [contractIdType, `${contract}0`, { reason: /^cannot parse ContractId "/ }],
  [contractIdType, `00${'00'.repeat(32 + 95)}`, { reason: /^cannot parse ContractId "/ }],
  [contractIdType, `02${'00'.repeat(64)}`, { reason: /^cannot parse ContractId "/ }],
  [
    contractIdType,
    `00${'ab'.repeat(32)}`,
    {
      reason: `Illegal Contract ID "00${'ab'.repeat(32)}", non-suffixed V1 Contract IDs are forbidden`,
      code: engine,
    },
  ],
  [contractIdType, `01${'00'.repeat(13)}`, { reason: /relative Contract IDs are forbidden$/, code: engine }],
  [dateType, '2000-1-1', { reason: "Text '2000-1-1' could not be parsed", expected: 'Date' }],
  [dateType, '2023-02-29', { reason: "Text '2023-02-29' could not be parsed" }],
  [dateType, '2000-01-01T00:00:00Z', { reason: "Text '2000-01-01T00:00:00Z' could not be parsed" }],
  [dateType, '0000-12-31', { reason: 'out of bound Date -719163' }],
  [
    timeType,
    '2000-01-01T12:12:32',
    { reason: "Text '2000-01-01T12:12:32' could not be parsed", expected: 'Timestamp' },
  ],
  [timeType, '2000-01-01 12:12:32Z', { reason: "Text '2000-01-01 12:12:32Z' could not be parsed" }],
  [timeType, '2000-01-01T24:00:00Z', { reason: "Text '2000-01-01T24:00:00Z' could not be parsed" }],
  [timeType, '2000-01-01T00:00:00+19:00', { reason: "Text '2000-01-01T00:00:00+19:00' could not be parsed" }],
  [timeType, '0000-12-31T23:59:59Z', { reason: /out of bound Timestamp -62135596801000000$/ }],
  [timeType, '9999-12-31T23:59:59-00:01', { reason: /out of bound Timestamp/ }],
  [timeType, 0, { reason: 'Expected a string, but got 0' }],
  [nested, null, { reason: 'Expected an array, but got null', hint: 'write None of an Optional in an Optional as []' }],
  [dataType('Nest'), { x: '1' }, { reason: 'Expected an array, but got null', path: 'y' }],
  [
    dataType('Box', optionalType(intType)),
    { content: ['1'] },
    { reason: 'Expected a string, but got an array', path: 'content' },
  ],
  [dataType('Box', nested), { content: '1' }, { reason: 'Expected an array, but got "1"', path: 'content' }],
  [
    dataType('Outer', optionalType(intType)),
    { box: {}, deep: [[['1']]] },
    { reason: 'Expected a string, but got an array', path: 'deep[0][0]' },
  ],
  [nested, '1', { reason: 'Expected an array, but got "1"', expected: 'Optional (Optional Int64)' }],
  [intType, '٣x', { reason: 'For input string: "٣x"' }],
  [intType, '𝟑', { reason: 'For input string: "𝟑"' }],
  [partyType, 'a😀', { reason: 'non expected character 0xd83d in Daml-LF Party "a😀"' }],
  [dateType, '-0001-01-01', { reason: 'out of bound Date -719893' }],
  [dateType, '+10000-01-01', { reason: 'out of bound Date 2932897' }],
  [dateType, '10000-01-01', { reason: "Text '10000-01-01' could not be parsed" }],
  [dateType, '+2020-01-01', { reason: "Text '+2020-01-01' could not be parsed" }],
  [dateType, '-0000-01-01', { reason: "Text '-0000-01-01' could not be parsed" }],
  [dateType, '+1000000000-01-01', { reason: "Text '+1000000000-01-01' could not be parsed" }],
  [timeType, '+10000-01-01T00:00:00Z', { reason: /out of bound Timestamp 253402300800000000$/ }],
  [timeType, '2020-01-01T00:00:00Z[Nowhere]', { reason: "Text '2020-01-01T00:00:00Z[Nowhere]' could not be parsed" }],
  [timeType, '2020-01-01T00:00:00[UTC]', { reason: "Text '2020-01-01T00:00:00[UTC]' could not be parsed" }],
  [listType(intType), {}, { reason: 'Expected an array, but got an object', expected: 'List Int64' }],
  [listType(intType), ['1', 'x'], { reason: 'For input string: "x"', path: '[1]', expected: 'Int64' }],
  [textMapType(boolType), [], { reason: 'Expected an object, but got an array' }],
  [textMapType(boolType), { 'a"b': 1 }, { reason: 'Expected a boolean, but got 1', path: '["a\\"b"]' }],
  [textMapType(boolType), { 'a\0': true }, { reason: 'Text contains null character', code: engine }],
  [intMap, {}, { reason: 'Expected an array, but got an object' }],
  [intMap, [['1']], { reason: 'Expected an array of a key and a value, but got an array', path: '[0]' }],
  [intMap, [['1', 2]], { reason: 'Expected a string, but got 2', path: '[0][1]' }],
  [intMap, [['x']], { reason: 'For input string: "x"', path: '[0][0]' }],
  [intMap, [['x', 'y']], { reason: 'For input string: "x"', path: '[0][0]' }],
  [dataType('Colour'), 'Pink', { reason: 'Unexpected case: Pink', expected: 'Main:Colour' }],
  [dataType('Colour'), { tag: 'Red' }, { reason: 'Expected a string, but got an object' }],
  [dataType('Shape'), { tag: 'Circle' }, { reason: noVariant, expected: 'Main:Shape' }],
  [dataType('Shape'), { value: '1' }, { reason: noVariant }],
  [dataType('Shape'), 'Circle', { reason: noVariant }],
  [dataType('Shape'), { tag: 'Line', value: 1 }, { reason: 'Unexpected variant tag: Line' }],
  [dataType('Shape'), { tag: 1, value: 1 }, { reason: 'Unexpected variant tag: 1' }],
  [dataType('Shape'), { tag: 'Circle', value: 'x' }, { reason: /^Could not read/, path: 'value' }],
  [dataType('Iou'), 'x', { reason: 'Expected an object, but got "x"', expected: 'Main:Iou' }],
  [dataType('Iou'), null, { reason: 'Expected an object, but got null' }],
  [dataType('Iou'), [], { reason: 'Expected an object, but got an array' }],
  [dataType('Iou'), {}, { reason: 'Missing non-optional fields: Set(issuer, amount)', code: engine }],
  [dataType('Iou'), { issuer: party }, { reason: 'Missing non-optional fields: Set(amount)', code: engine }],
  [dataType('Iou'), { issuer: party, amount: 1, x: 1 }, { reason: 'Unexpected fields: x' }],
  [dataType('Iou'), { issuer: party, amount: 1, x: 1, y: null, z: 2 }, { reason: 'Unexpected fields: xz' }],
  [dataType('Iou'), { issuer: party, amount: null }, { reason: 'null is not a valid numeric value', path: 'amount' }],
  [dataType('Iou'), JSON.parse(`{"issuer":"a","amount":1,"__proto__":1}`), { reason: 'Unexpected fields: __proto__' }],
  [dataType('Odd'), {}, { reason: 'Missing non-optional fields: Set(constructor)', code: engine }],
  [
    dataType('Chain'),
    { head: '1', tail: { head: '2', tail: { head: 'x' } } },
    { reason: 'For input string: "x"', path: 'tail.tail.head' },
  ],
  [
    dataType('Pair', listType(dataType('Colour')), textType),
    { first: ['Red', 'Rot'], second: '' },
    { reason: 'Unexpected case: Rot', path: 'first[1]', expected: 'Main:Colour' },
  ],
]

for (const [type, input, { reason, code = 'INVALID_ARGUMENT', path = '', expected, hint }] of refused) {
  test(`${typeToText(type)}: ${JSON.stringify(input).slice(0, 80)} is refused`, () => {
    const error = errorOf(() => codecFor(type).decode(input))
    if (typeof reason === 'string') assert.equal(error.reason, reason)
    else assert.match(error.reason, reason)
    assert.equal(error.code, code)
    if (input !== null && !JSON.stringify(input).includes('u0000')) assert.equal(error.path, path)
    if (expected !== undefined) assert.equal(error.expected, expected)
    if (hint !== undefined) assert.equal(error.hint, hint)
  })
}

test('an error names the path below the one given, and the type expected there', () => {
  const { decode } = codecFor(listType(dataType('Iou')))
  assert.throws(() => decode([{ issuer: party, amount: 'much' }], 'commands[0].CreateCommand.createArguments'), {
    message:
      'Could not read Numeric string "much" ' +
      '(at commands[0].CreateCommand.createArguments[0].amount, expected: Numeric 10)',
  })
})

test('a value may be nested 100 deep, and no deeper', () => {
  const deep = (levels: number): unknown => (levels === 0 ? { tag: 'Leaf', value: 'x' } : tree([deep(levels - 1)]))
  const tree = (children: unknown[]): unknown => ({ tag: 'Node', value: children })
  const { encode, decode } = codecFor(dataType('Tree', textType))
  // A node and its list are two levels; a leaf and its text are two more, of which the first is the node's content.
  assert.equal(encode(decode(deep(49))), JSON.stringify(deep(49)))
  const error = errorOf(() => decode(deep(50)))
  assert.equal(error.reason, 'Provided value exceeds maximum nesting level of 100')
  assert.equal(error.code, 'COMMAND_PREPROCESSING_FAILED')
})

test('types that grow with each level end in an error, not in endless work', () => {
  let json: unknown = { items: [] }
  for (let level = 0; level < 49; level++) json = { items: [], next: json }
  const error = errorOf(() => codecFor(dataType('Growing', boolType)).decode(json))
  assert.equal(error.reason, 'The type is too large')
})

test('the keys of a TextMap are in the order of text, not in that of JavaScript', () => {
  const { encode, decode } = codecFor(textMapType(intType))
  assert.equal(encode(decode({ 9: '1', 10: '2' })), '{"10":"2","9":"1"}')
})

test('many unexpected fields make a short message', () => {
  const json = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`${'x'.repeat(300)}${index}`, index]))
  const error = errorOf(() => codecFor(dataType('Empty')).decode(json))
  assert.ok(error.message.length < 10_000)
})

test('one type, however written, has one codec', () => {
  const type = dataType('Iou')
  assert.equal(codecFor(type), codecFor(type))
})

function errorOf(body: () => unknown): ValueError {
  try {
    body()
  } catch (error) {
    assert.ok(error instanceof ValueError, String(error))
    return error
  }
  return assert.fail('nothing was thrown')
}
