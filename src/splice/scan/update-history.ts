// POST /api/scan/…/updates and events: what has happened, as far as the DSO sees it, page by page.
import type { Json } from '../ledger/participant.ts'
import { badRequest, notFound, type Route, type RouteContext } from '../serving/route.ts'
import { malformed, pageSizeFrom, timeFrom } from './history-requests.ts'
import { migrationId, type UpdateVersion, updateJson } from './update-json.ts'

type ScanRoute = Route<RouteContext>

const base = '/api/scan'

function updateRoutes(version: UpdateVersion): ScanRoute[] {
  const path = `${base}/v${version}/updates`
  return [
    {
      method: 'POST',
      path,
      access: 'anyone',
      answer: async (context, { body }) => ({
        transactions: (await updatesAfter(context, body)).map((one) => updateJson(one, version)),
      }),
    },
    {
      method: 'GET',
      path: `${path}/{updateId}`,
      access: 'anyone',
      async answer({ dso }, { params, query }) {
        checkEncoding(query.get('daml_value_encoding'), query.get('lossless') === 'true')
        const found = await dso.history.updateById(params.updateId!)
        if (found === undefined) throw notFound(`Transaction with id ${params.updateId} not found`)
        return updateJson(found, version)
      },
    },
  ]
}

/** There is no mediator of its own here, so events have no verdicts. */
const eventRoutes: readonly ScanRoute[] = [
  {
    method: 'POST',
    path: `${base}/v0/events`,
    access: 'anyone',
    answer: async (context, { body }) => ({
      events: (await updatesAfter(context, body)).map((one) => ({ update: updateJson(one, 2) })),
    }),
  },
  {
    method: 'GET',
    path: `${base}/v0/events/{updateId}`,
    access: 'anyone',
    async answer({ dso }, { params, query }) {
      checkEncoding(query.get('daml_value_encoding'), false)
      const found = await dso.history.updateById(params.updateId!)
      if (found === undefined) throw notFound(`Event with id ${params.updateId} not found`)
      return { update: updateJson(found, 2) }
    },
  },
]

export const updateHistoryRoutes: readonly ScanRoute[] = [
  ...updateRoutes(0),
  ...updateRoutes(1),
  ...updateRoutes(2),
  ...eventRoutes,
]

async function updatesAfter({ dso }: RouteContext, body: Json): Promise<readonly Json[]> {
  checkEncoding(body.daml_value_encoding, body.lossless === true)
  const count = pageSizeFrom(body)
  const { after } = body
  if (after === undefined || after === null) return dso.history.updatesAfter(undefined, count)
  const { after_migration_id: migration, after_record_time: time } = after
  if (!Number.isSafeInteger(migration)) throw malformed('after_migration_id is a number')
  const micros = timeFrom(time, 'after_record_time')
  if (migration > migrationId) return []
  return dso.history.updatesAfter(migration === migrationId ? micros : undefined, count)
}

function checkEncoding(encoding: unknown, isLossless: boolean): void {
  if (isLossless || encoding === 'protobuf_json') {
    throw badRequest('Values in the encoding protobuf_json are not served by tallystick localnet')
  }
}
