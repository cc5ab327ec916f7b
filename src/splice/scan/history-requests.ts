// What requests for the history of the DSO name: sizes of pages, and the states that are known by a record time.
import type { HistoryPoint } from '../ledger/dso-history.ts'
import type { Json } from '../ledger/participant.ts'
import { microsFrom } from '../ledger/times.ts'
import { badRequest, notFound, type RouteContext } from '../serving/route.ts'
import { migrationId } from './update-json.ts'

const pageSizeMax = 1_000

/** As Splice's PageLimit refuses sizes. */
export function pageSizeFrom({ page_size: size }: Json): number {
  if (!Number.isSafeInteger(size)) throw malformed('page_size is a number')
  if (size > pageSizeMax) throw badRequest(`Exceeded limit maximum (${size} > ${pageSizeMax}).`)
  if (size < 1) throw badRequest('Limit must be at least 1.')
  return size
}

export function malformed(reason: string) {
  return badRequest(`The request content was malformed:\n${reason}`)
}

export function timeFrom(text: unknown, name: string): number {
  const micros = microsFrom(text)
  if (micros === undefined) throw malformed(`${name} is a time such as 2030-01-01T00:00:00Z`)
  return micros
}

/** Texts, such as parties. Missing ones are none. */
export function textsFrom(value: unknown, name: string): readonly string[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value
  throw malformed(`${name} is a list of texts`)
}

/** At least one. */
export function ownersFrom({ owner_party_ids: owners }: Json): readonly string[] {
  const found = textsFrom(owners, 'owner_party_ids')
  if (found.length === 0) {
    throw badRequest("Expected 'ownerPartyIds' to contain at least one item, but contained none.")
  }
  return found
}

/** Splice takes snapshots from time to time. Here every update leaves one, so nobody waits for the next. */
export async function snapshotOf({ dso }: RouteContext, body: Json): Promise<HistoryPoint> {
  const { migration_id: migration, record_time: time, record_time_match: match } = body
  if (!Number.isSafeInteger(migration)) throw malformed('migration_id is a number')
  const micros = timeFrom(time, 'record_time')
  const point = migration === migrationId ? await dso.history.pointAtOrBefore(micros) : undefined
  if (match === 'at_or_before') {
    if (point === undefined) throw notFound(`No snapshots found before ${time}`)
    return point
  }
  if (point?.recordMicros !== micros) {
    throw notFound(`Failed to find ACS snapshot for migration id ${migration} at ${time}`)
  }
  return point
}
