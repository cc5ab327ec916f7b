import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { Create, Exercise, NodeTree } from './nodes.ts'
import { inReferenceOrder, type UndoneNode } from './undone-order.ts'

function nodeOf(index: number): UndoneNode {
  const hash = createHash('sha256').update(`${index}`).digest('hex')
  const contractId = `00${hash}${index % 2 === 0 ? '' : 'ca12'}`
  const module = ['Main', 'My.Module', 'A.B.C'][index % 3]!
  const templateId = { packageId: 'ab'.repeat(32), module, name: index % 5 === 0 ? 'T' : 'Outer.T' }
  if (index % 3 === 0) return { kind: 'create', contractId, templateId } as Create
  const choice = index % 4 === 0 ? 'Archive' : 'Do_It'
  return { kind: 'exercise', contractId, templateId, choice, isByKey: index % 7 === 0 } as Exercise<NodeTree>
}

const nodes = Array.from({ length: 40 }, (_, index) => nodeOf(index))
const indexes = (listed: readonly UndoneNode[]) => listed.map((node) => nodes.indexOf(node)).join(' ')

// What Scala's collections answered for these nodes and contract ids.
const sets: [count: number, order: string][] = [
  [4, '0 1 2 3'],
  [5, '2 4 0 1 3'],
  [12, '2 4 5 0 7 8 3 10 6 1 9 11'],
  [40, '13 2 16 20 17 26 0 7 33 3 10 31 30 24 28 12 29 36 4 27 38 5 8 37 22 25 23 15 34 32 1 18 9 11 21 14 19 35 6 39'],
]

for (const [count, order] of sets) {
  test(`${count} nodes are listed as a set of Scala lists them`, () => {
    assert.equal(indexes(inReferenceOrder(nodes.slice(0, count), [], () => true)), order)
  })
}

const maps: [count: number, undone: number[], order: string][] = [
  [4, [3, 1], '1 3'],
  [5, [1, 3], '3 1'],
  [12, [9, 10, 11], '10 11 9'],
  [40, [36, 37, 38, 39], '36 37 38 39'],
  [40, [17, 18, 19, 20], '20 18 19 17'],
]

for (const [count, undone, order] of maps) {
  test(`of ${count} contracts ${undone} are listed as a map of Scala lists them`, () => {
    const isUndone = (node: UndoneNode) => undone.includes(nodes.indexOf(node))
    assert.equal(indexes(inReferenceOrder(nodes.slice(0, count), [], isUndone)), order)
  })
}

test('archives come before creates', () => {
  assert.equal(indexes(inReferenceOrder(nodes.slice(2, 4), nodes.slice(0, 2), () => true)), '2 3 0 1')
})
