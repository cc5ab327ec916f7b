// Reads over HTTP, compared with what the model expects: streams in pages, in either order and in all forms, look-ups,
// active contracts now and in the past, completions, and what pruning has left.
import assert from 'node:assert/strict'
import type { Answer } from '../fixtures/node.ts'
import type { Chance } from './chance.ts'
import { readCompletions } from './completions.ts'
import { type Filter, type Format, formatFor, type Shape, type UpdateFormat, updatesFor } from './filters.ts'
import { type User, users } from './records.ts'
import { eventFormatToJson, updateFormatToJson } from './requests.ts'
import type { World } from './world.ts'

const shapes: readonly Shape[] = ['TRANSACTION_SHAPE_ACS_DELTA', 'TRANSACTION_SHAPE_LEDGER_EFFECTS']
const filters: readonly Filter[] = ['all', 'with-blob', 'ious', 'holdings']
/** How long to look whether there is one completion too many. */
const silenceMs = 20

type Range = { readonly begin: number; readonly end: number }

export type Comparison = ReturnType<typeof createComparison>

export function createComparison({ call, model, expected }: World, chance: Chance) {
  const { state, parties } = model

  // ── Updates

  type Stream = { readonly path: string; readonly body: object }
  type Told = Readonly<Record<string, { readonly value: { readonly offset: number } }>>

  /** Page by page, as a client does that has only so much room. */
  async function readAll({ path, body }: Stream, { begin, end }: Range, descending: boolean): Promise<unknown[]> {
    const all: Told[] = []
    const limit = chance.percent(30) ? 3 + chance.below(10) : 100_000
    for (let [from, to] = [begin, end]; ; ) {
      const range = { beginExclusive: from, endInclusive: to, descendingOrder: descending }
      const { json, text } = await call(`${path}?limit=${limit}`, { ...body, ...range })
      assert.ok(Array.isArray(json), text)
      const page = json.map(({ update }) => update as Told)
      all.push(...page)
      const last = Object.values(page.at(-1) ?? {})[0]?.value.offset
      if (last === undefined || page.length < limit || last === (descending ? begin + 1 : end)) return all
      if (descending) to = last - 1
      else from = last
    }
  }

  async function compareUpdates(format: UpdateFormat, range: Range): Promise<void> {
    if (range.begin === range.end) return
    const stream = {
      path: chance.pick(['/v2/updates', '/v2/updates/flats']),
      body: { updateFormat: updateFormatToJson(format) },
    }
    await compareBothWays(stream, range, wantedIn(range, format))
  }

  const wantedIn = (range: Range, format: UpdateFormat) =>
    updatesIn(range).flatMap((update) => expected.update(update, format) ?? [])

  async function compareTrees(format: Format, range: Range): Promise<void> {
    if (range.begin === range.end) return
    const stream = { path: '/v2/updates/trees', body: { filter: eventFormatToJson(format) } }
    const wanted = updatesIn(range).flatMap((update) => {
      if (update.kind !== 'transaction') return expected.update(update, updatesFor(format, shapes[0]!)) ?? []
      const value = expected.tree(update, format)
      return value === undefined ? [] : [{ TransactionTree: { value } }]
    })
    await compareBothWays(stream, range, wanted)
  }

  async function compareBothWays(stream: Stream, range: Range, wanted: readonly object[]): Promise<void> {
    assert.deepEqual(await readAll(stream, range, false), wanted, `${stream.path}, ascending`)
    if (chance.percent(50)) {
      assert.deepEqual(await readAll(stream, range, true), wanted.toReversed(), `${stream.path}, descending`)
    }
  }

  async function compareUpdatePages(format: UpdateFormat, { begin, end }: Range): Promise<void> {
    if (begin === end) return
    const descendingOrder = chance.percent(50)
    const body = {
      ...{ beginOffsetExclusive: begin, endOffsetInclusive: end, descendingOrder },
      maxPageSize: 1 + chance.below(20),
      updateFormat: updateFormatToJson(format),
    }
    const found = await collectPages('/v2/updates/get-updates-page', body, 'updates')
    const wanted = wantedIn({ begin, end }, format)
    if (descendingOrder) wanted.reverse()
    assert.deepEqual(
      found,
      wanted.map((update) => ({ update })),
    )
  }

  async function collectPages(path: string, body: object, field: string): Promise<unknown[]> {
    const found: unknown[] = []
    for (let pageToken: string | null = null; ; ) {
      const { json, text } = await call(path, { ...body, pageToken })
      assert.ok(Array.isArray(json?.[field]), text)
      found.push(...json[field])
      pageToken = json.nextPageToken
      if (pageToken === null) return found
    }
  }

  const updatesIn = ({ begin, end }: Range) => model.updates.filter(({ offset }) => offset > begin && offset <= end)

  /** Any offset there is, and a few there are not. */
  async function compareLookup(): Promise<void> {
    const offset = 1 + chance.below(state.end + 2)
    const found = model.updates.find((one) => one.offset === offset)
    const update = offset > state.prunedUpTo ? found : undefined
    const isById = found !== undefined && chance.percent(30)
    const which = isById ? { updateId: found.updateId } : { offset }
    const suffix = isById ? 'by-id' : 'by-offset'
    if (chance.percent(50)) {
      const format = someUpdates()
      const answer = await call(`/v2/updates/update-${suffix}`, { ...which, updateFormat: updateFormatToJson(format) })
      const wanted = update && expected.update(update, format)
      if (wanted === undefined) assertCode(answer, 'UPDATE_NOT_FOUND')
      else assert.deepEqual(answer.json, { update: wanted })
      return
    }
    const [format, shape] = [someFormat(), chance.pick(shapes)]
    const transactionFormat = { eventFormat: eventFormatToJson(format), transactionShape: shape }
    const answer = await call(`/v2/updates/transaction-${suffix}`, { ...which, transactionFormat })
    const transaction = update?.kind === 'transaction' ? expected.transaction(update, format, shape) : undefined
    if (transaction === undefined) assertCode(answer, 'UPDATE_NOT_FOUND')
    else assert.deepEqual(answer.json, { transaction })
  }

  // ── Contracts

  /** Pruning takes away what was active before; 0 stands for a ledger without anything. */
  async function compareActive(format: Format, offset: number): Promise<void> {
    const body = { activeAtOffset: offset, eventFormat: eventFormatToJson(format) }
    const limit = chance.percent(30) ? 3 + chance.below(10) : 100_000
    const found: { streamContinuationToken: string }[] = []
    for (;;) {
      const streamContinuationToken = found.at(-1)?.streamContinuationToken ?? ''
      const { json, text } = await call(`/v2/state/active-contracts?limit=${limit}`, {
        ...body,
        streamContinuationToken,
      })
      assert.ok(Array.isArray(json), text)
      found.push(...json)
      if (json.length < limit) break
    }
    const wanted = expected.activeContracts(offset, format)
    const withoutTokens = found.map(({ streamContinuationToken: _token, ...rest }) => rest)
    assert.deepEqual(byContract(withoutTokens), byContract(wanted), `active contracts at ${offset}`)
  }

  async function compareActivePages(format: Format, offset: number): Promise<void> {
    const body = { activeAtOffset: offset, eventFormat: eventFormatToJson(format), maxPageSize: 1 + chance.below(30) }
    const found = await collectPages('/v2/state/active-contracts-page', body, 'activeContracts')
    const wanted = expected.activeContracts(offset, format).map((one) => ({ ...one, streamContinuationToken: '' }))
    assert.deepEqual(byContract(found), byContract(wanted), `pages of active contracts at ${offset}`)
  }

  async function compareContract(): Promise<void> {
    if (model.contracts.size === 0) return
    const contract = chance.pick([...model.contracts.values()])
    const format = someFormat()
    const eventFormat = eventFormatToJson(format)
    const answer = await call('/v2/events/events-by-contract-id', { contractId: contract.id, eventFormat })
    const wanted = expected.eventsOfContract(contract, format)
    if (wanted === undefined) assertCode(answer, 'CONTRACT_EVENTS_NOT_FOUND')
    else assert.deepEqual(answer.json, wanted)
  }

  // ── Completions

  async function compareCompletions(userId: User, readers: readonly string[]): Promise<void> {
    const wanted = model.completions.flatMap(({ offset, userId: submitter, actAs, json }) => {
      const shown = actAs.filter((party) => readers.includes(party))
      return offset > state.prunedUpTo && submitter === userId && shown.length > 0 ? [{ ...json, actAs: shown }] : []
    })
    const last = (wanted.at(-1) as { offset?: number } | undefined)?.offset ?? state.prunedUpTo
    // There will be as many as wanted; then, for a moment, no more.
    const asUser = (path: string, body: unknown) => call(path, body, userId)
    const wanting = { body: { userId, parties: readers }, begin: state.prunedUpTo, count: wanted.length }
    assert.deepEqual(await readCompletions(asUser, { path: '/v2/commands/completions', ...wanting }), wanted)
    const path = `/v2/commands/completions?limit=1&stream_idle_timeout_ms=${silenceMs}`
    const { json, text } = await asUser(path, { userId, parties: readers, beginExclusive: last })
    assert.ok(Array.isArray(json), text)
    assert.ok(!json.some(({ completionResponse }) => 'Completion' in completionResponse), text)
  }

  // ── What is gone

  async function compareRefusals(): Promise<void> {
    const format = formatFor(parties)
    const updateFormat = updateFormatToJson(updatesFor(format, 'TRANSACTION_SHAPE_LEDGER_EFFECTS'))
    const filter = eventFormatToJson(format)
    const [before, after] = [state.prunedUpTo - 1, state.end + 1]
    const rows: [path: string, body: object][] = [
      ['/v2/updates', { beginExclusive: before, endInclusive: state.end, updateFormat }],
      ['/v2/updates', { beginExclusive: before, endInclusive: state.end, updateFormat, descendingOrder: true }],
      ['/v2/updates/trees', { beginExclusive: before, endInclusive: state.end, filter }],
      ['/v2/updates/get-updates-page', { beginOffsetExclusive: before, updateFormat }],
      ['/v2/commands/completions', { parties, beginExclusive: before }],
      ...(before > 0 ? [['/v2/state/active-contracts', { activeAtOffset: before, filter }] as [string, object]] : []),
    ]
    if (before >= 0) {
      for (const [path, body] of rows) assertCode(await call(path, body), 'PARTICIPANT_PRUNED_DATA_ACCESSED', path)
    }
    assertCode(await call('/v2/updates', { beginExclusive: after, updateFormat }), 'OFFSET_AFTER_LEDGER_END')
    assertCode(await call('/v2/state/active-contracts', { activeAtOffset: after, filter }), 'OFFSET_AFTER_LEDGER_END')
  }

  // ── Together

  function someFormat(): Format {
    if (chance.percent(25)) return chance.pick(filters)
    const readers = chance.some(parties, 35)
    const wanted = readers.length > 0 ? readers : [chance.pick(parties)]
    return new Map(wanted.map((party) => [party, chance.pick(filters)]))
  }

  /** Usually of both kinds, for the same readers. */
  function someUpdates(): UpdateFormat {
    const shape = chance.pick(shapes)
    return chance.weighted<() => UpdateFormat>([
      [6, () => updatesFor(someFormat(), shape)],
      [2, () => ({ shape, transactions: someFormat(), reassignments: someFormat() })],
      [1, () => ({ shape, transactions: someFormat(), reassignments: undefined })],
      [1, () => ({ shape, transactions: undefined, reassignments: someFormat() })],
    ])()
  }

  /** Of what is not pruned. */
  function someRange(): Range {
    const begin = state.prunedUpTo + chance.below(state.end - state.prunedUpTo + 1)
    return { begin, end: begin + chance.below(state.end - begin + 1) }
  }

  const someOffset = () => state.prunedUpTo + chance.below(state.end - state.prunedUpTo + 1)

  return {
    someFormat,

    /** A few reads of all kinds. */
    async glance(): Promise<void> {
      await compareLookup()
      const kinds = [
        () => compareUpdates(someUpdates(), someRange()),
        () => compareTrees(formatFor([chance.pick(parties)]), someRange()),
        () => compareUpdatePages(someUpdates(), someRange()),
        () => compareActive(someFormat(), someOffset()),
        () => compareActivePages(someFormat(), state.end),
        () => compareContract(),
      ]
      await chance.pick(kinds)()
    },

    /** Everything that is there, for everybody. */
    async everything(): Promise<void> {
      const whole = { begin: state.prunedUpTo, end: state.end }
      const readers: Format[] = [...parties.map((party) => formatFor([party])), 'all', someFormat()]
      for (const format of readers) {
        for (const shape of shapes) await compareUpdates(updatesFor(format, shape), whole)
        if (asked(format).every((filter) => filter === 'all' || filter === 'with-blob'))
          await compareTrees(format, whole)
        await compareActive(format, state.end)
        await compareActive(format, someOffset())
      }
      for (const userId of users) await compareCompletions(userId, parties)
      await compareCompletions(chance.pick(users), [chance.pick(parties)])
      await compareUpdatePages(someUpdates(), whole)
      await compareActivePages(someFormat(), someOffset() || state.end)
      for (let count = 0; count < 10; count += 1) await compareContract()
      for (let count = 0; count < 10; count += 1) await compareLookup()
      await compareRefusals()
    },
  }
}

function assertCode(answer: Answer, code: string, message = ''): void {
  assert.equal(answer.json?.code, code, `${message} ${answer.text}`)
}

function asked(format: Format): Filter[] {
  return typeof format === 'string' ? [format] : [...format.values()]
}

/** The order of active contracts is the node's own; each is there once. */
export function byContract(contracts: readonly unknown[]): unknown[] {
  const key = (json: unknown) => {
    const { contractEntry } = json as { contractEntry: Record<string, { createdEvent: { contractId: string } }> }
    return Object.values(contractEntry)[0]!.createdEvent.contractId
  }
  return contracts.toSorted((a, b) => (key(a) < key(b) ? -1 : 1))
}
