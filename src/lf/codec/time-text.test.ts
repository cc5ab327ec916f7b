import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instantFromText, instantToText, timestampFromText, timestampToText } from './time-text.ts'

const cases: [micros: number, instant: string, timestamp: string][] = [
  [0, '1970-01-01T00:00:00Z', '1970-01-01T00:00:00Z'],
  [1_500_000, '1970-01-01T00:00:01.500Z', '1970-01-01T00:00:01.5Z'],
  [1_020_000, '1970-01-01T00:00:01.020Z', '1970-01-01T00:00:01.02Z'],
  [1_000_100, '1970-01-01T00:00:01.000100Z', '1970-01-01T00:00:01.0001Z'],
  [-1, '1969-12-31T23:59:59.999999Z', '1969-12-31T23:59:59.999999Z'],
]

for (const [micros, instant, timestamp] of cases) {
  test(`${micros} µs is the instant ${instant} and the timestamp ${timestamp}`, () => {
    assert.equal(instantToText(micros), instant)
    assert.equal(instantToText(BigInt(micros)), instant)
    assert.equal(timestampToText(micros), timestamp)
  })
}

const beyond: [text: string, isTime: boolean][] = [
  ['9999-12-31T23:59:59.999999Z', true],
  ['9999-12-31T23:59:59.999999-00:01', false],
  ['9999-12-31T23:59:59-18:00', false],
  ['0000-01-01T00:00:00Z', true],
  ['0000-01-01T00:00:00+00:01', false],
  ['2020-01-01T00:00:00Z[UTC]', false],
  ['+10000-01-01T00:00:00Z', false],
]

for (const [text, isTime] of beyond) {
  test(`${text} is ${isTime ? 'a time' : 'outside of the supported years and not a time'}`, () => {
    const micros = instantFromText(text)
    assert.equal(micros !== undefined, isTime)
    if (micros !== undefined) assert.equal(instantFromText(timestampToText(micros)), micros)
  })
}

const forms: [text: string, micros: number | undefined][] = [
  ['2026-11-16T12:15:49.4Z', 1794831349_400_000],
  ['2026-11-16T12:15:49.400001Z', 1794831349_400_001],
  ['2026-11-16T12:15:49.4000019Z', 1794831349_400_001],
  ['2026-11-16T12:15:49.Z', 1794831349_000_000],
  ['2026-11-16t12:15:49z', 1794831349_000_000],
  ['2026-11-16T13:15:49+01:00', 1794831349_000_000],
  ['2026-11-16T12:15Z', 1794831300_000_000],
  ['2026-11-17T12:15:49Z', 1794917749_000_000],
  ['1969-12-31T23:59:59.5Z', -500_000],
  ['2026-11-31T12:15:49Z', undefined],
  ['2026-11-16T24:15:49Z', undefined],
  ['2026-11-16T12:60:49Z', undefined],
  ['2026-11-16T12:15:60Z', undefined],
  ['2026-11-16T12:15:4xZ', undefined],
  ['2026-11-16T12:15:49.4x1Z', undefined],
  ['2026-11-16T12:15:49,400Z', undefined],
  ['2026-11-16 12:15:49Z', undefined],
  ['2026-1x-16T12:15:49Z', undefined],
  ['', undefined],
]

for (const [text, micros] of forms) {
  test(`"${text}" is ${micros === undefined ? 'no time' : `${micros} µs`}`, () => {
    timestampFromText('2026-11-16T00:00:00Z') // The day that is remembered.
    assert.equal(timestampFromText(text), micros)
  })
}
