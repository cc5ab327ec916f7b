// Reassignments and changes of the topology as JSON for readers. Mirrors Canton's JsReassignment and
// JsTopologyTransaction.
import type { Pieces } from '../format/event-pieces.ts'
import type {
  HostingEvent,
  MovedContract,
  Permission,
  StoredReassignment,
  StoredTopology,
} from '../format/stored-update.ts'
import { createdFrame, createdIn, type Extras, listOf, noExtras, paidTrafficCost } from './event-json.ts'

/** A contract that moves, as the readers of a request see it. */
export type ShownMove = {
  readonly event: MovedContract
  readonly start: number
  readonly witnesses: readonly string[]
  /** Set if they want its blob or views. */
  readonly wanted: { readonly contractId: string } | undefined
}

export type ShownReassignment = {
  readonly offset: bigint
  readonly meta: StoredReassignment
  readonly body: Pieces
  /** Whether a reader submitted it. */
  readonly isOwn: boolean
  readonly events: readonly ShownMove[]
}

export type ShownTopology = {
  readonly offset: bigint
  readonly meta: StoredTopology
  readonly events: readonly HostingEvent[]
}

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
export function reassignmentJson(seen: ShownReassignment, contracts: ReadonlyMap<string, Extras>): string {
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

function unassignmentJson({ offset, meta, body }: ShownReassignment, { event, start, witnesses }: ShownMove): string {
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
  { offset, meta, body }: ShownReassignment,
  { event, start, witnesses, wanted }: ShownMove,
  contracts: ReadonlyMap<string, Extras>,
): string {
  const created = createdIn(createdFrame({ nodeId: event.nodeId, witnesses }, true), {
    offset: String(offset),
    pieces: [body.cut(start, event.ends[0]!), body.cut(event.ends[0]!, event.ends[1]!)],
    extras: wanted === undefined ? noExtras : (contracts.get(wanted.contractId) ?? noExtras),
  })
  return (
    `{"JsAssignmentEvent":{"source":"${meta.source}","target":"${meta.target}",` +
    `"reassignmentId":"${meta.reassignmentId}","submitter":"${meta.submitters[0]}",` +
    `"reassignmentCounter":${event.counter},"createdEvent":${created.join('')}}}`
  )
}

const permissions: Readonly<Record<Permission, string>> = {
  submission: 'PARTICIPANT_PERMISSION_SUBMISSION',
  confirmation: 'PARTICIPANT_PERMISSION_CONFIRMATION',
  observation: 'PARTICIPANT_PERMISSION_OBSERVATION',
}

/** `JsTopologyTransaction`, unwrapped. */
export function topologyJson({ offset, meta, events }: ShownTopology): string {
  const { updateId, synchronizerId, recordTime, traceContext } = meta
  return (
    `{"updateId":"${updateId}","offset":${offset},"synchronizerId":"${synchronizerId}",` +
    `"recordTime":"${recordTime}","events":[${events.map(hostingJson).join()}],` +
    `"traceContext":${JSON.stringify(traceContext)}}`
  )
}

function hostingJson({ party, participantId, permission }: HostingEvent): string {
  const value = JSON.stringify({ partyId: party, participantId, participantPermission: permissions[permission] })
  return `{"event":{"ParticipantAuthorizationAdded":{"value":${value}}}}`
}
