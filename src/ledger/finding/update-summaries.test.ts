import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { needsPostgres } from '../../../test/fixtures/postgres.ts'
import { openMemoryStore, openPostgresStore } from '../../../test/fixtures/stores.ts'
import { forAnybody, forParties } from '../../../test/support/reading/sample-formats.ts'
import { updateIdOf } from '../../../test/support/reading/sample-ledger.ts'
import { parsed } from '../../../test/support/reading/sample-reading.ts'
import { asking, findingOver } from './contract-query.contract.ts'
import { allOf, latest, summariesContract } from './update-summaries.contract.ts'
import { anyUpdate, type SummariesQuery } from './update-summaries.ts'

summariesContract('SQLite', openMemoryStore)
describe('on PostgreSQL', needsPostgres, () => summariesContract('PostgreSQL', openPostgresStore))

const ofAnybody = { ...latest, format: allOf(forAnybody()) }

describe('a query for updates in short', () => {
  const refused: [title: string, change: Partial<SummariesQuery>, words: RegExp][] = [
    ['without a format', { format: undefined }, /update_format/],
    ['with a page of nothing', { pageSize: 0 }, /page size must be positive/],
    ['with a page that is too large', { pageSize: 201 }, /must not exceed 200/],
    ['after the end of the ledger', { upTo: 99n }, /after ledger end/],
    ['before the beginning', { after: -1n }, /negative integer/],
    ['with a long text', { filter: { ...anyUpdate, choice: 'x'.repeat(301) } }, /filter.choice: it has more than 300/],
    ['with times that are crossed', { filter: { ...anyUpdate, from: 2n, to: 1n } }, /filter.from is after filter.to/],
  ]
  for (const [title, change, words] of refused) {
    test(`${title} is refused`, async () => {
      const { finding } = findingOver(await openMemoryStore())
      await assert.rejects(finding.updates({ ...ofAnybody, ...change }, asking), words)
    })
  }

  test('looks through a limited number of updates, and goes on there', async () => {
    const { finding, ledger } = findingOver(await openMemoryStore(), { updatesLooked: 20 })
    for (let index = 0; index < 25; index += 1) {
      await ledger.commit({ nodes: [{ kind: 'create', contract: `c${index}`, signatories: ['alice'] }] })
    }
    const query = { ...ofAnybody, filter: { ...anyUpdate, choice: 'Nothing' } }
    const first = parsed(await finding.updates(query, asking))
    assert.deepEqual([first.updates, first.looked, first.next], [[], 20, 5])
    const second = parsed(await finding.updates({ ...query, upTo: BigInt(first.next) }, asking))
    assert.deepEqual([second.looked, second.next], [5, null])
  })

  test('does not look at the events of an update that has too many of them', async () => {
    const { finding, ledger } = findingOver(await openMemoryStore(), { descriptionBytes: 5_000 })
    const many = Array.from({ length: 200 }, (_, index) => `${index}`)
    await ledger.commit({
      nodes: many.map((contract) => ({ kind: 'create', contract, signatories: ['alice'] }) as const),
      commandId: 'many',
      actAs: ['alice'],
    })
    for (const format of [allOf(forAnybody()), allOf(forParties('alice'))]) {
      const { updates } = parsed(await finding.updates({ ...latest, format }, asking))
      const [{ updateId, isWhole, hasMoreRoots, commandId }] = updates
      assert.deepEqual([updateId, isWhole, hasMoreRoots, commandId], [updateIdOf(1n), false, true, ''])
    }
    const { updates } = parsed(await finding.updates({ ...latest, format: allOf(forParties('bob')) }, asking))
    assert.deepEqual(updates, [])
    const places = await finding.places(
      { text: updateIdOf(1n), format: forParties('bob'), inValues: false },
      undefined,
      asking,
    )
    assert.deepEqual(places, [])
  })

  test('ends when its request is aborted', async () => {
    const { finding, ledger } = findingOver(await openMemoryStore())
    for (let index = 0; index < 200; index += 1) {
      await ledger.commit({ nodes: [{ kind: 'create', contract: `c${index}`, signatories: ['alice'] }] })
    }
    const aborting = new AbortController()
    const query = { ...ofAnybody, filter: { ...anyUpdate, choice: 'Nothing' } }
    const asked = finding.updates(query, { ...asking, signal: aborting.signal })
    aborting.abort()
    await assert.rejects(asked, { name: 'AbortError' })
  })
})
