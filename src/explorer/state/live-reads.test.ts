import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLiveReads } from './live-reads.ts'

function setUp() {
  const reads: PromiseWithResolvers<void>[] = []
  const pauses: PromiseWithResolvers<void>[] = []
  const held = (list: PromiseWithResolvers<void>[]) => {
    const next = Promise.withResolvers<void>()
    list.push(next)
    return next.promise
  }
  const live = createLiveReads(
    () => held(reads),
    () => held(pauses),
  )
  return { live, reads, pauses, settled: () => new Promise<void>((resolve) => setImmediate(resolve)) }
}

test('a read that is slower than the ledger is not given up, and one more follows after a pause', async () => {
  const { live, reads, pauses, settled } = setUp()
  for (let turn = 0; turn < 5; turn += 1) live.wake()
  assert.equal(reads.length, 1)
  live.wake()
  reads[0]!.resolve()
  await settled()
  assert.deepEqual([reads.length, pauses.length], [1, 1])
  pauses[0]!.resolve()
  await settled()
  assert.equal(reads.length, 2)
  reads[1]!.resolve()
  await settled()
  pauses[1]!.resolve()
  await settled()
  assert.equal(reads.length, 2, 'nothing new, nothing read')
  live.wake()
  assert.equal(reads.length, 3)
})

test('nothing is read after the stop', async () => {
  const { live, reads, pauses, settled } = setUp()
  live.wake()
  live.wake()
  live.stop()
  reads[0]!.resolve()
  await settled()
  pauses[0]!.resolve()
  await settled()
  live.wake()
  assert.equal(reads.length, 1)
})
