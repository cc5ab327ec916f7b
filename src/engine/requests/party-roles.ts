// What each party has to do with a transaction, for networks: the participants of a party need the packages that it sees.
// Mirrors Canton's Blinding.partyPackages.
import type { EventNode, TransactionEvents } from './events.ts'

export type PartyRole = {
  readonly party: string
  /** Packages of the nodes that it sees. */
  readonly packages: readonly string[]
  /** Whether a root node needs its authority. */
  readonly isAuthorizing: boolean
}

/** In the order in which the parties appear. */
export function rolesOf({ nodes, roots }: Pick<TransactionEvents, 'nodes' | 'roots'>): readonly PartyRole[] {
  const packages = new Map<string, Set<string>>()
  for (const node of nodes) {
    if (node.kind === 'rollback') continue
    const used = packagesOf(node)
    for (const party of node.witnesses) {
      const seen = packages.get(party)
      if (seen === undefined) packages.set(party, new Set(used))
      else for (const id of used) seen.add(id)
    }
  }
  const authorizing = new Set(roots.flatMap((root) => authorizersOf(nodes[root]!)))
  return [...packages].map(([party, seen]) => ({
    party,
    packages: [...seen],
    isAuthorizing: authorizing.has(party),
  }))
}

type Action = Exclude<EventNode, { readonly kind: 'rollback' }>

function packagesOf(node: Action): readonly string[] {
  const own = packageOf(node.templateId)
  const interfaceId = node.kind === 'exercise' || node.kind === 'fetch' ? node.interfaceId : undefined
  return interfaceId === undefined ? [own] : [own, packageOf(interfaceId)]
}

const packageOf = (typeId: string): string => typeId.slice(0, typeId.indexOf(':'))

function authorizersOf(node: EventNode): readonly string[] {
  if (node.kind === 'rollback') return []
  if (node.kind === 'query-by-key') return node.key.maintainers
  return node.kind === 'create' ? node.signatories : node.actors
}
