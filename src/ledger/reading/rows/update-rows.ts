// Updates that the readers of a request may see, in batches and in order. For everybody the log itself is read; for
// parties, the lists of what each sees are merged. Updates without a template of the filters are skipped unread.

import { nextTurn } from '../../../base/turns.ts'
import type { OffsetRange, SeenUpdate, SizedUpdate, UpdateRow } from '../../../store/core/ledger-records.ts'
import type { Store } from '../../../store/core/store.ts'
import type { Names } from '../../model/name-numbers.ts'
import { inBatches, nextCount, type Reader } from '../reader.ts'
import type { Search, Templates } from '../requests/event-matcher.ts'

/** After `after`, up to and including `upTo`. */
export type UpdatesRange = { readonly after: bigint; readonly upTo: bigint; readonly descending: boolean }

type Parts = { readonly store: Store; readonly names: Names }

/** Rows per step: few enough that a step takes about a millisecond. */
export const rowsMax = 200
const streamRowsFirst = 32
const seenMax = 500

/** Every step yields, even without results, so that the caller can stop. */
export async function* readUpdates(
  parts: Parts,
  search: Search,
  range: UpdatesRange,
  reader: Reader,
): AsyncGenerator<readonly UpdateRow[]> {
  for await (const rows of sizedUpdates(parts, search, range, reader)) {
    if (rows.length === 0) {
      yield []
      continue
    }
    const bytes = rows.reduce((sum, { body, meta }) => sum + (body?.length ?? 0) + (meta?.length ?? 0), 0)
    reader.account.hold(bytes)
    try {
      yield* inBatches(rows, (some) => wholeUpdates(some, parts.store.updates.whole), reader)
    } finally {
      reader.account.give(bytes)
    }
  }
}

/** Loads the parts that were left out for their size; leaves out rows that were pruned meanwhile. */
export async function wholeUpdates(
  rows: readonly SizedUpdate[],
  load: (offsets: readonly bigint[]) => Promise<readonly UpdateRow[]>,
): Promise<readonly UpdateRow[]> {
  const large = rows.filter((row) => !isWhole(row))
  if (large.length === 0) return rows as readonly UpdateRow[]
  const loaded = await load(large.map(({ offset }) => offset))
  const byOffset = new Map(loaded.map((row) => [row.offset, row]))
  return rows.flatMap((row) => (isWhole(row) ? row : (byOffset.get(row.offset) ?? [])))
}

function isWhole(row: SizedUpdate): row is SizedUpdate & UpdateRow {
  return row.meta !== null && row.body !== null
}

async function* sizedUpdates(
  parts: Parts,
  search: Search,
  range: UpdatesRange,
  reader: Reader,
): AsyncGenerator<readonly SizedUpdate[]> {
  const { store, names } = parts
  if (search.kind === 'everywhere') {
    const isWanted = await templateTest(search.templates, parts)
    for await (const rows of rowPages(range, reader, (page) => store.updates.range(page))) yield rows.filter(isWanted)
    return
  }
  const numbers = await names.numbers([...search.parties.keys()], store.names)
  if (search.parties.size === 1 && [...search.parties.values()][0] === 'all') {
    for (const number of numbers.values()) {
      yield* rowPages(range, reader, (page) => store.updates.rangeSeenBy(number, page))
    }
    return
  }
  for await (const offsets of seenOffsets(parts, search.parties, range, reader)) yield await store.updates.at(offsets)
}

/** Only the offsets of updates that may match. Every step yields. */
export async function* readOffsets(
  parts: Parts,
  search: Search,
  range: UpdatesRange,
  reader: Reader,
): AsyncGenerator<readonly bigint[]> {
  if (search.kind === 'parties') return yield* seenOffsets(parts, search.parties, range, reader)
  const isWanted = await templateTest(search.templates, parts)
  const limitAfter = (before: readonly SeenUpdate[] | undefined) => growing(before, reader, seenMax)
  for await (const some of pages(range, limitAfter, parts.store.updates.listed)) {
    yield some.filter(isWanted).map(({ offset }) => offset)
  }
}

