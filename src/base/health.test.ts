import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from './clock.ts'
import { LedgerError } from './errors.ts'
import { createHealth } from './health.ts'
import { createLog } from './log.ts'

test('parts fail and recover independently, with the time of each change', () => {
  const clock = createTestClock(1000)
  const health = createHealth(clock, createLog('silent'))
  const store = health.part('store', { stopsCommands: true })
  const loop = health.part('assignment', { stopsCommands: false })
  assert.deepEqual(health.failing(), [])
  clock.advance(5)
  loop.fail('it does not run')
  clock.advance(5)
  store.fail('the disk is full', '/secret/place')
  clock.advance(5)
  store.fail('the disk is full')
  const shown = () => health.failing().map(({ name, reason, since }) => [name, reason, since])
  assert.deepEqual(shown(), [
    ['store', 'the disk is full', 1010],
    ['assignment', 'it does not run', 1005],
  ])
  store.work()
  assert.deepEqual(shown(), [['assignment', 'it does not run', 1005]])
  loop.work()
  assert.deepEqual(
    health.parts().map(({ name, state }) => [name, state]),
    [
      ['store', 'ok'],
      ['assignment', 'ok'],
    ],
  )
})

test('commands are refused as retryable while a part they need is failing', () => {
  const health = createHealth(createTestClock(0), createLog('silent'))
  const store = health.part('store', { stopsCommands: true })
  health.part('assignment', { stopsCommands: false }).fail('it does not run')
  health.checkCommands()
  store.fail('the disk is full')
  assert.throws(
    () => health.checkCommands(),
    (error) => {
      assert.ok(error instanceof LedgerError)
      assert.deepEqual([error.code, error.category.retry], ['INDEX_DB_SQL_TRANSIENT_ERROR', '1 second'])
      assert.match(error.message, /the disk is full/)
      return true
    },
  )
  store.work()
  health.checkCommands()
})

test('registering a part again returns the same part', () => {
  const health = createHealth(createTestClock(0), createLog('silent'))
  health.part('store', { stopsCommands: true }).fail('away')
  health.part('store', { stopsCommands: true }).work()
  assert.deepEqual(health.failing(), [])
})
