// What readers see of contracts that move, over any store: both kinds of updates in order, the active contracts at
// every offset, and both after pruning.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createDice, pick } from '../../../test/fixtures/dice.ts'
import { listActive, pageThroughActive, playRandomly, replay } from '../../../test/support/reading/random-ledger.ts'
import {
  delta,
  effects,
  forAnybody,
  forParties,
  template,
  viewOf,
  wildcard,
} from '../../../test/support/reading/sample-formats.ts'
import { contractIdOf } from '../../../test/support/reading/sample-ledger.ts'
import { collect, createSampleReading, type Json, never, parsed } from '../../../test/support/reading/sample-reading.ts'
import { createHealth } from '../../base/health.ts'
import { createLog } from '../../base/log.ts'
import type { Store } from '../../store/core/store.ts'
import { createPruning } from '../commit/pruning.ts'
import { createWallTime } from '../model/ledger-time.ts'
import type { EventFormat, UpdateFormat } from './requests/queries.ts'

const parties = ['alice', 'bob', 'carol']
const count = 150

/**
 * Contract n, of one party, is created at 3n - 2, unassigned at 3n - 1 and assigned at 3n. Every fifth is an asset;
 * all parties see every seventh.
 */
const isOf = (party: string) => (n: number) => n % 7 === 0 || parties[n % 3] === party
const isAsset = (n: number) => n % 5 === 0
const always = () => true
const nobody = () => false

async function moved(store: Store) {
  const reading = createSampleReading(store)
  for (let n = 1; n <= count; n++) {
    const [signatory, observers] = n % 7 === 0 ? ['alice', ['bob', 'carol']] : [parties[n % 3]!, []]
    const name = isAsset(n) ? 'Main:Asset' : 'Main:Iou'
    await reading.ledger.commit({
      nodes: [{ kind: 'create', contract: `c${n}`, template: name, signatories: [signatory], observers }],
    })
    const id = await reading.unassign({ contracts: [`c${n}`], target: 2n, submitter: signatory })
    await reading.assign(id, { submitter: signatory })
  }
  return reading
}

type Row = [
  title: string,
  transactions: UpdateFormat['transactions'],
  reassignments: EventFormat | undefined,
  isTransactionSeen: (n: number) => boolean,
  isReassignmentSeen: (n: number) => boolean,
]

const rows: Row[] = [
  ['reassignments of anybody', undefined, forAnybody(), nobody, always],
  ['reassignments of a party', undefined, forParties('alice'), nobody, isOf('alice')],
  ['all of anybody', effects(forAnybody()), forAnybody(), always, always],
  [
    'transactions of one, reassignments of another',
    delta(forParties('alice')),
    forParties('bob'),
    isOf('alice'),
    isOf('bob'),
  ],
  ['transactions alone', delta(forParties('carol')), undefined, isOf('carol'), nobody],
  [
    'transactions of anybody by template, reassignments of a party',
    delta(forAnybody(template('Asset'))),
    forParties('bob'),
    isAsset,
    isOf('bob'),
  ],
  [
    'transactions of a party by template, reassignments of anybody by another',
    delta(forParties(['alice', template('Asset')])),
    forAnybody(template('Iou')),
    (n) => isOf('alice')(n) && isAsset(n),
    (n) => !isAsset(n),
  ],
  [
    'of one party, transactions and reassignments by different templates',
    delta(forParties(['bob', template('Asset')])),
    forParties(['bob', template('Iou')], ['carol', viewOf('Rare', false)]),
    (n) => isOf('bob')(n) && isAsset(n),
    (n) => (isOf('bob')(n) || isOf('carol')(n)) && !isAsset(n),
  ],
  ['reassignments by an interface without implementations', undefined, forAnybody(viewOf('Lonely')), nobody, nobody],
]

const formats: [title: string, format: EventFormat][] = [
  ['anybody', forAnybody()],
  ['a party', forParties('alice')],
  ['two parties, with blobs and views', forParties(['bob', wildcard(true)], ['carol', viewOf('Token')])],
  ['a party by template', forParties(['carol', template('Asset')])],
]

