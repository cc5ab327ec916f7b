// Selects rows by many keys. Lists have one of a few lengths, padded with the last key, so that few statements are
// prepared.
import type { Param, Queries, Row } from './database.ts'

/** Values up to this size are read with their row; larger ones separately, on demand. */
export const inlineBytesMax = 4096

const lengths = [1, 4, 16, 64, 256, 1024]

/** How many of the first rows fit into `bytesMax` bytes; at least one, however large it is. */
export function countWithin(bytesMax: number, rows: readonly { readonly bytes?: Param }[]): number {
  let sum = 0
  const count = rows.findIndex(({ bytes }, index) => {
    sum += Number(bytes)
    return sum > bytesMax && index > 0
  })
  return count < 0 ? rows.length : count
}

/** `sql` has $$ in place of the list of keys, and $1 and so on for the rest. Rows come in no particular order. */
export async function selectEach(
  queries: Queries,
  sql: string,
  keys: readonly Param[],
  rest: readonly Param[] = [],
): Promise<Row[]> {
  const rows: Row[] = []
  const most = lengths.at(-1)!
  for (let from = 0; from < keys.length; from += most) {
    const some = keys.slice(from, from + most)
    const length = lengths.find((candidate) => candidate >= some.length)!
    const padded = [...some, ...Array.from({ length: length - some.length }, () => some.at(-1)!)]
    rows.push(...(await queries.query(withList(sql, length, rest.length), ...rest, ...padded)))
  }
  return rows
}

const texts = new Map<string, string>()

/** Remembered: every commit needs some, and writing one takes longer than running it. */
function withList(sql: string, length: number, before: number): string {
  return texts.getOrInsertComputed(`${length} ${before} ${sql}`, () => {
    const list = Array.from({ length }, (_, index) => `$${before + index + 1}`).join(', ')
    return sql.replace('$$', () => list)
  })
}
