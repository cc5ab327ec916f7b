// The update log for readers: streams, lookups and pages. Mirrors Canton's ApiUpdateService and
// UpdateServiceRequestValidator.
import { freeAccount } from '../../base/byte-budget.ts'
import { LedgerError, missingField, type Resource } from '../../base/errors.ts'
import { hasId, updateIdKey } from '../../events/format/stored-update.ts'
import type { SizedUpdate, UpdateRow } from '../../store/core/ledger-records.ts'
import { checkpointJson, createCheckpointSource } from './following/checkpoints.ts'
import { type Placed, tail } from './following/tailing.ts'
import type { Asked } from './json/compiled-formats.ts'
import type { UpdateElements } from './json/update-elements.ts'
import {
  copies,
  forget,
  freeBytes,
  type OnAccount,
  once,
  type Reader,
  type ReadHints,
  readerOf,
  takeLarge,
} from './reader.ts'
import type { ReadingParts } from './reading-parts.ts'
import {
  checkEventFormat,
  checkNames,
  checkNamesOfUpdates,
  checkTransactionFormat,
  checkUpdateFormat,
} from './requests/format-checks.ts'
import { checkNonNegative, checkNotAfterEnd, checkNotPruned, checkPositive } from './requests/offset-checks.ts'
import type { EventFormat, TransactionFormat, UpdateFormat, Updates, UpdatesQuery } from './requests/queries.ts'
import { readUpdateId } from './requests/update-ids.ts'
import { readUpdates, rowsMax, type UpdatesRange, wholeUpdates } from './rows/update-rows.ts'
import { createUpdatesPage } from './updates-page.ts'

export function createUpdates(parts: ReadingParts): Updates {
  const { store, end, contents } = parts
  const { metas, formats: compile, recent, readAhead } = parts.caches
  const checkpoints = createCheckpointSource(parts)

  /** Elements of a range; checks for pruning after every step. */
  async function* read<E>(
    { search }: UpdateElements,
    range: UpdatesRange,
    rowsOf: typeof readUpdates,
    reader: Reader,
    render: (rows: readonly UpdateRow[]) => Promise<readonly Placed<E>[]>,
  ) {
    const { after, upTo, descending } = range
    const check = (from: bigint, what: string) =>
      checkNotPruned(from, end.prunedUpTo(), `${what} request from ${after + 1n} to ${upTo} precedes`)
    check(after, 'Transactions')
    let reached = after
    for await (const rows of rowsOf(parts, search, range, reader)) {
      if (reader.signal.aborted) return
      check(reached, 'Updates')
      const last = rows.at(-1)?.offset ?? reached
      const placed = await render(rows)
      forget(rows)
      yield placed
      forget(placed)
      if (!descending) reached = last
    }
    check(reached, 'Updates')
  }

  async function* elementsIn<E>(
    elements: UpdateElements,
    range: UpdatesRange,
    reader: Reader,
    render: (rows: readonly UpdateRow[]) => Promise<readonly Placed<E>[]>,
  ) {
    for await (const placed of read(elements, range, readUpdates, reader, render)) {
      if (placed.length > 0) yield* once(placed.map(({ element }) => element))
    }
  }

  function pageOf(elements: UpdateElements, range: UpdatesRange, formatKey: string, reader: Reader) {
    return readAhead({
      key: `${end.prunedUpTo()} ${formatKey}`,
      range,
      ledgerEnd: end.current().offset,
      read: (some, purpose) => elementsIn(elements, some, purpose === 'now' ? reader : smallOnly, elements.of),
    })
  }

  /** Elements are JSON, and bytes where they were rendered in another form. */
  async function* streamed<E>(
    query: UpdatesQuery,
    signal: AbortSignal,
    hints: ReadHints,
    renderingOf: (elements: UpdateElements) => (rows: readonly UpdateRow[]) => Promise<readonly Placed<E>[]>,
    pages: typeof pageOf | undefined,
  ): AsyncGenerator<readonly (E | string)[]> {
    const reader = readerOf(signal, hints)
    const { beginExclusive, endInclusive, descending, format, form } = query
    checkBounds(query, (await end.latest(endInclusive ?? beginExclusive)).offset)
    checkUpdateFormat(format)
    const known = await contents((found) => checkNamesOfUpdates(format, found))
    const compiled = () => compile({ format, form, wrapping: 'element' }, known)
    let { elements, key } = compiled()
    if (endInclusive !== undefined) {
      if (endInclusive < beginExclusive) {
        const text = `End offset ${endInclusive} is before begin offset ${beginExclusive}.`
        throw new LedgerError('OFFSET_OUT_OF_RANGE', text)
      }
      if (endInclusive === beginExclusive || elements === undefined) return
      const range = { after: beginExclusive, upTo: endInclusive, descending }
      const count = endInclusive - beginExclusive
      const isPage = count <= rowsMax && count <= reader.elementsMax // Otherwise the reader does not continue.
      if (pages !== undefined && elements.isLasting && !descending && isPage) {
        for await (const some of pages(elements, range, key, reader)) if (some.length > 0) yield some
        return
      }
      yield* elementsIn(elements, range, reader, renderingOf(elements))
      return
    }
    let version = known.version()
    yield* tail(
      parts,
      {
        beginExclusive,
        checkpoints,
        read(from, upTo) {
          // A package that implements an interface may have been uploaded since.
          if (version !== known.version()) elements = compiled().elements
          version = known.version()
          if (elements === undefined) return nothing()
          return read(elements, { after: from, upTo, descending: false }, recent, reader, renderingOf(elements))
        },
        checkpointElement: (checkpoint) => `{"update":{"OffsetCheckpoint":${checkpointJson(checkpoint)}}}`,
        onWaiting: hints.onWaiting,
      },
      signal,
    )
  }

  async function one(request: Asked, resource: Resource, find: () => Promise<UpdateRow | undefined>): Promise<string> {
    checkUpdateFormat(request.format)
    const known = await contents((found) => checkNamesOfUpdates(request.format, found))
    const { elements } = compile(request, known)
    const record = elements && (await find())
    const isThere =
      record && record.offset <= (await end.latest(record.offset)).offset && record.offset > end.prunedUpTo()
    const [placed] = isThere ? await elements!.of([record]) : []
    if (placed !== undefined) return placed.element
    throw new LedgerError('UPDATE_NOT_FOUND', 'Update not found, or not visible.', { resources: [resource] })
  }

  async function loaded(sized: readonly SizedUpdate[], asking: OnAccount | undefined): Promise<readonly UpdateRow[]> {
    for (const { bytes } of sized) await takeLarge(bytes, asking)
    return wholeUpdates(sized, store.updates.whole)
  }

  function at(offset: bigint, request: Asked, asking: OnAccount | undefined): Promise<string> {
    return one(request, ['OFFSET', String(offset)], async () => {
      return (await loaded(await store.updates.at([offset]), asking))[0]
    })
  }

  function withId(updateId: string, request: Asked, asking: OnAccount | undefined): Promise<string> {
    return one(request, ['UPDATE_ID', updateId], async () => {
      const candidates = await loaded(await store.updates.withIdKey(updateIdKey(updateId)), asking)
      return candidates.find((row) => hasId(metas.of(row), updateId))
    })
  }

  return {
    stream: (query, signal, hints = {}) => streamed(query, signal, hints, ({ of }) => of, pageOf),
    rendered: (query, render, signal, hints = {}) =>
      streamed(
        query,
        signal,
        hints,
        ({ rendered }) =>
          (rows) =>
            rendered(rows, render),
        undefined,
      ),
    page: createUpdatesPage(parts),
    checksOf: (format) => ({
      checkForm: () => checkTransactionFormat(format),
      checkNames: async () => void (await contents((found) => checkNames(format.eventFormat!, found))),
    }),
    async transactionAt(offset, format, form, asking) {
      checkPositive(offset, 'offset')
      return at(offset, { format: transactionsOnly(format), form, wrapping: 'bare' }, asking)
    },
    async transactionWithId(updateId, format, form, asking) {
      return withId(readUpdateId(updateId), { format: transactionsOnly(format), form, wrapping: 'bare' }, asking)
    },
    checksOfReassignment: (format) => ({
      checkForm: () => checkEventFormat(format),
      checkNames: async () => void (await contents((found) => checkNames(format, found))),
    }),
    async reassignmentWithId(updateId, format, asking) {
      const wanted = { transactions: undefined, reassignments: format ?? everything, topology: undefined }
      const found = await withId(updateId, { format: wanted, form: 'transaction', wrapping: 'bare' }, asking)
      return format === undefined ? withoutEvents(found) : found
    },
    async updateAt(offset, format, asking) {
      checkPositive(offset, 'offset')
      return at(offset, ofAnyKind(format), asking)
    },
    async updateWithId(text, format, asking) {
      const updateId = readUpdateId(text)
      return withId(updateId, ofAnyKind(format), asking)
    },
  }
}

