import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { answerProblem } from '../../../test/fixtures/splice/answer-check.ts'
import type { LocalNetwork } from '../founding/founding.ts'
import { createDsoReads } from '../ledger/dso-reads.ts'
import { type Contract, type Json, type Participant, ParticipantRefusal } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'
import { timeText } from '../ledger/times.ts'
import { type RouteContext, RouteRefusal } from '../serving/route.ts'
import { scanRoutes } from './scan-routes.ts'

const startMicros = Date.parse('2030-01-01T00:00:00Z') * 1000
const timeOf = (offset: number) => timeText(startMicros + offset * 10)

type Created = { readonly template: string; readonly argument: Json; readonly parties?: readonly string[] }

const createdEvent = ({ template, argument, parties = ['DSO'] }: Created, offset: number, nodeId = 0) => ({
  contractId: `c${offset}-${nodeId}`,
  templateId: template.replace('#', 'id-'),
  packageName: 'p',
  createArgument: argument,
  createdAt: timeOf(offset),
  signatories: parties,
  observers: ['z', 'a'],
  offset,
  nodeId,
})

/** The DSO sees every third update; each creates one contract, and nothing is ever archived. */
function scanOver(
  updatesCount: number,
  contractAt: (offset: number) => Created = () => ({ template: '#p:M:T', argument: {} }),
) {
  const offsets = Array.from({ length: updatesCount }, (_, index) => (index + 1) * 3)
  const end = updatesCount * 3 + 1
  const calls: string[] = []

  const transaction = (offset: number) => ({
    updateId: `u${offset}`,
    offset,
    recordTime: timeOf(offset),
    effectiveAt: timeOf(offset),
    synchronizerId: 'global',
    events: [{ CreatedEvent: createdEvent(contractAt(offset), offset) }],
  })
  const updateOf = (offset: number) => ({ update: { Transaction: { value: transaction(offset) } } })

  const answers: Readonly<Record<string, (body: Json) => Json>> = {
    '/v2/state/latest-pruned-offsets': () => ({ participantPrunedUpToInclusive: 0 }),
    '/v2/updates/get-updates-page': ({
      beginOffsetExclusive: begin = 0,
      endOffsetInclusive: last,
      maxPageSize,
      descendingOrder,
    }) => {
      const found = offsets.filter((offset) => offset > begin && offset <= last)
      return { updates: (descendingOrder ? found.toReversed() : found).slice(0, maxPageSize).map(updateOf) }
    },
    '/v2/updates/update-by-offset': ({ offset }) => updateOf(offset),
    '/v2/updates/update-by-id': ({ updateId }) => {
      const offset = offsets.find((one) => `u${one}` === updateId)
      if (offset === undefined) throw new ParticipantRefusal(404, 'UPDATE_NOT_FOUND', 'no')
      return updateOf(offset)
    },
    '/v2/state/active-contracts-page': ({ activeAtOffset, eventFormat, maxPageSize, pageToken = '0' }) => {
      const wanted = eventFormat.filtersByParty.DSO.cumulative.map(
        ({ identifierFilter }: Json) => identifierFilter.TemplateFilter.value.templateId,
      )
      if (wanted.includes('#p:M:Unknown')) throw new ParticipantRefusal(404, 'PACKAGE_NAMES_NOT_FOUND', 'no')
      const active = offsets.filter(
        (offset) => offset <= activeAtOffset && (wanted.length === 0 || wanted.includes(contractAt(offset).template)),
      )
      const from = Number(pageToken)
      const page = active.slice(from, from + maxPageSize)
      return {
        activeContracts: page.map((offset) => ({
          contractEntry: { JsActiveContract: { createdEvent: createdEvent(contractAt(offset), offset) } },
        })),
        nextPageToken: from + maxPageSize < active.length ? String(from + maxPageSize) : null,
      }
    },
  }
  const participant = {
    end: async () => end,
    async call(_: string, path: string, body: Json) {
      calls.push(path)
      await Promise.resolve()
      return answers[path]!(body)
    },
    contracts: async (): Promise<Contract[]> =>
      [4, 5].map(
        (round) => ({ contractId: `r${round}`, payload: { round: { number: String(round) } } }) as unknown as Contract,
      ),
  } as unknown as Participant
  const network = { dso: 'DSO' } as unknown as LocalNetwork
  const context: RouteContext = { network, dso: createDsoReads(participant, 'DSO', true), now: async () => 0 }

  async function ask(line: string, body: Json = {}, params: Readonly<Record<string, string>> = {}): Promise<Json> {
    const [method, target] = line.split(' ')
    const [path, query] = target!.split('?')
    const route = scanRoutes.find((one) => one.method === method && one.path === `/api/scan/${path}`)
    assert.ok(route, line)
    assert.equal(route.access, 'anyone')
    const answer = await route.answer(context, { params, query: new URLSearchParams(query), body, user: undefined })
    assert.equal(answerProblem(method!, route.path, 200, answer), undefined)
    return answer
  }
  return { ask, calls, offsets }
}

