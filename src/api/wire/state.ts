// Active contracts, single contracts and offsets on the wire. Mirrors Canton's JsStateService, JsEventService and
// JsContractService.
import { type Static, Type } from 'typebox'
import { missingField } from '../../base/errors.ts'
import type { Settings } from '../../base/settings.ts'
import type {
  ActiveContractsPageQuery,
  ActiveContractsQuery,
  EventFormat,
} from '../../ledger/reading/requests/queries.ts'
import { archivedEvent, assignedEvent, createdEvent, offset, unassignedEvent } from './events.ts'
import { checkOlderRequest, eventFormat, eventFormatFromJson, olderRequest, tokenFromJson } from './formats.ts'
import { bytes, flat, int32, int64, list, message, optional, optionalInt64, text, variants } from './schema.ts'

export const ledgerEndResponse = message('GetLedgerEndResponse', { offset })
export const prunedOffsetsResponse = message('GetLatestPrunedOffsetsResponse', {
  participantPrunedUpToInclusive: int64('The offset up to which updates are pruned; 0 if none are'),
  allDivulgedContractsPrunedUpToInclusive: int64('The same offset'),
})

const continuationToken = 'A token to resume after this element'

export const activeContractsRequest = message(
  'GetActiveContractsRequest',
  {
    ...olderRequest,
    activeAtOffset: int64('The offset at which to list active contracts; at 0 there are none'),
    eventFormat: optional(eventFormat),
    streamContinuationToken: optional(bytes(continuationToken)),
  },
  { requires: ['activeAtOffset'] },
)

const synchronizerId = text('The synchronizer it is assigned to')

const contractEntry = variants(
  'JsContractEntry',
  [
    flat(
      'JsActiveContract',
      message(
        'JsActiveContract',
        { createdEvent, synchronizerId, reassignmentCounter: int64('The number of its reassignments') },
        { description: 'An active contract', requires: 'all' },
      ),
    ),
    flat('JsEmpty', message('JsEmpty', {}, { description: 'Nothing' })),
    flat(
      'JsIncompleteAssigned',
      message(
        'JsIncompleteAssigned',
        { assignedEvent },
        { description: 'A contract that was assigned before its unassignment was seen' },
      ),
    ),
    flat(
      'JsIncompleteUnassigned',
      message(
        'JsIncompleteUnassigned',
        { createdEvent, unassignedEvent },
        { description: 'A contract in transit: unassigned, and not yet assigned' },
      ),
    ),
  ],
  { description: 'The contract' },
)

const activeContract = message(
  'JsGetActiveContractsResponse',
  {
    workflowId: text('The workflow id of the submission that created it; empty if none'),
    contractEntry,
    streamContinuationToken: bytes(continuationToken),
  },
  { requires: [] },
)

export const activeContractsResponse = Type.Array(activeContract, { description: 'Oldest first' })

export const activeContractsPageRequest = message(
  'GetActiveContractsPageRequest',
  {
    activeAtOffset: optionalInt64('The offset at which to list active contracts; the ledger end if absent'),
    eventFormat: optional(eventFormat),
    maxPageSize: optional(int32("Contracts per page; the node's default if absent")),
    pageToken: optional(bytes('The nextPageToken of the previous page; absent for the first page')),
  },
  { requires: ['eventFormat'] },
)
export const activeContractsPageResponse = message(
  'JsGetActiveContractsPageResponse',
  {
    activeContracts: list(activeContract, 'The contracts of this page'),
    activeAtOffset: int64('The offset at which they are active'),
    nextPageToken: optional(bytes('The token of the next page; null if there is none')),
  },
  { requires: ['activeContracts', 'activeAtOffset'] },
)

export const eventsRequest = message(
  'GetEventsByContractIdRequest',
  {
    contractId: text('The contract'),
    eventFormat: optional(eventFormat),
  },
  { requires: 'all' },
)
export const eventsResponse = message('JsGetEventsByContractIdResponse', {
  created: optional(
    message(
      'JsCreated',
      { createdEvent, synchronizerId },
      { description: 'The creation of the contract', requires: 'all' },
    ),
  ),
  archived: optional(
    message(
      'JsArchived',
      { archivedEvent, synchronizerId },
      { description: 'The archival of the contract', requires: 'all' },
    ),
  ),
})

export const contractRequest = message(
  'GetContractRequest',
  {
    contractId: text('The contract'),
    queryingParties: list(Type.String(), 'Parties of which one must be a stakeholder; any party if empty'),
  },
  { requires: ['contractId'] },
)
export const contractResponse = message('GetContractResponse', { createdEvent })

type ActiveContractsJson = Static<typeof activeContractsRequest>

export function checkActiveContractsRequest(json: ActiveContractsJson): void {
  checkOlderRequest(json, json.eventFormat, 'event_format')
}

/** The format of the new field, or the equivalent of the old ones. */
export function activeContractsFormat({ eventFormat, filter }: ActiveContractsJson): EventFormat {
  return eventFormatFromJson((eventFormat ?? filter)!)
}

export function activeContractsQueryFromJson(
  json: ActiveContractsJson,
  compatibility: Settings['compatibility'],
): ActiveContractsQuery {
  return {
    activeAtOffset: json.activeAtOffset,
    format: activeContractsFormat(json),
    continuationToken: tokenFromJson(json.streamContinuationToken, compatibility),
  }
}

export function optionalEventFormat(json: {
  readonly eventFormat?: Static<typeof eventFormat>
}): EventFormat | undefined {
  return json.eventFormat && eventFormatFromJson(json.eventFormat)
}

export function activeContractsPageQueryFromJson(
  json: Static<typeof activeContractsPageRequest>,
  compatibility: Settings['compatibility'],
): ActiveContractsPageQuery {
  const format = optionalEventFormat(json)
  if (format === undefined) throw missingField('event_format')
  return {
    activeAtOffset: json.activeAtOffset,
    format,
    maxPageSize: json.maxPageSize,
    pageToken: tokenFromJson(json.pageToken, compatibility),
  }
}
