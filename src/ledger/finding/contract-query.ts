// Queries of the explorer for active contracts: newest first, counted, filtered and sorted by fields. Order of creation
// and counts come from indexes. Fields have none: whoever asks for them has the node look through the contracts, which
// only development nodes do, in turns and up to a limit.
import { invalidArgument, missingField } from '../../base/errors.ts'
import { pageBytesMax } from '../../base/limits.ts'
import { type ActiveReader, createActiveReader } from '../reading/active-reader.ts'
import { activeElementJson, type PlacedContract } from '../reading/json/active-elements.ts'
import { type OnAccount, type Reader, readerOf } from '../reading/reader.ts'
import type { ReadingParts } from '../reading/reading-parts.ts'
import { createMatcher } from '../reading/requests/event-matcher.ts'
import { checkEventFormat, checkNames } from '../reading/requests/format-checks.ts'
import { checkNonNegative, checkNotAfterEnd, checkNotPruned } from '../reading/requests/offset-checks.ts'
import type { EventFormat } from '../reading/requests/queries.ts'
import { checkPageSize, eventFormatText, pageJson, tokenHead } from '../reading/requests/read-tokens.ts'
import { newestFirst, oldestFirst, sourcesOf } from '../reading/rows/contract-sources.ts'
import type { Bounds } from './bounds.ts'
import type { ContractCounts, Total } from './contract-counts.ts'
import { type ContractTests, contractTests, type FieldFilter } from './contract-tests.ts'
import type { Looking } from './looking.ts'
import { type PlaceInList, readPageToken, writePageToken } from './page-tokens.ts'

export type ContractQuery = {
  readonly format: EventFormat | undefined
  /** Undefined for the ledger end. */
  readonly activeAtOffset: bigint | undefined
  readonly oldestFirst: boolean
  readonly sortBy: { readonly field: string; readonly descending: boolean } | undefined
  readonly filters: readonly FieldFilter[]
  readonly text: string
  readonly pageSize: number | undefined
  readonly pageToken: string
}

/** Who asks, as far as looking through contracts must know. */
export type Asking = OnAccount & { readonly owner: string }

export type FindContracts = (query: ContractQuery, asking: Asking) => Promise<string>

type Parts = {
  readonly reading: ReadingParts
  readonly counts: ContractCounts
  readonly looking: Looking
  readonly bounds: Bounds
}

type Found = {
  readonly elements: readonly string[]
  readonly looked: number
  readonly total: Total
  /** Where the next page begins. */
  readonly next: PlaceInList | undefined
}

/** A query whose page is being read. */
type Started = {
  readonly query: ContractQuery
  readonly format: EventFormat
  readonly activeAt: bigint
  readonly size: number
  readonly from: PlaceInList | undefined
  readonly asking: Asking
}

const usualPage = 50
const pageMax = 1_000
const filtersMax = 20
const textMax = 200
/** Contracts that are read and looked at in one turn. */
const stepMax = 50

