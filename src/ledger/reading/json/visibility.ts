// Decides which events of a stored update the readers of a request see, and with which witnesses. Mirrors Canton's
// TransactionLogUpdatesConversions.
import { type Pieces, piecesOf, type StoredEvent } from '../../../events/format/event-pieces.ts'
import type { Outline, StoredReassignment, StoredTopology } from '../../../events/format/stored-update.ts'
import { archivedFrame, createdFrame, exercisedFrame, type Frame } from '../../../events/json/event-json.ts'
import {
  elementLengthMax,
  type Shape,
  type ShownEvent,
  type ShownTransaction,
  tooLarge,
} from '../../../events/json/transaction-json.ts'
import type { ShownMove, ShownReassignment, ShownTopology } from '../../../events/json/update-json.ts'
import type { Matcher, PartySet, TemplateRule } from '../requests/event-matcher.ts'
import { implementedInterfaces, type Wanted, wantedOf } from './contract-views.ts'

export type SeenEvent = ShownEvent & {
  readonly witnesses: readonly string[]
  readonly rule: TemplateRule
}

/** With names in place of numbers. */
type Named = Omit<StoredEvent, 'witnesses'> & { readonly witnesses: readonly string[] }

/** The same for every transaction with one outline. */
export type SeenOutline = Omit<ShownTransaction, 'events'> & {
  readonly events: readonly SeenEvent[]
}

export type SeenMove = ShownMove & { readonly wanted: Wanted | undefined }

export type SeenReassignment = Omit<ShownReassignment, 'events'> & {
  readonly kind: 'reassignment'
  readonly events: readonly SeenMove[]
}

export type SeenTopology = ShownTopology & { readonly kind: 'topology' }

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
  const { submitters } = outline // None for a transaction of another participant.
  return { isOwn: submitters.length > 0 && includesAny(requesting, submitters), events }
}

function frameOf(event: Named, rule: TemplateRule, isDelta: boolean, shape: Shape): Frame {
  if (event.kind === 'create') return createdFrame(event, isDelta)
  const interfaces = event.isConsuming ? implementedInterfaces(rule, event.witnesses) : '[]'
  return shape === 'delta' ? archivedFrame(event, interfaces) : exercisedFrame(event, interfaces, isDelta)
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
        ? wantedOf(body.contractIdAt(eventStart), rule, witnesses)
        : undefined
    events.push({ event, start: eventStart, witnesses, wanted })
  }
  if (events.length === 0) return undefined
  const isOwn = meta.isDelivered !== true && includesAny(requesting, meta.submitters)
  return { kind: 'reassignment', offset, meta, body, isOwn, events }
}

/** Undefined if nothing of it is visible. */
export function seeTopology(offset: bigint, meta: StoredTopology, parties: PartySet): SeenTopology | undefined {
  const events = parties === 'everybody' ? meta.events : meta.events.filter(({ party }) => parties.has(party))
  return events.length === 0 ? undefined : { kind: 'topology', offset, meta, events }
}

export function includesAny(set: PartySet, parties: readonly string[]): boolean {
  return set === 'everybody' || parties.some((party) => set.has(party))
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
