// How many contracts are active at an offset. The past does not change, so a count is kept; a later one is made from it by
// what was created and archived since, and costs as little as happened in between.
import { nextTurn } from '../../base/turns.ts'
import type { ArchivePlace } from '../../store/core/contract-records.ts'
import type { Store } from '../../store/core/store.ts'
import type { LedgerEnd } from '../model/ledger-end.ts'
import { placesAt } from '../reading/rows/contract-places.ts'
import {
  type ActiveCursor,
  activeLists,
  isInAny,
  oldestFirst,
  pastLists,
  type Source,
} from '../reading/rows/contract-sources.ts'
import { mergeNumbers } from '../reading/rows/merged-numbers.ts'

/** `atLeast` if counting further would cost too much, `about` if contracts were archived while they were counted. */
export type Total = { readonly count: number; readonly is: 'exact' | 'atLeast' | 'about' }

export type ContractCounts = (sources: readonly Source[], activeAt: bigint, signal: AbortSignal) => Promise<Total>

type Parts = {
  readonly store: Store
  readonly end: LedgerEnd
  /** Whether contracts may go where this participant does not see them: their rows stay in the index. */
  readonly isInNetwork: boolean
}

/** A count, and the number of the last contract created by then. */
type Kept = Total & { readonly activeAt: bigint; readonly lastNumber: bigint }

const keptMax = 64
/** Rows of an index, counted in one statement. */
const countedAtOnce = 10_000
const countedMax = 1_000_000
/** Contracts of several parties, which the index may have more than once: these are merged one by one. */
const mergedAtOnce = 500
const mergedMax = 10_000
/** As many archives are looked at one by one. */
const archivesMax = 1_000
/** Contracts that went away are looked at one by one. */
const goneMax = 1_000
/** Greater than any contract number. */
const afterAll = 2n ** 62n

