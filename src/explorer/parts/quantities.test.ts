import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesText, counted, numberText, ticksUpTo } from './quantities.ts'

test('sizes in words', () => {
  const table: [number, string][] = [
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [340_400, '340 kB'],
    [1_234_567, '1.2 MB'],
    [5e13, '50 TB'],
    [5e15, '5000 TB'],
  ]
  for (const [bytes, text] of table) assert.equal(bytesText(bytes), text)
})

test('counts in words', () => {
  const table: [string, string][] = [
    [counted(0, 'contract'), '0 contracts'],
    [counted(1, 'contract'), '1 contract'],
    [counted(2_000, 'entry', 'entries'), '2,000 entries'],
  ]
  for (const [shown, text] of table) assert.equal(shown, text)
})

for (const [value, ticks] of [
  [0, [0, 1]],
  [0.3, [0, 0.2, 0.4]],
  [7, [0, 5, 10]],
  [20, [0, 10, 20]],
  [333, [0, 200, 400]],
] as const) {
  test(`an axis up to ${value} has ${ticks.join(', ')}`, () => {
    assert.deepEqual(
      ticksUpTo(value).map((tick) => Number(tick.toFixed(9))),
      ticks,
    )
  })
}

test('numbers have the digits that matter', () => {
  assert.deepEqual([0, 0.25, 1.04, 9.96, 1234.5].map(numberText), ['0', '0.25', '1', '10', '1,235'])
})