export function createFindContracts({ reading, counts, looking, bounds }: Parts): FindContracts {
  const { contractsLooked: lookedMax, contractsSorted: sortedMax } = bounds
  const { store, names, end, contents, participantId, synchronizerIds } = reading
  const bytesMax = pageBytesMax(reading.limits)
  const active: ActiveReader = createActiveReader(reading)

  /** All that the format asks for, in the order of their creation. */
  async function listed(started: Started): Promise<Found> {
    const { query, format, activeAt, size, from, asking } = started
    const total = await countOf(format, activeAt, asking.signal)
    const order = query.oldestFirst ? oldestFirst : newestFirst
    const reader = readerOf(asking.signal, { account: asking.account, elementsMax: size + 1 })
    const page = createPage(size)
    for await (const some of active.read({ format, activeAt, after: from, order }, reader)) {
      for (const one of some) if (!page.add(one)) break
      await page.charge(reader)
      if (page.isFull || asking.signal.aborted) break
    }
    return {
      elements: page.elements,
      looked: page.elements.length,
      total,
      next: page.isFull ? page.last(0) : undefined,
    }
  }

  async function countOf(format: EventFormat, activeAt: bigint, signal: AbortSignal): Promise<Total> {
    const matcher = createMatcher(format, await contents())
    if (matcher === undefined) return { count: 0, is: 'exact' }
    return counts(await sourcesOf(matcher.search, { store, names }), activeAt, signal)
  }

  /** Those that pass, in the order of their creation: as many as fill a page, or as are found among `lookedMax`. */
  async function filtered(started: Started, tests: ContractTests): Promise<Found> {
    const { query, format, activeAt, size, from, asking } = started
    const { owner, signal, account } = asking
    const order = query.oldestFirst ? oldestFirst : newestFirst
    const reader = readerOf(signal, { account, elementsMax: stepMax })
    const page = createPage(size)
    const before = from?.found ?? 0
    let looked = 0
    let reached: PlaceInList | undefined
    for await (const some of active.read({ format, activeAt, after: from, order }, reader)) {
      for (const one of some) {
        if (tests.passes(one.contract) && !page.add(one)) break
        looked += 1
        reached = { ...one.cursor, activeAt, key: undefined, found: before + page.elements.length }
      }
      await page.charge(reader)
      if (page.isFull || looked >= lookedMax) break
      await looking.turn(owner, signal)
    }
    const isMore = page.isFull || looked >= lookedMax
    const total: Total = {
      count: before + page.elements.length + (page.isFull ? 1 : 0),
      is: isMore ? 'atLeast' : 'exact',
    }
    return {
      elements: page.elements,
      looked,
      total,
      next: isMore ? (page.isFull ? page.last(before) : reached) : undefined,
    }
  }

  /** The best of all that pass, after the last of the page before. Holds no more than two pages of keys. */
  async function sorted(started: Started, tests: ContractTests, descending: boolean): Promise<Found> {
    const { format, activeAt, size, from, asking } = started
    const { owner, signal, account } = asking
    const { count } = await countOf(format, activeAt, signal)
    if (count > sortedMax) throw invalidArgument(tooManyToSort(sortedMax))
    const best = createBest(size + 1, descending, from)
    let [looked, passed, lastNumber] = [0, 0, 0n]
    const reader = readerOf(signal, { account, elementsMax: stepMax })
    for await (const some of active.read({ format, activeAt, after: undefined, order: newestFirst }, reader)) {
      for (const { contract, cursor } of some) {
        looked += 1
        lastNumber = cursor.lastNumber
        if (!tests.passes(contract)) continue
        passed += 1
        best.add({ key: tests.keyOf(contract), number: contract.row.number })
      }
      await looking.turn(owner, signal)
    }
    const found = best.all()
    const page = createPage(size)
    const whole = readerOf(signal, { account, elementsMax: size })
    const numbers = found.map(({ number }) => number)
    for await (const some of active.readAt(numbers, { format, activeAt }, whole)) {
      for (const one of some) if (!page.add({ ...one, cursor: { lastNumber, number: one.contract.row.number } })) break
      await page.charge(whole)
      if (page.isFull) break
    }
    const last = found[page.elements.length - 1]
    const next = page.isFull && last !== undefined ? { ...last, activeAt, lastNumber, found: 0 } : undefined
    return { elements: page.elements, looked, total: { count: passed, is: 'exact' }, next }
  }

  /** The elements of a page, up to its size and its bytes. */
  function createPage(size: number) {
    const elements: string[] = []
    let last: Omit<PlaceInList, 'found'> | undefined
    let [bytes, charged, isFull] = [0, 0, false]
    return {
      elements,
      get isFull() {
        return isFull
      },
      /** False if there is no room for it. */
      add(
        one: PlacedContract & { readonly cursor: { readonly lastNumber: bigint; readonly number: bigint } },
      ): boolean {
        const element = elements.length < size ? activeElementJson(one, '', synchronizerIds) : undefined
        if (element === undefined || (elements.length > 0 && bytes + element.length > bytesMax)) {
          isFull = true
          return false
        }
        bytes += element.length
        elements.push(element)
        last = { ...one.cursor, activeAt: 0n, key: undefined }
        return true
      },
      last: (before: number): PlaceInList | undefined => last && { ...last, found: before + elements.length },
      async charge({ account, signal }: Reader) {
        const more = bytes - charged
        charged = bytes
        await account.take(more, signal)
      },
    }
  }

  return async function find(query, asking) {
    const { format, activeAtOffset, sortBy, filters, text } = query
    if (format === undefined) throw missingField('event_format')
    checkEventFormat(format)
    const size = checkPageSize(query.pageSize, usualPage, pageMax)
    const isPlain = sortBy === undefined && filters.length === 0 && text === ''
    if (!isPlain && !bounds.looksIntoFields) throw invalidArgument(onlyDevelopment)
    if (filters.length > filtersMax) throw invalidArgument(`at most ${filtersMax} filters are allowed`)
    if (text.length > textMax) throw invalidArgument(`the text has more than ${textMax} characters`)
    const tests = contractTests({ sortField: sortBy?.field, filters, text })
    const head = tokenHead(participantId, requestText(query, format))
    const from = query.pageToken === '' ? undefined : readPageToken(query.pageToken, head)
    if (activeAtOffset !== undefined) checkNonNegative(activeAtOffset, 'active_at_offset')
    const activeAt = from?.activeAt ?? (activeAtOffset || (await end.latest()).offset)
    await contents((found) => checkNames(format, found))
    checkNotAfterEnd(activeAt, (await end.latest(activeAt)).offset, 'active_at_offset')
    checkNotPruned(activeAt, end.prunedUpTo(), `Active contracts request at offset ${activeAt} precedes`)
    const started = { query, format, activeAt, size, from, asking }
    const look = () => (sortBy === undefined ? filtered(started, tests) : sorted(started, tests, sortBy.descending))
    const found = await (isPlain ? listed(started) : looking.alone(asking.owner, asking.signal, look))
    asking.signal.throwIfAborted()
    const { elements, looked, total, next } = found
    const token = next === undefined ? 'null' : `"${writePageToken(head, { ...next, activeAt })}"`
    const rest = `"total":${JSON.stringify({ count: total.count, is: total.is })},"looked":${looked},"nextPageToken":${token}`
    return pageJson('activeContracts', elements, `"activeAtOffset":${activeAt},${rest}`)
  }
}

