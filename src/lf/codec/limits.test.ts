import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Type } from '../ast.ts'
import { OrderedMap } from '../ordered-map.ts'
import { compareValues } from '../testing/compare-values.ts'
import {
  dataType,
  genMapType,
  intType,
  listType,
  optionalType,
  testId,
  textMapType,
  textType,
} from '../testing/data-package.ts'
import { sampleTypes } from '../testing/sample-types.ts'
import { type LfValue, listFromArray, none, Some, Variant } from '../values.ts'
import { createLedgerValueCheck } from './limits.ts'

const checkLedgerValue = createLedgerValueCheck(sampleTypes)

const mapOf = (key: LfValue, value: LfValue): OrderedMap => OrderedMap.empty(compareValues).with(key, value)
const iou = (note: LfValue): LfValue => new (sampleTypes.record(testId('Iou')).create)('alice', undefined, note)
const leaf = (content: LfValue): LfValue => new Variant(sampleTypes.variant(testId('Tree')), 0, content)

const malformed: [type: Type, value: LfValue, reason: string][] = [
  [textType, 'a\0b', 'Text is malformed: Text contains null character'],
  [textType, '\ud83d', 'Text is malformed: Text contains unpaired high surrogate'],
  [optionalType(textType), new Some('\udc00'), 'Text is malformed: Text contains unpaired low surrogate'],
  [listType(textType), listFromArray(['', '\0']), 'Text is malformed: Text contains null character'],
  [textMapType(intType), mapOf('\0', 1), 'Text is malformed: Text contains null character'],
  [genMapType(textType, intType), mapOf('\0', 1), 'Text is malformed: Text contains null character'],
  [genMapType(intType, textType), mapOf(1, '\0'), 'Text is malformed: Text contains null character'],
  [dataType('Iou'), iou(new Some('\0')), 'Text is malformed: Text contains null character'],
  [dataType('Tree', textType), leaf('\0'), 'Text is malformed: Text contains null character'],
]

for (const [index, [type, value, reason]] of malformed.entries()) {
  test(`malformed text is found wherever it is (${index})`, () => {
    assert.throws(() => checkLedgerValue(value, type), { code: 'MALFORMED_TEXT', reason })
  })
}

test('text that UTF-8 can hold, and None, may go to the ledger', () => {
  checkLedgerValue(iou(none), dataType('Iou'))
  checkLedgerValue(iou(new Some('a¶‱😂\u0001')), dataType('Iou'))
})

/** Links at depths 0, 2, 4, …: a record and its Optional. */
function chain(links: number): LfValue {
  const { create: Chain } = sampleTypes.record(testId('Chain'))
  let value: LfValue = none
  for (let link = 0; link < links; link++) value = new Some(new Chain(1, value))
  return (value as Some).value
}

const optionals = (levels: number): [Type, LfValue] => {
  let [type, value]: [Type, LfValue] = [intType, 1]
  for (let level = 0; level < levels; level++) [type, value] = [optionalType(type), new Some(value)]
  return [type, value]
}

test('values may be nested 100 deep, and no deeper', () => {
  const reason = 'Value exceeds maximum nesting value of 100'
  const nesting = { code: 'VALUE_NESTING', reason }
  checkLedgerValue(chain(50), dataType('Chain'))
  assert.throws(() => checkLedgerValue(chain(51), dataType('Chain')), nesting)
  const [allowed, forbidden] = [optionals(100), optionals(101)]
  checkLedgerValue(allowed[1], allowed[0])
  assert.throws(() => checkLedgerValue(forbidden[1], forbidden[0]), nesting)
})

test('a record at the deepest level may have fields that are None', () => {
  let [type, value]: [Type, LfValue] = [
    dataType('Optionals'),
    new (sampleTypes.record(testId('Optionals')).create)(none, none, none),
  ]
  for (let level = 0; level < 100; level++) [type, value] = [optionalType(type), new Some(value)]
  checkLedgerValue(value, type)
  assert.throws(() => checkLedgerValue(new Some(value), optionalType(type)), { code: 'VALUE_NESTING' })
})
