// Which events of a stored update the readers of a request see, and as which witnesses. Mirrors Canton's
// TransactionLogUpdatesConversions.
import type { ServedEvent } from '../../engine/served-transaction.ts'
import type { UpdateRecord } from '../../store/store.ts'
import type { MovedContract, StoredReassignment, StoredTransaction } from '../stored-update.ts'
import { type Wanted, wantedOf } from './contract-views.ts'
import type { Matcher, TemplateRule, Whose } from './event-matcher.ts'

/** Changes of what is active, as stakeholders see them; or everything, as all witnesses see it. */
export type Shape = 'delta' | 'effects'

export type SeenEvent = {
  readonly event: ServedEvent
  /** Where its first piece begins in the body. */
  readonly start: number
  readonly witnesses: readonly string[]
  readonly isDelta: boolean
  readonly rule: TemplateRule
  readonly wanted: Wanted | undefined
}

export type SeenTransaction = {
  readonly kind: 'transaction'
  readonly offset: bigint
  readonly meta: StoredTransaction
  readonly body: Uint8Array
  /** Whether its readers submitted it: only they may know by which command. */
  readonly isOwn: boolean
  readonly events: readonly SeenEvent[]
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
  readonly body: Uint8Array
  readonly isOwn: boolean
  readonly events: readonly SeenMove[]
}

/** Undefined when nothing of it is visible. */
export function seeTransaction(
  record: UpdateRecord,
  meta: StoredTransaction,
  matcher: Matcher,
  shape: Shape,
): SeenTransaction | undefined {
  const { parties, templates } = meta
  const { requesting, isPlain, wantsContracts } = matcher
  const isRequesting = requestingAmong(requesting, parties)
  const events: SeenEvent[] = []
  let start = 0
  for (const event of meta.events) {
    const eventStart = start
    start = event.ends.at(-1)!
    if (shape === 'delta' && !event.isDelta) continue
    const witnesses = namesAmong(shape === 'delta' ? event.stakeholders : event.witnesses, parties, isRequesting)
    if (witnesses.length === 0) continue
    const rule = matcher.ruleFor(templates[event.template]!)
    if (!isPlain && !includesAny(rule.seenBy, witnesses)) continue
    events.push({
      event,
      start: eventStart,
      witnesses,
      isDelta: event.isDelta && (shape === 'delta' || isAnyRequesting(event.stakeholders, isRequesting)),
      rule,
      wanted:
        wantsContracts && event.kind === 'create'
          ? wantedOf(contractIdAt(record.body, eventStart), rule, witnesses)
          : undefined,
    })
  }
  if (events.length === 0) return undefined
  const isOwn = includesAny(requesting, meta.submitters)
  return { kind: 'transaction', offset: record.offset, meta, body: record.body, isOwn, events }
}

/** Moves are for stakeholders, whatever shape transactions have. Undefined when nothing of it is visible. */
export function seeReassignment(
  record: UpdateRecord,
  meta: StoredReassignment,
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
        ? wantedOf(contractIdAt(record.body, eventStart), rule, witnesses)
        : undefined
    events.push({ event, start: eventStart, witnesses, wanted })
  }
  if (events.length === 0) return undefined
  const isOwn = includesAny(requesting, meta.submitters)
  return { kind: 'reassignment', offset: record.offset, meta, body: record.body, isOwn, events }
}

/** An event begins with `"contractId":"…"`. */
export function contractIdAt(body: Uint8Array, start: number): string {
  return textAt(body, start + '"contractId":"'.length)
}

/** Up to the next quotation mark. */
export function textAt(body: Uint8Array, from: number): string {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1', from, body.indexOf(0x22, from))
}

export function includesAny(whose: Whose, parties: readonly string[]): boolean {
  return whose === 'everybody' || parties.some((party) => whose.has(party))
}

/** For each of the parties; undefined when everybody is. */
function requestingAmong(requesting: Whose, parties: readonly string[]): readonly boolean[] | undefined {
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