async function* seenOffsets(
  parts: Parts,
  parties: ReadonlyMap<string, Templates>,
  range: UpdatesRange,
  reader: Reader,
): AsyncGenerator<readonly bigint[]> {
  const { store, names } = parts
  const numbers = await names.numbers([...parties.keys()], store.names)
  const sources: AsyncGenerator<readonly SeenUpdate[]>[] = []
  for (const [party, templates] of parties) {
    const number = numbers.get(party)
    if (number === undefined) continue // The party has never seen anything.
    const isWanted = await templateTest(templates, parts)
    sources.push(
      filtered(
        pages(
          range,
          (before) => growing(before, reader, seenMax),
          (page) => store.updates.seenBy(number, page),
        ),
        isWanted,
      ),
    )
  }
  yield* mergedOffsets(sources, range.descending, reader)
}

/** Reads as many rows at a time as are wanted, and few more than make a batch. */
function rowPages<T extends SizedUpdate>(
  range: UpdatesRange,
  reader: Reader,
  load: (page: OffsetRange) => Promise<T[]>,
): AsyncGenerator<readonly T[]> {
  const first = firstCount(reader)
  return pages(
    range,
    (before) => (before === undefined ? first : nextCount(before, first, growing(before, reader, rowsMax))),
    load,
  )
}

/**
 * How many rows to read after those before. A reader that wants few is often served by a few more: one of the first
 * updates of a party is that of its allocation.
 */
function growing(before: readonly unknown[] | undefined, reader: Reader, most: number): number {
  return before === undefined ? firstCount(reader) : Math.min(most, 2 * before.length)
}

/** Rows that are not large may still have 16 KiB each: a stream begins with half a megabyte of them at most. */
function firstCount({ elementsMax }: Reader): number {
  return elementsMax === Infinity ? streamRowsFirst : Math.max(1, Math.min(rowsMax, elementsMax))
}

async function* pages<T extends Pick<SeenUpdate, 'offset'>>(
  { after, upTo, descending }: UpdatesRange,
  limitAfter: (rows: readonly T[] | undefined) => number,
  load: (page: OffsetRange) => Promise<T[]>,
): AsyncGenerator<readonly T[]> {
  let [low, high] = [after, upTo]
  let limit = limitAfter(undefined)
  while (low < high) {
    const rows = await load({ after: low, upTo: high, limit, descending })
    yield rows
    if (rows.length < limit) return
    const last = rows.at(-1)!.offset
    if (descending) high = last - 1n
    else low = last
    limit = limitAfter(rows)
    if (low < high) await nextTurn()
  }
}

async function* filtered(
  source: AsyncGenerator<readonly SeenUpdate[]>,
  isWanted: (update: SeenUpdate) => boolean,
): AsyncGenerator<readonly SeenUpdate[]> {
  for await (const updates of source) yield updates.filter(isWanted)
}

type Head = {
  readonly source: AsyncGenerator<readonly SeenUpdate[]>
  updates: readonly SeenUpdate[]
  position: number
}

const isAtEnd = ({ position, updates }: Head) => position === updates.length

/** Each offset once, in order. */
async function* mergedOffsets(
  sources: readonly AsyncGenerator<readonly SeenUpdate[]>[],
  descending: boolean,
  reader: Reader,
): AsyncGenerator<readonly bigint[]> {
  let heads = sources.map((source): Head => ({ source, updates: [], position: 0 }))
  let merged: bigint[] = []
  let limit = firstCount(reader)
  for (;;) {
    for (const head of heads) {
      while (isAtEnd(head)) {
        const { value, done } = await head.source.next()
        if (done === true) break
        head.updates = value
        head.position = 0
        if (value.length === 0) yield []
      }
    }
    if (heads.some(isAtEnd)) heads = heads.filter((head) => !isAtEnd(head))
    if (heads.length === 0) break
    let next = heads[0]!.updates[heads[0]!.position]!.offset
    for (const { updates, position } of heads) {
      const { offset } = updates[position]!
      if (descending ? offset > next : offset < next) next = offset
    }
    for (const head of heads) if (head.updates[head.position]!.offset === next) head.position += 1
    merged.push(next)
    if (merged.length < limit) continue
    yield merged
    limit = growing(merged, reader, rowsMax)
    merged = []
  }
  if (merged.length > 0) yield merged
}

/** A template without a number occurs in no update, and matches nothing yet. */
async function templateTest(templates: Templates, { store, names }: Parts): Promise<(update: SeenUpdate) => boolean> {
  if (templates === 'all') return () => true
  const numbers = await names.numbers(templates, store.names)
  const marks = [...numbers.values()].map((number) => `,${number},`)
  return (update) => marks.some((mark) => update.templates.includes(mark))
}
