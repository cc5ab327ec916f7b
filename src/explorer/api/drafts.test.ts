import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TypeDescription } from '../../codegen/type-description.ts'
import { blankOf, draftFrom, jsonOf, type Types } from './drafts.ts'
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
})
