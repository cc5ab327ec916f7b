import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyDurationFromText } from './duration.ts'

const durations: [text: string, ms: number | undefined][] = [
  ['90s', 90_000],
  ['30d', 2_592_000_000],
  ['P1D', 86_400_000],
  ['P2W', 1_209_600_000],
  ['PT1H30M', 5_400_000],
  ['PT0.5S', 500],
  ['P1DT1S', 86_401_000],
  ['P', undefined],
  ['PT', undefined],
  ['P1DT', undefined],
  ['PT0S', undefined],
  ['P1Y', undefined],
  ['P1M', undefined],
  ['-P1D', undefined],
  ['1', undefined],
  ['', undefined],
]
for (const [text, ms] of durations) {
  test(`'${text}' is ${ms === undefined ? 'no duration' : `${ms} ms`}`, () => {
    assert.equal(anyDurationFromText(text), ms)
  })
}
