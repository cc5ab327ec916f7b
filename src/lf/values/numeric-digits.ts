// Numerics from and to decimal digits. V8 turns integers below 2^31 into text several times as fast as others.
import { isNegative, limbBase, limbDigits, Numeric, negated, numericOfNumber } from './numeric.ts'

const powers = Array.from({ length: limbDigits + 1 }, (_, exponent) => 10 ** exponent)

/** So many digits make a safe integer. */
const safeDigits = 15

/** From at most 38 digits. */
export function numericFromDigits(isBelowZero: boolean, digits: string, scale: number): Numeric {
  const end = digits.length
  const numeric =
    end <= safeDigits
      ? numericOfNumber(Number(digits), scale)
      : new Numeric(
          Number(digits.slice(0, Math.max(0, end - 2 * limbDigits))),
          Number(digits.slice(Math.max(0, end - 2 * limbDigits), end - limbDigits)),
          Number(digits.slice(end - limbDigits)),
          scale,
        )
  return isBelowZero ? negated(numeric) : numeric
}

/** With all decimals of the scale, or without zeros at the end down to `decimalsMin`. Always with a point. */
export function decimalText(numeric: Numeric, decimalsMin: number): string {
  if (isNegative(numeric)) return `-${decimalText(negated(numeric), decimalsMin)}`
  const { high, mid, low, scale } = numeric
  if (high === 0 && scale <= limbDigits) {
    const unit = powers[scale]!
    const fromLow = Math.floor(low / unit)
    const whole = mid * (limbBase / unit) + fromLow
    if (whole <= Number.MAX_SAFE_INTEGER) return `${whole}.${decimals(low - fromLow * unit, scale, decimalsMin)}`
  }
  const digits = numeric.unscaled.toString().padStart(scale + 1, '0')
  const point = digits.length - scale
  return `${digits.slice(0, point)}.${withoutZeros(digits.slice(point), decimalsMin)}`
}

/** The decimals of a fraction of at most fourteen digits. */
function decimals(fraction: number, count: number, countMin: number): string {
  if (count < countMin) return '0'.repeat(countMin)
  let value = fraction
  let rest = count
  if (rest > countMin + halfCount) {
    const upper = Math.floor(value * perHalfUnit)
    if (upper * halfUnit === value) {
      value = upper
      rest -= halfCount
    }
  }
  while (rest > countMin) {
    const upper = Math.floor(value * 0.1)
    if (upper * 10 !== value) break
    value = upper
    rest -= 1
  }
  return padded(value, rest)
}

const halfCount = 5
const halfUnit = 1e5
const perHalfUnit = 1e-5

/** With leading zeros, which come from a leading 1 that is cut off. */
function padded(value: number, count: number): string {
  if (count === 0) return ''
  if (count <= smallCount) {
    return value >= powers[count - 1]! ? String(value) : String(value + powers[count]!).slice(1)
  }
  const upper = Math.floor(value / smallUnit)
  return padded(upper, count - smallCount) + String(value - upper * smallUnit + smallUnit).slice(1)
}

/** Digits that are a small integer, with a 1 before them. */
const smallCount = 9
const smallUnit = 1e9

function withoutZeros(digits: string, lengthMin: number): string {
  let end = digits.length
  while (end > lengthMin && digits.charAt(end - 1) === '0') end -= 1
  return digits.slice(0, end).padEnd(lengthMin, '0')
}
