// The test clock must behave as time does. The real clock is only checked to move.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createTestClock, settlesWithin, wallClock } from './clock.ts'

describe('a test clock', () => {
  test('stands still until it is moved', () => {
    const clock = createTestClock(1000)
    assert.deepEqual([clock.nowMs(), clock.elapsedMs()], [1000, 1000])
    clock.advance(5)
    assert.deepEqual([clock.nowMs(), clock.elapsedMs()], [1005, 1005])
  })

  test('runs an action once, when its time has come', () => {
    const clock = createTestClock(0)
    let runs = 0
    clock.after(10, () => {
      runs += 1
    })
    clock.advance(9)
    assert.equal(runs, 0)
    clock.advance(1)
    clock.advance(100)
    assert.equal(runs, 1)
  })

  test('runs actions in the order of their time', () => {
    const clock = createTestClock(0)
    const order: string[] = []
    clock.after(50, () => order.push('late'))
    clock.after(10, () => order.push('early'))
    clock.advance(100)
    assert.deepEqual(order, ['early', 'late'])
  })

  test('runs no cancelled action, even if one of the same moment cancels it', () => {
    const clock = createTestClock(0)
    const before = clock.after(10, () => assert.fail('cancelled before'))
    before.cancel()
    const { cancel } = { cancel: () => later.cancel() }
    clock.after(10, cancel)
    const later = clock.after(20, () => assert.fail('cancelled by an earlier action'))
    clock.advance(100)
  })

  test('runs actions that an action scheduled, when their time comes', () => {
    const clock = createTestClock(0)
    let runs = 0
    clock.after(10, () => clock.after(10, () => (runs += 1)))
    clock.advance(10)
    assert.equal(runs, 0)
    clock.advance(10)
    assert.equal(runs, 1)
  })
})

describe('the wall clock', () => {
  test('tells the time, never goes back, and runs scheduled actions', async () => {
    const startedMs = wallClock.elapsedMs()
    assert.ok(Math.abs(wallClock.nowMs() - Date.now()) < 60_000)
    wallClock.after(1, () => assert.fail('cancelled')).cancel()
    await new Promise<void>((resolve) => wallClock.after(5, resolve))
    assert.ok(wallClock.elapsedMs() > startedMs)
  })
})

describe('settlesWithin', () => {
  test('tells whether work is done in time', async () => {
    const clock = createTestClock(0)
    assert.equal(await settlesWithin(Promise.resolve(), 10, clock), true)
    const never = settlesWithin(new Promise(() => undefined), 10, clock)
    clock.advance(10)
    assert.equal(await never, false)
    await assert.rejects(settlesWithin(Promise.reject(new Error('broken')), 10, clock), /broken/)
  })
})
