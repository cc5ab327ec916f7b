import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { updateIdKey } from '../../events/format/stored-update.ts'
import { timedUpdateId } from './ids.ts'

const year2030 = 1_893_456_000_000_000n
const second = 1_000_000n

test('an update id is a SHA-256 multihash in hexadecimal', () => {
  for (const micros of [0n, 1n, year2030, 2n ** 52n])
    assert.match(timedUpdateId(randomBytes(32), micros), /^1220[0-9a-f]{64}$/)
})

test('later updates have larger keys in the index of ids', () => {
  const keys = Array.from({ length: 50 }, (_, index) => {
    return updateIdKey(timedUpdateId(randomBytes(32), year2030 + BigInt(index) * second))
  })
  assert.deepEqual(
    keys,
    keys.toSorted((a, b) => (a < b ? -1 : 1)),
  )
})

test('updates of the same moment have different ids and keys', () => {
  const ids = Array.from({ length: 50 }, () => timedUpdateId(randomBytes(32), year2030))
  assert.equal(new Set(ids).size, 50)
  assert.equal(new Set(ids.map(updateIdKey)).size, 50)
})
