// Pages of rows that may each be large: the database reports their sizes before any is loaded.

import type { Page } from './administration-records.ts'
import type { Queries, Row } from './database.ts'
import { countWithin } from './selection.ts'

export type PageQuery = {
  readonly columns: string
  /** The column that may be large. */
  readonly large: string
  /** FROM, WHERE and ORDER BY; `values` are its parameters. */
  readonly from: string
  readonly values: readonly string[]
}

/** Up to this many rows are read without checking sizes first. */
const fewRows = 10

/** Returns as many rows as fit, but at least one; `isCut` if the byte limit ended the page. */
export async function pageRows(
  { query }: Pick<Queries, 'query'>,
  { columns, large, from, values }: PageQuery,
  { limit, bytesMax }: Page,
): Promise<{ rows: Row[]; isCut: boolean }> {
  const limited = `${from} LIMIT $${values.length + 1}`
  let wanted = limit
  if (limit > fewRows) {
    const sizes = await query(`SELECT octet_length(${large}) AS bytes ${limited}`, ...values, BigInt(limit))
    const fitting = countWithin(bytesMax, sizes)
    if (fitting < sizes.length) wanted = fitting
  }
  const rows = await query(`SELECT ${columns} ${limited}`, ...values, BigInt(wanted))
  return { rows, isCut: wanted < limit }
}
