import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instantFromText, instantToText, timestampToText } from './time-text.ts'

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
