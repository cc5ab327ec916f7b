import assert from 'node:assert/strict'
import { test } from 'node:test'
import { microsFrom, timeText } from './times.ts'

test('times keep their microseconds', () => {
  for (const [text, same] of [
    ['2030-01-01T00:00:00.123456Z', '2030-01-01T00:00:00.123456Z'],
    ['2030-01-01T00:00:00Z', '2030-01-01T00:00:00.000000Z'],
    ['2030-01-01T02:00:00.5+02:00', '2030-01-01T00:00:00.500000Z'],
    ['1969-12-31T23:59:59.999999Z', '1969-12-31T23:59:59.999999Z'],
    ['2030-01-01T00:00:00.123456789Z', '2030-01-01T00:00:00.123456Z'],
  ] as const) {
    assert.equal(timeText(microsFrom(text)!), same)
  }
})

test('what is no time has no microseconds', () => {
  for (const text of [undefined, null, '', 'now', '2030-01-01', '2030-13-01T00:00:00Z', 5, {}]) {
    assert.equal(microsFrom(text), undefined)
  }
})
