import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '../../base/clock.ts'
import { storeUnavailable } from '../../base/errors.ts'
import { createLog } from '../../base/log.ts'
import type { OffsetRange } from '../core/ledger-records.ts'
import type { Store } from '../core/store.ts'
import { readFromReplica } from './replica.ts'

/** A store of updates at every offset up to `end`, which notes what is asked. */
function storeUpTo(end: bigint) {
  const state = { end, asked: 0, fails: false }
  async function pick({ after, upTo, limit, descending }: OffsetRange) {
    state.asked += 1
    if (state.fails) throw storeUnavailable('it is away')
    const all = Array.from({ length: Number(state.end) }, (_, index) => ({ offset: BigInt(index + 1) }))
    const inside = all.filter(({ offset }) => offset > after && offset <= upTo)
    return (descending ? inside.toReversed() : inside).slice(0, limit)
  }
  const store = {
    state: {
      async get() {
        if (state.fails) throw storeUnavailable('it is away')
        return { end: state.end }
      },
    },
    updates: {
      range: pick,
      at: (offsets: readonly bigint[]) =>
        pick({ after: offsets[0]! - 1n, upTo: offsets.at(-1)!, limit: offsets.length }),
    },
    completions: {
      async range(_userId: string | undefined, range: OffsetRange) {
        const rows = await pick(range)
        const last = rows.at(-1)?.offset
        return { rows, last, hasMore: last !== undefined && last < range.upTo && last < state.end }
      },
    },
  }
  return { state, store: store as unknown as Store }
}

async function openReads(isSame = true) {
  const [primary, replica] = [storeUpTo(100n), storeUpTo(60n)]
  const clock = createTestClock(0)
  const reads = readFromReplica({
    store: primary.store,
    replica: replica.store,
    lookMs: 1_000,
    clock,
    log: createLog('silent'),
    isSame: async () => isSame,
  })
  await new Promise(setImmediate)
  return { reads, primary, replica, clock }
}

const offsets = (rows: readonly { readonly offset: bigint }[]) => rows.map(({ offset }) => Number(offset))
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

const ranges: [what: string, range: OffsetRange, want: number[], by: 'replica' | 'primary'][] = [
  ['a range that it has', { after: 0n, upTo: 60n, limit: 200 }, numbers(1, 60), 'replica'],
  ['the first page of a longer one', { after: 0n, upTo: 100n, limit: 50 }, numbers(1, 50), 'replica'],
  ['a page that reaches beyond', { after: 10n, upTo: 100n, limit: 60 }, numbers(11, 70), 'primary'],
  ['a page after it', { after: 60n, upTo: 100n, limit: 10 }, numbers(61, 70), 'primary'],
  ['a page of the newest', { after: 0n, upTo: 100n, limit: 3, descending: true }, [100, 99, 98], 'primary'],
  ['a page of its newest', { after: 0n, upTo: 50n, limit: 3, descending: true }, [50, 49, 48], 'replica'],
]

for (const [what, range, want, by] of ranges) {
  test(`${what} comes from the ${by}, complete`, async () => {
    const { reads, primary } = await openReads()
    assert.deepEqual(offsets(await reads.store.updates.range(range)), want)
    assert.deepEqual(offsets((await reads.store.completions.range(undefined, range)).rows as never), want)
    const expected = by === 'replica' ? { replica: 2, primary: 0 } : { replica: 0, primary: 2 }
    assert.deepEqual([reads.counts, primary.state.asked], [expected, expected.primary])
  })
}

test('single updates come from the replica if it has all of them', async () => {
  const { reads } = await openReads()
  assert.deepEqual(offsets(await reads.store.updates.at([59n, 60n])), [59, 60])
  assert.deepEqual(offsets(await reads.store.updates.at([60n, 61n])), [60, 61])
  assert.deepEqual(reads.counts, { replica: 1, primary: 1 })
})

test('a replica that fails is left alone until it answers again', async () => {
  const { reads, replica, clock } = await openReads()
  replica.state.fails = true
  assert.deepEqual(offsets(await reads.store.updates.range({ after: 0n, upTo: 3n, limit: 9 })), [1, 2, 3])
  assert.equal(reads.replayed(), undefined)
  await reads.store.updates.range({ after: 0n, upTo: 3n, limit: 9 })
  assert.equal(replica.state.asked, 1)
  Object.assign(replica.state, { fails: false, end: 80n })
  clock.advance(1_000)
  await new Promise(setImmediate)
  assert.equal(reads.replayed(), 80n)
})

test('a database with another ledger is not read', async () => {
  const { reads, replica } = await openReads(false)
  await reads.store.updates.range({ after: 0n, upTo: 3n, limit: 9 })
  assert.deepEqual([reads.replayed(), replica.state.asked], [undefined, 0])
})
