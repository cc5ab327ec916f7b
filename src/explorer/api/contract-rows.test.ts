import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldOf, leafText, pathsIn } from './contract-rows.ts'
import type { Json } from './wire.ts'

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

test('leaves of records have paths, lists have none', () => {
  const value = { owner: 'Alice', iou: { amount: '1', deep: { isOpen: false } }, observers: ['bob'], note: null }
  assert.deepEqual(pathsIn(value), ['owner', 'iou.amount', 'iou.deep.isOpen'])
})

test('what has parts cannot be compared', () => {
  const values: readonly Json[] = ['', 'EUR', true, 1, null, [], {}]
  assert.deepEqual(values.map(leafText), ['', 'EUR', 'true', '1', undefined, undefined, undefined])
})

test('a field is one of the contract, not of its prototype', () => {
  assert.deepEqual([fieldOf(row, 'owner', false), fieldOf(row, 'constructor', false)], ['Alice', undefined])
})
