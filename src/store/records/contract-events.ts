// Where the created event of a contract is stored: in the body of the update that created it, or, if that
// update is large or was pruned, in the row of the contract.
import { unpackBytes } from '../../events/format/unpacking.ts'
import type { Row } from '../core/database.ts'

/**
 * What is stored of the event, as an SQL expression: the event, or the body that it is a part of; null if the update is
 * missing. `contract` is a row of the table of contracts.
 */
export function storedEventOf(contract: string, schema?: string): string {
  const updates = schema === undefined ? 'updates' : `${schema}.updates`
  return `CASE WHEN ${contract}.event_start IS NULL THEN ${contract}.event
    ELSE (SELECT u.body FROM ${updates} u WHERE u.update_offset = ${contract}.created_offset) END`
}

/** The columns that `eventIn` needs. */
export const placeColumns = ['event_start', 'event_bytes']

/** The event of a row with `storedEventOf` as `event`. */
export function eventIn({ event, event_start: start, event_bytes: bytes }: Row): Uint8Array {
  const stored = event as Uint8Array
  if (typeof start !== 'bigint') return stored
  const body = unpackBytes(stored)
  return body.subarray(Number(start), Number(start) + Number(bytes))
}
