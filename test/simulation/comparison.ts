// Compares reads over HTTP with the model: updates, active contracts now and in the past, completions, and what remains
// after pruning.
import assert from 'node:assert/strict'
import type { Chance } from './chance.ts'
import { readCompletions } from './completions.ts'
import { type Filter, type Format, formatFor, updatesFor } from './filters.ts'
import { createReaders, shapes } from './readers.ts'
import { type User, users } from './records.ts'
import { eventFormatToJson, updateFormatToJson } from './requests.ts'
import { assertCode, collectPages, createUpdateComparison } from './update-comparison.ts'
import type { World } from './world.ts'

/** How long to wait for an unexpected completion. */
const silenceMs = 20

export type Comparison = ReturnType<typeof createComparison>

export function createComparison(world: World, chance: Chance) {
  const { call, model, expected } = world
  const { state, parties } = model
  const readers = createReaders(chance, model)
  const { someFormat, someUpdates, someRange, someOffset } = readers
  const { compareUpdates, compareTrees, compareUpdatePages, compareLookup } = createUpdateComparison(
    world,
    chance,
    readers,
  )

  // ── Contracts

  /** Pruning removes earlier active contracts; 0 is the empty ledger. */
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
    const found = await collectPages(call, '/v2/state/active-contracts-page', body, 'activeContracts')
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
    // There must be exactly as many as expected; then, for a moment, no more.
    const asUser = (path: string, body: unknown) => call(path, body, userId)
    const wanting = { body: { userId, parties: readers }, begin: state.prunedUpTo, count: wanted.length }
    assert.deepEqual(await readCompletions(asUser, { path: '/v2/commands/completions', ...wanting }), wanted)
    const path = `/v2/commands/completions?limit=1&stream_idle_timeout_ms=${silenceMs}`
    const { json, text } = await asUser(path, { userId, parties: readers, beginExclusive: last })
    assert.ok(Array.isArray(json), text)
    assert.ok(!json.some(({ completionResponse }) => 'Completion' in completionResponse), text)
  }

  // ── Pruned data

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

    /** Everything, for every reader. */
    async everything(): Promise<void> {
      const whole = { begin: state.prunedUpTo, end: state.end }
      const formats: Format[] = [...parties.map((party) => formatFor([party])), 'all', someFormat()]
      for (const format of formats) {
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

function asked(format: Format): Filter[] {
  return typeof format === 'string' ? [format] : [...format.values()]
}

/** The order of active contracts is up to the node; each appears once. */
export function byContract(contracts: readonly unknown[]): unknown[] {
  const key = (json: unknown) => {
    const { contractEntry } = json as { contractEntry: Record<string, { createdEvent: { contractId: string } }> }
    return Object.values(contractEntry)[0]!.createdEvent.contractId
  }
  return contracts.toSorted((a, b) => (key(a) < key(b) ? -1 : 1))
}
