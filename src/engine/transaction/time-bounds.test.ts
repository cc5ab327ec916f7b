// How questions about time change the bounds of a transaction.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { handleWithUnit, now, run, sample } from '../../../test/support/engine/run-sample.ts'
import { unit } from '../../lf/values/values.ts'
import type { Effects } from '../code/code.ts'
import { maxTime, minTime } from './time-bounds.ts'

const before = (offset: number) => (effects: Effects) => effects.isBefore(now + offset)
const getTime = (effects: Effects) => effects.getTime()

const cases: [steps: ((effects: Effects) => unknown)[], min: number | bigint, max: number | bigint][] = [
  [[], minTime, maxTime],
  [[before(1)], minTime, now],
  [[before(0)], now, maxTime],
  [[before(-1)], now - 1, maxTime],
  [[before(5), before(-5), before(3), before(-7), before(9)], now - 5, now + 2],
  [[getTime], now, now],
  [[before(5), getTime, before(-5)], now, now],
  [[(effects) => effects.isBefore(minTime)], minTime, maxTime],
  [[(effects) => effects.isBefore(maxTime)], minTime, 253402300799999998n],
]

for (const [steps, min, max] of cases) {
  test(`after ${steps.length} questions time is between ${min} and ${max}`, () => {
    const { timeBounds } = run((effects) => {
      for (const step of steps) step(effects)
      return unit
    })
    assert.deepEqual(timeBounds, { min, max })
  })
}

test('the answers are about the ledger time', () => {
  run((effects) => {
    assert.equal(effects.getTime(), now)
    assert.equal(effects.isBefore(now + 1), true)
    assert.equal(effects.isBefore(now), false)
    return unit
  })
})

test('an undone try has still seen the time', () => {
  const { timeBounds } = run((effects) =>
    effects.tryCatch((inner) => {
      inner.isBefore(now + 5)
      return sample.raise('undone')
    }, handleWithUnit),
  )
  assert.deepEqual(timeBounds, { min: minTime, max: now + 4 })
})
