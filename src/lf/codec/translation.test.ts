import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareValues } from '../../../test/support/lf/compare-values.ts'
import {
  dataTypesOf,
  enumeration,
  genMapType,
  intType,
  listType,
  numericType,
  optionalType,
  packageOf,
  record,
  testId,
  textMapType,
  textType,
  variant,
} from '../../../test/support/lf/data-package.ts'
import type { Type } from '../syntax/ast.ts'
import { createJsonCodec } from './json.ts'
import { createTranslation } from './translation.ts'
import { ValueError } from './value-error.ts'

const v1 = (name: string): Type => ({ kind: 'constructor', id: testId(name, 'v1'), args: [] })
const v2 = (name: string): Type => ({ kind: 'constructor', id: testId(name, 'v2'), args: [] })

const dataTypes = dataTypesOf(
  packageOf('v1', [
    record('Short', { a: intType }),
    record('Outer', {
      one: v1('Short'),
      list: listType(v1('Short')),
      texts: textMapType(v1('Short')),
      map: genMapType(v1('Colour'), v1('Short')),
      maybe: optionalType(v1('Short')),
    }),
    enumeration('Colour', 'Red', 'Green'),
    variant('Choice', { First: v1('Short'), Second: intType }),
    record('Strict', { a: intType }),
    record('Changed', { a: intType, b: numericType(2) }),
    record('Amount', { value: numericType(2) }),
    record('Nested', { inner: v1('Short') }),
    record('Grown', { inner: v1('Short') }),
    record('Lost', { a: intType, b: optionalType(intType) }),
  ]),
  packageOf('v2', [
    record('Short', { a: intType, b: optionalType(textType), c: optionalType(intType) }),
    record('Outer', {
      one: v2('Short'),
      list: listType(v2('Short')),
      texts: textMapType(v2('Short')),
      map: genMapType(v2('Colour'), v2('Short')),
      maybe: optionalType(v2('Short')),
    }),
    enumeration('Colour', 'Red', 'Green', 'Blue'),
    variant('Choice', { First: v2('Short'), Second: intType, Third: textType }),
    record('Strict', { a: intType, b: intType }),
    record('Changed', { a: textType, b: numericType(2) }),
    record('Amount', { value: numericType(3) }),
    record('Nested', { inner: v2('Short'), more: optionalType(intType) }),
    record('Grown', { inner: v1('Short'), more: intType }),
    record('Lost', { a: intType, b: intType }),
  ]),
)

const translate = createTranslation({ dataTypes, compare: compareValues })
const { codecFor } = createJsonCodec({ dataTypes, compare: compareValues, isLenient: true })

const moved = (json: unknown, from: Type, to: Type): unknown => {
  return JSON.parse(codecFor(to).encode(translate(codecFor(from).decode(json), from, to)))
}

const outer = {
  one: { a: '1' },
  list: [{ a: '2' }, { a: '3' }],
  texts: { x: { a: '4' } },
  map: [['Green', { a: '5' }]],
  maybe: { a: '6' },
}

const both: [name: string, json: unknown][] = [
  ['Short', { a: '1' }],
  ['Outer', outer],
  ['Colour', 'Green'],
  ['Choice', { tag: 'First', value: { a: '1' } }],
  ['Choice', { tag: 'Second', value: '1' }],
]

for (const [name, json] of both) {
  test(`${name} ${JSON.stringify(json)} goes up a version and down again`, () => {
    assert.deepEqual(moved(json, v1(name), v2(name)), json)
    assert.deepEqual(moved(json, v2(name), v1(name)), json)
    const upgraded = translate(codecFor(v1(name)).decode(json), v1(name), v2(name))
    assert.deepEqual(upgraded, codecFor(v2(name)).decode(json))
  })
}

const down = 'may not be dropped during downgrading.'
const failing: [json: unknown, from: Type, to: Type, path: string, reason: string][] = [
  [
    { a: 1, b: 'x' },
    v2('Short'),
    v1('Short'),
    '',
    `Found an optional contract field with a value of Some at index 1, ${down}`,
  ],
  [
    { ...outer, list: [{ a: 1 }, { a: 2, c: 3 }] },
    v2('Outer'),
    v1('Outer'),
    'list[1]',
    `Found an optional contract field with a value of Some at index 2, ${down}`,
  ],
  [
    { a: 1, b: 2 },
    v2('Strict'),
    v1('Strict'),
    '',
    'Found non-optional extra field at index 1, cannot remove for downgrading.',
  ],
  [
    { a: 1 },
    v1('Strict'),
    v2('Strict'),
    '',
    'Unexpected non-optional extra template field type encountered during upgrading.',
  ],
  // A value that fails at two depths names the inner one: fields are translated before what lies beyond them is looked at.
  [
    { inner: { a: 1, b: 'x' }, more: 2 },
    v2('Nested'),
    v1('Nested'),
    'inner',
    `Found an optional contract field with a value of Some at index 1, ${down}`,
  ],
  [
    { inner: { a: 1, b: 'x' } },
    { kind: 'constructor', id: testId('Nested', 'v2'), args: [] },
    v2('Grown'),
    'inner',
    `Found an optional contract field with a value of Some at index 1, ${down}`,
  ],
  // Trailing Nones are not stored, so a field that was one is as if it had not been there.
  [
    { a: 1 },
    v1('Lost'),
    v2('Lost'),
    '',
    'Unexpected non-optional extra template field type encountered during upgrading.',
  ],
  ['Blue', v2('Colour'), v1('Colour'), '', 'unknown constructor Blue in enumeration v1:Main:Colour'],
  [{ tag: 'Third', value: 'x' }, v2('Choice'), v1('Choice'), '', 'unknown constructor Third in variant v1:Main:Choice'],
  [{ a: 1, b: 2 }, v1('Changed'), v2('Changed'), 'a', 'mismatching type: Text'],
  [
    { value: 1 },
    v1('Amount'),
    v2('Amount'),
    'value',
    'Non-normalized Numeric: the type expects scale 3, but the value has scale 2',
  ],
]

for (const [json, from, to, path, reason] of failing) {
  test(`${JSON.stringify(json)} cannot be translated: ${reason}`, () => {
    assert.throws(
      () => moved(json, from, to),
      (error) => {
        assert.ok(error instanceof ValueError)
        const { code } = error
        assert.deepEqual(
          [code, error.path, error.reason],
          ['INTERPRETATION_UPGRADE_ERROR_TRANSLATION_FAILED', path, reason],
        )
        return true
      },
    )
  })
}

test('a value of the same type is itself', () => {
  const value = codecFor(v1('Outer')).decode(outer)
  assert.equal(translate(value, v1('Outer'), v1('Outer')), value)
})
