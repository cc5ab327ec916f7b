// /explorer/find: what the explorer asks the node to find. Present where the node serves the explorer. Each has the rights
// of the read that gives the same data.
import { RenderedJson, type Route, route } from '../route.ts'
import * as wire from '../wire/finding.ts'
import { readersOf } from '../wire/formats.ts'
import { optionalEventFormat } from '../wire/state.ts'

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
]