function checkBounds({ beginExclusive, endInclusive, descending }: UpdatesQuery, ledgerEnd: bigint): void {
  checkNonNegative(beginExclusive, 'begin_exclusive')
  if (descending) {
    if (endInclusive === undefined) {
      const text = 'end_inclusive is not provided when descending_order is true'
      throw new LedgerError('DESCENDING_ORDER_MISSING_END', text)
    }
    checkPositive(endInclusive, 'end_inclusive')
  } else if (endInclusive !== undefined) {
    checkPositive(endInclusive, 'end_inclusive', 'either a positive integer (>0) or not defined at all')
  }
  checkNotAfterEnd(beginExclusive, ledgerEnd, 'Begin')
  if (endInclusive !== undefined) checkNotAfterEnd(endInclusive, ledgerEnd, 'End')
}

/** Read-ahead gives up at a large row. */
const smallOnly: Reader = readerOf(new AbortController().signal, {
  account: {
    ...freeAccount,
    take(bytes) {
      if (bytes > copies * freeBytes) throw new Error('too large to be read ahead')
      return undefined
    },
  },
})

const everything: EventFormat = { filtersByParty: new Map(), filtersForAnyParty: [] }

function withoutEvents(update: string): string {
  return JSON.stringify({ ...JSON.parse(update), events: [] })
}

function transactionsOnly(transactions: TransactionFormat): UpdateFormat {
  return { transactions, reassignments: undefined, topology: undefined }
}

function ofAnyKind(format: UpdateFormat | undefined) {
  if (format === undefined) throw missingField('update_format')
  return { format, form: 'transaction', wrapping: 'update' } as const
}

async function* nothing(): AsyncGenerator<readonly []> {}
