// Reassignments as JSON for their readers, as projection.ts does it for transactions: pieces of stored JSON are copied.
// Mirrors Canton's JsReassignment and its events.
import { nothingMore, type Shown } from './contract-views.ts'
import type { JsonWriter } from './json-writer.ts'
import { listOf, traceJson, writeCreatedEvent } from './projection.ts'
import type { SeenMove, SeenReassignment } from './visibility.ts'

export type UnassignedEvent = {
  readonly offset: bigint
  readonly nodeId: number
  /** `contractId`, `templateId` and `packageName`, from `start` to `end`. */
  readonly body: Uint8Array
  readonly start: number
  readonly end: number
  readonly reassignmentId: string
  readonly source: string
  readonly target: string
  readonly submitter: string
  readonly counter: number | bigint
  readonly exclusiveUntil: string | null
  readonly witnesses: readonly string[]
}

/** `JsReassignment`, without what wraps it. */
export function writeReassignment(
  out: JsonWriter,
  seen: SeenReassignment,
  contracts: ReadonlyMap<string, Shown>,
): void {
  const { offset, meta, isOwn } = seen
  out.text(
    `{"updateId":"${meta.updateId}","commandId":"${isOwn ? meta.commandId : ''}","workflowId":"${meta.workflowId}",` +
      `"offset":${offset},"events":[`,
  )
  let comma = ''
  for (const move of seen.events) {
    out.text(comma)
    comma = ','
    if (meta.direction === 'unassignment') writeUnassignment(out, seen, move)
    else writeAssignment(out, seen, move, contracts)
  }
  out.text(
    `],"traceContext":${traceJson(meta.traceContext)},"recordTime":"${meta.recordTime}",` +
      `"synchronizerId":"${meta.synchronizerId}","paidTrafficCost":null}`,
  )
}

/** `UnassignedEvent`, without what wraps it. */
export function writeUnassignedEvent(out: JsonWriter, event: UnassignedEvent): void {
  const { offset, nodeId, body, start, end, source, target, submitter, counter, exclusiveUntil, witnesses } = event
  out.text(`{"reassignmentId":"${event.reassignmentId}",`)
  out.bytes(body, start, end)
  out.text(
    `,"source":"${source}","target":"${target}","submitter":"${submitter}","reassignmentCounter":${counter},` +
      `"assignmentExclusivity":${exclusiveUntil === null ? 'null' : `"${exclusiveUntil}"`},` +
      `"witnessParties":${listOf(witnesses)},"offset":${offset},"nodeId":${nodeId}}`,
  )
}

function writeUnassignment(out: JsonWriter, { offset, meta, body }: SeenReassignment, move: SeenMove): void {
  const { event, start, witnesses } = move
  out.text('{"JsUnassignedEvent":{"value":')
  writeUnassignedEvent(out, {
    offset,
    nodeId: event.nodeId,
    body,
    start,
    end: event.ends[0]!,
    reassignmentId: meta.reassignmentId,
    source: meta.source,
    target: meta.target,
    submitter: meta.submitters[0],
    counter: event.counter,
    exclusiveUntil: meta.exclusiveUntil,
    witnesses,
  })
  out.text('}}')
}

function writeAssignment(
  out: JsonWriter,
  { offset, meta, body }: SeenReassignment,
  { event, start, witnesses, wanted }: SeenMove,
  contracts: ReadonlyMap<string, Shown>,
): void {
  out.text(
    `{"JsAssignmentEvent":{"source":"${meta.source}","target":"${meta.target}",` +
      `"reassignmentId":"${meta.reassignmentId}","submitter":"${meta.submitters[0]}",` +
      `"reassignmentCounter":${event.counter},"createdEvent":`,
  )
  writeCreatedEvent(out, {
    offset,
    nodeId: event.nodeId,
    source: body,
    start,
    cut: event.ends[0]!,
    end: event.ends[1]!,
    shown: wanted === undefined ? nothingMore : (contracts.get(wanted.contractId) ?? nothingMore),
    witnesses,
    isDelta: true,
  })
  out.text('}}')
}
