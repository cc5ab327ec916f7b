// A transaction in the form in which it is kept and served: the JSON of its events in pieces, with what differs from
// reader to reader left out, and beside it what decides who sees which of them. Made once, by the thread that
// interpreted the command; whoever serves it only copies bytes.
import { instantToText } from '../lf/codec/time-text.ts'
import type { Int64 } from '../lf/values.ts'
import type { CreateEvent, EventNode, ExerciseEvent, TransactionEvents } from './events.ts'

export type ServedTransaction = {
  /** All who see anything of it, sorted. */
  readonly parties: readonly string[]
  /** `#package-name:Module:Entity` of the contracts of its events, each once. */
  readonly templates: readonly string[]
  /** Creates and exercises that were not rolled back, by node id. */
  readonly events: readonly ServedEvent[]
  /** The pieces of all events, in order. */
  readonly body: Uint8Array
}

/**
 * Numbers are positions in `parties` and `templates`. A create has two pieces, from `contractId` to `createArgument`
 * and from `signatories` to `representativePackageId`. An exercise has four: `contractId` and `templateId`, then up to
 * `consuming`, then `lastDescendantNodeId` and `exerciseResult`, then `packageName`. None begins or ends with a comma.
 */
export type ServedEvent = {
  readonly kind: 'create' | 'exercise'
  readonly nodeId: number
  readonly template: number
  /** All who see it. */
  readonly witnesses: readonly number[]
  readonly stakeholders: readonly number[]
  /** Of an exercise: whether it archives the contract. */
  readonly isConsuming: boolean
  /** Whether it changes what is active after the transaction: no contract that lives only inside it does. */
  readonly isDelta: boolean
  /** Where each piece ends in `body`; the first begins where the event before ends. */
  readonly ends: readonly number[]
}

export type CreatedContract = {
  readonly contractId: string
  /** Its event among the events of the transaction. */
  readonly event: number
  readonly keyHash: string | undefined
  readonly blob: Uint8Array
}

/** What commit needs besides what is served. */
export type Effects = {
  readonly created: readonly CreatedContract[]
  /** Of all contracts that were archived, those of this transaction included. */
  readonly archived: readonly string[]
  readonly inputContracts: readonly string[]
  readonly keyInputs: TransactionEvents['keyInputs']
  readonly packages: readonly string[]
  readonly timeBounds: TransactionEvents['timeBounds']
}

type Shown = EventNode & (CreateEvent | ExerciseEvent)

export function serve(
  transaction: TransactionEvents,
  createdAt: Int64,
): { readonly served: ServedTransaction; readonly effects: Effects } {
  const shown = shownNodes(transaction)
  const parties = [...new Set(shown.flatMap(({ witnesses }) => witnesses))].sort()
  const partyNumbers = new Map(parties.map((party, index) => [party, index]))
  const templates = [...new Set(shown.map(templateName))]
  const createdHere = new Set(shown.flatMap((node) => (node.kind === 'create' ? [node.contractId] : [])))
  const archived = shown.flatMap((node) => (isArchive(node) ? [node.contractId] : []))
  const archivedHere = new Set(archived)
  const createdText = instantToText(createdAt)

  let length = 0
  const texts: string[] = []
  const add = (piece: string) => {
    texts.push(piece)
    length += Buffer.byteLength(piece)
    return length
  }
  // A stakeholder always sees its contract created and archived, but not each non-consuming exercise on it.
  const numbersOf = (list: readonly string[]) =>
    list.flatMap((party) => {
      const number = partyNumbers.get(party)
      return number === undefined ? [] : [number]
    })
  const events = shown.map((node): ServedEvent => {
    const pieces = node.kind === 'create' ? createPieces(node, createdText) : exercisePieces(node)
    return {
      kind: node.kind,
      nodeId: node.id,
      template: templates.indexOf(templateName(node)),
      witnesses: numbersOf(node.witnesses),
      stakeholders: numbersOf(node.stakeholders),
      isConsuming: isArchive(node),
      isDelta:
        node.kind === 'create'
          ? !archivedHere.has(node.contractId)
          : isArchive(node) && !createdHere.has(node.contractId),
      ends: pieces.map(add),
    }
  })
  const { inputContracts, keyInputs, packages, timeBounds } = transaction
  return {
    served: { parties, templates, events, body: Buffer.from(texts.join('')) },
    effects: {
      created: shown.flatMap((node, event) =>
        node.kind === 'create'
          ? [{ contractId: node.contractId, event, keyHash: node.key?.hash, blob: node.blob }]
          : [],
      ),
      archived,
      inputContracts,
      keyInputs,
      packages,
      timeBounds,
    },
  }
}

function shownNodes({ nodes, roots }: TransactionEvents): Shown[] {
  const shown: Shown[] = []
  const pending = roots.toReversed()
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    const node = nodes[id]!
    if (node.kind === 'create' || node.kind === 'exercise') shown.push(node)
    if (node.kind === 'exercise') for (const child of node.children.toReversed()) pending.push(child)
  }
  return shown
}

function isArchive(node: Shown): boolean {
  return node.kind === 'exercise' && node.isConsuming
}

/** Versions of a template share their name. */
function templateName({ packageName, templateId }: Shown): string {
  return `#${packageName}:${templateId.slice(templateId.indexOf(':') + 1)}`
}

function createPieces(node: Shown & CreateEvent, createdAt: string): string[] {
  const { contractId, templateId, key, createArgument, signatories, stakeholders, packageName } = node
  const isSignatory = new Set(signatories)
  const observers = stakeholders.filter((party) => !isSignatory.has(party))
  const keyHash = key === undefined ? '' : Buffer.from(key.hash, 'hex').toString('base64')
  return [
    `"contractId":"${contractId}","templateId":"${templateId}","contractKey":${key?.json ?? 'null'},` +
      `"contractKeyHash":"${keyHash}","createArgument":${createArgument}`,
    `"signatories":${texts(signatories)},"observers":${texts(observers)},"createdAt":"${createdAt}",` +
      `"packageName":"${packageName}","representativePackageId":"${templateId.slice(0, templateId.indexOf(':'))}"`,
  ]
}

function exercisePieces(node: Shown & ExerciseEvent): string[] {
  const { contractId, templateId, interfaceId, choice, choiceArgument, actors, isConsuming, packageName } = node
  return [
    `"contractId":"${contractId}","templateId":"${templateId}"`,
    `"interfaceId":${interfaceId === undefined ? 'null' : `"${interfaceId}"`},"choice":"${choice}",` +
      `"choiceArgument":${choiceArgument},"actingParties":${texts(actors)},"consuming":${isConsuming}`,
    `"lastDescendantNodeId":${node.lastDescendantId},"exerciseResult":${node.exerciseResult ?? 'null'}`,
    `"packageName":"${packageName}"`,
  ]
}

/** Of names that JSON needs no escapes for. */
function texts(names: readonly string[]): string {
  return names.length === 0 ? '[]' : `["${names.join('","')}"]`
}
