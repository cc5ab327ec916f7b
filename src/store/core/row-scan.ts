// Scans a whole table in key order, in batches of bounded bytes.
import type { Param, Queries, Row } from './database.ts'

export type Table = {
  readonly name: string
  /** One column. Rows with the same key are read together. */
  readonly key: string
  /** A value before the first key. */
  readonly before: Param
  /** The columns that may be large. */
  readonly large: readonly string[]
  /** How many bytes more are read with a row, as an expression. */
  readonly bytes?: string
  /** The columns to read; `t` is the table. */
  readonly select?: string
  readonly join?: string
}

const rowsMax = 1000
const bytesMax = 8 * 1024 * 1024

export async function* scanRows({ query }: Queries, table: Table): AsyncGenerator<Row[]> {
  const { name, key, large, select = 't.*', join = '' } = table
  const bytes = [table.bytes ?? '0', ...large.map((column) => `octet_length(${column})`)].join(' + ')
  let after = table.before
  for (;;) {
    const sizes = await query(
      `SELECT ${key} AS key, ${bytes} AS bytes FROM ${name} WHERE ${key} > $1 ORDER BY ${key} LIMIT ${rowsMax}`,
      after,
    )
    for (const { from, to } of stretchesOf(sizes)) {
      yield await query(
        `SELECT ${select} FROM ${name} t ${join} WHERE t.${key} >= $1 AND t.${key} <= $2 ORDER BY t.${key}`,
        from,
        to,
      )
    }
    if (sizes.length < rowsMax) return
    after = sizes.at(-1)!.key!
  }
}

function stretchesOf(sizes: readonly Row[]): { from: Param; to: Param }[] {
  const stretches: { from: Param; to: Param }[] = []
  let sum = 0
  for (const { key, bytes } of sizes) {
    sum += Number(bytes)
    const last = stretches.at(-1)
    if (last === undefined || sum > bytesMax) {
      stretches.push({ from: key!, to: key! })
      sum = Number(bytes)
    } else last.to = key!
  }
  return stretches
}
