// Updates and contracts as JSON for their readers: pieces of stored JSON are copied, and what differs from reader to
// reader is written between them. This is the path of every read, so no event is parsed and no value touched.

import type { StoredTransaction, TraceContext } from '../stored-update.ts'
import { implementedInterfaces, nothingMore, type Shown } from './contract-views.ts'
import type { JsonWriter } from './json-writer.ts'
import type { TransactionForm } from './reading.ts'
import type { SeenEvent, SeenTransaction, Shape } from './visibility.ts'

export type TransactionLayout = { readonly shape: Shape; readonly form: TransactionForm }

/** Where the pieces of events are. */
type Source = Pick<SeenTransaction, 'offset' | 'body'>

export type CreatedEvent = {
  readonly offset: bigint
  readonly nodeId: number
  /** The JSON of the event in two pieces, from `start` to `cut` and from there to `end`. */
  readonly source: Uint8Array
  readonly start: number
  readonly cut: number
  readonly end: number
  readonly shown: Shown
  readonly witnesses: readonly string[]
  readonly isDelta: boolean
}

/** `Transaction` or `TransactionTree`, without what wraps it. */
export function writeTransaction(
  out: JsonWriter,
  seen: SeenTransaction,
  { shape, form }: TransactionLayout,
  contracts: ReadonlyMap<string, Shown>,
): void {
  const { offset, meta } = seen
  const commandId = seen.isOwn ? meta.commandId : ''
  const head =
    `{"updateId":"${meta.updateId}","commandId":"${commandId}","workflowId":"${meta.workflowId}",` +
    `"effectiveAt":"${meta.effectiveAt}"`
  if (form === 'tree') {
    out.text(`${head},"offset":${offset},"eventsById":{`)
    writeTreeEvents(out, seen, shape, contracts)
    out.text(`},${setting(meta)},"recordTime":"${meta.recordTime}"}`)
    return
  }
  out.text(`${head},"events":[`)
  let comma = ''
  for (const event of seen.events) {
    out.text(comma)
    comma = ','
    const isCreate = event.event.kind === 'create'
    out.text(isCreate ? '{"CreatedEvent":' : shape === 'delta' ? '{"ArchivedEvent":' : '{"ExercisedEvent":')
    if (isCreate) writeCreatedEvent(out, createdOf(seen, event, contracts))
    else if (shape === 'delta') writeArchivedEvent(out, seen, event)
    else writeExercisedEvent(out, seen, event)
    out.text('}')
  }
  out.text(
    `],"offset":${offset},${setting(meta)},"recordTime":"${meta.recordTime}",` +
      `"externalTransactionHash":${signedHash(meta)},"paidTrafficCost":null}`,
  )
}

export function writeCreatedEvent(out: JsonWriter, created: CreatedEvent): void {
  const { offset, nodeId, source, start, cut, end, shown, witnesses, isDelta } = created
  out.text(`{"offset":${offset},"nodeId":${nodeId},`)
  out.bytes(source, start, cut)
  out.text(
    `,"createdEventBlob":"${shown.createdEventBlob}","interfaceViews":${shown.interfaceViews},` +
      `"witnessParties":${listOf(witnesses)},`,
  )
  out.bytes(source, cut, end)
  out.text(isDelta ? ',"acsDelta":true}' : ',"acsDelta":false}')
}

export function writeArchivedEvent(out: JsonWriter, { offset, body }: Source, seen: SeenEvent): void {
  const { event, start, witnesses, rule } = seen
  const { nodeId, ends } = event
  out.text(`{"offset":${offset},"nodeId":${nodeId},`)
  out.bytes(body, start, ends[0]!)
  out.text(`,"witnessParties":${listOf(witnesses)},`)
  out.bytes(body, ends[2]!, ends[3]!)
  out.text(`,"implementedInterfaces":${implementedInterfaces(rule, witnesses)}}`)
}

function writeExercisedEvent(out: JsonWriter, { offset, body }: Source, seen: SeenEvent): void {
  const { event, start, witnesses, isDelta, rule } = seen
  const { nodeId, ends, isConsuming } = event
  out.text(`{"offset":${offset},"nodeId":${nodeId},`)
  out.bytes(body, start, ends[0]!)
  out.text(',')
  out.bytes(body, ends[0]!, ends[1]!)
  out.text(`,"witnessParties":${listOf(witnesses)},`)
  out.bytes(body, ends[1]!, ends[2]!)
  out.text(',')
  out.bytes(body, ends[2]!, ends[3]!)
  const interfaces = isConsuming ? implementedInterfaces(rule, witnesses) : '[]'
  out.text(`,"implementedInterfaces":${interfaces},"acsDelta":${isDelta}}`)
}

/** Trees have no form for archives: of an `ACS_DELTA` only creates remain. */
function writeTreeEvents(
  out: JsonWriter,
  seen: SeenTransaction,
  shape: Shape,
  contracts: ReadonlyMap<string, Shown>,
): void {
  const shown = shape === 'delta' ? seen.events.filter(({ event }) => event.kind === 'create') : seen.events
  for (const [index, event] of shown.entries()) {
    const isCreate = event.event.kind === 'create'
    const kind = isCreate ? 'CreatedTreeEvent' : 'ExercisedTreeEvent'
    out.text(`${index > 0 ? ',' : ''}"${event.event.nodeId}":{"${kind}":{"value":`)
    if (isCreate) writeCreatedEvent(out, createdOf(seen, event, contracts))
    else writeExercisedEvent(out, seen, event)
    out.text('}}')
  }
}

function createdOf(
  { offset, body }: SeenTransaction,
  { event, start, witnesses, isDelta, wanted }: SeenEvent,
  contracts: ReadonlyMap<string, Shown>,
): CreatedEvent {
  return {
    offset,
    nodeId: event.nodeId,
    source: body,
    start,
    cut: event.ends[0]!,
    end: event.ends[1]!,
    shown: wanted === undefined ? nothingMore : (contracts.get(wanted.contractId) ?? nothingMore),
    witnesses,
    isDelta,
  }
}

function setting({ synchronizerId, traceContext }: StoredTransaction): string {
  return `"synchronizerId":"${synchronizerId}","traceContext":${traceJson(traceContext)}`
}

export function traceJson(traceContext: TraceContext | null): string {
  return traceContext === null ? 'null' : JSON.stringify(traceContext)
}

function signedHash({ externalTransactionHash }: StoredTransaction): string {
  return externalTransactionHash === undefined ? 'null' : `"${externalTransactionHash}"`
}

/** Of names that JSON needs no escapes for. */
export function listOf(names: readonly string[]): string {
  return names.length === 0 ? '[]' : `["${names.join('","')}"]`
}
