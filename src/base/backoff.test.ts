import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backoffMs } from './backoff.ts'

test('delays grow up to a bound, with jitter', () => {
  for (const [failures, step] of [
    [1, 100],
    [2, 200],
    [5, 1600],
    [6, 3000],
    [1000, 3000],
  ] as const) {
    const waits = Array.from({ length: 50 }, () => backoffMs(failures))
    assert.ok(
      waits.every((wait) => wait >= step / 2 && wait <= step),
      String(waits),
    )
    assert.ok(new Set(waits).size > 1)
  }
})
