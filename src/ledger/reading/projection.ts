// Updates and contracts as JSON for their readers: pieces of stored JSON are taken over, and what differs from reader to
// reader is written between them. This is the path of every read, so no event is parsed and no value touched.

import { nothingMore, type Shown } from './contract-views.ts'
import type { Frame } from './event-frames.ts'
import type { TransactionForm } from './reading.ts'
import { contractIdAt, type SeenEvent, type SeenTransaction, type Shape, startOf } from './visibility.ts'

export type TransactionLayout = { readonly shape: Shape; readonly form: TransactionForm }

/** Where the pieces of events are. */
type Source = Pick<SeenTransaction, 'offset' | 'meta' | 'body'>

export type CreatedEvent = {
  readonly offset: bigint
  /** The two pieces of its JSON. */
  readonly head: string
  readonly tail: string
  readonly shown: Shown
  readonly frame: Frame
}

/** `Transaction` or `TransactionTree`, without what wraps it. */
export function transactionJson(
  seen: SeenTransaction,
  { shape, form }: TransactionLayout,
  contracts: ReadonlyMap<string, Shown>,
): string {
  const { offset, meta } = seen
  const head = seen.isOwn ? meta.head : meta.head.replace(ofCommand, '"commandId":""')
  if (form === 'tree') {
    return `{${head},"offset":${offset},"eventsById":{${treeEventsJson(seen, shape, contracts)}},${meta.setting}}`
  }
  let events = ''
  for (const event of seen.events) {
    if (events !== '') events += ','
    if (event.event.kind === 'create') events += `{"CreatedEvent":${createdJson(seen, event, contracts)}}`
    else if (shape === 'delta') events += `{"ArchivedEvent":${archivedEventJson(seen, event)}}`
    else events += `{"ExercisedEvent":${exercisedEventJson(seen, event)}}`
  }
  return (
    `{${head},"events":[${events}],"offset":${offset},${meta.setting},` +
    `"externalTransactionHash":${meta.signedHash},"paidTrafficCost":null}`
  )
}

const ofCommand = /"commandId":"[^"]*"/

export function createdEventJson({ offset, head, tail, shown, frame }: CreatedEvent): string {
  const { before, between, after } = frame
  return `{"offset":${offset}${before}${head},${shown}${between}${tail}${after}`
}

export function archivedEventJson(source: Source, { first, frame }: Pick<SeenEvent, 'first' | 'frame'>): string {
  const { before, between, after } = frame
  return `{"offset":${source.offset}${before}${piece(source, first)}${between}${piece(source, first + 3)}${after}`
}

function exercisedEventJson(source: Source, { first, frame }: SeenEvent): string {
  const { before, between, after } = frame
  return (
    `{"offset":${source.offset}${before}${piece(source, first)},${piece(source, first + 1)}` +
    `${between}${piece(source, first + 2)},${piece(source, first + 3)}${after}`
  )
}

/** Trees have no form for archives: of an `ACS_DELTA` only creates remain. */
function treeEventsJson(seen: SeenTransaction, shape: Shape, contracts: ReadonlyMap<string, Shown>): string {
  let events = ''
  for (const event of seen.events) {
    const isCreate = event.event.kind === 'create'
    if (shape === 'delta' && !isCreate) continue
    if (events !== '') events += ','
    events += isCreate
      ? `"${event.event.nodeId}":{"CreatedTreeEvent":{"value":${createdJson(seen, event, contracts)}}}`
      : `"${event.event.nodeId}":{"ExercisedTreeEvent":{"value":${exercisedEventJson(seen, event)}}}`
  }
  return events
}

function createdJson(seen: SeenTransaction, event: SeenEvent, contracts: ReadonlyMap<string, Shown>): string {
  const { first, frame } = event
  const shown = contracts.size === 0 ? undefined : contracts.get(contractIdAt(seen.body, startOf(first, seen.meta)))
  const [head, tail] = [piece(seen, first), piece(seen, first + 1)]
  return createdEventJson({ offset: seen.offset, head, tail, shown: shown ?? nothingMore, frame })
}

function piece({ body, meta }: Source, number: number): string {
  return body.cut(startOf(number, meta), meta.ends[number]!)
}
