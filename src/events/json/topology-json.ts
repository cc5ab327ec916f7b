// Changes of the topology as JSON for readers. Mirrors Canton's JsTopologyTransaction and the predicate of
// TransactionLogUpdatesConversions: events of the parties that were asked for.

import type { PartySet } from '../../ledger/reading/requests/event-matcher.ts'
import type { HostingEvent, Permission, StoredTopology } from '../format/stored-update.ts'

export type SeenTopology = {
  readonly kind: 'topology'
  readonly offset: bigint
  readonly meta: StoredTopology
  readonly events: readonly HostingEvent[]
}

const permissions: Readonly<Record<Permission, string>> = {
  submission: 'PARTICIPANT_PERMISSION_SUBMISSION',
  confirmation: 'PARTICIPANT_PERMISSION_CONFIRMATION',
}

/** Undefined if nothing of it is visible. */
export function seeTopology(offset: bigint, meta: StoredTopology, whose: PartySet): SeenTopology | undefined {
  const events = whose === 'everybody' ? meta.events : meta.events.filter(({ party }) => whose.has(party))
  return events.length === 0 ? undefined : { kind: 'topology', offset, meta, events }
}

/** `JsTopologyTransaction`, unwrapped. */
export function topologyJson({ offset, meta, events }: SeenTopology): string {
  const { updateId, synchronizerId, recordTime, traceContext } = meta
  return (
    `{"updateId":"${updateId}","offset":${offset},"synchronizerId":"${synchronizerId}",` +
    `"recordTime":"${recordTime}","events":[${events.map(eventJson).join()}],` +
    `"traceContext":${JSON.stringify(traceContext)}}`
  )
}

function eventJson({ party, participantId, permission }: HostingEvent): string {
  const value = JSON.stringify({ partyId: party, participantId, participantPermission: permissions[permission] })
  return `{"event":{"ParticipantAuthorizationAdded":{"value":${value}}}}`
}
