import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { describe, test } from 'node:test'
import { createTestClock } from '../base/clock.ts'
import { onStopSignals, untilAskedToStop } from './stop-signals.ts'

function waiting() {
  const process = new EventEmitter()
  const clock = createTestClock(0)
  const forced: string[] = []
  const stopped = untilAskedToStop({ process, clock, forceStop: (signal) => forced.push(signal) })
  return { signal: (name: string) => process.emit(name, name), clock, forced, stopped }
}

describe('a process that is asked to stop', () => {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    test(`stops at ${name}`, async () => {
      const { signal, forced, stopped } = waiting()
      signal(name)
      assert.equal(await stopped, name)
      assert.deepEqual(forced, [])
    })
  }

  test('counts the copies of one signal as one', () => {
    const { signal, clock, forced } = waiting()
    signal('SIGINT')
    signal('SIGINT')
    clock.advance(499)
    signal('SIGINT')
    assert.deepEqual(forced, [])
  })

  test('ends at once on a later signal', () => {
    const { signal, clock, forced } = waiting()
    signal('SIGTERM')
    clock.advance(500)
    signal('SIGINT')
    assert.deepEqual(forced, ['SIGINT'])
  })
})

test('each signal is passed on, and its copies are not', () => {
  const process = new EventEmitter()
  const clock = createTestClock(0)
  const passed: string[] = []
  onStopSignals(process, clock, (signal) => passed.push(signal))
  for (const name of ['SIGINT', 'SIGINT', 'SIGTERM', 'SIGINT']) process.emit(name, name)
  clock.advance(500)
  process.emit('SIGINT', 'SIGINT')
  assert.deepEqual(passed, ['SIGINT', 'SIGTERM', 'SIGINT'])
})
