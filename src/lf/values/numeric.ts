// Numerics as values: decimals of a fixed scale with at most 38 digits, their sums, and their digits as text.
//
// Three limbs hold fourteen digits each. All of them are numbers, because V8 computes with numbers several times as fast as
// with bigints, and decimal limbs need no long division to become text or to move the point.

export const numericDigitsMax = 38

/** Digits in a limb: the products of halves of two limbs, and the sum of six of them, are safe integers. */
export const limbDigits = 14
export const limbBase = 1e14
export const perLimb = 1e-14
const bigBase = 10n ** 14n

/** The highest limb is less, or is its negative and another limb is not zero. */
const highLimit = 10 ** (numericDigitsMax - 2 * limbDigits)

/**
 * (`high` * 10^28 + `mid` * 10^14 + `low`) / 10^`scale`, where `mid` and `low` are from 0 to 10^14 - 1. Only `high` has a sign,
 * so each value has one form. Made by the functions below and by those of numeric-arithmetic.ts.
 */
export class Numeric {
  readonly high: number
  readonly mid: number
  readonly low: number
  readonly scale: number

  constructor(high: number, mid: number, low: number, scale: number) {
    this.high = high
    this.mid = mid
    this.low = low
    this.scale = scale
  }

  get unscaled(): bigint {
    const { high, mid, low } = this
    if (high === 0 && mid === 0) return BigInt(low)
    return (BigInt(high) * bigBase + BigInt(mid)) * bigBase + BigInt(low)
  }
}

/** Undefined if there are more digits than a Numeric has. */
export function numericIfFits(unscaled: bigint, scale: number): Numeric | undefined {
  const upper = unscaled / bigBase
  return normalised(Number(upper / bigBase), Number(upper % bigBase), Number(unscaled % bigBase), scale)
}

export function numericOf(unscaled: bigint, scale: number): Numeric {
  const numeric = numericIfFits(unscaled, scale)
  if (numeric === undefined) throw new RangeError(`${unscaled} has more than ${numericDigitsMax} digits`)
  return numeric
}

/** A Numeric from a safe integer. */
export function numericOfNumber(unscaled: number, scale: number): Numeric {
  const upper = Math.floor(unscaled / limbBase)
  const low = unscaled - upper * limbBase
  return upper < 0 ? new Numeric(-1, upper + limbBase, low, scale) : new Numeric(0, upper, low, scale)
}

/** The unscaled integer; undefined if it is not a safe one. */
export function unscaledNumber({ high, mid, low }: Numeric): number | undefined {
  const unscaled = (high === -1 ? mid - limbBase : mid) * limbBase + low
  return (high === 0 || high === -1) && Number.isSafeInteger(unscaled) ? unscaled : undefined
}

/** The unscaled integer, as a number if that is safe. */
export function unscaledInteger(numeric: Numeric): number | bigint {
  return unscaledNumber(numeric) ?? numeric.unscaled
}

export function sum(a: Numeric, b: Numeric): Numeric | undefined {
  return carried(a.high + b.high, a.mid + b.mid, a.low + b.low, a.scale)
}

export function difference(a: Numeric, b: Numeric): Numeric | undefined {
  return carried(a.high - b.high, a.mid - b.mid, a.low - b.low, a.scale)
}

/**
 * As `normalised`, for a lowest limb that is beyond its range as often as not: its carry is computed, because a branch that a
 * processor cannot guess takes longer.
 */
function carried(high: number, mid: number, low: number, scale: number): Numeric | undefined {
  const carry = Math.floor(low * perLimb)
  const ownLow = low - carry * limbBase
  const ownMid = mid + carry
  if (high === 0 && ownMid >= 0 && ownMid < limbBase) return new Numeric(0, ownMid, ownLow, scale)
  return normalised(high, ownMid, ownLow, scale)
}

/** From limbs that are beyond their ranges by less than 10^14. Undefined if there are too many digits. */
export function normalised(high: number, mid: number, low: number, scale: number): Numeric | undefined {
  let ownLow = low
  let ownMid = mid
  let ownHigh = high
  if (ownLow >= limbBase) {
    ownLow -= limbBase
    ownMid += 1
  } else if (ownLow < 0) {
    ownLow += limbBase
    ownMid -= 1
  }
  if (ownMid >= limbBase) {
    ownMid -= limbBase
    ownHigh += 1
  } else if (ownMid < 0) {
    ownMid += limbBase
    ownHigh -= 1
  }
  const fits = ownHigh < highLimit && (ownHigh > -highLimit || (ownHigh === -highLimit && ownMid + ownLow !== 0))
  return fits ? new Numeric(ownHigh, ownMid, ownLow, scale) : undefined
}

export function isNegative({ high }: Numeric): boolean {
  return high < 0
}

export function isZero({ high, mid, low }: Numeric): boolean {
  return low === 0 && mid === 0 && high === 0
}

/** Never with JavaScript's -0: zero minus zero is 0. */
export function negated({ high, mid, low, scale }: Numeric): Numeric {
  if (low !== 0) return new Numeric(-1 - high, limbBase - 1 - mid, limbBase - low, scale)
  if (mid !== 0) return new Numeric(-1 - high, limbBase - mid, 0, scale)
  return new Numeric(0 - high, 0, 0, scale)
}

/** Negative, zero or positive. Both have the same scale. */
export function compareNumerics(a: Numeric, b: Numeric): number {
  if (a.high !== b.high) return a.high - b.high
  return a.mid !== b.mid ? a.mid - b.mid : a.low - b.low
}

/** The same digits with the point elsewhere. */
export function shifted({ high, mid, low }: Numeric, scale: number): Numeric {
  return new Numeric(high, mid, low, scale)
}

const powers = Array.from({ length: limbDigits + 1 }, (_, exponent) => 10 ** exponent)

/** An integer of this many digits is safe. */
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

/** V8 writes integers below 2^31 several times as fast as others: nine digits with a 1 before them are one. */
const smallCount = 9
const smallUnit = 1e9

function withoutZeros(digits: string, lengthMin: number): string {
  let end = digits.length
  while (end > lengthMin && digits.charAt(end - 1) === '0') end -= 1
  return digits.slice(0, end).padEnd(lengthMin, '0')
}
