// /explorer/find: what the explorer asks the node to find. Present where the node serves the explorer. Each has the rights
// of the read that gives the same data.
import { RenderedJson, type Route, route } from '../route.ts'
import * as wire from '../wire/finding.ts'
import { readersOf, readersOfUpdates } from '../wire/formats.ts'
import { optionalEventFormat } from '../wire/state.ts'
import { optionalFormat } from '../wire/updates.ts'

const tag = 'Explorer'

export const findingRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/explorer/find/contracts',
    tag,
    summary: 'Find active contracts: newest first, counted, filtered and sorted by fields',
    body: wire.findContractsRequest,
    response: wire.findContractsResponse,
    subject: ({ body }) => readersOf(optionalEventFormat(body)),
    async call({ finding }, { body }, _permission, context) {
      return new RenderedJson(await finding.contracts(wire.contractQueryFromJson(body), context))
    },
  }),

  route({
    method: 'POST',
    path: '/explorer/find/updates',
    tag,
    summary: 'List updates in short, without their values, in either order and by filters',
    body: wire.findUpdatesRequest,
    response: wire.findUpdatesResponse,
    subject: ({ body }) => readersOfUpdates(optionalFormat(body)),
    async call({ finding }, { body }, _permission, context) {
      return new RenderedJson(await finding.updates(wire.summariesQueryFromJson(body), context))
    },
  }),

  route({
    method: 'POST',
    path: '/explorer/find/places',
    tag,
    summary: 'Find what a text may mean: an offset, the beginning of an id, a party, a user, a value',
    body: wire.findPlacesRequest,
    response: wire.findPlacesResponse,
    subject: ({ body }) => ({ ...readersOf(optionalEventFormat(body)), identityProviderId: '' }),
    async call({ finding }, { body }, permission, context) {
      const places = await finding.places(wire.placeQueryFromJson(body), wire.directoryOf(permission), context)
      return new RenderedJson(wire.placesJson(places))
    },
  }),
]
