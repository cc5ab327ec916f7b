// Who sees what of a transaction (Canton: BlindingTransaction.scala). A node is seen by its informees and by all who
// see the node around it.
import { informeesOf, type Node } from './nodes.ts'
import { nobody, type Parties, union } from './parties.ts'

type Nodes = { readonly nodes: readonly Node[]; readonly roots: readonly number[] }

/** By node id; a rollback is seen by those who see the exercise around it. */
export function witnessesOf({ nodes, roots }: Nodes): readonly Parties[] {
  const witnesses: Parties[] = []

  function visit(id: number, around: Parties): void {
    const node = nodes[id]!
    const seenBy = node.kind === 'rollback' ? around : union(around, informeesOf(node))
    witnesses[id] = seenBy
    if (node.kind === 'exercise' || node.kind === 'rollback') for (const child of node.children) visit(child, seenBy)
  }

  for (const root of roots) visit(root, nobody)
  return witnesses
}
