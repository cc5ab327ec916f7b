// The normal form of rollbacks, and the numbering of nodes (Canton: NormalizeRollbacks.scala). A rollback of nothing
// disappears; rollbacks at the start of a rollback move out in front of it; one at its end becomes part of it. So every
// rollback begins and ends with an action. Actions keep their order, and with it the order of their seeds.
import { childrenOf, type Node, type NodeTree, type Rollback, type Unfinished, unnumbered } from './nodes.ts'

export function normaliseRollbacks(nodes: readonly NodeTree[]): readonly NodeTree[] {
  for (const node of nodes as readonly Unfinished<NodeTree>[]) {
    if (node.kind === 'exercise' || node.kind === 'rollback') node.children = normaliseRollbacks(node.children)
  }
  if (nodes.every(({ kind }) => kind !== 'rollback')) return nodes
  return nodes.flatMap((node) => (node.kind === 'rollback' ? rollBack(node.children) : node))
}

/** The children are in normal form themselves. */
function rollBack(children: readonly NodeTree[]): readonly NodeTree[] {
  const firstAction = children.findIndex(({ kind }) => kind !== 'rollback')
  if (firstAction < 0) return children
  const inFront = children.slice(0, firstAction)
  const rest = children.slice(firstAction)
  const last = rest.at(-1)!
  const together = last.kind === 'rollback' ? [...rest.slice(0, -1), ...last.children] : rest
  return [...inFront, rollbackOf(together)]
}

export function rollbackOf(children: readonly NodeTree[]): Rollback<NodeTree> & NodeTree {
  return { kind: 'rollback', children, id: unnumbered, lastDescendantId: unnumbered }
}

/** In pre-order: a node's id is its index. */
export function numberNodes(roots: readonly NodeTree[]): { nodes: Node[]; roots: number[] } {
  const nodes: Node[] = []

  function add(tree: NodeTree): number {
    const node = tree as unknown as Unfinished<Node>
    node.id = nodes.length
    nodes.push(node)
    if (node.kind === 'exercise' || node.kind === 'rollback') node.children = childrenOf(tree).map(add)
    node.lastDescendantId = node.kind === 'exercise' ? lastKept(node) : nodes.length - 1
    return node.id
  }

  function lastKept({ id, children }: { readonly id: number; readonly children: readonly number[] }): number {
    const last = children.findLast((child) => nodes[child]!.kind !== 'rollback')
    return last === undefined ? id : nodes[last]!.lastDescendantId
  }

  return { roots: roots.map(add), nodes }
}
