// The reads that several pages share: pages of updates and contracts, single updates, parties.
import { get, post } from './client.ts'
import type { ContractsPage, EventFormat, PartyDetails, Update, UpdateFormat, UpdatesPage } from './wire.ts'

export type UpdatesQuery = {
  readonly after?: number | undefined
  readonly upTo?: number | undefined
  readonly size: number
  readonly newestFirst: boolean
  readonly format: UpdateFormat
  readonly pageToken?: string | undefined
}

export function readUpdates(query: UpdatesQuery, signal?: AbortSignal): Promise<UpdatesPage> {
  const { after, upTo, size, newestFirst, format, pageToken } = query
  const request = {
    ...(after !== undefined && { beginOffsetExclusive: after }),
    ...(upTo !== undefined && { endOffsetInclusive: upTo }),
    ...(pageToken !== undefined && { pageToken }),
    maxPageSize: size,
    descendingOrder: newestFirst,
    updateFormat: format,
  }
  return post('/v2/updates/get-updates-page', request, { signal })
}

export function readUpdate(
  by: { readonly offset: number } | { readonly updateId: string },
  updateFormat: UpdateFormat,
  signal?: AbortSignal,
): Promise<{ update: Update }> {
  const path = 'offset' in by ? '/v2/updates/update-by-offset' : '/v2/updates/update-by-id'
  return post(path, { ...by, updateFormat }, { signal })
}

export type ContractsQuery = {
  readonly at?: number | undefined
  readonly size: number
  readonly format: EventFormat
  readonly pageToken?: string | undefined
}

export function readContracts(query: ContractsQuery, signal?: AbortSignal): Promise<ContractsPage> {
  const { at, size, format, pageToken } = query
  const request = {
    ...(at !== undefined && { activeAtOffset: at }),
    ...(pageToken !== undefined && { pageToken }),
    maxPageSize: size,
    eventFormat: format,
  }
  return post('/v2/state/active-contracts-page', request, { signal })
}

export async function readLedgerEnd(signal?: AbortSignal): Promise<number> {
  return (await get<{ offset: number }>('/v2/state/ledger-end', { signal })).offset
}

/** Those whose id begins with the text; an administrator's question. */
export async function findParties(prefix: string, size: number, signal?: AbortSignal): Promise<PartyDetails[]> {
  const query = { 'filter-party': prefix, pageSize: size }
  return (await get<{ partyDetails: PartyDetails[] }>('/v2/parties', { query, signal })).partyDetails
}

export type ConnectedSynchronizer = {
  readonly synchronizerAlias: string
  readonly synchronizerId: string
  /** What this participant may do for the party that was asked for: PARTICIPANT_PERMISSION_… */
  readonly permission?: string
}

/** All of them, or those on which a party is hosted. */
export async function readSynchronizers(signal?: AbortSignal, party = ''): Promise<readonly ConnectedSynchronizer[]> {
  type Answer = { readonly connectedSynchronizers?: readonly ConnectedSynchronizer[] }
  const answer = await get<Answer>('/v2/state/connected-synchronizers', { query: { party }, signal })
  return answer.connectedSynchronizers ?? []
}

export async function readParticipantId(signal?: AbortSignal): Promise<string> {
  return (await get<{ participantId: string }>('/v2/parties/participant-id', { signal })).participantId
}
