// /v2/parties. Mirrors Canton's JsPartyManagementService.
import { Type } from 'typebox'
import { invalidArgument } from '../../base/errors.ts'
import { shorten } from '../../base/names.ts'
import { type Route, route } from '../route.ts'
import * as wire from '../wire/parties.ts'
import { int32, list, text } from '../wire/schema.ts'

const tag = 'Parties'
const identityProviderId = text('The identity provider of the caller')

export const partyRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/v2/parties',
    tag,
    summary: 'Allocate a party on this participant',
    body: wire.allocateRequest,
    response: wire.allocateResponse,
    subject: ({ body: { identityProviderId, userId } }) =>
      userId === '' ? { identityProviderId } : { identityProviderId, userId },
    async call(ledger, { body }, { identityProviderId, caller }, { traceContext }) {
      const request = { ...wire.allocateFromJson(body), identityProviderId }
      return { partyDetails: await ledger.parties.allocate(request, caller, traceContext) }
    },
  }),

  route({
    method: 'GET',
    path: '/v2/parties',
    tag,
    summary: 'List the known parties, page by page',
    query: Type.Object({
      'identity-provider-id': identityProviderId,
      'filter-party': text('Only parties whose id starts with this'),
      pageSize: int32("Parties per page; 0 for the node's maximum"),
      pageToken: text('The nextPageToken of the previous page; empty for the first page'),
    }),
    response: wire.partyPageResponse,
    subject: ({ query }) => ({ identityProviderId: query['identity-provider-id'] }),
    async call(ledger, { query }, { identityProviderId }) {
      const { parties, nextPageToken } = await ledger.parties.list(query['filter-party'], identityProviderId, query)
      return { partyDetails: parties, nextPageToken }
    },
  }),

  route({
    method: 'GET',
    path: '/v2/parties/participant-id',
    tag,
    summary: 'Get the id of this participant',
    response: wire.participantIdResponse,
    async call(ledger) {
      return { participantId: ledger.parties.participantId }
    },
  }),

  route({
    method: 'GET',
    path: '/v2/parties/{party}',
    tag,
    summary: 'Get one or more parties; unknown ones are left out of the answer',
    query: Type.Object({
      'identity-provider-id': identityProviderId,
      parties: list(Type.String(), 'Further parties besides the one in the path'),
    }),
    response: wire.partiesResponse,
    subject: ({ params, query }) => ({
      identityProviderId: query['identity-provider-id'],
      parties: [params.party!, ...query.parties],
    }),
    async call(ledger, { params, query }, { identityProviderId }) {
      const parties = [params.party!, ...query.parties]
      return { partyDetails: await ledger.parties.get(parties, identityProviderId) }
    },
  }),

  route({
    method: 'PATCH',
    path: '/v2/parties/{party}',
    tag,
    summary: 'Update the local metadata of a party that the mask names',
    body: wire.updatePartyRequest,
    response: wire.updatePartyResponse,
    early({ params, body }) {
      if (body.partyDetails?.party === params.party) return
      const shown = shorten(wire.showParty(body.partyDetails), 1000)
      throw invalidArgument(`${params.party} does not match party in body ${shown}`, { early: true })
    },
    subject: ({ body }) => ({ identityProviderId: body.partyDetails!.identityProviderId }),
    async call(ledger, { body }, { identityProviderId }) {
      const party = { ...wire.partyFromJson(body.partyDetails!), identityProviderId }
      return { partyDetails: await ledger.parties.update(party, body.updateMask?.paths) }
    },
  }),
]
