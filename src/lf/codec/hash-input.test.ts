// What is hashed, byte by byte.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { fc } from '../../../test/fixtures/seed.ts'
import { HashInput } from './hash-input.ts'

const input = new HashInput()

function check(write: () => void, expected: Buffer): void {
  input.restart()
  write()
  assert.equal(input.sha256(), createHash('sha256').update(expected).digest('hex'), expected.toString('hex'))
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

/** Two's complement in the fewest bytes. */
function twosComplement(value: bigint): Buffer {
  let bytes = 1
  while (BigInt.asIntN(8 * bytes, value) !== value) bytes += 1
  return Buffer.from(
    BigInt.asUintN(8 * bytes, value)
      .toString(16)
      .padStart(2 * bytes, '0'),
    'hex',
  )
}

const numbers = fc.oneof(
  fc.bigInt({ min: 1n - 10n ** 38n, max: 10n ** 38n - 1n }),
  fc.tuple(fc.bigInt({ min: 0n, max: 125n }), fc.bigInt({ min: -2n, max: 2n })).map(([n, more]) => 2n ** n + more),
  fc.tuple(fc.bigInt({ min: 0n, max: 125n }), fc.bigInt({ min: -2n, max: 2n })).map(([n, more]) => -(2n ** n) + more),
)

test('a number is its length and its two’s complement', () => {
  fc.assert(
    fc.property(numbers, (value) => {
      const bytes = twosComplement(value)
      check(() => input.number(value), Buffer.concat([int32(bytes.length), bytes]))
    }),
    { numRuns: 1_000 },
  )
})

test('a text is its length in bytes and itself in UTF-8', () => {
  const texts = fc.oneof(fc.string({ maxLength: 60 }), fc.string({ unit: 'grapheme', maxLength: 60 }))
  fc.assert(
    fc.property(texts, (text) => {
      check(() => input.text(text), Buffer.concat([int32(Buffer.byteLength(text)), Buffer.from(text)]))
    }),
  )
})

test('numbers of 32 and 64 bits are big-endian', () => {
  fc.assert(
    fc.property(fc.integer(), fc.maxSafeInteger(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (a, b, c) => {
      const expected = Buffer.alloc(20)
      expected.writeBigInt64BE(c, expected.writeBigInt64BE(BigInt(b), expected.writeInt32BE(a)))
      const write = () => {
        input.int32(a)
        input.int64(b)
        input.int64(c)
      }
      check(write, expected)
    }),
  )
})
