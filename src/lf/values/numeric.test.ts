import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../../test/fixtures/seed.ts'
import {
  compareNumerics,
  decimalText,
  difference,
  isNegative,
  isZero,
  type Numeric,
  negated,
  numericFromDigits,
  numericIfFits,
  numericOf,
  numericOfNumber,
  shifted,
  sum,
  unscaledInteger,
} from './numeric.ts'
import { byPowerOfTen, product, quotient, rounded, timesPowerOfTen, wholePart } from './numeric-arithmetic.ts'

// Everything is compared with bigints, on values of all lengths and near every boundary: of limbs and their halves, of safe
// integers, of pairs of numbers, and of what a Numeric holds.

const limit = 10n ** 38n
const power = (exponent: number): bigint => 10n ** BigInt(exponent)
const near = fc.integer({ min: -2, max: 2 }).map(BigInt)
const upTo = (max: number) => fc.integer({ min: 0, max })
const ofLength = upTo(38).chain((digits) => fc.bigInt({ min: 0n, max: power(digits) - 1n }))
const digitsBetween = (min: number, max: number) => {
  return fc.integer({ min, max }).chain((digits) => fc.bigInt({ min: power(digits - 1), max: power(digits) - 1n }))
}
const magnitudes = fc.oneof(
  { weight: 4, arbitrary: ofLength },
  fc.tuple(upTo(38), near).map(([exponent, offset]) => power(exponent) + offset),
  fc.tuple(upTo(126), near).map(([exponent, offset]) => 2n ** BigInt(exponent) + offset),
  fc.tuple(upTo(99_999), upTo(33)).map(([start, exponent]) => BigInt(start) * power(exponent)),
  fc.tuple(upTo(999), upTo(34)).map(([start, exponent]) => BigInt(start * 10 + 5) * power(exponent)), // Halves.
  fc.tuple(upTo(999), upTo(17), upTo(17)).map(([n, a, b]) => (BigInt(n) * power(a) + 1n) * power(b) + 1n),
)
const unscaled = fc
  .tuple(magnitudes, fc.boolean())
  .map(([value, isBelowZero]) => (isBelowZero ? -1n : 1n) * (value < limit ? value : limit - 1n))
const scales = upTo(37)

/** As a bigint, after a look at the form: each value has one. */
function integerOf(numeric: Numeric | undefined): bigint | undefined {
  if (numeric === undefined) return undefined
  const { high, mid, low } = numeric
  for (const limb of [high, mid, low]) assert(Number.isSafeInteger(limb) && !Object.is(limb, -0), `${limb}`)
  for (const limb of [mid, low]) assert(limb >= 0 && limb < 1e14, `${limb}`)
  return (BigInt(high) * power(14) + BigInt(mid)) * power(14) + BigInt(low)
}

const ifFits = (value: bigint): bigint | undefined => (value < limit && value > -limit ? value : undefined)

/** The nearest integer, ties to even: floor(x + 1/2), less one where a tie gave an odd number. */
function nearest(numerator: bigint, denominator: bigint): bigint {
  if (denominator < 0n) return nearest(-numerator, -denominator)
  const [top, bottom] = [2n * numerator + denominator, 2n * denominator]
  const floor = (top - (((top % bottom) + bottom) % bottom)) / bottom
  return floor * bottom === top && floor % 2n !== 0n ? floor - 1n : floor
}

const scaled = (value: bigint, exponent: number): [bigint, bigint] => {
  return exponent < 0 ? [value, power(-exponent)] : [value * power(exponent), 1n]
}

const runs = { numRuns: 4_000 }

