// A transaction in the form in which it is stored and served: the JSON of its events in pieces, without what differs
// from reader to reader, and the facts that decide who sees which of them. The thread that interpreted the command
// makes it once; serving it only copies bytes.
import { GrowingBytes } from '../../base/growing-bytes.ts'
import type { CreateEvent, EventNode, ExerciseEvent, TransactionEvents } from '../../engine/requests/events.ts'
import { difference } from '../../engine/transaction/parties.ts'
import { instantToText } from '../../lf/codec/time-text.ts'
import type { Int64 } from '../../lf/values/values.ts'
import { PackedWords } from './packed-text.ts'

/** Facts about a transaction besides the pieces of its events. */
export type ServedFacts = {
  /** All parties that see any of it, sorted. */
  readonly parties: readonly string[]
  /** `#package-name:Module:Entity` of the contracts of its events, each once. */
  readonly templates: readonly string[]
  /** Creates and exercises that were not rolled back, by node id. */
  readonly events: readonly ServedEvent[]
}

/** The facts as they are stored: shorter, and faster to read. */
export type PackedFacts = Omit<ServedFacts, 'events'> & { readonly events: readonly PackedEvent[] }
type PackedEvent = readonly [
  kind: ServedEvent['kind'],
  nodeId: number,
  template: number,
  witnesses: readonly number[],
  /** 0 if they are the witnesses. */
  stakeholders: readonly number[] | 0,
  isConsuming: 0 | 1,
  isDelta: 0 | 1,
]

export function unpackFacts({ parties, templates, events }: PackedFacts): ServedFacts {
  return {
    parties,
    templates,
    events: events.map(([kind, nodeId, template, witnesses, stakeholders, isConsuming, isDelta]) => {
      return {
        kind,
        nodeId,
        template,
        witnesses,
        stakeholders: stakeholders === 0 ? witnesses : stakeholders,
        isConsuming: isConsuming === 1,
        isDelta: isDelta === 1,
      }
    }),
  }
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
  /** The parties that see it. */
  readonly witnesses: readonly number[]
  readonly stakeholders: readonly number[]
  /** For an exercise: whether it archives the contract. */
  readonly isConsuming: boolean
  /** Whether it changes what is active after the transaction; events of contracts that live only inside it do not. */
  readonly isDelta: boolean
}

/** How many pieces an event has. */
export const piecesOf: Readonly<Record<ServedEvent['kind'], number>> = { create: 2, exercise: 4 }

/** Ready to be stored: commit looks only at names. */
export type ServedTransaction = Pick<ServedFacts, 'parties' | 'templates'> & {
  /** The JSON of PackedFacts. */
  readonly facts: string
  /** Where each piece ends in `body`, event by event; it begins where the one before it ends. */
  readonly ends: readonly number[]
  /** For each party, the templates of the events that it sees. */
  readonly seen: readonly (readonly number[])[]
  /** The pieces of all events, in order; packed (events/format/packed-text.ts) if `bodyBytes` says how long they are. */
  readonly body: Uint8Array
  readonly bodyBytes?: number | undefined
}

export type CreatedContract = {
  readonly contractId: string
  readonly nodeId: number
  readonly template: number
  readonly stakeholders: readonly number[]
  /** Archived by the same transaction. */
  readonly isTransient: boolean
  readonly keyHash: string | undefined
  /** The two pieces of its event: where they begin and end in `body`. */
  readonly pieces: readonly [start: number, cut: number, end: number]
  readonly blob: Uint8Array
}

/** What commit needs besides the served form. */
export type LedgerEffects = {
  readonly created: readonly CreatedContract[]
  /** All archived contracts, including those of this transaction. */
  readonly archived: readonly string[]
  readonly inputContracts: readonly string[]
  /** When the latest of these was created, in microseconds, if that is after the ledger time of the transaction. */
  readonly laterInput: bigint | undefined
  readonly keyInputs: TransactionEvents['keyInputs']
  readonly packages: readonly string[]
  /** Informees that see no event: of a fetch, a key or something rolled back. */
  readonly onlookers: readonly string[]
  /** How many contracts it fetched and keys it looked up, without what was rolled back. */
  readonly fetched: number
  readonly lookedUp: number
}

