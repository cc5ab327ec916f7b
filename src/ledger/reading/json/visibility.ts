// Decides which events of a stored update the readers of a request see, and with which witnesses. Mirrors Canton's
// TransactionLogUpdatesConversions.

import type { Pieces } from '../../../events/format/event-pieces.ts'
import type {
  MovedContract,
  Outline,
  StoredReassignment,
  StoredTransaction,
} from '../../../events/format/stored-update.ts'
import { piecesOf, type ServedEvent } from '../../../events/format/transaction-writing.ts'
import { archivedFrame, createdFrame, exercisedFrame, type Frame } from '../../../events/json/event-json.ts'
import type { Matcher, PartySet, TemplateRule } from '../requests/event-matcher.ts'
import { type Wanted, wantedOf } from './contract-views.ts'
import { elementLengthMax, tooLarge } from './element-size.ts'

/** Creates and archives as stakeholders see them, or every event as all witnesses see it. */
export type Shape = 'delta' | 'effects'

export type SeenEvent = {
  readonly event: ServedEvent
  /** The index of its first piece. */
  readonly first: number
  readonly witnesses: readonly string[]
  readonly rule: TemplateRule
  readonly frame: Frame
}

/** With names in place of numbers. */
type Named = Omit<ServedEvent, 'witnesses'> & { readonly witnesses: readonly string[] }

/** The same for every transaction with one outline. */
export type SeenOutline = {
  /** Whether a reader submitted it: only submitters may see the command id. */
  readonly isOwn: boolean
  readonly events: readonly SeenEvent[]
}

export type StoredPieces = {
  readonly offset: bigint
  readonly meta: StoredTransaction
  readonly body: Pieces
}

export type SeenMove = {
  readonly event: MovedContract
  readonly start: number
  readonly witnesses: readonly string[]
  readonly wanted: Wanted | undefined
}

export type SeenReassignment = {
  readonly kind: 'reassignment'
  readonly offset: bigint
  readonly meta: StoredReassignment
  readonly body: Pieces
  readonly isOwn: boolean
  readonly events: readonly SeenMove[]
}

/** Undefined if nothing of it is visible. */
export function seeOutline(outline: Outline, matcher: Matcher, shape: Shape): SeenOutline | undefined {
  const { parties, templates } = outline
  const { requesting, isPlain } = matcher
  const isRequesting = requestingAmong(requesting, parties)
  const events: SeenEvent[] = []
  let next = 0
  let length = 0
  for (const event of outline.events) {
    const first = next
    next += piecesOf[event.kind]
    if (shape === 'delta' && !event.isDelta) continue
    const witnesses = namesAmong(shape === 'delta' ? event.stakeholders : event.witnesses, parties, isRequesting)
    if (witnesses.length === 0) continue
    const rule = matcher.ruleFor(templates[event.template]!)
    if (!isPlain && !includesAny(rule.seenBy, witnesses)) continue
    // Names of witnesses are repeated in every event, and may be many times longer than what is stored.
    for (const witness of witnesses) length += witness.length
    if (length > elementLengthMax / 2) throw tooLarge()
    const isDelta = event.isDelta && (shape === 'delta' || isAnyRequesting(event.stakeholders, isRequesting))
    events.push({ event, first, witnesses, rule, frame: frameOf({ ...event, witnesses }, rule, isDelta, shape) })
  }
  if (events.length === 0) return undefined
  return { isOwn: includesAny(requesting, outline.submitters), events }
}

function frameOf(event: Named, rule: TemplateRule, isDelta: boolean, shape: Shape): Frame {
  if (event.kind === 'create') return createdFrame(event, isDelta)
  return shape === 'delta' ? archivedFrame(event, rule) : exercisedFrame(event, rule, isDelta)
}

/** The position where a piece begins. */
export function startOf(piece: number, { ends }: StoredTransaction): number {
  return piece === 0 ? 0 : ends[piece - 1]!
}

/** Reassignments are for stakeholders, whatever shape transactions have. Undefined if nothing is visible. */
export function seeReassignment(
  offset: bigint,
  meta: StoredReassignment,
  body: Pieces,
  matcher: Matcher,
): SeenReassignment | undefined {
  const { parties, templates, direction } = meta
  const { requesting, isPlain, wantsContracts } = matcher
  const isRequesting = requestingAmong(requesting, parties)
  const events: SeenMove[] = []
  let start = 0
  for (const event of meta.events) {
    const eventStart = start
    start = event.ends.at(-1)!
    const witnesses = namesAmong(event.stakeholders, parties, isRequesting)
    if (witnesses.length === 0) continue
    const rule = matcher.ruleFor(templates[event.template]!)
    if (!isPlain && !includesAny(rule.seenBy, witnesses)) continue
    const wanted =
      wantsContracts && direction === 'assignment'
        ? wantedOf(contractIdAt(body, eventStart), rule, witnesses)
        : undefined
    events.push({ event, start: eventStart, witnesses, wanted })
  }
  if (events.length === 0) return undefined
  const isOwn = includesAny(requesting, meta.submitters)
  return { kind: 'reassignment', offset, meta, body, isOwn, events }
}

/** An event begins with `"contractId":"…"`. */
export function contractIdAt(body: Pieces, start: number): string {
  return body.textAt(start + '"contractId":"'.length)
}

export function includesAny(whose: PartySet, parties: readonly string[]): boolean {
  return whose === 'everybody' || parties.some((party) => whose.has(party))
}

/** One flag per party; undefined if everybody is requesting. */
function requestingAmong(requesting: PartySet, parties: readonly string[]): readonly boolean[] | undefined {
  return requesting === 'everybody' ? undefined : parties.map((party) => requesting.has(party))
}

function namesAmong(
  numbers: readonly number[],
  parties: readonly string[],
  isRequesting: readonly boolean[] | undefined,
): string[] {
  const names: string[] = []
  for (const number of numbers) {
    if (isRequesting === undefined || isRequesting[number] === true) names.push(parties[number]!)
  }
  return names
}

function isAnyRequesting(numbers: readonly number[], isRequesting: readonly boolean[] | undefined): boolean {
  return isRequesting === undefined || numbers.some((number) => isRequesting[number] === true)
}