/** A seed is a random ledger; one shows what differs between databases. */
export function reassignmentsContract(name: string, open: () => Promise<Store>, seeds: readonly number[]): void {
  describe(`contracts that move, over ${name}`, () => {
    /** For tests that read up to the offset at which it was filled. */
    let sharedStore: Store
    let shared: Awaited<ReturnType<typeof moved>>
    before(async () => {
      sharedStore = await open()
      shared = await moved(sharedStore)
    })
    after(() => sharedStore[Symbol.asyncDispose]())

    test('are in updates, complete and in order', async (t) => {
      const { updates: reader } = shared
      for (const [title, transactions, reassignments, isTransactionSeen, isReassignmentSeen] of rows) {
        const format = { transactions, reassignments, topology: undefined }
        const [begin, end] = [20, 3 * count - 10]
        const want = Array.from({ length: 3 * count }, (_, index) => index + 1).filter((offset) => {
          const n = Math.ceil(offset / 3)
          const isSeen = offset % 3 === 1 ? isTransactionSeen(n) : isReassignmentSeen(n)
          return offset > begin && offset <= end && isSeen
        })
        for (const descending of [false, true]) {
          await t.test(`${title}${descending ? ', descending' : ''}`, async () => {
            const [beginExclusive, endInclusive] = [BigInt(begin), BigInt(end)]
            const query = { beginExclusive, endInclusive, descending, format }
            const found = await collect(reader.stream({ ...query, form: 'transaction' }, never))
            const ordered = descending ? want.toReversed() : want
            assert.deepEqual(found.map(offsetOf), ordered)
            const paged: Json[] = []
            let pageToken: string | null = ''
            while (pageToken !== null) {
              const page: Json = parsed(await reader.page({ ...query, maxPageSize: 70, pageToken }))
              paged.push(...page.updates)
              pageToken = page.nextPageToken
            }
            assert.deepEqual(paged, found)
          })
        }
      }
    })

    for (const seed of seeds) {
      test(`are active where their updates say, at every offset, before and after pruning (seed ${seed})`, async () => {
        await using store = await open()
        const reading = createSampleReading(store)
        const dice = createDice(seed)
        await playRandomly(reading, dice, 90)
        const end = Number(reading.ledger.end.current().offset)
        const want = new Map<string, Awaited<ReturnType<typeof replay>>>()
        for (const [title, format] of formats) want.set(title, await replay(reading, format))
        const check = async (offset: number) => {
          for (const [title, format] of formats) {
            const expected = sorted(want.get(title)![offset]!)
            assert.deepEqual(sorted(await listActive(reading, format, offset)), expected, `${title} at ${offset}`)
          }
          const [title, format] = pick(dice, formats)
          const paged = sorted(await pageThroughActive(reading, format, offset, 2 + dice(9)))
          assert.deepEqual(paged, sorted(want.get(title)![offset]!), `${title} at ${offset}, page by page`)
        }
        for (let offset = 1; offset <= end; offset += 1 + dice(6)) await check(offset)
        const pruning = pruningOf(reading, store)
        for (let pruned = 1 + dice(20); pruned < end; pruned += 1 + dice(40)) {
          await pruning.prune(BigInt(pruned))
          for (const offset of [pruned, pruned + dice(end - pruned + 1), end]) await check(offset)
        }
      })
    }

    test('do not let the database grow without bound', async () => {
      await using store = await open()
      const reading = createSampleReading(store)
      const pruning = pruningOf(reading, store)
      await reading.ledger.commit({
        nodes: ['a', 'b'].map((contract) => ({ kind: 'create', contract, signatories: ['alice'] }) as const),
      })
      const ids: string[] = []
      for (let n = 1; n <= 5; n++) {
        const id = await reading.unassign({ contracts: ['a', 'b'], target: n % 2 === 0 ? 1n : 2n, submitter: 'alice' })
        if (n < 5) await reading.assign(id, { submitter: 'alice' })
        ids.push(id)
      }
      const counters = async (label: string) => {
        const [row] = await store.contracts.find([contractIdOf(label)])
        const moves = row === undefined ? [] : await store.reassignments.movesOf([row.number])
        return moves.map(({ counter }) => Number(counter)).sort()
      }
      const known = async () =>
        (await store.reassignments.byId(ids)).map(({ id }) => ids.indexOf(id) + 1).sort((a, b) => a - b)
      // Move n begins at 2n and ends at 2n + 1; the fifth does not.
      for (const [upTo, want] of [
        [2n, [1, 2, 3, 4, 5]],
        [3n, [1, 2, 3, 4, 5]],
        [4n, [1, 2, 3, 4, 5]],
        [5n, [2, 3, 4, 5]],
        [9n, [4, 5]],
      ] as [bigint, number[]][]) {
        await pruning.prune(upTo)
        assert.deepEqual(await counters('a'), want)
        assert.deepEqual(await known(), want)
      }
      await reading.assign(ids[4]!, { submitter: 'alice' })
      const archive = (contract: string) =>
        ({ contract, kind: 'exercise', isConsuming: true, signatories: ['alice'], actors: ['alice'] }) as const
      await reading.ledger.commit({ nodes: [archive('a')] })
      reading.ledger.skip()
      await pruning.prune(12n)
      assert.deepEqual([await counters('a'), await counters('b'), await known()], [[], [5], [5]])
      await reading.ledger.commit({ nodes: [archive('b')] })
      reading.ledger.skip()
      await pruning.prune(14n)
      assert.deepEqual([await counters('b'), await known()], [[], []])
    })

    test('are listed where they were at the offset while they move on', async () => {
      const reading = shared
      const at = 3 * count
      const want = await listActive(reading, forAnybody(), at)
      const query = { activeAtOffset: BigInt(at), format: forAnybody(), continuationToken: '' }
      const found: Json[] = []
      let n = 0
      for await (const some of reading.activeContracts.stream(query, never)) {
        found.push(...some.map(parsed))
        for (let more = 0; more < 40 && n < count; more++) {
          n += 1
          const id = await reading.unassign({ contracts: [`c${n}`], target: 3n, submitter: 'alice' })
          if (n % 2 === 0) await reading.assign(id, { submitter: 'alice' })
        }
      }
      assert.deepEqual(
        found.map(({ contractEntry }) => contractEntry),
        [...want.values()].map(({ contractEntry }) => contractEntry),
      )
    })
  })
}

function pruningOf({ ledger, clock, parts }: ReturnType<typeof createSampleReading>, store: Store) {
  const time = createWallTime(clock, 0n)
  const log = createLog('silent')
  const health = createHealth(clock, log)
  const { end, names } = ledger
  const pruning = createPruning({ store, end, names, time, limits: parts.limits, health, clock, log })
  return {
    async prune(upTo: bigint): Promise<void> {
      await pruning.prune(upTo)
      await pruning.settled()
    },
  }
}

function offsetOf({ update }: Json): number {
  const [{ value }] = Object.values(update) as [Json]
  return value.offset
}

function sorted(entries: ReadonlyMap<string, Json>): [string, Json][] {
  return [...entries].sort(([a], [b]) => (a < b ? -1 : 1))
}
