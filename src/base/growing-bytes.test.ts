// The output equals the input, also when the memory grows and when it is reused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GrowingBytes } from './growing-bytes.ts'

test('bytes and text are appended in order, whatever their size', () => {
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

test('a copy does not change later', () => {
  const bytes = new GrowingBytes()
  bytes.utf8('first')
  const copy = bytes.copy()
  bytes.restart()
  bytes.utf8('other')
  assert.equal(copy.toString(), 'first')
  assert.equal(bytes.copy().toString(), 'other')
})