export type Served = { readonly served: ServedTransaction; readonly effects: LedgerEffects }

/** All informees, whether they see an event or not. */
export function informeesOf({ served: { parties }, effects: { onlookers } }: Served): readonly string[] {
  return onlookers.length === 0 ? parties : [...parties, ...onlookers]
}

type Shown = EventNode & (CreateEvent | ExerciseEvent)

/** The bytes of the transaction being served; the next one reuses the memory. */
const body = new GrowingBytes()
/** A larger body is not packed: readers may want little of it. Its length is estimated before it is written. */
const packedBytesMax = 16 * 1024
const eventBytes = 700
/** How many parties and contracts are looked for in values: looking takes time, too. */
const wordsMax = 8

export function serve(transaction: TransactionEvents, createdAt: Int64): Served {
  const reads = { fetch: 0, 'query-by-key': 0 }
  const shown = shownNodes(transaction, reads)
  const witnesses = new Set<string>()
  const createdHere = new Set<string>()
  const archivedHere = new Set<string>()
  for (const node of shown) {
    for (const party of node.witnesses) witnesses.add(party)
    if (node.kind === 'create') createdHere.add(node.contractId)
    else if (node.isConsuming) archivedHere.add(node.contractId)
  }
  const parties = [...witnesses].sort()
  const partyNumbers = new Map(parties.map((party, index) => [party, index]))
  const templates = [...new Set(shown.map(templateName))]
  const createdText = instantToText(createdAt)
  const seen = parties.map(() => new Set<number>())

  body.restart()
  const isPacked = shown.reduce((sum, node) => sum + eventBytes + valuesLength(node), 0) <= packedBytesMax
  const words = new PackedWords(isPacked)
  const repeated = [...parties.slice(0, wordsMax), ...[...createdHere].slice(0, wordsMax)]
  let [length, gained] = [0, 0]
  /** Where the piece ends when it is unpacked. */
  const add = (piece: string) => {
    const start = length - gained
    const end = body.utf8(piece)
    gained += body.weightFrom(start, words.gains)
    length = end + gained
    return length
  }
  // A stakeholder always sees its contract created and archived, but not each non-consuming exercise on it.
  const numbersOf = (list: readonly string[]) =>
    list.map((party) => partyNumbers.get(party)).filter((number) => number !== undefined)
  const created: CreatedContract[] = []
  const allEnds: number[] = []
  const events = shown.map((node): PackedEvent => {
    const start = length
    const writing = { words, repeated, createdText }
    const ends = (node.kind === 'create' ? createPieces(node, writing) : exercisePieces(node, writing)).map(add)
    allEnds.push(...ends)
    const template = templates.indexOf(templateName(node))
    const witnesses = numbersOf(node.witnesses)
    const stakeholders = numbersOf(node.stakeholders)
    for (const party of witnesses) seen[party]!.add(template)
    const { contractId, key } = node
    const isDelta =
      node.kind === 'create' ? !archivedHere.has(contractId) : isArchive(node) && !createdHere.has(contractId)
    if (node.kind === 'create') {
      created.push({
        contractId,
        nodeId: node.id,
        template,
        stakeholders,
        isTransient: !isDelta,
        keyHash: key?.hash,
        pieces: [start, ends[0]!, ends[1]!],
        blob: node.blob,
      })
    }
    const packedStakeholders = isSame(witnesses, stakeholders) ? 0 : stakeholders
    return [node.kind, node.id, template, witnesses, packedStakeholders, isArchive(node) ? 1 : 0, isDelta ? 1 : 0]
  })
  const facts: PackedFacts = { parties, templates, events }
  const { inputContracts, laterInput, keyInputs, packages } = transaction
  return {
    served: {
      parties,
      templates,
      facts: JSON.stringify(facts),
      ends: allEnds,
      seen: seen.map((numbers) => [...numbers]),
      body: isPacked ? body.copyAfter(words.line()) : body.copy(),
      ...(isPacked && { bodyBytes: length }),
    },
    effects: {
      created,
      archived: [...archivedHere],
      inputContracts,
      laterInput: laterInput === undefined ? undefined : BigInt(laterInput),
      keyInputs,
      packages,
      onlookers: onlookersOf(transaction, partyNumbers),
      fetched: reads.fetch,
      lookedUp: reads['query-by-key'],
    },
  }
}

