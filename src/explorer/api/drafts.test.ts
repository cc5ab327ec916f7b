import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TypeDescription } from '../../codegen/type-description.ts'
import { blankOf, draftFrom, isComplete, jsonOf, problemWith, type Types } from './drafts.ts'
import type { Json } from './wire.ts'

const text: TypeDescription = { kind: 'Text' }
const int: TypeDescription = { kind: 'Int64' }
const optional = (of: TypeDescription): TypeDescription => ({ kind: 'Optional', of })
const a: TypeDescription = { kind: 'Variable', name: 'a' }
const data = (name: string, ...args: TypeDescription[]): TypeDescription => ({ kind: 'Data', id: `p:M:${name}`, args })
const types: Types = {
  'p:M:Pair': {
    kind: 'record',
    parameters: ['a'],
    fields: [
      { name: 'first', type: a },
      { name: 'second', type: optional(a) },
    ],
  },
  'p:M:Outer': { kind: 'record', parameters: ['a'], fields: [{ name: 'pair', type: data('Pair', optional(a)) }] },
  'p:M:Tree': {
    kind: 'variant',
    parameters: [],
    constructors: [
      { name: 'Leaf', type: { kind: 'Unit' } },
      { name: 'Node', type: { kind: 'List', of: data('Tree') } },
    ],
  },
  'p:M:Loop': { kind: 'record', parameters: [], fields: [{ name: 'again', type: data('Loop') }] },
  'p:M:Colour': { kind: 'enum', parameters: [], names: ['Red', 'Green'] },
}

describe('drafts', () => {
  test('come back as the JSON that they were made from', () => {
    const table: [TypeDescription, Json][] = [
      [text, 'x'],
      [{ kind: 'Bool' }, true],
      [{ kind: 'Unit' }, {}],
      [optional(text), null],
      [optional(text), 'x'],
      [optional(optional(text)), []],
      [optional(optional(text)), [[]]],
      [optional(optional(text)), [['x']]],
      [optional(optional(optional(int))), [[['1']]]],
      [{ kind: 'List', of: optional(text) }, ['x', null]],
      [{ kind: 'TextMap', of: int }, { k: '1' }],
      [{ kind: 'GenMap', key: int, of: text }, [['1', 'x']]],
      [data('Pair', int), { first: '1', second: null }],
      [data('Pair', optional(int)), { first: null, second: '1' }],
      [data('Pair', optional(optional(int))), { first: [['1']], second: [[]] }],
      [data('Outer', int), { pair: { first: '1', second: '2' } }],
      [data('Outer', optional(int)), { pair: { first: null, second: '2' } }],
      [data('Tree'), { tag: 'Node', value: [{ tag: 'Leaf', value: {} }] }],
      [data('Colour'), 'Green'],
      [data('Unheard'), { any: [1] }],
    ]
    for (const [type, json] of table) assert.deepEqual(jsonOf(draftFrom(json, type, types), type, types), json)
  })

  test('begin empty, and end where a type contains itself', () => {
    assert.deepEqual(jsonOf(blankOf(data('Pair', text), types), data('Pair', text), types), { first: '', second: null })
    assert.deepEqual(jsonOf(blankOf(data('Tree'), types), data('Tree'), types), { tag: 'Leaf', value: {} })
    assert.ok(JSON.stringify(blankOf(data('Loop'), types)).length < 2000)
  })

  test('tell what is wrong with a text', () => {
    const table: [TypeDescription, string, boolean][] = [
      [int, '12', true],
      [int, '1.5', false],
      [{ kind: 'Numeric', scale: 2 }, '1.25', true],
      [{ kind: 'Numeric', scale: 2 }, '1.255', false],
      [{ kind: 'Date' }, '2030-01-31', true],
      [{ kind: 'Date' }, 'soon', false],
      [{ kind: 'Timestamp' }, '2030-01-31T12:00:00Z', true],
      [{ kind: 'Party' }, 'alice', false],
      [{ kind: 'ContractId', of: text }, '00ab', true],
      [text, '', true],
    ]
    for (const [type, given, isFine] of table) assert.equal(problemWith(given, type) === undefined, isFine, given)
    const pair = data('Pair', int)
    assert.equal(isComplete(draftFrom({ first: '1', second: '2' }, pair, types), pair, types), true)
    assert.equal(isComplete(draftFrom({ first: '1', second: 'x' }, pair, types), pair, types), false)
  })
})
