import assert from 'node:assert/strict'
import { test } from 'node:test'
import { updateJson } from './update-json.ts'

const created = (nodeId: number) => ({
  CreatedEvent: {
    nodeId,
    contractId: `c${nodeId}`,
    templateId: 'p:M:T',
    packageName: 'p',
    createArgument: {},
    createdAt: '2030-01-01T00:00:00Z',
    signatories: ['b', 'a'],
  },
})
const exercised = (nodeId: number, lastDescendantNodeId: number, more: object = {}) => ({
  ExercisedEvent: {
    nodeId,
    lastDescendantNodeId,
    contractId: `c${nodeId}`,
    templateId: 'p:M:T',
    packageName: 'p',
    choice: 'Go',
    choiceArgument: {},
    actingParties: ['a'],
    consuming: true,
    ...more,
  },
})

test('events are a tree: causes know their own consequences, in order', () => {
  // Nodes that the DSO does not see are missing, so numbers have gaps.
  const events = [
    exercised(0, 7),
    created(2),
    exercised(3, 6, { interfaceId: 'i:M:I' }),
    created(6),
    created(7),
    created(9),
  ]
  const transaction = {
    updateId: 'u',
    offset: 255,
    recordTime: '2030-01-01T00:00:00.5Z',
    effectiveAt: '2030-01-01T00:00:00Z',
    synchronizerId: 's',
    events,
  }
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely.
  const v0 = updateJson(transaction, 0) as any
  assert.deepEqual(v0.root_event_ids, ['#u:0', '#u:9'])
  assert.deepEqual(v0.events_by_id['#u:0'].child_event_ids, ['#u:2', '#u:3', '#u:7'])
  assert.deepEqual(v0.events_by_id['#u:3'].child_event_ids, ['#u:6'])
  assert.deepEqual(
    [v0.offset, v0.record_time, v0.workflow_id],
    ['0000000000000000ff', '2030-01-01T00:00:00.500000Z', ''],
  )

  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely.
  const v2 = updateJson(transaction, 2) as any
  assert.deepEqual(v2.root_event_ids, ['u:0', 'u:5'])
  assert.deepEqual(v2.events_by_id['u:0'].child_event_ids, ['u:1', 'u:2', 'u:4'])
  assert.equal(v2.events_by_id['u:2'].interface_id, 'i:M:I')
  assert.deepEqual(v2.events_by_id['u:1'].signatories, ['a', 'b'])
  assert.deepEqual(Object.keys(v2.events_by_id), ['u:0', 'u:1', 'u:2', 'u:3', 'u:4', 'u:5'])
})