const after = (time: string, migration = 0) => ({ after_migration_id: migration, after_record_time: time })

describe('the history of updates', () => {
  test('the history of updates is complete for a client that follows it page by page, whatever happened in between', async () => {
    const { ask, offsets } = scanOver(25)
    const seen: string[] = []
    let last: Json
    for (;;) {
      const { transactions } = await ask('POST v2/updates', { page_size: 7, ...(last && { after: after(last) }) })
      if (transactions.length === 0) break
      for (const one of transactions) seen.push(one.update_id)
      last = transactions.at(-1).record_time
    }
    assert.deepEqual(
      seen,
      offsets.map((offset) => `u${offset}`),
    )
  })

  test('the history of updates begins after any time, with few reads of a long ledger', async () => {
    const { ask, calls } = scanOver(10_000)
    for (const [micros, first] of [
      [-5, 'u3'],
      [29, 'u3'],
      [30, 'u6'],
      [15_000, 'u1503'],
      [299_999, 'u30000'],
    ] as const) {
      calls.length = 0
      const request = { page_size: 1, after: after(timeText(startMicros + micros)) }
      const { transactions } = await ask('POST v2/updates', request)
      assert.deepEqual(
        transactions.map((one: Json) => one.update_id),
        [first],
      )
      assert.ok(calls.length < 20, `${calls.length} reads`)
    }
    const late = { page_size: 1, after: after(timeOf(40_000)) }
    assert.deepEqual(await ask('POST v2/updates', late), { transactions: [] })
    assert.deepEqual(await ask('POST v2/updates', { page_size: 1, after: after(timeOf(1), 1) }), { transactions: [] })
  })

  test('the history of updates is read once for many equal requests', async () => {
    const { ask, calls } = scanOver(100)
    await Promise.all(Array.from({ length: 50 }, () => ask('POST v2/updates', { page_size: 100 })))
    assert.equal(calls.length, 1)
  })

  test('the history of updates has three shapes, and events have the newest', async () => {
    const { ask } = scanOver(1)
    const [v0, v1, v2] = await Promise.all(
      [0, 1, 2].map((version) => ask(`GET v${version}/updates/{updateId}`, {}, { updateId: 'u3' })),
    )
    assert.deepEqual([v0.offset, v1.offset, v2.offset], ['000000000000000003', '000000000000000001', undefined])
    assert.deepEqual([v0.root_event_ids, v1.root_event_ids], [['#u3:0'], ['u3:0']])
    const { 'u3:0': event } = v2.events_by_id
    assert.deepEqual([event.event_type, event.contract_id, event.observers], ['created_event', 'c3-0', ['a', 'z']])
    assert.deepEqual(await ask('GET v0/events/{updateId}', {}, { updateId: 'u3' }), { update: v2 })
    assert.deepEqual((await ask('POST v0/events', { page_size: 5 })).events, [{ update: v2 }])
  })

  test('the history of updates refuses what it does not have', async () => {
    const { ask } = scanOver(1)
    const line = 'GET v2/updates/{updateId}'
    await assert.rejects(ask(line, {}, { updateId: 'x' }), isRefused(404, /^Transaction with id x not found$/))
    for (const [body, words] of [
      [{}, /page_size/],
      [{ page_size: 0 }, /^Limit must be at least 1\.$/],
      [{ page_size: 1001 }, /^Exceeded limit maximum \(1001 > 1000\)\.$/],
      [{ page_size: 1, after: {} }, /after_migration_id/],
      [{ page_size: 1, after: after('yesterday') }, /after_record_time/],
      [{ page_size: 1, daml_value_encoding: 'protobuf_json' }, /not served/],
    ] as const) {
      await assert.rejects(ask('POST v2/updates', body), isRefused(400, words))
    }
  })
})