describe('Numerics agree with bigints', () => {
  test('in their forms', () => {
    fc.assert(
      fc.property(unscaled, scales, (value, scale) => {
        const numeric = numericOf(value, scale)
        assert.equal(integerOf(numeric), value)
        assert.equal(numeric.unscaled, value)
        assert.equal(numeric.scale, scale)
        assert.equal(isNegative(numeric), value < 0n)
        assert.equal(isZero(numeric), value === 0n)
        assert.equal(integerOf(negated(numeric)), -value)
        assert.deepEqual(shifted(numeric, 3), numericOf(value, 3))
        const isSafe = value >= -9007199254740991n && value <= 9007199254740991n
        assert.equal(unscaledInteger(numeric), isSafe ? Number(value) : value)
        if (isSafe) assert.deepEqual(numericOfNumber(Number(value), scale), numeric)
        assert.equal(BigInt(wholePart(numeric)), value / power(scale))
      }),
      runs,
    )
    for (const value of [limit, -limit, limit + 1n, 10n ** 42n, -(10n ** 42n), 10n ** 60n]) {
      assert.equal(numericIfFits(value, 0), undefined)
      assert.throws(() => numericOf(value, 0), RangeError)
    }
  })

  test('when they are added, subtracted and compared', () => {
    fc.assert(
      fc.property(unscaled, fc.oneof(unscaled, near), fc.boolean(), (a, other, isNear) => {
        const b = isNear ? (ifFits(-a + other) ?? 0n) : other
        const [left, right] = [numericOf(a, 10), numericOf(b, 10)]
        assert.equal(integerOf(sum(left, right)), ifFits(a + b))
        assert.equal(integerOf(difference(left, right)), ifFits(a - b))
        assert.equal(Math.sign(compareNumerics(left, right)), a < b ? -1 : a > b ? 1 : 0)
      }),
      runs,
    )
  })

  test('when they are multiplied and divided', () => {
    fc.assert(
      fc.property(unscaled, unscaled, scales, scales, fc.option(scales), (a, b, scaleOfA, scaleOfB, other) => {
        const scale = other ?? scaleOfA
        const [left, right] = [numericOf(a, scaleOfA), numericOf(b, scaleOfB)]
        const excess = scaleOfA + scaleOfB - scale
        assert.equal(integerOf(product(left, right, scale)), ifFits(nearest(...scaled(a * b, -excess))))
        const [top, bottom] = scaled(a, scale + scaleOfB - scaleOfA)
        assert.equal(integerOf(quotient(left, right, scale)), b === 0n ? undefined : ifFits(nearest(top, bottom * b)))
      }),
      runs,
    )
  })

  test('when a result lies half-way between two, or next to it', () => {
    fc.assert(
      fc.property(ofLength, scales, near, upTo(12), (start, count, offset, zeros) => {
        const value = ifFits(start * power(count) + 5n * power(count - 1 < 0 ? 0 : count - 1) + offset) ?? 5n
        const numeric = numericOf(value, count)
        const one = numericOf(power(zeros), zeros)
        assert.equal(integerOf(product(numeric, one, 0)), nearest(value, power(count)))
        assert.equal(integerOf(quotient(numeric, one, 0)), nearest(value, power(count)))
        assert.equal(integerOf(rounded(numeric, count)), ifFits(nearest(value, power(count)) * power(count)))
      }),
      runs,
    )
    fc.assert(
      fc.property(digitsBetween(1, 18), digitsBetween(1, 13), near, fc.boolean(), (divisor, whole, offset, isHalf) => {
        const value = divisor * whole + (isHalf ? divisor / 2n : 0n) + offset
        const result = quotient(numericOf(value, 0), numericOf(divisor, 0), 0)
        assert.equal(integerOf(result), nearest(value, divisor))
      }),
      runs,
    )
  })

  /** Dividends of two limbs, and divisors that are numbers after zeros at their end are cut off, or nearly so. */
  test('when they are divided by numbers', () => {
    const check = (value: bigint, divisor: bigint, shift: number) => {
      const result = quotient(numericOf(value, 0), numericOf(divisor, shift), 0)
      assert.equal(integerOf(result), ifFits(nearest(value * power(shift), divisor)))
    }
    const shifts = upTo(22)
    fc.assert(fc.property(digitsBetween(10, 28), digitsBetween(1, 17), shifts, check), { numRuns: 20_000 })
    fc.assert(
      fc.property(digitsBetween(10, 28), digitsBetween(1, 9), shifts, near, (value, start, shift, offset) => {
        check(value, ifFits(start * power(shift) + offset) || 1n, shift)
      }),
      runs,
    )
    // The product of `start` and the power of ten is not a number: the nearest one must not be taken for it.
    const almost = fc.tuple(fc.integer({ min: 4e7, max: 9e7 }), upTo(1e6), upTo(90), upTo(1e14))
    fc.assert(
      fc.property(almost, ([start, upper, rest, low]) => {
        check((BigInt(start) * BigInt(upper) + BigInt(rest)) * power(14) + BigInt(low), BigInt(start * 1e12), 12)
      }),
      runs,
    )
  })

  test('when they are rounded or get another scale', () => {
    fc.assert(
      fc.property(unscaled, scales, scales, (value, count, scale) => {
        const numeric = numericOf(value, scale)
        assert.equal(integerOf(rounded(numeric, count)), ifFits(nearest(value, power(count)) * power(count)))
        assert.equal(integerOf(timesPowerOfTen(numeric, count, scale)), ifFits(value * power(count)))
        const isWhole = value % power(count) === 0n
        assert.equal(integerOf(byPowerOfTen(numeric, count, scale)), isWhole ? value / power(count) : undefined)
      }),
      runs,
    )
  })

  test('in their texts', () => {
    fc.assert(
      fc.property(unscaled, scales, (value, scale) => {
        const numeric = numericOf(value, scale)
        const digits = `${value < 0n ? -value : value}`
        assert.deepEqual(numericFromDigits(value < 0n, digits, scale), numeric)
        const padded = digits.padStart(scale + 1, '0')
        const [whole, decimals] = [padded.slice(0, padded.length - scale), padded.slice(padded.length - scale)]
        const sign = value < 0n ? '-' : ''
        assert.equal(decimalText(numeric, scale), `${sign}${whole}.${decimals}`)
        assert.equal(decimalText(numeric, 1), `${sign}${whole}.${decimals.replace(/0+$/, '') || '0'}`)
      }),
      runs,
    )
  })
})
