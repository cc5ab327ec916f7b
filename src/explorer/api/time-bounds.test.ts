import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Look, lastOffset } from './time-bounds.ts'
import { compareTimes } from './times.ts'

/** A ledger whose reader sees the updates at some offsets, each at a time that is as long as its offset. */
function ledgerOf(newestUpTo: (offset: number) => number | undefined) {
  let looks = 0
  const look: Look = async (upTo) => {
    looks += 1
    const offset = newestUpTo(upTo)
    return offset === undefined ? undefined : { offset, time: 'x'.repeat(offset) }
  }
  return { look, looks: () => looks }
}

const rows: [title: string, length: number, least: number, most: number][] = [
  ['nothing fits', 2, 0, 2],
  ['one fits exactly', 4, 4, 7],
  ['the next does not fit', 5, 4, 7],
  ['everything fits', 99, 8, 9],
]
for (const [title, length, least, most] of rows) {
  test(`the last offset where ${title}`, async () => {
    const { look } = ledgerOf((upTo) => [3, 4, 8].findLast((offset) => offset <= upTo))
    const offset = await lastOffset((time) => time.length <= length, 9, look)
    assert.ok(offset >= least && offset <= most, String(offset))
  })
}

test('a large ledger takes few looks, whatever its reader sees of it', async () => {
  for (const every of [1, 1_000, 400_000]) {
    const { look, looks } = ledgerOf((upTo) => (upTo < every ? undefined : upTo - (upTo % every)))
    const offset = await lastOffset((time) => time.length <= 700_000, 1_000_000, look)
    assert.equal(Math.floor(offset / every), Math.floor(700_000 / every))
    assert.ok(looks() <= 21, `${looks()} looks`)
  }
})

const times: [one: string, other: string, order: number][] = [
  ['2026-01-01T00:00:05Z', '2026-01-01T00:00:05.000Z', 0],
  ['2026-01-01T00:00:05.000456Z', '2026-01-01T00:00:05.000Z', 1],
  ['2026-01-01T00:00:05.1Z', '2026-01-01T00:00:05.10002Z', -1],
]
for (const [one, other, order] of times) {
  test(`${one} is ${['before', 'the same as', 'after'][order + 1]} ${other}`, () => {
    assert.equal(compareTimes(one, other), order)
    assert.equal(compareTimes(other, one), order === 0 ? 0 : -order)
  })
}
