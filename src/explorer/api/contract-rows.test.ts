import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareValues, containsText, fieldOf } from './contract-rows.ts'
import type { Json } from './wire.ts'

const sorted: [title: string, values: Json[]][] = [
  ['numbers by size', ['-3', '2.0000000000', '10', '9223372036854775806', '9223372036854775807']],
  ['decimals of different length', ['-0.5', '0.25', '1', '1.1']],
  ['texts by their characters', ['', 'Alice', 'alice', 'bob']],
  ['other values by their JSON', [['a'], [], { a: 1 }]],
]
for (const [title, values] of sorted) {
  test(`sorting: ${title}`, () => assert.deepEqual(values.toReversed().sort(compareValues), values))
}

const event = {
  offset: 1,
  nodeId: 0,
  contractId: '00ab',
  templateId: 'p:M:T',
  packageName: 'p',
  acsDelta: true,
  createdAt: '',
  createArgument: { owner: 'Alice', nested: { currency: 'EUR' } },
  signatories: ['bank'],
  witnessParties: [],
}
const row = { event, synchronizerId: 's' }

test('a text is found in fields, ids and parties, in any case', () => {
  for (const text of ['eur', 'ALICE', '00AB', 'bank']) assert.ok(containsText(row, text), text)
  assert.ok(!containsText(row, 'USD'))
})

test('a field is one of the contract, not of its prototype', () => {
  assert.deepEqual([fieldOf(row, 'owner', false), fieldOf(row, 'constructor', false)], ['Alice', undefined])
})
