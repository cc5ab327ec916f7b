// Writes the events of a transaction in the form in which they are stored (event-pieces.ts). The thread that interpreted
// the command does it once; every reader copies from the result.
import { GrowingBytes } from '../../base/growing-bytes.ts'
import { instantToText } from '../../lf/codec/time-text.ts'
import type { Int64 } from '../../lf/values/values.ts'
import type { PackedEvent, PackedFacts } from './event-pieces.ts'
import { PackedWords } from './packed-text.ts'

/** An event to write. Types are `packageId:Module:Entity`, values JSON text, hashes hex. Sets of parties are sorted. */
export type EventNode = CreateNode | ExerciseNode

type OfContract = {
  readonly id: number
  /** Its own id if it has no children. */
  readonly lastDescendantId: number
  /** The parties that see it. */
  readonly witnesses: readonly string[]
  readonly contractId: string
  readonly packageName: string
  readonly templateId: string
  readonly signatories: readonly string[]
  /** The signatories, and others. */
  readonly stakeholders: readonly string[]
  readonly key: { readonly json: string; readonly hash: string } | undefined
}

export type CreateNode = OfContract & {
  readonly kind: 'create'
  readonly createArgument: string
  readonly blob: Uint8Array
}

export type ExerciseNode = OfContract & {
  readonly kind: 'exercise'
  readonly interfaceId: string | undefined
  readonly choice: string
  readonly choiceArgument: string
  readonly exerciseResult: string | undefined
  readonly isConsuming: boolean
  readonly actors: readonly string[]
}

/** Ready to be stored: commit looks only at names. */
export type ServedTransaction = Pick<PackedFacts, 'parties' | 'templates'> & {
  /** The JSON of PackedFacts. */
  readonly facts: string
  /** Where each piece ends in the unpacked body, event by event. */
  readonly ends: readonly number[]
  /** For each party, the templates of the events that it sees. */
  readonly seen: readonly (readonly number[])[]
  /** The pieces of all events, in order; packed (packed-text.ts) if `bodyBytes` says how long they are. */
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
  /** The two pieces of its event: where they begin and end in the unpacked body. */
  readonly pieces: readonly [start: number, cut: number, end: number]
  readonly blob: Uint8Array
}

export type WrittenTransaction = {
  readonly served: ServedTransaction
  readonly created: readonly CreatedContract[]
  /** The ids of all archived contracts, including those of this transaction. */
  readonly archived: readonly string[]
}

/** A larger body is not packed: readers may want little of it. Its length is estimated before it is written. */
const packedBytesMax = 16 * 1024
const eventBytes = 700
/** How many parties and contracts are looked for in values: looking takes time, too. */
const wordsMax = 8

/** The nodes are in the order of their ids. */
export function writeTransaction(nodes: readonly EventNode[], createdAt: Int64): WrittenTransaction {
  const witnesses = new Set<string>()
  const createdHere = new Set<string>()
  const archivedHere = new Set<string>()
  for (const node of nodes) {
    for (const party of node.witnesses) witnesses.add(party)
    if (node.kind === 'create') createdHere.add(node.contractId)
    else if (node.isConsuming) archivedHere.add(node.contractId)
  }
  const parties = [...witnesses].sort()
  const partyNumbers = new Map(parties.map((party, index) => [party, index]))
  // A stakeholder always sees its contract created and archived, but not each non-consuming exercise on it.
  const numbersOf = (list: readonly string[]) =>
    list.map((party) => partyNumbers.get(party)).filter((number) => number !== undefined)
  const templates = [...new Set(nodes.map(templateName))]
  const seen = parties.map(() => new Set<number>())

  const isPacked = nodes.reduce((sum, node) => sum + eventBytes + valuesLength(node), 0) <= packedBytesMax
  const body = startBody(isPacked)
  const writing: Writing = {
    words: body.words,
    repeated: [...parties.slice(0, wordsMax), ...[...createdHere].slice(0, wordsMax)],
    createdText: instantToText(createdAt),
  }
  const created: CreatedContract[] = []
  const events = nodes.map((node): PackedEvent => {
    const start = body.length()
    const ends = body.add(node.kind === 'create' ? createPieces(node, writing) : exercisePieces(node, writing))
    const template = templates.indexOf(templateName(node))
    const witnessNumbers = numbersOf(node.witnesses)
    const stakeholders = numbersOf(node.stakeholders)
    for (const party of witnessNumbers) seen[party]!.add(template)
    const { id: nodeId, kind, contractId } = node
    const isConsuming = node.kind === 'exercise' && node.isConsuming
    const isDelta = node.kind === 'create' ? !archivedHere.has(contractId) : isConsuming && !createdHere.has(contractId)
    if (node.kind === 'create') {
      created.push({
        contractId,
        nodeId,
        template,
        stakeholders,
        isTransient: !isDelta,
        keyHash: node.key?.hash,
        pieces: [start, ends[0]!, ends[1]!],
        blob: node.blob,
      })
    }
    const packedStakeholders = isSame(witnessNumbers, stakeholders) ? 0 : stakeholders
    return [kind, nodeId, template, witnessNumbers, packedStakeholders, isConsuming ? 1 : 0, isDelta ? 1 : 0]
  })
  const facts: PackedFacts = { parties, templates, events }
  return {
    served: {
      parties,
      templates,
      facts: JSON.stringify(facts),
      seen: seen.map((numbers) => [...numbers]),
      ...body.finish(),
    },
    created,
    archived: [...archivedHere],
  }
}

