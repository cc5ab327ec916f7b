// The normal form of rollbacks and the numbering of nodes, in a notation for trees.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NodeTree } from './nodes.ts'
import { normaliseRollbacks, numberNodes, rollbackOf } from './rollback.ts'

// A letter is a fetch, e(…) an exercise, r(…) a rollback.
const cases: [tree: string, normal: string][] = [
  ['', ''],
  ['a', 'a'],
  ['r()', ''],
  ['a r() b', 'a b'],
  ['r(a)', 'r(a)'],
  ['r(r(a))', 'r(a)'],
  ['r(r(r(a)))', 'r(a)'],
  ['r(r(a) b)', 'r(a) r(b)'],
  ['r(r(a) r(b))', 'r(a) r(b)'],
  ['r(r(a) r(b) c)', 'r(a) r(b) r(c)'],
  ['r(a r(b))', 'r(a b)'],
  ['r(a r(b c))', 'r(a b c)'],
  ['r(a r(b r(c)))', 'r(a b c)'],
  ['r(a r(b) c)', 'r(a r(b) c)'],
  ['r(a r(b) r(c))', 'r(a r(b) c)'],
  ['r(r(a) b r(c))', 'r(a) r(b c)'],
  ['r(a r(b r(c) d) e)', 'r(a r(b r(c) d) e)'],
  ['r(r() a r())', 'r(a)'],
  ['e(r(r(a) b) c)', 'e(r(a) r(b) c)'],
  ['r(e(r(r(a))))', 'r(e(r(a)))'],
  ['r(e(r(a) r(b)))', 'r(e(r(a) r(b)))'],
]

for (const [tree, normal] of cases) {
  test(`${tree || 'nothing'} is ${normal || 'nothing'} in normal form`, () => {
    const roots = normaliseRollbacks(treeFromText(tree))
    assert.equal(treesToText(roots), normal)
    assert.equal(treesToText(normaliseRollbacks(roots)), normal)
  })
}

test('nodes are numbered in pre-order, and record where their subtree ends', () => {
  const { nodes, roots } = numberNodes(normaliseRollbacks(treeFromText('a e(b r(r(c) d) e(f)) g')))
  const numbers = nodes.map(({ kind, id, lastDescendantId }) => `${kind[0]}${id}-${lastDescendantId}`)
  assert.deepEqual(numbers, ['f0-0', 'e1-8', 'f2-2', 'r3-4', 'f4-4', 'r5-6', 'f6-6', 'e7-8', 'f8-8', 'f9-9'])
  assert.deepEqual(roots, [0, 1, 9])
  assert.deepEqual('children' in nodes[1]! && nodes[1].children, [2, 3, 5, 7])
})

test('the last descendant of an exercise is none that was rolled back', () => {
  const { nodes } = numberNodes(treeFromText('e(a e(b r(c)) r(d e(f))) e(r(a)) e(r(a) b)'))
  const numbers = nodes.flatMap(({ kind, id, lastDescendantId }) =>
    kind === 'exercise' ? [[id, lastDescendantId]] : [],
  )
  assert.deepEqual(numbers.join(' '), '0,3 2,3 8,9 10,10 13,16')
})

function treeFromText(text: string): NodeTree[] {
  const tokens = text.match(/[er]\(|\w|\)/g) ?? []
  const read = (): NodeTree[] => {
    const nodes: NodeTree[] = []
    for (let token = tokens.shift(); token !== undefined && token !== ')'; token = tokens.shift()) {
      if (token === 'e(') nodes.push({ kind: 'exercise', children: read() } as unknown as NodeTree)
      else if (token === 'r(') nodes.push(rollbackOf(read()))
      else nodes.push({ kind: 'fetch', contractId: token } as unknown as NodeTree)
    }
    return nodes
  }
  return read()
}

function treesToText(nodes: readonly NodeTree[]): string {
  const one = (node: NodeTree) => {
    if (node.kind === 'fetch') return node.contractId
    return 'children' in node ? `${node.kind[0]}(${treesToText(node.children)})` : '?'
  }
  return nodes.map(one).join(' ')
}
