// Rows for each of many keys. A list in a statement has one of a few lengths, so that few statements are prepared; what
// is missing in it is filled with the last key.
import type { Param, Queries, Row } from './database.ts'

/** A value up to so many bytes is read with its row; a larger one by itself, when it is needed. */
export const inlineBytesMax = 4096

const lengths = [1, 4, 16, 64, 256, 1024]

/** How many of the first rows have no more bytes together than that; one at least, however large it is. */
export function countWithin(bytesMax: number, rows: readonly { readonly bytes?: Param }[]): number {
  let sum = 0
  const count = rows.findIndex(({ bytes }, index) => {
    sum += Number(bytes)
    return sum > bytesMax && index > 0
  })
  return count < 0 ? rows.length : count
}

/** `sql` has $$ where the list of keys belongs, and $1 and so on for the rest. Rows come in no particular order. */
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
    const list = padded.map((_, index) => `$${rest.length + index + 1}`).join(', ')
    rows.push(
      ...(await queries.query(
        sql.replace('$$', () => list),
        ...rest,
        ...padded,
      )),
    )
  }
  return rows
}
