import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openMemoryStore } from '../../../test/fixtures/stores.ts'
import { createSampleReading } from '../../../test/support/reading/sample-reading.ts'
import { createHealth } from '../../base/health.ts'
import { createLog } from '../../base/log.ts'
import type { Store } from '../../store/core/store.ts'
import { createWallTime } from '../model/ledger-time.ts'
import { createPruning } from './pruning.ts'

const updates = 700

describe('pruning', () => {
  test('answers before any row is deleted, and deletes in the background', async () => {
    const { store, pruning, wait } = await manyUpdates()
    await pruning.prune(650n)
    const { prunedUpTo, deletedUpTo, isRunning } = await pruning.progress()
    assert.deepEqual([prunedUpTo, isRunning], [650n, true])
    assert.ok(deletedUpTo < 650n, `deleted up to ${deletedUpTo}`)
    await wait()
    assert.deepEqual(await pruning.progress(), { prunedUpTo: 650n, deletedUpTo: 650n, isRunning: false })
    assert.equal(await store.updates.first(), 651n)
  })

  test('yields to other work between steps', async () => {
    const { pruning, wait } = await manyUpdates()
    let turns = 0
    let isCounting = true
    const count = () => {
      turns += 1
      if (isCounting) setImmediate(count)
    }
    setImmediate(count)
    await pruning.prune(650n)
    await wait()
    isCounting = false
    assert.ok(turns >= 8, `${turns} turns`) // Steps begin with one row and double.
  })

  test('deletes faster than commands are committed, and rests while they are', async () => {
    const { store, pruning, reading } = await manyUpdates()
    await pruning.prune(650n)
    let commits = 0
    while ((await pruning.progress()).isRunning) {
      await reading.ledger.commit({ nodes: [{ kind: 'create', contract: `n${commits}`, signatories: ['alice'] }] })
      commits += 1
      await new Promise((resolve) => setImmediate(resolve))
    }
    assert.equal(await store.updates.first(), 651n)
    // The clock stands still, so each rest ends with the commits that it waits for.
    assert.ok(commits >= 300 && commits <= 450, `${commits} commits while 650 offsets were deleted`)
  })

  test('takes a second request while the first is running, even at its very end', async () => {
    const { store, pruning, wait } = await manyUpdates()
    await pruning.prune(300n)
    await pruning.prune(400n)
    await pruning.prune(200n) // A lower offset changes nothing.
    await wait()
    assert.equal(await store.updates.first(), 401n)
    const again = pruning.settled().then(() => pruning.prune(500n))
    await again
    await wait()
    assert.equal(await store.updates.first(), 501n)
  })

  test('stops between two steps, and resumes at the next start', async () => {
    const { store, pruning, another } = await manyUpdates()
    await pruning.prune(650n)
    await pruning[Symbol.asyncDispose]()
    const first = await store.updates.first()
    assert.ok(first! <= 650n, `the first is ${first}`)
    pruning.resume()
    assert.deepEqual((await pruning.progress()).isRunning, false)
    const next = another()
    next.resume()
    await next.settled()
    assert.equal(await store.updates.first(), 651n)
  })

  test('retries after the database was unreachable for a while', async () => {
    const { store, pruning, reading, wait, outage } = await manyUpdates()
    await pruning.prune(650n)
    outage.isOn = true
    while (outage.refused === 0) await new Promise((resolve) => setImmediate(resolve))
    outage.isOn = false
    await new Promise((resolve) => setImmediate(resolve)) // By now it is waiting for the clock.
    reading.clock.advance(1_000)
    await wait()
    assert.equal(await store.updates.first(), 651n)
  })
})

async function manyUpdates() {
  const store = await openMemoryStore()
  const outage = { isOn: false, refused: 0 }
  async function unlessAway<T>(run: () => Promise<T>): Promise<T> {
    if (!outage.isOn) return run()
    outage.refused += 1
    throw new Error('the database is away')
  }
  const failing: Store = {
    ...store,
    transaction: (body) => unlessAway(() => store.transaction(body)),
    beside: (body) => unlessAway(() => store.beside(body)),
  }
  const reading = createSampleReading(store)
  const create = (contract: string) => ({ kind: 'create', contract, signatories: ['alice'] }) as const
  for (let n = 0; n < updates; n += 1) await reading.ledger.commit({ nodes: [create(`c${n}`)] })
  const { ledger, clock, parts } = reading
  const log = createLog('silent')
  const another = () =>
    createPruning({
      store: failing,
      end: ledger.end,
      names: ledger.names,
      time: createWallTime(clock, 0n),
      limits: parts.limits,
      health: createHealth(clock, log),
      clock,
      log,
    })
  const pruning = another()
  const wait = async () => {
    while ((await pruning.progress()).isRunning) await pruning.settled()
  }
  return { store, pruning, reading, another, wait, outage }
}
