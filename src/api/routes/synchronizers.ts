// /v2/state/connected-synchronizers, which mirrors part of Canton's JsStateService; and /v2/synchronizers, where an
// administrator connects and disconnects them.
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
      identityProviderId: text('The identity provider of the user that asks about a party'),
    }),
    response: wire.connectedSynchronizersResponse,
    subject: ({ query: { party, identityProviderId } }) =>
      party === '' ? {} : { parties: [party], identityProviderId },
    async call(ledger, { query }) {
      return { connectedSynchronizers: (await ledger.parties.connections(query)).map(wire.connectionToJson) }
    },
  }),

  route({
    method: 'GET',
    path: '/v2/synchronizers',
    tag: 'Administration',
    summary: 'List all synchronizers of the node, connected or not',
    response: wire.synchronizersResponse,
    async call(ledger) {
      await ledger.end.latest()
      return wire.synchronizersToJson(ledger)
    },
  }),

  connecting('connect', 'Connect to a synchronizer again', true),
  connecting('disconnect', 'Disconnect from a synchronizer: its contracts can be read but not used', false),
]

function connecting(verb: string, summary: string, isConnected: boolean): Route {
  return route({
    method: 'POST',
    path: `/v2/synchronizers/{alias}/${verb}`,
    tag: 'Administration',
    summary,
    response: wire.synchronizersResponse,
    async call(ledger, { params }) {
      await ledger.synchronizers.setConnected(params.alias!, isConnected)
      return wire.synchronizersToJson(ledger)
    },
  })
}