describe('snapshots', () => {
  test('there is a snapshot of contracts for every update', async () => {
    const { ask } = scanOver(3)
    const timestamp = (query: string) => ask(`GET v0/state/acs/snapshot-timestamp${query}&migration_id=0`)
    assert.deepEqual(await timestamp(`?before=${timeOf(7)}`), { record_time: timeOf(6) })
    assert.deepEqual(await timestamp(`-after?after=${timeOf(6)}`), { record_time: timeOf(9) })
    await assert.rejects(timestamp(`?before=${timeOf(2)}`), isRefused(404, /^No snapshots found before/))
    await assert.rejects(timestamp(`-after?after=${timeOf(9)}`), isRefused(404, /^No snapshots found after/))
    assert.deepEqual(await ask('POST v0/state/acs/force'), { record_time: timeOf(9), migration_id: 0 })
  })

  test('snapshots of contracts are read page by page, oldest contracts first', async () => {
    const { ask } = scanOver(10)
    const request = { migration_id: 0, record_time: timeOf(24), page_size: 3 }
    const ids: string[] = []
    let next: number | undefined
    do {
      const page = await ask('POST v1/state/acs', { ...request, after: next })
      for (const one of page.created_events) ids.push(one.created_in_update_id)
      next = page.next_page_token
    } while (next !== undefined)
    assert.deepEqual(ids, ['u3', 'u6', 'u9', 'u12', 'u15', 'u18', 'u21', 'u24'])
    const [first] = (await ask('POST v0/state/acs', request)).created_events
    assert.equal(first.event_id, '#u3:0')
    await assert.rejects(ask('POST v1/state/acs', { ...request, after: 5 }), isRefused(400, /^Invalid after token/))
  })

  test('snapshots show the contracts of some stakeholders or templates, none lost between pages', async () => {
    const { ask } = scanOver(50, (offset) => ({
      template: offset % 2 === 0 ? '#p:M:Even' : '#p:M:Odd',
      argument: {},
      parties: offset % 5 === 0 ? ['DSO', 'five'] : ['DSO'],
    }))
    const request = { migration_id: 0, record_time: timeOf(150), page_size: 2 }
    for (const [filter, count] of [
      [{ party_ids: ['five'] }, 10],
      [{ party_ids: ['five'], templates: ['p:M:Even'] }, 5],
      [{ templates: ['p:M:Odd'] }, 25],
      [{ templates: ['p:M:Unknown'] }, 0],
    ] as const) {
      const ids = new Set<string>()
      let next: number | undefined
      do {
        const page: Json = await ask('POST v1/state/acs', { ...request, ...filter, after: next })
        for (const one of page.created_events) ids.add(one.contract_id)
        next = page.next_page_token
      } while (next !== undefined)
      assert.equal(ids.size, count)
    }
    await assert.rejects(ask('POST v1/state/acs', { ...request, templates: ['T'] }), isRefused(400, /^Malformed/))
  })

  test('snapshots are named by the record time of an update, or by a time after it', async () => {
    const { ask } = scanOver(3)
    const request = { migration_id: 0, record_time: timeOf(7), page_size: 3 }
    await assert.rejects(ask('POST v1/state/acs', request), isRefused(404, /^Failed to find ACS snapshot/))
    const found = await ask('POST v1/state/acs', { ...request, record_time_match: 'at_or_before' })
    assert.equal(found.record_time, timeOf(6))
    await assert.rejects(
      ask('POST v1/state/acs', { ...request, record_time: timeOf(6), migration_id: 1 }),
      isRefused(404, /migration id 1/),
    )
  })
})

describe('holdings', () => {
  const amulet = (owner: string, initialAmount: string) => ({
    owner,
    amount: { initialAmount, createdAt: { number: '1' }, ratePerRound: { rate: '0.5' } },
  })
  const byOffset: Readonly<Record<number, Created>> = {
    3: { template: templates.amulet, argument: amulet('ann', '10.0') },
    6: { template: templates.lockedAmulet, argument: { amulet: amulet('ann', '1.0') } },
    9: { template: templates.amulet, argument: amulet('bob', '2.0') },
    12: { template: templates.amulet, argument: amulet('ann', '5.0') },
  }
  const request = { migration_id: 0, record_time: timeOf(9), owner_party_ids: ['ann', 'nobody'] }

  test('holdings are what owners had at the time of the snapshot', async () => {
    const { ask } = scanOver(4, (offset) => byOffset[offset]!)
    const { created_events: created } = await ask('POST v1/holdings/state', { ...request, page_size: 10 })
    assert.deepEqual(
      created.map((one: Json) => one.created_in_update_id),
      ['u3', 'u6'],
    )
  })

  test('holdings are summed up, with fees up to a round', async () => {
    const { ask } = scanOver(4, (offset) => byOffset[offset]!)
    const amounts = {
      party_id: 'ann',
      total_unlocked_coin: '10.0000000000',
      total_locked_coin: '1.0000000000',
      total_coin_holdings: '11.0000000000',
    }
    const common = { record_time: timeOf(9), migration_id: 0 }
    assert.deepEqual(await ask('POST v1/holdings/summary', request), { ...common, summaries: [amounts] })
    assert.deepEqual(await ask('POST v0/holdings/summary', request), {
      ...common,
      computed_as_of_round: 4,
      summaries: [
        {
          ...amounts,
          accumulated_holding_fees_unlocked: '1.5000000000',
          accumulated_holding_fees_locked: '1.0000000000',
          accumulated_holding_fees_total: '2.5000000000',
          total_available_coin: '8.5000000000',
        },
      ],
    })
    await assert.rejects(
      ask('POST v1/holdings/summary', { ...request, owner_party_ids: [] }),
      isRefused(400, /at least one/),
    )
  })
})

function isRefused(status: number, message: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof RouteRefusal, String(error))
    assert.equal(error.status, status)
    assert.match(error.message, message)
    return true
  }
}
