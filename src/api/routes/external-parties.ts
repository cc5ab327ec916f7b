// /v2/parties/external. Mirrors Canton's JsPartyManagementService.
import { type Route, route } from '../route.ts'
import * as wire from '../wire/external-parties.ts'

const tag = 'Parties'

export const externalPartyRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/v2/parties/external/generate-topology',
    tag,
    summary: 'Generate the topology that an external party must sign',
    body: wire.generateTopologyRequest,
    response: wire.generateTopologyResponse,
    async call(ledger, { body }) {
      const request = wire.topologyRequestFromJson(body)
      return wire.topologyToJson(await ledger.externalParties.generateTopology(request))
    },
  }),

  route({
    method: 'POST',
    path: '/v2/parties/external/allocate',
    tag,
    summary: 'Allocate an external party, which holds its own keys',
    body: wire.allocateExternalRequest,
    response: wire.allocateExternalResponse,
    subject: ({ body: { identityProviderId, userId } }) =>
      userId === '' ? { identityProviderId } : { identityProviderId, userId },
    async call(ledger, { body }, { identityProviderId, caller }, { traceContext }) {
      const request = wire.allocateExternalFromJson(body, identityProviderId)
      return { partyId: await ledger.externalParties.allocate(request, caller, traceContext) }
    },
  }),
]
