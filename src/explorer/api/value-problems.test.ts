// What is wrong with a value, and where.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TypeDescription } from '../../codegen/type-description.ts'
import { blankOf, draftFrom, type Types } from './drafts.ts'
import { problemsInDraft, problemsInJson, problemWith } from './value-problems.ts'
import type { Json } from './wire.ts'

const text: TypeDescription = { kind: 'Text' }
const int: TypeDescription = { kind: 'Int64' }
const party: TypeDescription = { kind: 'Party' }
const optional = (of: TypeDescription): TypeDescription => ({ kind: 'Optional', of })
const data = (name: string): TypeDescription => ({ kind: 'Data', id: `p:M:${name}`, args: [] })
const types: Types = {
  'p:M:Iou': {
    kind: 'record',
    parameters: [],
    fields: [
      { name: 'owner', type: party },
      { name: 'amount', type: { kind: 'Numeric', scale: 2 } },
      { name: 'note', type: optional(text) },
      { name: 'observers', type: { kind: 'List', of: party } },
    ],
  },
  'p:M:Offer': {
    kind: 'record',
    parameters: [],
    fields: [
      { name: 'iou', type: data('Iou') },
      { name: 'limits', type: { kind: 'GenMap', key: int, of: int } },
      { name: 'names', type: { kind: 'TextMap', of: int } },
      { name: 'colour', type: data('Colour') },
      { name: 'shape', type: data('Shape') },
      { name: 'deep', type: optional(optional(int)) },
    ],
  },
  'p:M:Shape': {
    kind: 'variant',
    parameters: [],
    constructors: [
      { name: 'Circle', type: int },
      { name: 'Point', type: { kind: 'Unit' } },
    ],
  },
  'p:M:Colour': { kind: 'enum', parameters: [], names: ['Red', 'Green'] },
}
const alice = 'alice::1220'
const iou = { owner: alice, amount: '1.5', note: null, observers: [] }
const offer: Json = {
  iou,
  limits: [['1', '2']],
  names: { a: '1' },
  colour: 'Red',
  shape: { tag: 'Circle', value: '3' },
  deep: [],
}

test('a text fits its type or not', () => {
  const table: [TypeDescription, string, boolean][] = [
    [int, '12', true],
    [int, '1.5', false],
    [{ kind: 'Numeric', scale: 2 }, '1.25', true],
    [{ kind: 'Numeric', scale: 2 }, '1.255', false],
    [{ kind: 'Date' }, '2030-01-31', true],
    [{ kind: 'Date' }, 'soon', false],
    [{ kind: 'Timestamp' }, '2030-01-31T12:00:00Z', true],
    [party, 'alice', false],
    [{ kind: 'ContractId', of: text }, '00ab', true],
    [text, '', true],
  ]
  for (const [type, given, isFine] of table) assert.equal(problemWith(given, type) === undefined, isFine, given)
})

describe('a form', () => {
  const wordsOf = (json: Json, type: TypeDescription) =>
    problemsInDraft(draftFrom(json, type, types), type, types).map(({ words }) => words)

  test('names missing fields in the order of the form', () => {
    const words = problemsInDraft(blankOf(data('Iou'), types), data('Iou'), types).map(({ words }) => words)
    assert.deepEqual(words, ['owner is missing', 'amount is missing'])
    assert.deepEqual(wordsOf({ ...iou, observers: ['', alice] }, data('Iou')), ['observers 1 is missing'])
  })

  test('names wrong values at any depth', () => {
    assert.deepEqual(wordsOf(offer, data('Offer')), [])
    const wrong = {
      ...offer,
      iou: { ...iou, amount: 'a lot' },
      limits: [['x', '2']],
      shape: { tag: 'Circle', value: '' },
    }
    assert.deepEqual(wordsOf(wrong, data('Offer')), [
      'iou.amount: A number, such as 12.5',
      'limits key 1: A whole number',
      'shape.Circle is missing',
    ])
  })

  test('names no more problems than anybody reads', () => {
    const observers = Array.from({ length: 1000 }, () => '')
    assert.equal(wordsOf({ ...iou, observers }, data('Iou')).length, 20)
  })
})

describe('JSON that was pasted', () => {
  const rows: [title: string, json: Json, type: TypeDescription, problems: string[]][] = [
    ['fits', offer, data('Offer'), []],
    ['may have numbers for numbers', { ...iou, amount: 1.5 }, data('Iou'), []],
    ['may leave out what is optional', { owner: alice, amount: '1', observers: [] }, data('Iou'), []],
    ['lacks fields', { note: 'x' }, data('Iou'), ['owner is missing', 'amount is missing', 'observers is missing']],
    [
      'has a field that is misspelt',
      { ...iou, ownr: alice },
      data('Iou'),
      ['ownr: There is no such field; there are owner, amount, note, observers'],
    ],
    [
      'has a field of every object',
      JSON.parse('{"__proto__": 1}') as Json,
      data('Shape'),
      ['tag: One of Circle, Point'],
    ],
    ['is of another kind', [1], data('Iou'), ['An object']],
    ['has an item of another kind', { ...iou, observers: [alice, 7] }, data('Iou'), ['observers[1]: A party']],
    ['has a text that is still empty', { ...iou, owner: '' }, data('Iou'), ['owner is missing']],
    ['has a hint instead of a party', { ...iou, owner: 'alice' }, data('Iou'), ['owner: A party']],
    [
      'is wrong inside',
      {
        ...offer,
        iou: { ...iou, amount: '1.234' },
        limits: [['1']],
        names: { a: 'x' },
        colour: 'Blue',
        deep: '1',
      } as Json,
      data('Offer'),
      [
        'iou.amount: Digits after the point: at most 2',
        'limits[0]: A pair, [key, value]',
        'names.a: A whole number',
        'colour: One of Red, Green',
        'deep: A list of one value, or an empty one',
      ],
    ],
    ['has a tag that is none', { tag: 'Square', value: {} }, data('Shape'), ['tag: One of Circle, Point']],
    ['has more digits than JSON keeps', 2 ** 60, int, ['So many digits belong in a text, in quotes']],
  ]
  for (const [title, json, type, problems] of rows) {
    test(title, () => {
      assert.deepEqual(
        problemsInJson(json, type, types).map(({ words }) => words),
        problems,
      )
    })
  }

  test('can be shown by the form if it is only incomplete', () => {
    const isLost = (json: Json) => problemsInJson(json, data('Iou'), types).some(({ isOfShape }) => isOfShape)
    assert.deepEqual(
      [isLost({ owner: '' }), isLost({ ...iou, amount: 'x' }), isLost({ ...iou, ownr: '' })],
      [false, false, true],
    )
  })
})
