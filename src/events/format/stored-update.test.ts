import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { metaFromText, type Outlines, type StoredTransaction, transactionToText } from './stored-update.ts'

const parties = ['alice', 'bob']
const templates = ['#sample:Main:Iou', '#sample:Main:Asset']
const events = [
  ['exercise', 0, 0, [0, 1], 0, 1, 1],
  ['create', 1, 1, [0, 1], [0], 0, 1],
]
const served = { facts: JSON.stringify({ parties, templates, events }), ends: [238, 333, 377, 399, 711, 900], parties }
const facts = {
  updateId: '1220d4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35',
  commandId: 'second',
  workflowId: '',
  submitters: ['alice', 'dora'],
  effectiveAt: '2023-11-14T22:13:22Z',
  recordTime: '2023-11-14T22:13:22Z',
  synchronizerId: 'sync::1220',
  traceContext: null,
}
const outlines: Outlines = new Map()
const read = (change: Partial<typeof facts> = {}) =>
  metaFromText(transactionToText({ ...facts, ...change }, served), outlines) as StoredTransaction

describe('the description of a transaction', () => {
  test('comes back with all submitters, even those that see nothing', () => {
    const { head, setting, signedHash, ends, outline } = read()
    const { updateId, effectiveAt, recordTime } = facts
    assert.equal(`{${head}}`, JSON.stringify({ updateId, commandId: 'second', workflowId: '', effectiveAt }))
    assert.equal(`{${setting}}`, JSON.stringify({ synchronizerId: 'sync::1220', traceContext: null, recordTime }))
    assert.equal(signedHash, 'null')
    assert.deepEqual(ends, served.ends)
    assert.deepEqual(outline.submitters, ['alice', 'dora'])
    assert.deepEqual(outline.events[1], {
      kind: 'create',
      nodeId: 1,
      template: 1,
      witnesses: [0, 1],
      stakeholders: [0],
      isConsuming: false,
      isDelta: true,
    })
  })

  test('shares its outline with equal transactions', () => {
    assert.equal(read({ commandId: 'third' }).outline, read().outline)
    assert.notEqual(read({ submitters: ['alice'] }).outline, read().outline)
  })
})
