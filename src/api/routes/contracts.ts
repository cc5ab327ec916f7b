// /v2/events and /v2/contracts: one contract. Mirrors Canton's JsEventService and JsContractService.
import { RenderedJson, type Route, route } from '../route.ts'
import { readersOf } from '../wire/formats.ts'
import * as wire from '../wire/state.ts'

const tag = 'Contracts'

export const contractRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/v2/events/events-by-contract-id',
    tag,
    summary: 'Get the create and archive events of a contract',
    body: wire.eventsRequest,
    response: wire.eventsResponse,
    subject: ({ body }) => readersOf(wire.optionalEventFormat(body)),
    async call({ contractEvents }, { body }, _, context) {
      const format = wire.optionalEventFormat(body)
      return new RenderedJson(await contractEvents.byContractId(body.contractId, format, context))
    },
  }),

  route({
    method: 'POST',
    path: '/v2/contracts/contract-by-id',
    tag,
    summary: 'Get a contract, archived or not',
    body: wire.contractRequest,
    response: wire.contractResponse,
    subject: ({ body: { queryingParties } }) => ({
      readAs: queryingParties,
      readsAsAnyParty: queryingParties.length === 0,
    }),
    async call({ contractEvents }, { body }, _, context) {
      return new RenderedJson(await contractEvents.contract(body.contractId, body.queryingParties, context))
    },
  }),
]
