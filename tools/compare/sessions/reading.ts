// Reading what there is: updates in every format, by offset and by id, active contracts, events, completions; and the
// same with every field wrong.
import { interfaceFilter, templateFilter } from '../../../test/fixtures/ledger.ts'
import type { Json } from '../both.ts'
import { mutationsOf } from '../mutations.ts'
import { exercise, filtersFor, iou, transactionFormat, updateFormat, type World } from '../world.ts'

export async function readingSession(world: World): Promise<void> {
  const { both } = world
  const formats = formatsOf(world)
  const { offset: begin } = await both.get('/v2/state/ledger-end')
  const contractId = await world.create(world.createIou({ observers: [world.carol] }))
  const { updateId } = await world.submit([exercise(iou, contractId, 'Iou_Split', { amount: '1.5' })])
  const { offset: end } = await both.get('/v2/state/ledger-end')
  const range = { beginExclusive: begin, endInclusive: end }
  for (const format of formats) await readAll(world, format, range, { updateId, contractId })
  await ranges(world, end)
  await trees(world, range)
  await wrong(world, range, { updateId, contractId })
  await pages(world, range)
}

function formatsOf({ alice, bank, bob, carol }: World): readonly Json[] {
  return [
    { ...filtersFor([alice, bank]), verbose: true },
    { ...filtersFor([alice]), verbose: false },
    { ...filtersFor([bob]), verbose: true },
    { ...filtersFor([carol], templateFilter(iou, true)), verbose: true },
    { ...filtersFor([alice], interfaceFilter('#quickstart:Holding:Holding')), verbose: true },
    { ...filtersFor([alice], interfaceFilter('#quickstart:Holding:Holding', false, true), templateFilter(iou)) },
    { ...filtersFor([alice], templateFilter('#quickstart:Iou:TransferOffer')), verbose: true },
    { filtersByParty: {}, filtersForAnyParty: {}, verbose: true },
    { filtersByParty: {}, verbose: true },
    { ...filtersFor([alice], templateFilter('#nothing:Iou:Iou')) },
    { ...filtersFor([alice], templateFilter('#quickstart:Iou:Nothing')) },
    { ...filtersFor([alice], interfaceFilter('#quickstart:Iou:Iou')) },
    { ...filtersFor([alice], templateFilter(`${'0'.repeat(64)}:Iou:Iou`)) },
    { ...filtersFor(['x y']) },
    { ...filtersFor(['nobody::1220']) },
  ]
}

type Ids = { readonly updateId: string; readonly contractId: string }
type Range = { readonly beginExclusive: number; readonly endInclusive: number }

async function readAll({ both, alice }: World, eventFormat: Json, range: Range, ids: Ids): Promise<void> {
  const as = { as: 'app' }
  const offset = range.endInclusive
  for (const shape of ['ACS_DELTA', 'LEDGER_EFFECTS'] as const) {
    const format = updateFormat(eventFormat, shape)
    for (const path of ['updates', 'updates/flats', 'updates/trees']) {
      await both.post(`/v2/${path}`, { ...range, updateFormat: format }, as)
    }
    await both.post('/v2/updates/update-by-offset', { offset, updateFormat: format }, as)
    await both.post('/v2/updates/update-by-id', { updateId: ids.updateId, updateFormat: format }, as)
    const single = { transactionFormat: transactionFormat(eventFormat, shape), requestingParties: [] }
    await both.post('/v2/updates/transaction-by-offset', { offset, ...single }, as)
    await both.post('/v2/updates/transaction-by-id', { updateId: ids.updateId, ...single }, as)
  }
  const both2 = { includeTransactions: transactionFormat(eventFormat), includeReassignments: eventFormat }
  await both.post('/v2/updates', { ...range, updateFormat: both2 }, as)
  await both.post('/v2/updates/get-updates-page', { ...range, updateFormat: both2 }, as)
  await both.post('/v2/state/active-contracts', { activeAtOffset: offset, eventFormat }, as)
  await both.post('/v2/state/active-contracts-page', { activeAtOffset: offset, eventFormat }, as)
  await both.post('/v2/events/events-by-contract-id', { contractId: ids.contractId, eventFormat }, as)
  const { filtersByParty, verbose = false } = eventFormat
  await both.post('/v2/updates', { ...range, filter: { filtersByParty }, verbose }, as)
  await both.post('/v2/updates/trees', { ...range, filter: { filtersByParty }, verbose }, as)
  await both.post('/v2/state/active-contracts', { activeAtOffset: offset, filter: { filtersByParty }, verbose }, as)
  await both.post('/v2/contracts/contract-by-id', { contractId: ids.contractId, queryingParties: [alice] }, as)
}

