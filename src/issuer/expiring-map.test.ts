import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '../base/clock.ts'
import { createExpiringMap } from './expiring-map.ts'

test('an expiring map drops what is old, and the oldest of too many', () => {
  const clock = createTestClock(0)
  const map = createExpiringMap<number>(clock, 2, 1000)
  map.set('a', 1)
  clock.advance(600)
  map.set('b', 2)
  map.set('a', 3) // It lives on.
  map.set('c', 4)
  assert.deepEqual([map.get('a'), map.get('b'), map.get('c')], [3, undefined, 4])
  clock.advance(1000)
  assert.deepEqual([map.get('a'), map.get('c')], [undefined, undefined])
})
