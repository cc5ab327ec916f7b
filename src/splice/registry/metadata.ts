// GET /registry/metadata/v1: the registry and its one instrument. Mirrors Splice's HttpTokenStandardMetadataHandler.
import { sumOf } from '../ledger/decimals.ts'
import { templates } from '../ledger/templates.ts'
import { notFound, type Route, type RouteContext } from '../serving/route.ts'

const instrumentId = 'Amulet'

const supportedApis = {
  'splice-api-token-metadata-v1': 1,
  'splice-api-token-holding-v1': 1,
  'splice-api-token-transfer-instruction-v1': 1,
  'splice-api-token-allocation-v1': 1,
  'splice-api-token-allocation-instruction-v1': 1,
  'splice-api-token-holding-v2': 1,
  'splice-api-token-allocation-v2': 1,
  'splice-api-token-allocation-instruction-v2': 1,
  'splice-api-token-transfer-instruction-v2': 1,
  'splice-api-token-transfer-events-v2': 1,
}

export const metadataRoutes: readonly Route<RouteContext>[] = [
  {
    method: 'GET',
    path: '/registry/metadata/v1/info',
    access: 'anyone',
    answer: async ({ network }) => ({ adminId: network.dso, supportedApis: { 'splice-api-token-metadata-v1': 1 } }),
  },
  {
    method: 'GET',
    path: '/registry/metadata/v1/instruments',
    access: 'anyone',
    answer: async (context) => ({ instruments: [await amuletInstrument(context)] }),
  },
  {
    method: 'GET',
    path: '/registry/metadata/v1/instruments/{instrumentId}',
    access: 'anyone',
    async answer(context, { params }) {
      if (params.instrumentId === instrumentId) return amuletInstrument(context)
      throw notFound(`No instrument with id ${params.instrumentId} found`)
    },
  },
]

async function amuletInstrument({ dso, now }: RouteContext): Promise<object> {
  const amulets = await dso.all(templates.amulet)
  const locked = await dso.all(templates.lockedAmulet)
  const amounts = [
    ...amulets.map(({ payload }) => payload.amount.initialAmount),
    ...locked.map(({ payload }) => payload.amulet.amount.initialAmount),
  ]
  return {
    id: instrumentId,
    name: 'Amulet',
    symbol: 'AMT',
    decimals: 10,
    totalSupply: sumOf(amounts),
    totalSupplyAsOf: new Date(await now()).toISOString(),
    supportedApis,
  }
}