async function ranges({ both, alice, bank }: World, end: number): Promise<void> {
  const format = updateFormat({ ...filtersFor([alice, bank]), verbose: false })
  const ends: readonly (number | undefined | null | string)[] = [undefined, null, 0, -1, 1, end, end + 5, String(end)]
  for (const beginExclusive of ends) {
    for (const endInclusive of ends) {
      for (const descendingOrder of [undefined, true]) {
        const body = { beginExclusive, endInclusive, descendingOrder, updateFormat: format }
        const isLong = endInclusive !== null && endInclusive !== undefined
        const query = isLong ? '?limit=3' : '?limit=3&stream_idle_timeout_ms=300'
        await both.post(`/v2/updates${query}`, body, { as: 'app', note: JSON.stringify(body).slice(0, 100) })
      }
    }
  }
  for (const query of ['limit=0', 'limit=-1', 'limit=x', 'limit=', 'limit=2&limit=3', 'limit=99999999999999999999']) {
    await both.post(
      `/v2/updates?${query}`,
      { beginExclusive: 0, endInclusive: end, updateFormat: format },
      { as: 'app' },
    )
  }
  // With 1 millisecond, what is answered depends on how busy the nodes are.
  for (const idle of ['0', '-1', '900', 'x', '']) {
    const path = `/v2/updates?stream_idle_timeout_ms=${idle}&limit=2`
    await both.post(path, { beginExclusive: end, updateFormat: format }, { as: 'app' })
    await both.post(path, { beginExclusive: 0, endInclusive: end, updateFormat: format }, { as: 'app' })
    const completions = { userId: 'app', parties: [alice], beginExclusive: 0 }
    await both.post(`/v2/commands/completions?stream_idle_timeout_ms=${idle}`, completions, { as: 'app' })
  }
}

async function trees({ both, alice, bank, bob }: World, range: Range): Promise<void> {
  const as = { as: 'app' }
  for (const parties of [[alice], [alice, bank], [bob], [], ['x y'], ['nobody::1220']]) {
    await both.post('/v2/updates/transaction-by-offset', { offset: range.endInclusive, requestingParties: parties }, as)
    const query = parties.map((party) => `parties=${encodeURIComponent(party)}`).join('&')
    await both.get(`/v2/updates/transaction-tree-by-offset/${range.endInclusive}?${query}`, as)
  }
  for (const offset of ['0', '-1', 'x', '1', '999999']) {
    await both.get(`/v2/updates/transaction-tree-by-offset/${offset}?parties=${encodeURIComponent(alice)}`, as)
  }
  for (const id of ['x', '1220', `1220${'ab'.repeat(32)}`]) {
    await both.get(`/v2/updates/transaction-tree-by-id/${id}?parties=${encodeURIComponent(alice)}`, as)
  }
}

async function wrong({ both, alice, everything }: World, range: Range, ids: Ids): Promise<void> {
  const eventFormat = { ...filtersFor([alice], templateFilter(iou)), verbose: true }
  const format = updateFormat(eventFormat)
  const bodies: readonly (readonly [path: string, body: object])[] = [
    ['/v2/updates/trees', { ...range, filter: filtersFor([alice]), verbose: true, descendingOrder: false }],
    ['/v2/updates/transaction-by-offset', { offset: range.endInclusive, transactionFormat: everything }],
    ['/v2/updates', { ...range, updateFormat: format }],
    ['/v2/updates/transaction-by-id', { updateId: ids.updateId, requestingParties: [alice] }],
    ['/v2/updates/update-by-id', { updateId: ids.updateId, updateFormat: format }],
    ['/v2/updates/update-by-offset', { offset: range.endInclusive, updateFormat: format }],
    ['/v2/updates/get-updates-page', { ...range, updateFormat: format, maxPageSize: 1 }],
    ['/v2/state/active-contracts', { activeAtOffset: range.endInclusive, eventFormat }],
    ['/v2/state/active-contracts-page', { activeAtOffset: range.endInclusive, eventFormat, maxPageSize: 2 }],
    ['/v2/events/events-by-contract-id', { contractId: ids.contractId, eventFormat }],
    ['/v2/contracts/contract-by-id', { contractId: ids.contractId, queryingParties: [alice] }],
    ['/v2/commands/completions', { userId: 'app', parties: [alice], beginExclusive: range.beginExclusive }],
  ]
  for (const [path, body] of bodies) {
    const query = /completions|updates$|trees$/.test(path) ? '?stream_idle_timeout_ms=200&limit=2' : ''
    for (const { note, body: mutated } of mutationsOf(body)) {
      await both.call('POST', `${path}${query}`, { as: 'app', body: mutated, note })
    }
  }
}

async function pages({ both, alice }: World, range: Range): Promise<void> {
  const as = { as: 'app' }
  const eventFormat = { ...filtersFor([alice]), verbose: false }
  const updates = { beginExclusive: 0, endInclusive: range.endInclusive, updateFormat: updateFormat(eventFormat) }
  for (const maxPageSize of [1, 2, 0, -1, 100_000]) {
    await both.post('/v2/updates/get-updates-page', { ...updates, maxPageSize }, as)
    await both.post('/v2/state/active-contracts-page', { eventFormat, maxPageSize }, as)
  }
  for (const pageToken of ['', 'AAAA', '%', 'x'.repeat(100)]) {
    await both.post('/v2/updates/get-updates-page', { ...updates, pageToken }, as)
    await both.post('/v2/state/active-contracts-page', { eventFormat, pageToken }, as)
  }
}
