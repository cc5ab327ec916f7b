import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '../base/clock.ts'
import { createSharedAnswer } from './shared-answer.ts'

test('those who ask while an answer is being made share it', async () => {
  const makings: PromiseWithResolvers<number>[] = []
  const ask = createSharedAnswer(() => {
    makings.push(Promise.withResolvers())
    return makings.at(-1)!.promise
  }, createTestClock(0))
  const answers = [ask(), ask(), ask()]
  assert.equal(makings.length, 1)
  makings[0]!.resolve(7)
  assert.deepEqual(await Promise.all(answers), [7, 7, 7])
  const next = ask()
  makings[1]!.resolve(8)
  assert.equal(await next, 8)
})

test('an answer is made a few times per second, and the last one is given to those who ask more often', async () => {
  const clock = createTestClock(0)
  let made = 0
  const ask = createSharedAnswer(async () => ++made, clock)
  for (let asked = 0; asked < 1_000; asked += 1) await ask()
  assert.equal(made, 20)
  assert.equal(await ask(), 20)
  clock.advance(1_000)
  assert.equal(await ask(), 21)
})

test('a failure is told, and the next one who asks may succeed', async () => {
  let isBroken = true
  const ask = createSharedAnswer(async () => assert.ok(!isBroken, 'broken'), createTestClock(0))
  await assert.rejects(ask(), /broken/)
  isBroken = false
  await ask()
})
