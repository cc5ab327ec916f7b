import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, describe, mock, test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { endIdleThreads, keepThread, takeIdleThread } from './idle-threads.ts'

const megabyte = 1024 * 1024

function threadWith(heapBytes: number) {
  const state = { isEnded: false }
  const worker = Object.assign(new EventEmitter(), {
    ref() {},
    unref() {},
    getHeapStatistics: async () => ({ total_heap_size: heapBytes }),
    async terminate() {
      state.isEnded = true
      return 0
    },
  })
  return { state, worker: worker as unknown as Worker }
}

/** Past the promises that a timer has started. */
async function pass(ms: number): Promise<void> {
  mock.timers.tick(ms)
  await new Promise((resolve) => setImmediate(resolve))
}

describe('idle threads', () => {
  // Here, because other files share the process.
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
  afterEach(async () => {
    mock.timers.reset()
    await endIdleThreads()
  })

  test('a thread that has nothing to do ends after a while, one with a large heap sooner', async () => {
    const [small, large] = [threadWith(20 * megabyte), threadWith(140 * megabyte)]
    keepThread(small.worker)
    keepThread(large.worker)
    await pass(1_999)
    assert.deepEqual([small.state.isEnded, large.state.isEnded], [false, false])
    await pass(1)
    assert.deepEqual([small.state.isEnded, large.state.isEnded], [false, true])
    await pass(8_000)
    assert.equal(small.state.isEnded, true)
  })

  test('a thread that has got another task stays', async () => {
    const { state, worker } = threadWith(140 * megabyte)
    keepThread(worker)
    await pass(1_500)
    assert.equal(takeIdleThread(), worker)
    await pass(20_000)
    assert.equal(state.isEnded, false)
    keepThread(worker)
    await pass(2_000)
    assert.equal(state.isEnded, true)
  })
})
