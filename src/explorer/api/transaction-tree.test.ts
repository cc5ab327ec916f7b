import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changesOf, countsBelow, type EventNode, found, grouped, treeOf } from './transaction-tree.ts'
import type { LedgerEvent } from './wire.ts'

const common = { offset: 1, templateId: 'p:M:T', packageName: 'p', witnessParties: ['alice'], acsDelta: true }
const create = (nodeId: number, contractId = `c${nodeId}`): LedgerEvent => ({
  CreatedEvent: { ...common, nodeId, contractId, createArgument: {}, signatories: [], createdAt: '' },
})
const exercise = (nodeId: number, lastDescendantNodeId: number, contractId = 'c', consuming = true): LedgerEvent => ({
  ExercisedEvent: {
    ...common,
    nodeId,
    lastDescendantNodeId,
    contractId,
    consuming,
    choice: `Choice${nodeId}`,
    choiceArgument: {},
    actingParties: ['bob'],
  },
})

const shape = (nodes: readonly EventNode[]): unknown[] =>
  nodes.map(({ nodeId, children }) => (children.length === 0 ? nodeId : [nodeId, ...shape(children)]))

const rows: [title: string, events: LedgerEvent[], tree: unknown[]][] = [
  ['one create', [create(0)], [0]],
  ['what an exercise caused is inside it', [exercise(0, 2), create(1), create(2), create(3)], [[0, 1, 2], 3]],
  ['exercises nest', [exercise(0, 4), exercise(1, 2), create(2), exercise(3, 3), create(4)], [[0, [1, 2], 3, 4]]],
  ['a gap in the numbers changes nothing', [exercise(2, 9), create(5), create(9), create(12)], [[2, 5, 9], 12]],
  ['events in any order', [create(2), exercise(0, 2), create(1)], [[0, 1, 2]]],
]
for (const [title, events, tree] of rows) {
  test(`a tree: ${title}`, () => assert.deepEqual(shape(treeOf(events)), tree))
}

test('twenty neighbours that do the same are a group, nineteen are not', () => {
  const creates = (from: number, count: number) => Array.from({ length: count }, (_, index) => create(from + index))
  const events = [...creates(0, 20), exercise(20, 20, 'x'), ...creates(21, 19)]
  const lines = grouped(treeOf(events))
  assert.deepEqual(
    lines.map((line) => ('alike' in line ? line.alike.length : line.nodeId)),
    [20, 20, ...Array.from({ length: 19 }, (_, index) => 21 + index)],
  )
})

test('what is inside a node is counted, without the node itself', () => {
  const [root] = treeOf([exercise(0, 4), create(1), exercise(2, 3), create(3), exercise(4, 4, 'c', false)])
  assert.deepEqual(countsBelow([root!]), { events: 4, created: 2, archived: 1 })
})

test('a text is found in choices, ids and values, with the nodes that lead there', () => {
  const tree = treeOf([exercise(0, 3), create(1, '00ab'), exercise(2, 3), create(3, '00cd'), create(4)])
  const shownFor = (text: string) => {
    const { nodes, count } = found(tree, text)
    return [shape(nodes), count]
  }
  assert.deepEqual(shownFor('00CD'), [[[0, [2, 3]]], 1])
  assert.deepEqual(shownFor('choice2'), [[[0, 2]], 1])
  assert.deepEqual(shownFor(' 00ab '), [[[0, 1]], 1])
  assert.deepEqual(shownFor('alice'), [[[0, 1, [2, 3]], 4], 5])
  assert.deepEqual(shownFor('nothing'), [[], 0])
})

test('what is created and archived at once has changed nothing', () => {
  const { created, archived, passing } = changesOf([
    ...[exercise(0, 4, 'old'), create(1, 'kept'), create(2, 'brief')],
    ...[exercise(3, 3, 'brief'), exercise(4, 4, 'kept', false)],
  ])
  assert.deepEqual(
    [created.map(({ contractId }) => contractId), archived.map(({ contractId }) => contractId), passing],
    [['kept'], ['old'], 1],
  )
})