/** The event of one contract alone, as a row keeps it that has no update; `eventCut` is where its second piece begins. */
export function writeCreated(node: CreateNode, createdAt: Int64): { event: Uint8Array; eventCut: number } {
  const body = startBody(false)
  const writing = { words: body.words, repeated: [], createdText: instantToText(createdAt) }
  const [eventCut] = body.add(createPieces(node, writing))
  return { event: body.finish().body, eventCut: eventCut! }
}

/** The bytes of the body that is being written; the next one reuses the memory. */
const bytes = new GrowingBytes()

function startBody(isPacked: boolean) {
  bytes.restart()
  const words = new PackedWords(isPacked)
  const ends: number[] = []
  /** The length of the unpacked body, and by how much it is longer than what is written. */
  let [length, gained] = [0, 0]
  return {
    words,
    length: () => length,
    /** Returns where each piece ends when it is unpacked. */
    add(pieces: readonly string[]): number[] {
      const own = pieces.map((piece) => {
        const start = length - gained
        const end = bytes.utf8(piece)
        gained += bytes.weightFrom(start, words.gains)
        length = end + gained
        return length
      })
      ends.push(...own)
      return own
    },
    finish: (): Pick<ServedTransaction, 'ends' | 'body' | 'bodyBytes'> =>
      isPacked ? { ends, body: bytes.copyAfter(words.line()), bodyBytes: length } : { ends, body: bytes.copy() },
  }
}

function isSame(some: readonly number[], others: readonly number[]): boolean {
  return some.length === others.length && some.every((number, index) => number === others[index])
}

const templateNames = new Map<string, string>()

/** Versions of a template share their name. V8 is faster with one string object per name than with equal ones. */
function templateName({ packageName, templateId }: EventNode): string {
  let name = templateNames.get(templateId)
  if (name === undefined) {
    name = `#${packageName}:${templateId.slice(templateId.indexOf(':') + 1)}`
    templateNames.set(templateId, name)
  }
  return name
}

type Writing = {
  readonly words: PackedWords
  /** The parties and contract ids that are looked for in values. */
  readonly repeated: readonly string[]
  readonly createdText: string
}

function valuesLength(node: EventNode): number {
  if (node.kind === 'create') return node.createArgument.length + (node.key?.json.length ?? 0)
  return node.choiceArgument.length + (node.exerciseResult?.length ?? 0)
}

function createPieces(node: CreateNode, { words, repeated, createdText }: Writing): string[] {
  const { key } = node
  const { withoutKey, signatories, observers, createdAt, packageName, representative } = words.phrase
  const keyHash = key === undefined ? '' : Buffer.from(key.hash, 'hex').toString('base64')
  const middle =
    key === undefined
      ? withoutKey
      : `","contractKey":${words.pack(key.json, repeated)},"contractKeyHash":"${keyHash}","createArgument":`
  return [
    `${beginning(node, words)}${middle}${words.pack(node.createArgument, repeated)}`,
    `${signatories}${texts(node.signatories, words)}${observers}${texts(observersOf(node), words)}` +
      `${createdAt}${createdText}${packageName}${node.packageName}${representative}${words.code(packageOf(node))}"`,
  ]
}

function exercisePieces(node: ExerciseNode, { words, repeated }: Writing): string[] {
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
function beginning(node: EventNode, words: PackedWords): string {
  const { contractId, templateId } = words.phrase
  const packageId = packageOf(node)
  const rest = node.templateId.slice(packageId.length)
  return `${contractId}${words.code(node.contractId)}${templateId}${words.code(packageId)}${rest}`
}

function packageOf(node: EventNode): string {
  return node.templateId.slice(0, node.templateId.indexOf(':'))
}

/** Both sets are sorted, and one includes the other, so one pass does. */
function observersOf({ stakeholders, signatories }: CreateNode): string[] {
  let next = 0
  return stakeholders.filter((party) => {
    const isSignatory = party === signatories[next]
    if (isSignatory) next += 1
    return !isSignatory
  })
}

/** A JSON list of names that need no escapes. */
function texts(names: readonly string[], words: PackedWords): string {
  return names.length === 0 ? '[]' : `["${names.map((name) => words.code(name)).join('","')}"]`
}
