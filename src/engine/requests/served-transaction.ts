// The result of an interpretation for the ledger: the events as they are stored and served, and the effects that commit
// checks and records.
import type { InformeeTree } from '../../events/format/transaction-projection.ts'
import {
  type CreatedContract,
  type EventNode as ServedNode,
  type ServedTransaction,
  writeTransaction,
} from '../../events/format/transaction-writing.ts'
import type { Int64 } from '../../lf/values/values.ts'
import { informeesOf as informeesOfNode } from '../transaction/nodes.ts'
import type { Parties } from '../transaction/parties.ts'
import type { TransactionEvents } from './events.ts'
import { type PartyRole, rolesOf } from './party-roles.ts'

export type LedgerEffects = {
  readonly created: readonly CreatedContract[]
  /** All archived contracts, including those of this transaction. */
  readonly archived: readonly string[]
  readonly inputContracts: readonly string[]
  /** One for each root node: a participant confirms or rejects it together with all that it causes. */
  readonly views: readonly View[]
  /** When the latest of these was created, in microseconds, if that is after the ledger time of the transaction. */
  readonly laterInput: bigint | undefined
  readonly keyInputs: TransactionEvents['keyInputs']
  readonly packages: readonly string[]
  /** Informees that see no event: of a fetch, a key or something rolled back. */
  readonly onlookers: readonly string[]
  /** How many contracts it fetched and keys it looked up, without what was rolled back. */
  readonly fetched: number
  readonly lookedUp: number
  /** Who sees which part of it, with numbers as in `informeesOf`; absent if all see everything, or if nobody asked. */
  readonly tree?: InformeeTree
  /** Of all informees; absent if nobody asked. */
  readonly roles?: readonly PartyRole[]
}

/** Numbers of informees (`informeesOf`), and of input contracts. */
export type View = readonly [confirmers: readonly number[], inputs: readonly number[]]

export type Served = { readonly served: ServedTransaction; readonly effects: LedgerEffects }

/** All informees, whether they see an event or not. */
export function informeesOf({ served: { parties }, effects: { onlookers } }: Served): readonly string[] {
  return onlookers.length === 0 ? parties : [...parties, ...onlookers]
}

/** `isShared`: other participants may see parts of it. */
export function serve(transaction: TransactionEvents, createdAt: Int64, isShared = false): Served {
  const { inputContracts, laterInput, keyInputs, packages } = transaction
  const { nodes, fetched, lookedUp } = servedNodes(transaction)
  const { served, created, archived } = writeTransaction(nodes, createdAt)
  const onlookers = onlookersOf(transaction, new Set(served.parties))
  const tree = isShared ? treeOf(transaction, [...served.parties, ...onlookers]) : undefined
  return {
    served,
    effects: {
      created,
      archived,
      inputContracts,
      views: viewsOf(transaction, [...served.parties, ...onlookers]),
      laterInput: laterInput === undefined ? undefined : BigInt(laterInput),
      keyInputs,
      packages,
      onlookers,
      fetched,
      lookedUp,
      ...(tree && { tree }),
      ...(isShared && { roles: rolesOf(transaction) }),
    },
  }
}

/** The creates and exercises that were not rolled back; counts the fetches and lookups. */
function servedNodes({ nodes }: TransactionEvents): { nodes: ServedNode[]; fetched: number; lookedUp: number } {
  const served: ServedNode[] = []
  let [fetched, lookedUp] = [0, 0]
  for (let id = 0; id < nodes.length; id += 1) {
    const node = nodes[id]!
    if (node.kind === 'create' || node.kind === 'exercise') served.push(node)
    else if (node.kind === 'rollback') id = node.lastDescendantId
    else if (node.kind === 'fetch') fetched += 1
    else lookedUp += 1
  }
  return { nodes: served, fetched, lookedUp }
}

function onlookersOf({ nodes }: TransactionEvents, seeing: ReadonlySet<string>): string[] {
  const onlookers = new Set<string>()
  for (const { witnesses } of nodes) for (const party of witnesses) if (!seeing.has(party)) onlookers.add(party)
  return [...onlookers]
}

/** Who confirms a node is as in Canton (LfTransactionUtil): signatories or maintainers, and then actors. */
function viewsOf({ nodes, roots, inputContracts }: TransactionEvents, informees: readonly string[]): View[] {
  const partyNumbers = new Map(informees.map((party, number) => [party, number]))
  const inputNumbers = new Map(inputContracts.map((id, number) => [id, number]))
  return roots.map((root) => {
    const confirmers = new Set<number>()
    const inputs = new Set<number>()
    const confirm = (parties: Parties) => {
      for (const party of parties) confirmers.add(partyNumbers.get(party)!)
    }
    const use = (contractId: string) => {
      const number = inputNumbers.get(contractId)
      if (number !== undefined) inputs.add(number)
    }
    for (const node of nodes.slice(root, nodes[root]!.lastDescendantId + 1)) {
      if (node.kind === 'rollback') continue
      if (node.kind === 'query-by-key') {
        confirm(node.key.maintainers)
        node.contractIds.forEach(use)
        continue
      }
      confirm(node.signatories)
      if (node.kind === 'create') continue
      confirm(node.actors)
      use(node.contractId)
    }
    return [[...confirmers], [...inputs]]
  })
}

/** Undefined if all parties see everything. */
function treeOf({ nodes }: TransactionEvents, parties: readonly string[]): InformeeTree | undefined {
  if (nodes.every(({ witnesses }) => witnesses.length === parties.length)) return undefined
  const numbers = new Map(parties.map((party, index) => [party, index]))
  const parents: number[] = nodes.map(() => -1)
  const informees = nodes.map((node): number[] => {
    if (node.kind === 'exercise' || node.kind === 'rollback')
      for (const child of node.children) parents[child] = node.id
    return node.kind === 'rollback' ? [] : informeesOfNode(node).map((party) => numbers.get(party)!)
  })
  return { parents, informees }
}
