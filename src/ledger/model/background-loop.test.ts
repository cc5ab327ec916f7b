import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createTestClock } from '../../base/clock.ts'
import { createHealth } from '../../base/health.ts'
import { createLog } from '../../base/log.ts'
import { startLoop } from './background-loop.ts'

test('a failed loop is restarted, and health reports it until it works', async () => {
  const clock = createTestClock(0)
  const health = createHealth(clock, createLog('silent'))
  const begun: number[] = []
  await using _ = startLoop({ name: 'counting', health, clock }, async ({ signal, works }) => {
    begun.push(clock.nowMs())
    if (begun.length < 4) throw new Error('away')
    works()
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
  })
  await setImmediate()
  assert.deepEqual(
    health.failing().map(({ name, reason }) => [name, reason]),
    [['counting', 'it failed and is restarted']],
  )
  while (begun.length < 4) {
    clock.advance(10)
    await setImmediate()
  }
  assert.deepEqual(health.failing(), [])
  const [first, second, third, fourth] = begun as [number, number, number, number]
  assert.ok(second > first && third - second > second - first - 50 && fourth > third, String(begun))
})

test('a loop that fails again after it worked starts with a short delay', async () => {
  const clock = createTestClock(0)
  const health = createHealth(clock, createLog('silent'))
  let lives = 0
  await using _ = startLoop({ name: 'counting', health, clock }, async ({ works }) => {
    lives += 1
    works()
    throw new Error('away')
  })
  for (let step = 0; step < 30; step += 1) {
    await setImmediate()
    clock.advance(100)
  }
  await setImmediate()
  assert.ok(lives >= 30, `${lives} lives`)
})

test('a loop ends when its work is done', async () => {
  const clock = createTestClock(0)
  const health = createHealth(clock, createLog('silent'))
  let lives = 0
  await using loop = startLoop({ name: 'once', health, clock }, async () => {
    lives += 1
    if (lives === 1) throw new Error('away')
  })
  await setImmediate()
  clock.advance(100)
  await setImmediate()
  clock.advance(10_000)
  await setImmediate()
  assert.equal(lives, 2)
  assert.deepEqual(health.failing(), [])
  await loop[Symbol.asyncDispose]()
})

test('a loop that waits for its restart ends at once', async () => {
  const clock = createTestClock(0)
  const health = createHealth(clock, createLog('silent'))
  const loop = startLoop({ name: 'failing', health, clock }, async () => {
    throw new Error('away')
  })
  await setImmediate()
  await loop[Symbol.asyncDispose]()
})
