// Reads the contracts that were active at an offset, in the order of their creation or newest first. Those still active come from one index,
// which skips later ones; those archived since from another or, if there are few, from the list of archives. A contract
// archived during the read would be missed, so archives are checked after each step, and unread ones are added.

import { nextTurn } from '../../../base/turns.ts'
import type { ArchivePlace, ContractRow, SizedContract } from '../../../store/core/contract-records.ts'
import type { Store } from '../../../store/core/store.ts'
import type { Names } from '../../model/name-numbers.ts'
import { inBatches, type Reader } from '../reader.ts'
import type { Search } from '../requests/event-matcher.ts'
import type { ActiveCursor, ListOrder } from './contract-sources.ts'
import { activeLists, isInAny, oldestFirst, pastLists, type Source, sourcesOf } from './contract-sources.ts'
import { mergeNumbers, type NumberList } from './merged-numbers.ts'

type Parts = { readonly store: Store; readonly names: Names }

/** A contract, and the cursor to resume after it. */
export type ReadContract = { readonly row: ContractRow; readonly cursor: ActiveCursor }

export type ActiveRead = {
  readonly activeAt: bigint
  readonly from: ActiveCursor
  /** The ledger end. */
  readonly now: () => bigint
  readonly order?: ListOrder
}

const rowsMax = 200
const archivesMax = 1000
/** If more are archived during a read, it begins again where it is. */
const addedMax = 10_000
/** Greater than any contract number. */
const afterAll = 2n ** 62n

/** Every step yields, even without results. May return more rows than the search asks for. */
export async function* readActive(
  parts: Parts,
  search: Search,
  read: ActiveRead,
  reader: Reader,
): AsyncGenerator<readonly ReadContract[]> {
  const sources = await sourcesOf(search, parts)
  let next: ActiveCursor | undefined = read.from
  while (next !== undefined) next = yield* readSome(parts.store, sources, { ...read, from: next }, reader)
}

/** Returns where to begin again; undefined at the end. */
async function* readSome(
  store: Store,
  sources: readonly Source[],
  { activeAt, from, now, order = oldestFirst }: ActiveRead,
  reader: Reader,
): AsyncGenerator<readonly ReadContract[], ActiveCursor | undefined> {
  const { lastNumber } = from
  const { keyOf, numberOf } = order
  const lastKey = order.isNewestFirst ? 0n : lastNumber
  const count = Math.max(1, Math.min(rowsMax, reader.elementsMax))
  let noticed: ArchivePlace = { archivedOffset: activeAt, number: afterAll }
  const lists: NumberList[] = []
  const archivedUpTo = now()
  if ((await store.contracts.archivedAfter(noticed, archivesMax)).length === archivesMax && archivedUpTo > activeAt) {
    noticed = { archivedOffset: archivedUpTo, number: afterAll }
    for (const source of sources)
      lists.push(...(await pastLists(store, source, from, { activeAt, archivedUpTo }, order)))
  }
  for (const source of sources) lists.push(...(await activeLists(store, source, from, order)))
  const merged = mergeNumbers(lists, keyOf(from.number))
  let after = keyOf(from.number)
  for (let added = 0; added <= addedMax; ) {
    const some = await merged.take(count)
    const isEnd = some.length < count
    const upTo = isEnd ? lastKey : some.at(-1)!
    const late: bigint[] = []
    for (;;) {
      const archives = await store.contracts.archivedAfter(noticed, archivesMax)
      const missing = { store, sources, order, after, lastNumber, isTaken: new Set(some) }
      const missed = await missedIn(archives, missing)
      late.push(...missed.filter((one) => one <= upTo))
      const later = missed.filter((one) => one > upTo)
      merged.add(later)
      added += later.length
      noticed = archives.at(-1) ?? noticed
      if (archives.length < archivesMax) break
      await nextTurn()
    }
    const keys = late.length === 0 ? some : [...some, ...late].sort((a, b) => (a < b ? -1 : 1))
    yield* rowsAt(store, keys.map(numberOf), (number) => ({ lastNumber, number }), reader)
    if (isEnd) return undefined
    after = upTo
    await nextTurn()
  }
  return { lastNumber, number: numberOf(after) }
}

type Missing = {
  readonly store: Store
  readonly sources: readonly Source[]
  readonly order: ListOrder
  /** The key of the contract that was read last. */
  readonly after: bigint
  readonly lastNumber: bigint
  /** By key. */
  readonly isTaken: ReadonlySet<bigint>
}

/** The keys of archived contracts that were active at the offset and have not been read yet. */
async function missedIn(archives: readonly ArchivePlace[], missing: Missing): Promise<bigint[]> {
  const { store, sources, order, after, lastNumber, isTaken } = missing
  const candidates = archives.flatMap(({ number }) => {
    const key = order.keyOf(number)
    return key > after && number <= lastNumber && !isTaken.has(key) ? [number] : []
  })
  if (candidates.length === 0) return []
  const positions = await store.contracts.positions(candidates)
  return positions.flatMap((position) => (isInAny(sources, position) ? [order.keyOf(position.number)] : []))
}

/** The contracts with these numbers, in this order. */
export async function* rowsAt(
  store: Store,
  numbers: readonly bigint[],
  cursorOf: (number: bigint) => ActiveCursor,
  reader: Reader,
): AsyncGenerator<readonly ReadContract[]> {
  if (numbers.length === 0) {
    yield []
    return
  }
  const rows = await store.contracts.sized(numbers)
  const byNumber = new Map(rows.map((row) => [row.number, row]))
  const sized = numbers.flatMap((number) => {
    const row = byNumber.get(number)
    return row === undefined ? [] : [{ row, bytes: row.bytes }]
  })
  const load = async (some: typeof sized): Promise<ReadContract[]> => {
    const large = await store.contracts.events(some.flatMap(({ row }) => (row.event === null ? [row.number] : [])))
    return some.flatMap(({ row }) => {
      const whole = withEvent(row, large)
      return whole === undefined ? [] : [{ row: whole, cursor: cursorOf(row.number) }]
    })
  }
  yield* inBatches(sized, (some) => load(some as typeof sized), reader)
}

function withEvent(row: SizedContract, large: ReadonlyMap<bigint, Uint8Array>): ContractRow | undefined {
  const event = row.event ?? large.get(row.number)
  return event && { ...row, event }
}
