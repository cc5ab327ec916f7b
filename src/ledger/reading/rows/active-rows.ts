// Reads the contracts that were active at an offset. Those still active come first, in index order, which skips later
// ones; then those archived since, from an index of their own. A contract archived during the read would be missed, so
// archives are checked after each step of the index, and unread ones are added.
import type { ArchivePlace, ContractRow, SizedContract, Store } from '../../../store/store.ts'
import type { Names } from '../../names.ts'
import { inBatches, type Reader } from '../reader.ts'
import type { Search } from '../requests/event-matcher.ts'
import { type ActiveCursor, type ActivePlace, beforeAll } from './active-cursor.ts'
import { activePlaces, isInAny, mergePlaces, pastPlaces, type Source, sourcesOf } from './contract-sources.ts'
import { nextTurn } from './turns.ts'

type Parts = { readonly store: Store; readonly names: Names }

/** A contract, and the cursor to resume after it. */
export type ReadContract = { readonly row: ContractRow; readonly cursor: ActiveCursor }

type Noticed = { readonly row: ArchivePlace; readonly position: ActivePlace }

const rowsMax = 200
const archivesMax = 1000

/** Every step yields, even without results. May return more rows than the search asks for. */
export async function* readActive(
  parts: Parts,
  search: Search,
  { activeAt, from }: { activeAt: bigint; from: ActiveCursor },
  reader: Reader,
): AsyncGenerator<readonly ReadContract[]> {
  const { store } = parts
  const sources = await sourcesOf(search, parts)
  const count = Math.max(1, Math.min(rowsMax, reader.elementsMax))
  if (from.phase === 'active') yield* stillActive(store, sources, from, count, reader)
  if (from.began <= activeAt) return
  const start: ActiveCursor = from.phase === 'past' ? from : { ...from, phase: 'past', place: beforeAll }
  const places = sources.map((source) => pastPlaces(store, source, from, activeAt))
  const merged = mergePlaces(places, start.place)
  for (;;) {
    const some = await merged.take(count)
    for await (const batch of rowsAt(store, some, (place) => ({ ...start, place }), reader)) {
      // Contracts archived after the read began were read while they were active, or added then.
      yield batch.filter(({ row }) => row.archivedOffset !== undefined && row.archivedOffset <= from.began)
    }
    if (some.length < count) return
    await nextTurn()
  }
}

async function* stillActive(
  store: Store,
  sources: readonly Source[],
  from: ActiveCursor,
  count: number,
  reader: Reader,
): AsyncGenerator<readonly ReadContract[]> {
  const places = sources.map((source) => activePlaces(store, source, from))
  const merged = mergePlaces(places, from.place)
  let { place, noticed } = from
  for (;;) {
    const some = await merged.take(count)
    const isTaken = new Set(some.map(({ number }) => number))
    for (;;) {
      const archives = await store.contracts.archivedAfter(noticed, archivesMax)
      const missed = await missedIn(archives, { store, sources, after: place, lastNumber: from.lastNumber, isTaken })
      for (const { position } of missed) merged.forget(position.number)
      const placeOf = new Map(missed.map(({ row, position }) => [position.number, row]))
      const cursorOf = ({ number }: ActivePlace) => ({ ...from, place, noticed: placeOf.get(number)! })
      yield* rowsAt(
        store,
        missed.map(({ position }) => position),
        cursorOf,
        reader,
      )
      noticed = archives.at(-1) ?? noticed
      if (archives.length < archivesMax) break
      await nextTurn()
    }
    yield* rowsAt(store, some, (each) => ({ ...from, place: each, noticed }), reader)
    if (some.length < count) return
    place = some.at(-1)!
    await nextTurn()
  }
}

type Missing = {
  readonly store: Store
  readonly sources: readonly Source[]
  readonly after: ActivePlace
  readonly lastNumber: bigint
  readonly isTaken: ReadonlySet<bigint>
}

/** The archived contracts that were active at the offset and have not been read yet. */
async function missedIn(archives: readonly ArchivePlace[], missing: Missing): Promise<Noticed[]> {
  const { store, sources, after, lastNumber, isTaken } = missing
  const candidates = archives.filter(({ number }) => number <= lastNumber && !isTaken.has(number))
  if (candidates.length === 0) return []
  const positions = await store.contracts.positions(candidates.map(({ number }) => number))
  const byNumber = new Map(positions.map((position) => [position.number, position]))
  return candidates.flatMap((row) => {
    const found = byNumber.get(row.number)
    if (found === undefined || !isInAny(sources, found)) return []
    const { template, number } = found
    const isAfter = template === after.template ? number > after.number : template > after.template
    return isAfter ? [{ row, position: { ...beforeAll, template, number } }] : []
  })
}

async function* rowsAt(
  store: Store,
  places: readonly ActivePlace[],
  cursorOf: (place: ActivePlace) => ActiveCursor,
  reader: Reader,
): AsyncGenerator<readonly ReadContract[]> {
  if (places.length === 0) {
    yield []
    return
  }
  const rows = await store.contracts.sized(places.map(({ number }) => number))
  const byNumber = new Map(rows.map((row) => [row.number, row]))
  const sized = places.flatMap((place) => {
    const row = byNumber.get(place.number)
    return row === undefined ? [] : [{ row, place, bytes: row.bytes }]
  })
  const load = async (some: typeof sized): Promise<ReadContract[]> => {
    const large = await store.contracts.events(some.flatMap(({ row }) => (row.event === null ? [row.number] : [])))
    return some.flatMap(({ row, place }) => {
      const whole = withEvent(row, large)
      return whole === undefined ? [] : [{ row: whole, cursor: cursorOf(place) }]
    })
  }
  yield* inBatches(sized, (some) => load(some as typeof sized), reader)
}

function withEvent(row: SizedContract, large: ReadonlyMap<bigint, Uint8Array>): ContractRow | undefined {
  const event = row.event ?? large.get(row.number)
  return event && { ...row, event }
}
