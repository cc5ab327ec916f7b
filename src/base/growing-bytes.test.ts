// What is written is what comes out, also when memory grows, and when it is used again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GrowingBytes } from './growing-bytes.ts'

test('bytes and text follow each other, however much there is', () => {
  const bytes = new GrowingBytes()
  const expected: Buffer[] = []
  let length = 0
  for (const count of [0, 1, 300, 3_000, 100_000]) {
    bytes.raw(Buffer.alloc(count, 7))
    const text = '€'.repeat(count)
    length += count + Buffer.byteLength(text)
    assert.equal(bytes.utf8(text), length)
    expected.push(Buffer.alloc(count, 7), Buffer.from(text))
  }
  assert.ok(bytes.copy().equals(Buffer.concat(expected)))
})

test('a copy keeps what it holds', () => {
  const bytes = new GrowingBytes()
  bytes.utf8('first')
  const copy = bytes.copy()
  bytes.restart()
  bytes.utf8('other')
  assert.equal(copy.toString(), 'first')
  assert.equal(bytes.copy().toString(), 'other')
})
