import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { needsPostgres } from '../../../test/fixtures/postgres.ts'
import { openMemoryStore, openPostgresStore } from '../../../test/fixtures/stores.ts'
import { forParties } from '../../../test/support/reading/sample-formats.ts'
import { parsed } from '../../../test/support/reading/sample-reading.ts'
import { type Bounds, otherBounds } from './bounds.ts'
import { asking, contractQueryContract, findingOver, plain } from './contract-query.contract.ts'
import type { ContractQuery } from './contract-query.ts'

contractQueryContract('SQLite', openMemoryStore)
describe('on PostgreSQL', needsPostgres, () => contractQueryContract('PostgreSQL', openPostgresStore))

async function fewContracts(change: Partial<Bounds> = {}) {
  const all = findingOver(await openMemoryStore(), change)
  const nodes = ['c1', 'c2', 'c3'].map((contract) => ({ kind: 'create', contract, signatories: ['alice'] }) as const)
  await all.ledger.commit({ nodes })
  return all
}

describe('a query for contracts', () => {
  const refused: [title: string, change: Partial<ContractQuery>, words: RegExp][] = [
    ['without a format', { format: undefined }, /event_format/],
    ['with a page of nothing', { pageSize: 0 }, /page size must be positive/],
    ['with a page that is too large', { pageSize: 1001 }, /must not exceed 1000/],
    ['at a negative offset', { activeAtOffset: -1n }, /negative integer/],
    ['after the end of the ledger', { activeAtOffset: 99n }, /after ledger end/],
    ['with an empty path', { sortBy: { field: '', descending: false } }, /sortBy.field: it is no path/],
    ['with a path that has a hole', { filters: [{ field: 'a..b', test: 'equals', value: '' }] }, /filters.field/],
    ['with a long text', { text: 'x'.repeat(201) }, /more than 200 characters/],
    [
      'with many filters',
      { filters: Array.from({ length: 21 }, () => ({ field: 'a', test: 'equals', value: '' }) as const) },
      /at most 20 filters/,
    ],
    ['with a token that is none', { pageToken: 'x' }, /page_token: it is no token/],
    [
      'with a token of odd values',
      { pageToken: Buffer.from('[1,2,3]').toString('base64url') },
      /no token of this list/,
    ],
  ]
  for (const [title, change, words] of refused) {
    test(`${title} is refused`, async () => {
      const { finding } = await fewContracts()
      await assert.rejects(finding.contracts({ ...plain, ...change }, asking), words)
    })
  }

  test('is refused if its page token belongs to another query', async () => {
    const { finding } = await fewContracts()
    const { nextPageToken: pageToken } = parsed(await finding.contracts({ ...plain, pageSize: 1 }, asking))
    const other = { ...plain, format: forParties('alice'), pageToken }
    await assert.rejects(finding.contracts(other, asking), /page_token: it is of another query/)
    const larger = parsed(await finding.contracts({ ...plain, pageSize: 2, pageToken }, asking))
    assert.equal(larger.activeContracts.length, 2, 'the page size may change')
  })

  test('looks into fields on development nodes only', async () => {
    const { finding } = await fewContracts(otherBounds)
    const needing: Partial<ContractQuery>[] = [
      { text: 'c1' },
      { sortBy: { field: 'label', descending: false } },
      { filters: [{ field: 'label', test: 'equals', value: 'c1' }] },
    ]
    for (const change of needing) {
      await assert.rejects(finding.contracts({ ...plain, ...change }, asking), /only development nodes do/)
    }
    assert.equal(parsed(await finding.contracts(plain, asking)).total.count, 3)
  })

  test('looks through a limited number of contracts, and goes on there', async () => {
    const { finding } = await fewContracts({ contractsLooked: 2 })
    const query = { ...plain, filters: [{ field: 'label', test: 'equals', value: 'none' } as const] }
    const first = parsed(await finding.contracts(query, asking))
    assert.deepEqual([first.activeContracts, first.looked, first.total], [[], 3, { count: 0, is: 'atLeast' }])
    const { nextPageToken: pageToken } = parsed(await finding.contracts({ ...query, pageSize: 1 }, asking))
    assert.equal(pageToken, first.nextPageToken)
  })

  test('does not sort more than it may look at', async () => {
    const { finding } = await fewContracts({ contractsSorted: 2 })
    const query = { ...plain, sortBy: { field: 'label', descending: false } }
    await assert.rejects(finding.contracts(query, asking), /more than 2 contracts are active, too many to sort/)
  })

  test('ends when its request is aborted', async () => {
    const { finding, ledger } = await fewContracts()
    for (let batch = 0; batch < 5; batch += 1) {
      const labels = Array.from({ length: 100 }, (_, index) => `${batch}-${index}`)
      await ledger.commit({
        nodes: labels.map((contract) => ({ kind: 'create', contract, signatories: ['alice'] }) as const),
      })
    }
    const aborting = new AbortController()
    const query = { ...plain, sortBy: { field: 'label', descending: false } }
    const first = finding.contracts(query, { ...asking, signal: aborting.signal })
    aborting.abort()
    await assert.rejects(first, { name: 'AbortError' })
    assert.equal(parsed(await finding.contracts(query, asking)).looked, 503, 'the next one of its owner runs')
  })

  test('lets other work run after every few contracts', async () => {
    const { finding, ledger } = await fewContracts()
    const labels = Array.from({ length: 497 }, (_, index) => `more-${index}`)
    await ledger.commit({
      nodes: labels.map((contract) => ({ kind: 'create', contract, signatories: ['alice'] }) as const),
    })
    let [turns, isOver] = [0, false]
    const count = () => {
      turns += 1
      if (!isOver) setImmediate(count)
    }
    setImmediate(count)
    const { looked } = parsed(
      await finding.contracts({ ...plain, sortBy: { field: 'label', descending: false } }, asking),
    )
    isOver = true
    assert.equal(looked, 500)
    assert.ok(turns >= 10, `${turns} turns`)
  })

  test('of one owner waits for that before it, and nobody waits for those of others', async () => {
    const { finding } = await fewContracts()
    const order: string[] = []
    const query = { ...plain, sortBy: { field: 'label', descending: false } }
    const ask = async (owner: string, name: string) => {
      await finding.contracts(query, { ...asking, owner })
      order.push(name)
    }
    await Promise.all([ask('greedy', 'first'), ask('greedy', 'second'), ask('greedy', 'third'), ask('other', 'other')])
    assert.deepEqual(
      order.filter((name) => name !== 'other'),
      ['first', 'second', 'third'],
    )
    assert.ok(order.indexOf('other') < order.indexOf('second'))
  })
})
