// /api/scan/…/state/acs: what was active for the DSO after any of its updates, page by page.
import type { ContractSelection, ContractsPage, HistoryPoint } from '../ledger/dso-history.ts'
import { type Json, ParticipantRefusal } from '../ledger/participant.ts'
import { timeText } from '../ledger/times.ts'
import { badRequest, notFound, type Route, type RouteContext } from '../serving/route.ts'
import { malformed, pageSizeFrom, snapshotOf, textsFrom, timeFrom } from './history-requests.ts'
import { migrationId, snapshotContractJson } from './update-json.ts'

type ScanRoute = Route<RouteContext>

const base = '/api/scan'

const acsRoute = (version: 0 | 1): ScanRoute => ({
  method: 'POST',
  path: `${base}/v${version}/state/acs`,
  access: 'anyone',
  async answer(context, { body }) {
    const templates = textsFrom(body.templates, 'templates').map(templateFrom)
    const parties = new Set(textsFrom(body.party_ids, 'party_ids'))
    const isStakeholder = ({ signatories, observers }: Json) =>
      [...signatories, ...(observers ?? [])].some((party) => parties.has(party))
    const only =
      parties.size === 0 ? undefined : { text: `of ${[...parties].toSorted().join(' ')}`, isWanted: isStakeholder }
    return snapshotPage(context, body, { templates, only }, version)
  },
})

export const acsSnapshotRoutes: readonly ScanRoute[] = [
  {
    method: 'GET',
    path: `${base}/v0/state/acs/snapshot-timestamp`,
    access: 'anyone',
    async answer({ dso }, { query }) {
      const before = timeFrom(query.get('before'), 'before')
      const point = isThisMigration(query) ? await dso.history.pointAtOrBefore(before) : undefined
      if (point === undefined) throw notFound(`No snapshots found before ${query.get('before')}`)
      return { record_time: timeText(point.recordMicros) }
    },
  },
  {
    method: 'GET',
    path: `${base}/v0/state/acs/snapshot-timestamp-after`,
    access: 'anyone',
    async answer({ dso }, { query }) {
      const after = timeFrom(query.get('after'), 'after')
      const point = isThisMigration(query) ? await dso.history.pointAfter(after) : undefined
      if (point === undefined) throw notFound(`No snapshots found after ${query.get('after')}`)
      return { record_time: timeText(point.recordMicros) }
    },
  },
  {
    method: 'POST',
    path: `${base}/v0/state/acs/force`,
    access: 'anyone',
    async answer({ dso }) {
      const point = await dso.history.pointAtOrBefore()
      if (point === undefined) throw badRequest('No updates ever happened for a snapshot.')
      return { record_time: timeText(point.recordMicros), migration_id: migrationId }
    },
  },
  acsRoute(0),
  acsRoute(1),
]

/** A page of the snapshot that a request names. */
export async function snapshotPage(
  context: RouteContext,
  body: Json,
  selection: Pick<ContractSelection, 'templates' | 'only'>,
  version: 0 | 1,
): Promise<object> {
  const count = pageSizeFrom(body)
  const { after = undefined } = body
  const point = await snapshotOf(context, body)
  const page = await contractsAt(context, point, { ...selection, count, after: after ?? undefined })
  if (page === undefined) throw badRequest(`Invalid after token: no page of this snapshot ended at ${after}.`)
  const { created, next } = page
  return {
    record_time: timeText(point.recordMicros),
    migration_id: migrationId,
    created_events: created.map((contract) => snapshotContractJson(contract, version)),
    ...(next !== undefined && { next_page_token: next }),
  }
}

const unknownNames: ReadonlySet<string> = new Set([
  'PACKAGE_NAMES_NOT_FOUND',
  'NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME',
  'TEMPLATES_OR_INTERFACES_NOT_FOUND',
])

/** A template that nobody knows has no contracts. */
async function contractsAt(
  { dso }: RouteContext,
  { offset }: HistoryPoint,
  selection: ContractSelection,
): Promise<ContractsPage | undefined> {
  try {
    return await dso.history.contractsAt(offset, selection)
  } catch (error) {
    const isUnknown = error instanceof ParticipantRefusal && unknownNames.has(error.code)
    if (!isUnknown || selection.templates.length > 1) throw error
    return { created: [], next: undefined }
  }
}

function templateFrom(name: string): string {
  if (name.split(':').length === 3) return `#${name}`
  throw badRequest(`Malformed template_id, expected 'package_name:module_name:entity_name'`)
}

function isThisMigration(query: URLSearchParams): boolean {
  const migration = query.get('migration_id')
  if (!/^\d+$/.test(migration ?? '')) throw malformed('migration_id is a number')
  return Number(migration) === migrationId
}
