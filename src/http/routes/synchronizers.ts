// /v2/state/connected-synchronizers. Mirrors a part of Canton's JsStateService.
import { Type } from 'typebox'
import { type Route, route } from '../route.ts'
import { text } from '../wire/schema.ts'
import * as wire from '../wire/synchronizers.ts'

export const synchronizerRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/v2/state/connected-synchronizers',
    tag: 'State',
    summary: 'List the synchronizers that the participant is connected to',
    query: Type.Object({
      party: text('Only synchronizers where this party is hosted'),
      participantId: text('The participant that hosts the party; empty for this one'),
      identityProviderId: text('The identity provider of the user who asks about a party'),
    }),
    response: wire.connectedSynchronizersResponse,
    subject: ({ query: { party, identityProviderId } }) =>
      party === '' ? {} : { parties: [party], identityProviderId },
    async call(ledger, { query }) {
      return { connectedSynchronizers: (await ledger.parties.connections(query)).map(wire.connectionToJson) }
    },
  }),
]
