// Who sees what of a transaction (Canton: BlindingTransaction.scala). A node is seen by those it concerns and by all who
// see the node around it. A contract that somebody sees used without being its stakeholder is divulged to them.
import { informeesOf, type Node } from './nodes.ts'
import { difference, nobody, type Parties, union } from './parties.ts'

export type Blinding = {
  /** By id of node; a rollback is seen by those who see the exercise around it. */
  readonly witnesses: readonly Parties[]
  /** By contract id. */
  readonly divulged: ReadonlyMap<string, Parties>
}

export function blind({
  nodes,
  roots,
}: {
  readonly nodes: readonly Node[]
  readonly roots: readonly number[]
}): Blinding {
  const witnesses: Parties[] = []
  const divulged = new Map<string, Parties>()

  function divulge(contractId: string, parties: Parties): void {
    if (parties.length > 0) divulged.set(contractId, union(divulged.get(contractId) ?? nobody, parties))
  }

  function visit(id: number, around: Parties): void {
    const node = nodes[id]!
    const seenBy = node.kind === 'rollback' ? around : union(around, informeesOf(node))
    witnesses[id] = seenBy
    if (node.kind === 'fetch') divulge(node.contractId, difference(around, node.stakeholders))
    if (node.kind === 'exercise') {
      divulge(node.contractId, difference(union(around, node.choiceObservers), node.stakeholders))
    }
    if (node.kind === 'exercise' || node.kind === 'rollback') for (const child of node.children) visit(child, seenBy)
  }

  for (const root of roots) visit(root, nobody)
  return { witnesses, divulged }
}
