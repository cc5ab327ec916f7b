// An index of archived contracts by the offsets at which they were active; a query reads only its results. Offsets are
// the nodes of an implicit binary tree: odd ones are leaves, and the more often two divides an offset, the higher its
// node. A contract was active for an interval of offsets and belongs to the highest node in it. The intervals that
// contain an offset belong to the nodes on its path. At a node up to the offset they are those archived after it: a
// range in the order of archives. At a later node they are those created up to it: a range in the order of contract
// numbers. (Kriegel, Pötke, Seidl: Managing Intervals Efficiently in Object-Relational Databases.)

import type { PastContract, PastQuery } from '../core/contract-records.ts'
import type { Param, Queries, Row } from '../core/database.ts'
import { selectEach } from '../core/selection.ts'

export const columns = ['party', 'template', 'node', 'bound', 'contract']

/** Empty for a transient contract. */
export function pastRows({ number, template, parties, createdOffset, archivedOffset }: PastContract): Param[][] {
  const last = archivedOffset - 1n
  if (last < createdOffset) return []
  const node = highestIn(createdOffset, last)
  return parties.flatMap((party) => [
    [party, template, 2n * node, archivedOffset, number],
    [party, template, 2n * node + 1n, number, number],
  ])
}

/** Uses numbers: they are fast, and exact for more offsets than there will be. */
function highestIn(first: bigint, last: bigint): bigint {
  const least = Number(first)
  let node = Number(last)
  for (let bit = 1; ; bit *= 2) {
    const higher = node - (node % (2 * bit))
    if (higher < least || higher === 0) return BigInt(node)
    node = higher
  }
}

type Stretch = {
  readonly node: bigint
  readonly after: bigint
  readonly upTo: bigint
  /** Whether its bounds are numbers of contracts; else they are offsets of archives. */
  readonly isByNumber: boolean
}

/** The ranges to read: bounds greater than `after`, up to `upTo`. */
export function stretchesAt({ activeAt, archivedUpTo, lastNumber }: PastQuery): Stretch[] {
  const stretches: Stretch[] = []
  for (let bit = 1n; bit < archivedUpTo; bit *= 2n) {
    const within = activeAt % (2n * bit)
    if (within === 0n) continue // The offset itself is higher.
    const node = activeAt - within + bit
    if (node <= activeAt) stretches.push({ node: 2n * node, after: activeAt, upTo: archivedUpTo, isByNumber: false })
    else if (node < archivedUpTo)
      stretches.push({ node: 2n * node + 1n, after: 0n, upTo: lastNumber, isByNumber: true })
  }
  return stretches
}

/** As many of one stretch are sorted for a page; of more, the list in the order of numbers is read. */
const sortedMax = 2_000
const scannedAtOnce = 1_000n

/** Contract numbers greater than `after`, up to `upTo`, in one order. */
export type NumberRange = { readonly after: bigint; readonly upTo: bigint; readonly isNewestFirst: boolean }

export function oldestAfter(after: bigint, lastNumber: bigint): NumberRange {
  return { after, upTo: lastNumber, isNewestFirst: false }
}

export function newestBefore(before: bigint, lastNumber: bigint): NumberRange {
  return { after: 0n, upTo: before - 1n < lastNumber ? before - 1n : lastNumber, isNewestFirst: true }
}

/** The next contracts of a party and a template, by number. */
export async function readPast(
  queries: Queries,
  query: PastQuery,
  range: NumberRange,
  limit: number,
): Promise<bigint[]> {
  const found = new Set<bigint>()
  for (const stretch of stretchesAt(query)) {
    for (const number of await readStretch(queries, query, stretch, range, limit)) found.add(number)
  }
  return inOrder([...found], range).slice(0, limit)
}

async function readStretch(
  queries: Queries,
  query: PastQuery,
  stretch: Stretch,
  range: NumberRange,
  limit: number,
): Promise<bigint[]> {
  const { party, template } = query
  const order = range.isNewestFirst ? 'DESC' : 'ASC'
  const read = async (node: bigint, after: bigint, upTo: bigint, most: bigint) => {
    const rows = await queries.query(
      `SELECT contract FROM past_contracts
        WHERE party = $1 AND template = $2 AND node = $3 AND bound > $4 AND bound <= $5
        ORDER BY bound ${order}, contract ${order} LIMIT $6`,
      ...[party, template, node, after, upTo, most],
    )
    return rows.map((row) => row.contract as bigint)
  }
  if (stretch.isByNumber) return read(stretch.node, range.after, range.upTo, BigInt(limit))
  const numbers = await read(stretch.node, stretch.after, stretch.upTo, BigInt(sortedMax + 1))
  if (numbers.length <= sortedMax) {
    const within = numbers.filter((number) => number > range.after && number <= range.upTo)
    return inOrder(within, range).slice(0, limit)
  }
  const found: bigint[] = []
  for (let rest = range; found.length < limit; ) {
    const some = await read(stretch.node + 1n, rest.after, rest.upTo, scannedAtOnce)
    found.push(...(await archivedWithin(queries, some, stretch)))
    if (BigInt(some.length) < scannedAtOnce) break
    const last = some.at(-1)!
    rest = range.isNewestFirst ? { ...rest, upTo: last - 1n } : { ...rest, after: last }
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  return found.slice(0, limit)
}

function inOrder(numbers: bigint[], { isNewestFirst }: NumberRange): bigint[] {
  return numbers.sort((a, b) => (a < b === isNewestFirst ? 1 : -1))
}

/** Each contract is at one node only, and none at a node up to the offset was created after it. */
export async function countPast({ query }: Queries, past: PastQuery, limit: number): Promise<number> {
  let sum = 0
  for (const { node, after, upTo } of stretchesAt(past)) {
    const [row] = await query(
      `SELECT COUNT(*) AS count FROM (SELECT 1 FROM past_contracts
        WHERE party = $1 AND template = $2 AND node = $3 AND bound > $4 AND bound <= $5 LIMIT $6) AS found`,
      ...[past.party, past.template, node, after, upTo, BigInt(limit - sum)],
    )
    sum += Number(row!.count)
    if (sum >= limit) break
  }
  return sum
}

async function archivedWithin(
  queries: Queries,
  numbers: readonly bigint[],
  { after, upTo }: Stretch,
): Promise<bigint[]> {
  const rows = await selectEach(
    queries,
    'SELECT contract, archived_offset FROM archives WHERE contract IN ($$)',
    numbers,
  )
  const isWithin = (row: Row) => (row.archived_offset as bigint) > after && (row.archived_offset as bigint) <= upTo
  const within = new Set(rows.filter(isWithin).map((row) => row.contract as bigint))
  return numbers.filter((number) => within.has(number))
}

export const pastContracts = `SELECT c.number, c.template, c.stakeholders, c.created_offset, a.archived_offset
  FROM archives a JOIN contracts c ON c.number = a.contract`

export function pastFromRow(row: Row): PastContract {
  return {
    number: row.number as bigint,
    template: row.template as bigint,
    parties: [anybody, ...(row.stakeholders as string).split(',').filter(Boolean).map(BigInt)],
    createdOffset: row.created_offset as bigint,
    archivedOffset: row.archived_offset as bigint,
  }
}

/** Party 0. */
const anybody = 0n
