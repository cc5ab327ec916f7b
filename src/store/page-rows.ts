// Pages of rows that may each be large: the database says how large they are before any is loaded.
import type { Queries, Row } from './database.ts'
import { countWithin } from './selection.ts'
import type { Page } from './store.ts'

export type PageQuery = {
  readonly columns: string
  /** The column that may be large. */
  readonly large: string
  /** FROM, WHERE and ORDER BY; `values` are its parameters. */
  readonly from: string
  readonly values: readonly string[]
}

/** So few rows are read without a look at their sizes. */
const fewRows = 10

/** As many rows as fit, but one at least; `isCut` when there would have been more of them within the limit. */
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
