// What a command would do, in full, for developers: every node with who authorises and who sees it, what is read, time
// bounds, messages and effort. Only made when it is asked for.
import { instantToText } from '../../lf/codec/time-text.ts'
import { type Parties, union } from '../transaction/parties.ts'
import type { EventNode, TransactionEvents } from './events.ts'

export type Effort = { readonly steps: number; readonly microseconds: number }

/** As JSON: the fields of an object, without its braces. */
export function accountOf(
  { nodes, roots, inputContracts, keyInputs, packages, timeBounds }: TransactionEvents,
  actAs: readonly string[],
  traces: readonly string[],
  { steps, microseconds }: Effort,
): string {
  const authorizers = authorizersOf(nodes, roots, actAs.toSorted())
  const shown = nodes.map((node) => shownNode(node, authorizers.get(node.id)!))
  return [
    `"roots":${JSON.stringify(roots)}`,
    `"nodes":[${shown.join(',')}]`,
    `"contractsRead":${JSON.stringify(inputContracts)}`,
    `"keysRead":${JSON.stringify(keyInputs.map(({ hash, ids }) => ({ keyHash: hash, contractIds: ids })))}`,
    `"packages":${JSON.stringify(packages)}`,
    `"earliest":"${instantToText(timeBounds.min)}"`,
    `"latest":"${instantToText(timeBounds.max)}"`,
    `"traces":${JSON.stringify(traces)}`,
    `"steps":${steps}`,
    `"microseconds":${microseconds}`,
  ].join(',')
}

/** A choice is executed with the authority of its contract's signatories and its actors. */
function authorizersOf(nodes: readonly EventNode[], roots: readonly number[], actAs: Parties): Map<number, Parties> {
  const authorizers = new Map<number, Parties>(roots.map((root) => [root, actAs]))
  for (const node of nodes) {
    if (node.kind !== 'exercise' && node.kind !== 'rollback') continue
    const below = node.kind === 'exercise' ? union(node.signatories, node.actors) : authorizers.get(node.id)!
    for (const child of node.children) authorizers.set(child, below)
  }
  return authorizers
}

/** Values are JSON already. */
function shownNode(node: EventNode, authorizers: Parties): string {
  const { id: nodeId, witnesses } = node
  const own = { nodeId, authorizers, witnesses }
  switch (node.kind) {
    case 'create':
      return tagged('Create', { ...own, ...ofContract(node) }, { ...ofKey(node), createArgument: node.createArgument })
    case 'exercise': {
      const { choice, choiceObservers, isConsuming: consuming, children } = node
      return tagged(
        'Exercise',
        { ...own, ...ofContract(node), ...ofUse(node), choice, choiceObservers, consuming, children },
        { ...ofKey(node), choiceArgument: node.choiceArgument, exerciseResult: node.exerciseResult ?? 'null' },
      )
    }
    case 'fetch':
      return tagged('Fetch', { ...own, ...ofContract(node), ...ofUse(node) }, ofKey(node))
    case 'query-by-key': {
      const { templateId, packageName, contractIds, key } = node
      const fields = { ...own, templateId, packageName, contractIds, maintainers: key.maintainers }
      return tagged('QueryByKey', fields, { contractKey: key.json })
    }
    case 'rollback':
      return tagged('Rollback', { ...own, children: node.children }, {})
  }
}

type OfContract = Extract<EventNode, { readonly contractId: string }>

function ofContract({ templateId, packageName, contractId, signatories, stakeholders, key }: OfContract) {
  return { templateId, packageName, contractId, signatories, stakeholders, maintainers: key?.maintainers ?? [] }
}

function ofKey({ key }: OfContract) {
  return { contractKey: key?.json ?? 'null' }
}

function ofUse({ interfaceId, actors, isByKey: byKey }: Extract<EventNode, { readonly actors: Parties }>) {
  return { interfaceId: interfaceId ?? null, actors, byKey }
}

function tagged(tag: string, fields: object, values: Readonly<Record<string, string>>): string {
  const written = Object.entries(values).map(([name, json]) => `,"${name}":${json}`)
  return `{"${tag}":{${JSON.stringify(fields).slice(1, -1)}${written.join('')}}}`
}
