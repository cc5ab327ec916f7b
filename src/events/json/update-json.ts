// Reassignments as JSON for readers. Like transaction-json.ts, it copies pieces of stored JSON. Mirrors Canton's
// JsReassignment and its events.
import { nothingMore, type Shown } from '../../ledger/reading/json/contract-views.ts'
import type { SeenMove, SeenReassignment } from '../../ledger/reading/json/visibility.ts'
import { createdFrame, createdIn, listOf } from './event-json.ts'
import { paidTrafficCost } from './transaction-json.ts'

export type UnassignedEvent = {
  readonly offset: bigint
  readonly nodeId: number
  /** `contractId`, `templateId` and `packageName`. */
  readonly contract: string
  readonly reassignmentId: string
  readonly source: string
  readonly target: string
  readonly submitter: string
  readonly counter: number | bigint
  readonly exclusiveUntil: string | null
  readonly witnesses: readonly string[]
}

/** `JsReassignment`, unwrapped. */
export function reassignmentJson(seen: SeenReassignment, contracts: ReadonlyMap<string, Shown>): string {
  const { offset, meta, isOwn } = seen
  const events = seen.events.map((move) =>
    meta.direction === 'unassignment' ? unassignmentJson(seen, move) : assignmentJson(seen, move, contracts),
  )
  return (
    `{"updateId":"${meta.updateId}","commandId":"${isOwn ? meta.commandId : ''}","workflowId":"${meta.workflowId}",` +
    `"offset":${offset},"events":[${events.join()}],"traceContext":${JSON.stringify(meta.traceContext)},` +
    `"recordTime":"${meta.recordTime}","synchronizerId":"${meta.synchronizerId}",` +
    `"paidTrafficCost":${paidTrafficCost(isOwn)}}`
  )
}

/** `UnassignedEvent`, unwrapped. */
export function unassignedEventJson(event: UnassignedEvent): string {
  const { offset, nodeId, contract, source, target, submitter, counter, exclusiveUntil, witnesses } = event
  return (
    `{"reassignmentId":"${event.reassignmentId}",${contract},"source":"${source}","target":"${target}",` +
    `"submitter":"${submitter}","reassignmentCounter":${counter},` +
    `"assignmentExclusivity":${JSON.stringify(exclusiveUntil)},` +
    `"witnessParties":${listOf(witnesses)},"offset":${offset},"nodeId":${nodeId}}`
  )
}

function unassignmentJson({ offset, meta, body }: SeenReassignment, { event, start, witnesses }: SeenMove): string {
  const unassigned = unassignedEventJson({
    offset,
    nodeId: event.nodeId,
    contract: body.cut(start, event.ends[0]!),
    reassignmentId: meta.reassignmentId,
    source: meta.source,
    target: meta.target,
    submitter: meta.submitters[0],
    counter: event.counter,
    exclusiveUntil: meta.exclusiveUntil,
    witnesses,
  })
  return `{"JsUnassignedEvent":{"value":${unassigned}}}`
}

function assignmentJson(
  { offset, meta, body }: SeenReassignment,
  { event, start, witnesses, wanted }: SeenMove,
  contracts: ReadonlyMap<string, Shown>,
): string {
  const created = createdIn(createdFrame({ nodeId: event.nodeId, witnesses }, true), {
    offset: String(offset),
    pieces: [body.cut(start, event.ends[0]!), body.cut(event.ends[0]!, event.ends[1]!)],
    shown: wanted === undefined ? nothingMore : (contracts.get(wanted.contractId) ?? nothingMore),
  })
  return (
    `{"JsAssignmentEvent":{"source":"${meta.source}","target":"${meta.target}",` +
    `"reassignmentId":"${meta.reassignmentId}","submitter":"${meta.submitters[0]}",` +
    `"reassignmentCounter":${event.counter},"createdEvent":${created.join('')}}}`
  )
}
