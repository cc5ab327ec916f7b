// Pages of updates in short, for lists. A row costs the node as little for an update with a megabyte of events as for a
// small one: of the events only the beginning is read. Filters that no index has look through a limited number of updates.
import { invalidArgument, invalidField, missingField } from '../../base/errors.ts'
import { nextTurn } from '../../base/turns.ts'
import { isTopologyText, metaFromText } from '../../events/format/stored-update.ts'
import { BodyBeginning } from '../../events/json/event-glimpses.ts'
import { instantFromText } from '../../lf/codec/time-text.ts'
import type { UpdateBeginning } from '../../store/core/ledger-records.ts'
import { matchersOf, partiesIn, searchOf } from '../reading/json/update-elements.ts'
import { readerOf } from '../reading/reader.ts'
import type { ReadingParts } from '../reading/reading-parts.ts'
import { checkNamesOfUpdates, checkUpdateFormat } from '../reading/requests/format-checks.ts'
import { checkNonNegative, checkNotAfterEnd, checkNotPruned } from '../reading/requests/offset-checks.ts'
import type { UpdateFormat } from '../reading/requests/queries.ts'
import { checkPageSize } from '../reading/requests/read-tokens.ts'
import { readOffsets } from '../reading/rows/update-rows.ts'
import type { Bounds } from './bounds.ts'
import type { Asking } from './contract-query.ts'
import type { Looking } from './looking.ts'
import { summaryOfReassignment, summaryOfTopology, summaryOfTransaction, type UpdateSummary } from './update-summary.ts'

/** Texts are beginnings, empty for any; times are included, and in microseconds since 1970. */
export type SummaryFilter = {
  readonly kind: UpdateSummary['kind'] | undefined
  readonly party: string
  readonly choice: string
  readonly commandId: string
  readonly from: bigint | undefined
  readonly to: bigint | undefined
}

export type SummariesQuery = {
  readonly format: UpdateFormat | undefined
  readonly after: bigint | undefined
  readonly upTo: bigint | undefined
  readonly oldestFirst: boolean
  readonly filter: SummaryFilter
  readonly pageSize: number | undefined
}

export type FoundSummary = UpdateSummary & { readonly isWhole: boolean }

export type Summaries = {
  /** The whole response. */
  page(query: SummariesQuery, asking: Asking): Promise<string>
  /** What readers see of these updates; leaves out what they do not see. */
  at(offsets: readonly bigint[], format: UpdateFormat, signal: AbortSignal): Promise<FoundSummary[]>
  /** The newest that pass, among as many as one request looks through. */
  newest(format: UpdateFormat, filter: Partial<SummaryFilter>, wanted: Wanted): Promise<FoundSummary[]>
}

export type Wanted = {
  readonly most: number
  /** As many as one request looks through if absent. */
  readonly lookedMax?: number
  readonly asking: Asking
}

type Parts = { readonly reading: ReadingParts; readonly looking: Looking; readonly bounds: Bounds }

const usualPage = 50
const pageMax = 200
/** Updates that are read at a time. */
const stepMax = 50
/** So large a body is read to filter by the choices in it. */
const bodyBytesMax = 1024 * 1024
/** How many names are told. */
const namesMax = 5

export const anyUpdate: SummaryFilter = {
  ...{ kind: undefined, party: '', choice: '', commandId: '', from: undefined, to: undefined },
}

