// The normal form of rollbacks, and the numbers of nodes (Canton: NormalizeRollbacks.scala). A rollback of nothing
// disappears; rollbacks at the start of a rollback move out in front of it; one at its end becomes part of it. So every
// rollback begins and ends with an action. Actions keep their order, and with it the order of their seeds.
import { childrenOf, type Node, type NodeTree, type Rollback } from './nodes.ts'

export function normaliseRollbacks(nodes: readonly NodeTree[]): NodeTree[] {
  return nodes.flatMap((node) => {
    if (node.kind === 'rollback') return rollBack(normaliseRollbacks(node.children))
    if (node.kind === 'exercise' && node.children.length > 0) {
      return { ...node, children: normaliseRollbacks(node.children) }
    }
    return node
  })
}

/** Of children that are in normal form themselves. */
function rollBack(children: NodeTree[]): NodeTree[] {
  const firstAction = children.findIndex(({ kind }) => kind !== 'rollback')
  if (firstAction < 0) return children
  const inFront = children.slice(0, firstAction)
  const rest = children.slice(firstAction)
  const last = rest.at(-1)!
  const together = last.kind === 'rollback' ? [...rest.slice(0, -1), ...last.children] : rest
  return [...inFront, { kind: 'rollback', children: together } satisfies Rollback<NodeTree>]
}

/** In pre-order: a node's id is its index. */
export function numberNodes(roots: readonly NodeTree[]): { nodes: Node[]; roots: number[] } {
  const nodes: Node[] = []

  function add(tree: NodeTree): number {
    const id = nodes.length
    nodes.push(undefined as unknown as Node) // Its place, before its children take theirs.
    const children = childrenOf(tree).map(add)
    const numbers = { id, lastDescendantId: nodes.length - 1 }
    nodes[id] =
      tree.kind === 'exercise' || tree.kind === 'rollback' ? { ...tree, children, ...numbers } : { ...tree, ...numbers }
    return id
  }

  return { roots: roots.map(add), nodes }
}