/** The page size may change from page to page. */
function requestText(query: ContractQuery, format: EventFormat): string {
  const { activeAtOffset, oldestFirst, sortBy, filters, text } = query
  const conditions = filters.map(({ field, test, value }) => [field, test, value])
  const sorting = sortBy && [sortBy.field, sortBy.descending]
  const parts = [activeAtOffset?.toString() ?? null, eventFormatText(format), oldestFirst, sorting, conditions, text]
  return JSON.stringify(parts)
}

type Keyed = { readonly key: string | undefined; readonly number: bigint }

/** The first `count` of all that are added, after one of them. Equal ones are newest first; those without a key last. */
function createBest(count: number, descending: boolean, after: Keyed | undefined) {
  const direction = descending ? -1 : 1
  const compare = (a: Keyed, b: Keyed): number => {
    if (a.key !== b.key) {
      if (a.key === undefined || b.key === undefined) return a.key === undefined ? 1 : -1
      return a.key < b.key ? -direction : direction
    }
    return a.number === b.number ? 0 : a.number > b.number ? -1 : 1
  }
  let best: Keyed[] = []
  let worst: Keyed | undefined
  const cut = () => {
    best = best.sort(compare).slice(0, count)
    if (best.length === count) worst = best.at(-1)
  }
  return {
    add(one: Keyed): void {
      if (after !== undefined && compare(one, after) <= 0) return
      if (worst !== undefined && compare(one, worst) >= 0) return
      best.push(one)
      if (best.length >= 2 * count) cut()
    },
    all(): readonly Keyed[] {
      cut()
      return best
    },
  }
}

const onlyDevelopment = 'sorting and filtering by fields looks through all contracts, which only development nodes do'
const tooManyToSort = (sortedMax: number) =>
  `more than ${sortedMax} contracts are active, too many to sort; choose a template or a party`