export function createSummaries({ reading, looking, bounds }: Parts): Summaries {
  const { store, end, contents } = reading

  /** Sums up one update after the other; undefined for one that the readers do not see. */
  async function summarizer(format: UpdateFormat, wantsChoices: boolean) {
    const known = await contents((found) => checkNamesOfUpdates(format, found))
    const matchers = matchersOf(format, known)
    const search = searchOf(matchers, format.topology)
    const topologyOf = format.topology && partiesIn(format.topology)
    const shape = format.transactions?.shape === 'TRANSACTION_SHAPE_ACS_DELTA' ? 'delta' : 'effects'

    async function summaryOf(row: UpdateBeginning): Promise<FoundSummary | undefined> {
      if (topologyOf === undefined && isTopologyText(row.meta)) return undefined
      const text = await wholeMeta(row)
      if (text === undefined) return beginningOf(row)
      const meta = metaFromText(text)
      if (meta.kind === 'topology') return found(topologyOf && summaryOfTopology(row.offset, meta, topologyOf))
      const body = new BodyBeginning(row.body)
      if (meta.kind === 'reassignment') {
        const { reassignments } = matchers
        return found(reassignments && summaryOfReassignment(row.offset, meta, body, reassignments))
      }
      const { transactions } = matchers
      if (transactions === undefined) return undefined
      const isLong = wantsChoices && (meta.ends.at(-1) ?? 0) > row.body.length
      const whole = isLong ? await wholeBody(row.offset, meta.ends.at(-1)!) : undefined
      return found(summaryOfTransaction(row.offset, meta, whole ?? body, transactions, shape))
    }

    /** Of an update whose events are too many to look at, only what its readers may know in any case. */
    function beginningOf({ offset, meta }: UpdateBeginning): FoundSummary | undefined {
      if (matchers.transactions === undefined) return undefined
      const textOf = (name: string) => new RegExp(`"${name}":"([^"]*)"`).exec(meta)?.[1] ?? ''
      const none = new Set<string>()
      return {
        ...{ kind: 'transaction', offset, updateId: textOf('updateId'), recordTime: textOf('recordTime') },
        ...{ commandId: '', synchronizerId: textOf('synchronizerId'), roots: [], hasMoreRoots: true, isWhole: false },
        ...{ created: 0, archived: 0, exercised: 0, templates: none, acting: none, parties: none, involved: none },
        choices: none,
      }
    }

    return { search, summaryOf }
  }

  const found = (summary: UpdateSummary | undefined): FoundSummary | undefined =>
    summary && { ...summary, isWhole: true }

  /** Undefined if it is too long. */
  async function wholeMeta({ offset, meta, metaBytes }: UpdateBeginning): Promise<string | undefined> {
    if (metaBytes <= BigInt(meta.length)) return meta
    if (metaBytes > bounds.descriptionBytes) return undefined
    await nextTurn() // Takes up to some milliseconds to parse.
    const [row] = await store.updates.metas({ after: offset - 1n, upTo: offset, limit: 1 })
    return row?.meta
  }

  async function wholeBody(offset: bigint, bytes: number): Promise<BodyBeginning | undefined> {
    if (bytes > bodyBytesMax) return undefined
    const [row] = await store.updates.whole([offset])
    return row && new BodyBeginning(Buffer.from(row.body))
  }

  type Look = {
    readonly format: UpdateFormat
    readonly filter: SummaryFilter
    readonly range: { readonly after: bigint; readonly upTo: bigint; readonly descending: boolean }
    readonly wanted: Wanted
  }

  /** Looks through the range for as many as are wanted; `reached` is the last one that was looked at. */
  async function look({ format, filter, range, wanted }: Look) {
    const { most, lookedMax: limit = bounds.updatesLooked } = wanted
    const { owner, signal, account } = wanted.asking
    const { search, summaryOf } = await summarizer(format, filter.choice !== '')
    const passed: FoundSummary[] = []
    let looked = 0
    let reached: bigint | undefined
    if (search === undefined || range.after >= range.upTo) return { passed, looked, isCut: false, reached }
    const reader = readerOf(signal, { account, elementsMax: Math.min(stepMax, most) })
    for await (const offsets of readOffsets(reading, search, range, reader)) {
      for (const row of await store.updates.beginnings(offsets)) {
        const summary = await summaryOf(row)
        looked += 1
        if (summary !== undefined && passes(summary, filter)) passed.push(summary)
        if (passed.length === most) return { passed, looked, isCut: false, reached: row.offset }
        reached = row.offset
        if (looked >= limit) return { passed, looked, isCut: true, reached }
      }
      await looking.turn(owner, signal)
    }
    return { passed, looked, isCut: false, reached }
  }

  /** The offsets between which an update has such a time: offsets grow with time. */
  async function boundsOf({ from, to }: SummaryFilter, after: bigint, upTo: bigint): Promise<[bigint, bigint]> {
    const lastBefore = async (isEarly: (time: bigint) => boolean): Promise<bigint> => {
      let [low, high] = [after, upTo + 1n]
      while (high - low > 1n) {
        const middle = (low + high) / 2n
        const row = await store.updates.beginningUpTo(middle)
        if (row === undefined || row.offset <= low || isEarly(timeOf(row))) low = middle
        else high = row.offset
      }
      return low
    }
    return [
      from === undefined ? after : await lastBefore((time) => time < from),
      to === undefined ? upTo : await lastBefore((time) => time <= to),
    ]
  }

  return {
    async page(query, asking) {
      const { format, after, upTo, oldestFirst } = query
      if (format === undefined) throw missingField('update_format')
      checkUpdateFormat(format)
      const size = checkPageSize(query.pageSize, usualPage, pageMax)
      const filter = checkedFilter(query.filter)
      if (after !== undefined) checkNonNegative(after, 'after')
      if (upTo !== undefined) checkNonNegative(upTo, 'upTo')
      const ledgerEnd = (await end.latest(upTo)).offset
      if (upTo !== undefined) checkNotAfterEnd(upTo, ledgerEnd, 'upTo')
      const [first, last] = [after ?? end.prunedUpTo(), upTo ?? ledgerEnd]
      const check = () => {
        if (after !== undefined) checkNotPruned(after, end.prunedUpTo(), `Updates request from ${after + 1n} precedes`)
      }
      check()
      const [low, high] = await boundsOf(filter, first, last)
      const range = { after: low, upTo: high, descending: !oldestFirst }
      const isQuick = filter.party === '' && filter.choice === '' && filter.commandId === ''
      const run = () => look({ format: formatOf(format, filter), filter, range, wanted: { most: size + 1, asking } })
      const { passed, looked, isCut, reached } = await (isQuick
        ? run()
        : looking.alone(asking.owner, asking.signal, run))
      asking.signal.throwIfAborted()
      check()
      const shown = passed.slice(0, size)
      const lastShown = passed.length > size ? shown.at(-1)!.offset : isCut ? reached : undefined
      const next = lastShown === undefined ? 'null' : oldestFirst ? lastShown : lastShown - 1n
      return `{"updates":[${shown.map(summaryJson).join()}],"looked":${looked},"next":${next}}`
    },
    async at(offsets, format, signal) {
      const { summaryOf } = await summarizer(format, false)
      const summaries: FoundSummary[] = []
      for (const row of await store.updates.beginnings(offsets)) {
        const summary = await summaryOf(row)
        signal.throwIfAborted()
        // What is too long to look at is shown only to who finds it in a list of updates that the reader sees.
        if (summary?.isWhole) summaries.push(summary)
      }
      return summaries
    },
    async newest(format, filter, wanted) {
      const range = { after: end.prunedUpTo(), upTo: (await end.latest()).offset, descending: true }
      return (await look({ format, filter: { ...anyUpdate, ...filter }, range, wanted })).passed
    },
  }
}

