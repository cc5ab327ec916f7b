// Transactions as JSON for readers. For each request, what transactions with one outline have in common is written
// once, as a text with gaps; for each transaction the gaps are filled with pieces of its stored JSON. Every read
// takes this path, so no event is parsed and no value touched.
import { LedgerError } from '../../base/errors.ts'
import { type Pieces, type StoredEvent, startOf } from '../format/event-pieces.ts'
import type { StoredTransaction } from '../format/stored-update.ts'
import { archivedIn, createdIn, type Extras, exercisedIn, type Frame, noExtras, paidTrafficCost } from './event-json.ts'

/** Creates and archives as stakeholders see them, or every event as all witnesses see it. */
export type Shape = 'delta' | 'effects'

/** How transactions appear: as `Transaction`, or as `TransactionTree` with events by node id. */
export type TransactionForm = 'transaction' | 'tree'

/** An event that the readers of a request see. */
export type ShownEvent = {
  readonly event: StoredEvent
  /** The index of its first piece. */
  readonly first: number
  readonly frame: Frame
}

/** What the readers of a request see of every transaction with one outline. */
export type ShownTransaction = {
  /** Whether a reader submitted it: only submitters may see the command id. */
  readonly isOwn: boolean
  readonly events: readonly ShownEvent[]
}

/** A stored transaction with the pieces of its events. */
export type StoredPieces = {
  readonly offset: bigint
  readonly meta: StoredTransaction
  readonly body: Pieces
}

/** The largest element that is served. A V8 string holds at most 512 Mi characters, and elements share one. */
export const elementLengthMax = 192 * 1024 * 1024

export function tooLarge(): LedgerError {
  return new LedgerError(
    'JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED',
    `An update takes more bytes for those who ask than the node can serve (${elementLengthMax}).`,
    { early: true },
  )
}

export type TransactionLayout = {
  readonly shape: Shape
  readonly form: TransactionForm
  /** Whether created events may have blobs or views. */
  readonly wantsContracts: boolean
  /** The text around each transaction. */
  readonly before: string
  readonly after: string
}

/** `texts` has one more than `gaps`. */
export type TransactionPattern = { readonly texts: readonly string[]; readonly gaps: readonly Gap[] }

type Gap = {
  readonly kind: 'ownHead' | 'head' | 'offset' | 'setting' | 'signedHash' | 'piece' | 'extras'
  /** The piece to insert; for `extras`, the first piece of the created event. */
  readonly piece: number
}

type Part = string | Gap

/** `Transaction` or `TransactionTree`; only a submitter may see the command id and the cost. */
export function transactionPattern({ events, isOwn }: ShownTransaction, layout: TransactionLayout): TransactionPattern {
  const start = [layout.before, '{', gap(isOwn ? 'ownHead' : 'head')]
  if (layout.form === 'tree') {
    const inside = separated(events.map((event) => treeEvent(event, layout)).filter((parts) => parts.length > 0))
    const offset = [',"offset":', gap('offset'), ',"eventsById":{']
    return patternOf([...start, ...offset, ...inside, '},', gap('setting'), '}', layout.after])
  }
  const inside = separated(events.map((event) => flatEvent(event, layout)))
  const rest = ['],"offset":', gap('offset'), ',', gap('setting'), ',"externalTransactionHash":', gap('signedHash')]
  const cost = `,"paidTrafficCost":${paidTrafficCost(isOwn)}}`
  return patternOf([...start, ',"events":[', ...inside, ...rest, cost, layout.after])
}

/** `contracts` is keyed by contract id. */
export function transactionJson(
  { texts, gaps }: TransactionPattern,
  stored: StoredPieces,
  contracts: ReadonlyMap<string, Extras>,
): string {
  const offset = String(stored.offset)
  let json = texts[0]!
  for (let index = 0; index < gaps.length; index += 1) {
    const filled = filling(gaps[index]!, offset, stored, contracts)
    if (json.length + filled.length > elementLengthMax) throw tooLarge()
    json = json + filled + texts[index + 1]!
  }
  return json
}

function filling(
  { kind, piece }: Gap,
  offset: string,
  { meta, body }: StoredPieces,
  contracts: ReadonlyMap<string, Extras>,
): string {
  if (kind === 'piece') return body.cut(startOf(piece, meta), meta.ends[piece]!)
  if (kind === 'offset') return offset
  if (kind === 'ownHead') return meta.head
  if (kind === 'setting') return meta.setting
  if (kind === 'head') return meta.head.replace(ofCommand, '"commandId":""')
  if (kind === 'signedHash') return meta.signedHash
  return contracts.get(body.contractIdAt(startOf(piece, meta))) ?? noExtras
}

const ofCommand = /"commandId":"[^"]*"/

function flatEvent(event: ShownEvent, layout: TransactionLayout): Part[] {
  if (event.event.kind === 'create') return ['{"CreatedEvent":', ...created(event, layout), '}']
  return layout.shape === 'delta'
    ? ['{"ArchivedEvent":', ...archived(event), '}']
    : ['{"ExercisedEvent":', ...exercised(event), '}']
}

/** Trees cannot express archives: only creates remain of an `ACS_DELTA`. */
function treeEvent(event: ShownEvent, layout: TransactionLayout): Part[] {
  const { kind, nodeId } = event.event
  if (kind === 'create') return [`"${nodeId}":{"CreatedTreeEvent":{"value":`, ...created(event, layout), '}}']
  return layout.shape === 'delta' ? [] : [`"${nodeId}":{"ExercisedTreeEvent":{"value":`, ...exercised(event), '}}']
}

function created({ frame, first }: ShownEvent, { wantsContracts }: TransactionLayout): Part[] {
  const extras = wantsContracts ? gap('extras', first) : noExtras
  return createdIn<Part>(frame, { offset: gap('offset'), pieces: pieces(first, 2), extras })
}

function archived({ frame, first }: ShownEvent): Part[] {
  return archivedIn<Part>(frame, { offset: gap('offset'), pieces: pieces(first, 4) })
}

function exercised({ frame, first }: ShownEvent): Part[] {
  return exercisedIn<Part>(frame, { offset: gap('offset'), pieces: pieces(first, 4) })
}

function pieces(first: number, count: number): Gap[] {
  return Array.from({ length: count }, (_, index) => gap('piece', first + index))
}

function gap(kind: Gap['kind'], piece = 0): Gap {
  return { kind, piece }
}

function separated(items: readonly Part[][]): Part[] {
  return items.flatMap((parts, index) => (index === 0 ? parts : [',', ...parts]))
}

/** Joins adjacent texts. */
function patternOf(parts: readonly Part[]): TransactionPattern {
  const texts: string[][] = [[]]
  const gaps: Gap[] = []
  for (const part of parts) {
    if (typeof part === 'string') texts.at(-1)!.push(part)
    else {
      gaps.push(part)
      texts.push([])
    }
  }
  return { texts: texts.map((text) => text.join('')), gaps }
}
