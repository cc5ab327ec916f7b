import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type EventNode, entityOf, eventTree, findInside } from './event-tree.ts'

const exercised = (nodeId: number, lastDescendantNodeId: number, choice = `x${nodeId}`) => ({
  ExercisedEvent: { nodeId, lastDescendantNodeId, choice },
})
const created = (nodeId: number) => ({ CreatedEvent: { nodeId } })

const shape = (nodes: readonly EventNode[]): unknown[] =>
  nodes.map(({ event, children }) => (children.length === 0 ? event.nodeId : [event.nodeId, ...shape(children)]))

test('events are inside the exercise whose range has their numbers', () => {
  const tree = eventTree([exercised(0, 4), created(1), exercised(2, 3), created(3), created(4), exercised(5, 5)])
  assert.deepEqual(shape(tree), [[0, 1, [2, 3], 4], 5])
})

test('what is inside an event that is missing moves up', () => {
  assert.deepEqual(shape(eventTree([exercised(0, 9), created(4), exercised(12, 14), created(13)])), [
    [0, 4],
    [12, 13],
  ])
})

test('an exercise is found wherever it is inside', () => {
  const [root] = eventTree([exercised(0, 3), exercised(1, 2), exercised(2, 2, 'wanted'), exercised(3, 3, 'wanted')])
  assert.equal(findInside(root!, 'wanted')!.event.nodeId, 2)
  assert.equal(findInside(root!, 'other'), undefined)
})

test('the entity of a template has no package', () => {
  assert.equal(entityOf('#splice-amulet:Splice.Amulet:Amulet'), 'Splice.Amulet:Amulet')
})
