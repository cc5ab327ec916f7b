import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLiveReads } from './live-reads.ts'

function setUp() {
  const reads: PromiseWithResolvers<boolean>[] = []
  const pauses: PromiseWithResolvers<void>[] = []
  const pausesMs: number[] = []
  const held = <T>(list: PromiseWithResolvers<T>[]) => {
    const next = Promise.withResolvers<T>()
    list.push(next)
    return next.promise
  }
  const live = createLiveReads(
    () => held(reads),
    (ms) => {
      pausesMs.push(ms)
      return held(pauses)
    },
  )
  return { live, reads, pauses, pausesMs, settled: () => new Promise<void>((resolve) => setImmediate(resolve)) }
}

test('a read that is slower than the ledger is not given up, and one more follows after a pause', async () => {
  const { live, reads, pauses, settled } = setUp()
  for (let moment = 0; moment < 5; moment += 1) live.follow(moment)
  assert.equal(reads.length, 1)
  reads[0]!.resolve(false)
  await settled()
  assert.deepEqual([reads.length, pauses.length], [1, 1])
  pauses[0]!.resolve()
  await settled()
  assert.equal(reads.length, 2)
  reads[1]!.resolve(false)
  await settled()
  pauses[1]!.resolve()
  await settled()
  assert.equal(reads.length, 2, 'nothing new, nothing read')
  live.follow(5)
  assert.equal(reads.length, 3)
})

test('a moment is read once, also one that is no moment', async () => {
  for (const moment of [7, undefined]) {
    const { live, reads, pauses, settled } = setUp()
    live.follow(moment)
    live.follow(moment)
    reads[0]!.resolve(false)
    await settled()
    pauses[0]!.resolve()
    await settled()
    live.follow(moment)
    assert.equal(reads.length, 1)
  }
})

test('what was not answered is read once more, after a longer pause', async () => {
  const { live, reads, pauses, pausesMs, settled } = setUp()
  live.follow(0)
  for (const [turn, isOnceMore] of [true, true, false].entries()) {
    assert.equal(reads.length, turn + 1)
    reads[turn]!.resolve(isOnceMore)
    await settled()
    assert.equal(pausesMs[turn]! >= 2_000, isOnceMore)
    pauses[turn]!.resolve()
    await settled()
  }
  assert.equal(reads.length, 3)
})

test('nothing is read after the stop', async () => {
  const { live, reads, pauses, settled } = setUp()
  live.follow(0)
  live.follow(1)
  live.stop()
  reads[0]!.resolve(false)
  await settled()
  pauses[0]!.resolve()
  await settled()
  live.follow(2)
  assert.equal(reads.length, 1)
})
