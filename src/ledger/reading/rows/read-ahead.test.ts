import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createReadAhead } from './read-ahead.ts'

/** A ledger that ends at 100, whose elements are their offsets, and a list of the ranges that were read. */
function reading({ lengthAt = () => 1, failsAt }: { lengthAt?: (after: bigint) => number; failsAt?: bigint } = {}) {
  const readAhead = createReadAhead()
  const read: string[] = []
  return {
    read,
    async page(after: bigint, upTo: bigint, key = 'key') {
      const pages = readAhead({
        key,
        range: { after, upTo, descending: false },
        ledgerEnd: 100n,
        async *read(range) {
          read.push(`${key} ${range.after}-${range.upTo}`)
          if (range.after === failsAt) throw new Error('no database')
          yield [`${range.after}-${range.upTo}`.padEnd(lengthAt(range.after))]
        },
      })
      const page = (await Array.fromAsync(pages)).flat()
      await setImmediate() // The read-ahead happens now.
      return page.map((element) => element.trim())
    },
  }
}

describe('reading ahead', () => {
  test('begins with the second page in a row', async () => {
    const { read, page } = reading()
    assert.deepEqual(await page(0n, 10n), ['0-10'])
    assert.deepEqual(read, ['key 0-10'])
    assert.deepEqual(await page(10n, 20n), ['10-20'])
    assert.deepEqual(read, ['key 0-10', 'key 10-20', 'key 20-30'])
    assert.deepEqual(await page(20n, 30n), ['20-30'])
    assert.deepEqual(await page(30n, 40n), ['30-40'])
    assert.deepEqual(read.slice(3), ['key 30-40', 'key 40-50'])
  })

  test('keeps requests apart', async () => {
    const { read, page } = reading()
    for (const key of ['a', 'b']) {
      for (const after of [0n, 10n, 20n])
        assert.deepEqual(await page(after, after + 10n, key), [`${after}-${after + 10n}`])
    }
    assert.equal(read.length, 8)
  })

  test('reads a page ahead once for equal requests', async () => {
    const { read, page } = reading()
    for (const after of [0n, 10n, 20n, 30n]) {
      for (let reader = 0; reader < 3; reader++)
        assert.deepEqual(await page(after, after + 10n), [`${after}-${after + 10n}`])
    }
    assert.deepEqual(read.length, 3 * 4 + 1) // Each has read its pages, and one is ready.
  })

  test('returns only the requested range', async () => {
    const { page } = reading()
    for (const [after, upTo] of [
      [0n, 10n],
      [10n, 20n],
      [20n, 25n],
      [25n, 30n],
      [0n, 5n],
      [30n, 35n],
      [35n, 45n],
    ] as const) {
      assert.deepEqual(await page(after, upTo), [`${after}-${upTo}`])
    }
  })

  test('stops at the end of the ledger', async () => {
    const { read, page } = reading()
    for (const after of [70n, 80n, 90n]) await page(after, after + 10n)
    assert.deepEqual(read, ['key 70-80', 'key 80-90', 'key 90-100'])
  })

  test('does not begin when pages are long', async () => {
    const { read, page } = reading({ lengthAt: () => 1024 * 1024 })
    for (const after of [0n, 10n, 20n]) await page(after, after + 10n)
    assert.deepEqual(read, ['key 0-10', 'key 10-20', 'key 20-30'])
  })

  test('keeps no long page', async () => {
    const { read, page } = reading({ lengthAt: (after) => (after === 20n ? 1024 * 1024 : 1) })
    for (const after of [0n, 10n, 20n]) await page(after, after + 10n)
    assert.deepEqual(read, ['key 0-10', 'key 10-20', 'key 20-30', 'key 20-30'])
  })

  test('evicts the oldest readers', async () => {
    const { read, page } = reading()
    for (const after of [0n, 10n]) await page(after, after + 10n, 'first')
    for (let other = 0; other < 16; other++) await page(0n, 10n, `other${other}`)
    read.length = 0
    assert.deepEqual(await page(20n, 30n, 'first'), ['20-30'])
    assert.deepEqual(read, ['first 20-30'])
  })

  test('reports an error only to the request for that page', async () => {
    const { page } = reading({ failsAt: 20n })
    for (const after of [0n, 10n]) await page(after, after + 10n)
    await assert.rejects(page(20n, 30n), /no database/)
  })
})
