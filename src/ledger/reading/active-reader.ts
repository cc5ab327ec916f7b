// Reads the contracts that are active at an offset and that a format asks for, with their places, a few at a time.
import type { ContractRow } from '../../store/core/contract-records.ts'
import type { PlacedContract } from './json/active-elements.ts'
import { seeContracts } from './json/contract-elements.ts'
import { forget, type Reader } from './reader.ts'
import type { ReadingParts } from './reading-parts.ts'
import { createMatcher, type Matcher } from './requests/event-matcher.ts'
import { checkNames } from './requests/format-checks.ts'
import { checkNotAfterEnd, checkNotPruned } from './requests/offset-checks.ts'
import type { EventFormat } from './requests/queries.ts'
import { readActive, rowsAt } from './rows/active-rows.ts'
import { placesAt } from './rows/contract-places.ts'
import { type ActiveCursor, firstCursor, type ListOrder, oldestFirst } from './rows/contract-sources.ts'

/** A contract, and the cursor to resume after it. */
export type ReadElement = PlacedContract & { readonly cursor: ActiveCursor }

export type ActiveQuery = {
  readonly format: EventFormat
  readonly activeAt: bigint
  /** Undefined to begin. */
  readonly after: ActiveCursor | undefined
  readonly order?: ListOrder
}

/** A batch is good until the next one is requested. */
export type ActiveReader = {
  /** Checks names and offset, then reads. */
  read(query: ActiveQuery, reader: Reader): AsyncGenerator<readonly ReadElement[]>
  /** Contracts that `read` found, by number, in this order. */
  readAt(
    numbers: readonly bigint[],
    query: Pick<ActiveQuery, 'format' | 'activeAt'>,
    reader: Reader,
  ): AsyncGenerator<readonly PlacedContract[]>
}

export function createActiveReader(parts: ReadingParts): ActiveReader {
  const { store, names, end, contents } = parts
  const { contractViews } = parts.caches

  const checkPruning = (activeAt: bigint) =>
    checkNotPruned(activeAt, end.prunedUpTo(), `Active contracts request at offset ${activeAt} precedes`)

  async function place(rows: readonly ContractRow[], matcher: Matcher, activeAt: bigint): Promise<PlacedContract[]> {
    const contracts = await seeContracts({ store, names, contractViews }, rows, matcher)
    const places = await placesAt(
      store,
      contracts.map(({ row }) => row),
      activeAt,
    )
    checkPruning(activeAt) // Checked after reading: rows deleted meanwhile must not go unnoticed.
    return contracts.flatMap((contract, index) => {
      const place = places[index]
      return place === undefined ? [] : [{ contract, place }]
    })
  }

  async function* read({ format, activeAt, after, order = oldestFirst }: ActiveQuery, reader: Reader) {
    const known = await contents((found) => checkNames(format, found))
    checkNotAfterEnd(activeAt, (await end.latest(activeAt)).offset, 'active_at_offset')
    const matcher = createMatcher(format, known)
    if (matcher === undefined || activeAt === 0n) return
    checkPruning(activeAt)
    const from = after ?? firstCursor(await store.contracts.lastCreated(activeAt), order)
    const now = () => end.current().offset
    for await (const some of readActive(parts, matcher.search, { activeAt, from, now, order }, reader)) {
      const rows = some.flatMap(({ row }) => (row.createdOffset <= activeAt ? [row] : []))
      const cursors = new Map(some.map(({ row, cursor }) => [row.number, cursor]))
      const placed = (await place(rows, matcher, activeAt)).map((one) => ({
        ...one,
        cursor: cursors.get(one.contract.row.number)!,
      }))
      for (const read of [some, rows]) forget(read)
      yield placed
      forget(placed)
    }
    checkPruning(activeAt)
  }

  return {
    read,
    async *readAt(numbers, { format, activeAt }, reader) {
      const matcher = createMatcher(format, await contents())
      if (matcher === undefined) return
      for await (const some of rowsAt(store, numbers, firstCursor, reader)) {
        const rows = some.map(({ row }) => row)
        const placed = await place(rows, matcher, activeAt)
        for (const read of [some, rows]) forget(read)
        yield placed
        forget(placed)
      }
    },
  }
}
