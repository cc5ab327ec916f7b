// /v2/state: active contracts and offsets. Mirrors Canton's JsStateService.
import { type Method, RenderedJson, type Route, route } from '../route.ts'
import { streamRoute } from '../stream-route.ts'
import { readersOf } from '../wire/formats.ts'
import * as wire from '../wire/state.ts'

const tag = 'State'

const activeContractsPage = (method: Method, summary: string): Route =>
  route({
    method,
    path: '/v2/state/active-contracts-page',
    tag,
    summary,
    body: wire.activeContractsPageRequest,
    response: wire.activeContractsPageResponse,
    subject: ({ body }) => readersOf(wire.optionalEventFormat(body)),
    async call({ activeContracts, compatibility }, { body }, _, { signal, account }) {
      const query = wire.activeContractsPageQueryFromJson(body, compatibility)
      return new RenderedJson(await activeContracts.page(query, signal, { account }))
    },
  })

export const stateRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/v2/state/ledger-end',
    tag,
    summary: 'Get the ledger end: the offset of the last update',
    response: wire.ledgerEndResponse,
    async call({ end }) {
      return new RenderedJson(`{"offset":${(await end.latest()).offset}}`)
    },
  }),

  route({
    method: 'GET',
    path: '/v2/state/latest-pruned-offsets',
    tag,
    summary: 'Get the offset up to which updates are pruned',
    response: wire.prunedOffsetsResponse,
    async call({ end }) {
      await end.latest()
      const pruned = end.prunedUpTo()
      return new RenderedJson(
        `{"participantPrunedUpToInclusive":${pruned},"allDivulgedContractsPrunedUpToInclusive":${pruned}}`,
      )
    },
  }),

  streamRoute({
    path: '/v2/state/active-contracts',
    tag,
    summary: 'List the contracts that are active at an offset',
    body: wire.activeContractsRequest,
    response: wire.activeContractsResponse,
    early: wire.checkActiveContractsRequest,
    subject: (body) => readersOf(wire.activeContractsFormat(body)),
    stream({ activeContracts, compatibility }, body) {
      const wanted = wire.activeContractsQueryFromJson(body, compatibility)
      return { open: (signal, hints) => activeContracts.stream(wanted, signal, hints) }
    },
  }),

  activeContractsPage('POST', 'List the contracts that are active at an offset, page by page'),
  activeContractsPage('GET', 'The same, for older clients: a GET with a body'),
]