function isSame(some: readonly number[], others: readonly number[]): boolean {
  return some.length === others.length && some.every((number, index) => number === others[index])
}

function onlookersOf({ nodes }: TransactionEvents, shown: ReadonlyMap<string, number>): string[] {
  const onlookers = new Set<string>()
  for (const { witnesses } of nodes) for (const party of witnesses) if (!shown.has(party)) onlookers.add(party)
  return [...onlookers]
}

/** The nodes in the order in which they are shown, without those that were rolled back. Counts the others. */
function shownNodes({ nodes }: TransactionEvents, reads: Record<'fetch' | 'query-by-key', number>): Shown[] {
  const shown: Shown[] = []
  for (let id = 0; id < nodes.length; id += 1) {
    const node = nodes[id]!
    if (node.kind === 'create' || node.kind === 'exercise') shown.push(node)
    else if (node.kind === 'rollback') id = node.lastDescendantId
    else reads[node.kind] += 1
  }
  return shown
}

function isArchive(node: Shown): boolean {
  return node.kind === 'exercise' && node.isConsuming
}

const templateNames = new Map<string, string>()

/** Versions of a template share their name. There is one string object per name, as with identifiers (events.ts). */
function templateName({ packageName, templateId }: Shown): string {
  let name = templateNames.get(templateId)
  if (name === undefined) {
    name = `#${packageName}:${templateId.slice(templateId.indexOf(':') + 1)}`
    templateNames.set(templateId, name)
  }
  return name
}

type Writing = {
  readonly words: PackedWords
  /** What is looked for in values. */
  readonly repeated: readonly string[]
  readonly createdText: string
}

function valuesLength(node: Shown): number {
  if (node.kind === 'create') return node.createArgument.length + (node.key?.json.length ?? 0)
  return node.choiceArgument.length + (node.exerciseResult?.length ?? 0)
}

function createPieces(node: Shown & CreateEvent, { words, repeated, createdText }: Writing): string[] {
  const { key, signatories, stakeholders } = node
  const { withoutKey, signatories: ofSignatories, observers, createdAt, packageName, representative } = words.phrase
  const keyHash = key === undefined ? '' : Buffer.from(key.hash, 'hex').toString('base64')
  const middle =
    key === undefined
      ? withoutKey
      : `","contractKey":${words.pack(key.json, repeated)},"contractKeyHash":"${keyHash}","createArgument":`
  return [
    `${beginning(node, words)}${middle}${words.pack(node.createArgument, repeated)}`,
    `${ofSignatories}${texts(signatories, words)}${observers}${texts(difference(stakeholders, signatories), words)}` +
      `${createdAt}${createdText}${packageName}${node.packageName}${representative}${words.code(packageOf(node))}"`,
  ]
}

function exercisePieces(node: Shown & ExerciseEvent, { words, repeated }: Writing): string[] {
  const { interfaceId, actors, isConsuming } = node
  const { choice, choiceArgument, actingParties, consuming, lastDescendant, result } = words.phrase
  return [
    `${beginning(node, words)}"`,
    `${interfaceId === undefined ? choice : `"interfaceId":"${interfaceId}","choice":"`}${node.choice}` +
      `${choiceArgument}${words.pack(node.choiceArgument, repeated)}` +
      `${actingParties}${texts(actors, words)}${consuming}${isConsuming}`,
    `${lastDescendant}${node.lastDescendantId}${result}${words.pack(node.exerciseResult ?? 'null', repeated)}`,
    `"packageName":"${node.packageName}"`,
  ]
}

/** Contract id and template id, without the last quotation mark. */
function beginning(node: Shown, words: PackedWords): string {
  const { contractId, templateId } = words.phrase
  const packageId = packageOf(node)
  const rest = node.templateId.slice(packageId.length)
  return `${contractId}${words.code(node.contractId)}${templateId}${words.code(packageId)}${rest}`
}

function packageOf(node: Shown): string {
  return node.templateId.slice(0, node.templateId.indexOf(':'))
}

/** A JSON list of names that need no escapes. */
function texts(names: readonly string[], words: PackedWords): string {
  return names.length === 0 ? '[]' : `["${names.map((name) => words.code(name)).join('","')}"]`
}
