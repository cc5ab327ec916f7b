import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from './clock.ts'
import { createPace } from './pace.ts'

test('steps grow while they are quick, and shrink when they are slow', async () => {
  const clock = createTestClock(0)
  const pace = createPace(clock, 100)
  const stepTaking = (ms: number) =>
    pace.step(async (count) => {
      clock.advance(ms)
      return count
    })
  const counts: number[] = []
  for (const ms of [0, 0, 4, 5, 10, 20, 40, 1, 0, 1000, 0]) counts.push(await stepTaking(ms))
  assert.deepEqual(counts, [1, 2, 4, 8, 8, 8, 4, 1, 2, 4, 1])
  for (let n = 0; n < 10; n += 1) await stepTaking(0)
  assert.equal(await stepTaking(0), 100)
})