const textMax = 300

function checkedFilter(filter: SummaryFilter): SummaryFilter {
  const { party, choice, commandId, from, to } = filter
  for (const [name, text] of Object.entries({ party, choice, commandId })) {
    if (text.length > textMax) throw invalidField(`filter.${name}`, `it has more than ${textMax} characters`)
  }
  if (from !== undefined && to !== undefined && from > to) throw invalidArgument('filter.from is after filter.to')
  return filter
}

/** Other kinds need not be read. */
function formatOf({ transactions, reassignments, topology }: UpdateFormat, { kind }: SummaryFilter): UpdateFormat {
  const keep = <T>(value: T, of: UpdateSummary['kind']) => (kind === undefined || kind === of ? value : undefined)
  return {
    transactions: keep(transactions, 'transaction'),
    reassignments: keep(reassignments, 'reassignment'),
    topology: keep(topology, 'topology'),
  }
}

function passes(summary: UpdateSummary, { party, choice, commandId, from, to }: SummaryFilter): boolean {
  const begins = (names: ReadonlySet<string>, text: string) => [...names].some((name) => name.startsWith(text))
  if (party !== '' && !begins(summary.involved, party)) return false
  if (choice !== '' && !begins(summary.choices, choice)) return false
  if (commandId !== '' && !summary.commandId.startsWith(commandId)) return false
  if (from === undefined && to === undefined) return true
  const time = BigInt(instantFromText(summary.recordTime)!)
  return (from === undefined || time >= from) && (to === undefined || time <= to)
}

const recordTime = /"recordTime":"([^"]*)"/

function timeOf({ meta }: UpdateBeginning): bigint {
  return BigInt(instantFromText(recordTime.exec(meta)?.[1] ?? '') ?? 0n)
}

function summaryJson(summary: FoundSummary): string {
  const { offset, parties, templates, acting, involved: _involved, choices: _choices, ...rest } = summary
  return `{"offset":${offset},${JSON.stringify({
    ...rest,
    templates: firstOf(templates),
    acting: firstOf(acting),
    parties: firstOf(parties),
    partyCount: parties.size,
  }).slice(1)}`
}

function firstOf(names: ReadonlySet<string>): readonly string[] {
  return [...names].slice(0, namesMax)
}