export function createContractCounts({ store, end, isInNetwork }: Parts): ContractCounts {
  /** By sources: the newest count of each. */
  const kept = new Map<string, Kept>()

  async function countAt(
    sources: readonly Source[],
    activeAt: bigint,
    from: Kept | undefined,
    signal: AbortSignal,
  ): Promise<Kept> {
    const archivedUpTo = end.current().offset
    const lastNumber = await store.contracts.lastCreated(activeAt)
    const begin = from ?? { count: 0, is: 'exact' as const, activeAt, lastNumber: 0n }
    const archives = await archivedAfter(begin.activeAt)
    // What was archived since may be too much to look at, or pruned.
    const isContinued = archives !== undefined && begin.activeAt >= end.prunedUpTo()
    if (from !== undefined && !isContinued) return countAt(sources, activeAt, undefined, signal)
    const range = { after: begin.lastNumber, lastNumber }
    const isMany = archives === undefined && archivedUpTo > activeAt
    const present = await countPresent(sources, range, isMany ? { activeAt, archivedUpTo } : undefined, signal)
    const changed = isMany ? 0 : await changeBy(archives ?? [], sources, { ...range, activeAt })
    const unseen = isMany ? { archivedOffset: archivedUpTo, number: afterAll } : archives?.at(-1)
    const seen = unseen ?? { archivedOffset: begin.activeAt, number: afterAll }
    const isStill = (await store.contracts.archivedAfter(seen, 1)).length === 0
    const is = begin.is === 'atLeast' || present.isCut ? 'atLeast' : isStill ? begin.is : 'about'
    return { count: Math.max(0, begin.count + present.count + changed), is, activeAt, lastNumber }
  }

  /** Undefined if there are many. */
  async function archivedAfter(offset: bigint): Promise<readonly ArchivePlace[] | undefined> {
    const archives = await store.contracts.archivedAfter({ archivedOffset: offset, number: afterAll }, archivesMax)
    return archives.length < archivesMax ? archives : undefined
  }

  /** What archives since an earlier count take from it, and those after the offset add to contracts present now. */
  async function changeBy(
    archives: readonly ArchivePlace[],
    sources: readonly Source[],
    { after, lastNumber, activeAt }: { readonly after: bigint; readonly lastNumber: bigint; readonly activeAt: bigint },
  ): Promise<number> {
    const changes = new Map<bigint, number>()
    for (const { number, archivedOffset } of archives) {
      if (archivedOffset <= activeAt && number <= after) changes.set(number, -1)
      if (archivedOffset > activeAt && number > after && number <= lastNumber) changes.set(number, 1)
    }
    if (changes.size === 0) return 0
    const positions = await store.contracts.positions([...changes.keys()])
    return positions.reduce((sum, one) => sum + (isInAny(sources, one) ? changes.get(one.number)! : 0), 0)
  }

  /** Active now and created within the range; with `past`, also those archived since. */
  async function countPresent(
    sources: readonly Source[],
    { after, lastNumber }: { readonly after: bigint; readonly lastNumber: bigint },
    past: { readonly activeAt: bigint; readonly archivedUpTo: bigint } | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly count: number; readonly isCut: boolean }> {
    const cursor = { number: after, lastNumber }
    const isOfSeveral = new Set(sources.map(({ party }) => party)).size > 1
    if (isOfSeveral) return mergedCount(sources, cursor, past, signal)
    let count = 0
    for (const { party, template } of sources) {
      const templates =
        template === undefined
          ? (await store.contracts.firstActive(party, after, lastNumber)).map((first) => first.template)
          : [template]
      for (const one of templates) {
        for (let counted = after; ; ) {
          const some = await store.contracts.countActive(party, one, counted, lastNumber, countedAtOnce)
          count += some.count
          counted = some.last
          if (count > countedMax) return { count: countedMax, isCut: true }
          if (some.count < countedAtOnce) break
          await nextTurn()
          signal.throwIfAborted()
        }
      }
      if (past === undefined) continue
      const pastTemplates = template === undefined ? await store.contracts.pastTemplates(party) : [template]
      for (const one of pastTemplates) {
        const some = await store.contracts.countPast({ party, template: one, lastNumber, ...past }, countedAtOnce)
        count += some
        if (some === countedAtOnce || count > countedMax) return { count, isCut: true }
        await nextTurn()
        signal.throwIfAborted()
      }
    }
    return { count, isCut: false }
  }

  async function mergedCount(
    sources: readonly Source[],
    cursor: ActiveCursor,
    past: { readonly activeAt: bigint; readonly archivedUpTo: bigint } | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly count: number; readonly isCut: boolean }> {
    const lists = []
    for (const source of sources) {
      if (past !== undefined) lists.push(...(await pastLists(store, source, cursor, past, oldestFirst)))
      lists.push(...(await activeLists(store, source, cursor, oldestFirst)))
    }
    const merged = mergeNumbers(lists, cursor.number)
    for (let count = 0; ; ) {
      const some = await merged.take(mergedAtOnce)
      count += some.length
      if (count >= mergedMax) return { count: mergedMax, isCut: true }
      if (some.length < mergedAtOnce) return { count, isCut: false }
      await nextTurn()
      signal.throwIfAborted()
    }
  }

  /** How many of those in the index went where this participant does not see them. */
  async function countGone(sources: readonly Source[], activeAt: bigint): Promise<Total> {
    const departed = isInNetwork ? await store.reassignments.departed(activeAt, goneMax) : []
    if (departed.length === 0) return { count: 0, is: 'exact' }
    const rows = await store.contracts.at(departed)
    const places = await placesAt(store, rows, activeAt)
    const gone = rows.filter((_, index) => places[index] === undefined).map(({ number }) => number)
    const positions = await store.contracts.positions(gone)
    const count = positions.filter((one) => isInAny(sources, one)).length
    return { count, is: departed.length < goneMax ? 'exact' : 'about' }
  }

  return async (sources, activeAt, signal) => {
    const present = await countInIndex(sources, activeAt, signal)
    const gone = await countGone(sources, activeAt)
    return { count: Math.max(0, present.count - gone.count), is: gone.is === 'exact' ? present.is : gone.is }
  }

  async function countInIndex(sources: readonly Source[], activeAt: bigint, signal: AbortSignal): Promise<Kept> {
    const key = sources.map(({ party, template }) => `${party}:${template ?? ''}`).join()
    const known = kept.get(key)
    if (known?.activeAt === activeAt && known.is !== 'about') return known
    const from = known !== undefined && known.activeAt < activeAt && known.is !== 'about' ? known : undefined
    const counted = await countAt(sources, activeAt, from, signal)
    kept.delete(key)
    kept.set(key, counted)
    if (kept.size > keptMax) kept.delete(kept.keys().next().value!)
    return counted
  }
}
