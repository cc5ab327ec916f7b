// Multiplication, division and rounding of Numerics: exact, then rounded once, half to even. A result is undefined if it has
// more digits than a Numeric.
//
// Numbers compute it where they are exact: intermediate results are integers below 2^53, or pairs of a rounded number and
// its error. Bigints do the rest, mostly divisions by many digits.
import {
  isNegative,
  isZero,
  limbBase,
  limbDigits,
  type Numeric,
  negated,
  normalised,
  numericIfFits,
  perLimb,
  unscaledNumber,
} from './numeric.ts'

/** The exact ones. */
const powers = Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`))
const bigPowers = Array.from({ length: 75 }, (_, exponent) => 10n ** BigInt(exponent))

const halfBase = 1e7
const perHalf = 1e-7

/** a * b with this scale. */
export function product(a: Numeric, b: Numeric, scale: number): Numeric | undefined {
  if (isNegative(a)) return negatedIfAny(product(negated(a), b, scale))
  if (isNegative(b)) return negatedIfAny(product(a, negated(b), scale))
  const excess = a.scale + b.scale - scale
  if (a.high === 0 && b.high === 0 && excess >= 0 && excess <= 2 * limbDigits) return shortProduct(a, b, excess, scale)
  const exact = a.unscaled * b.unscaled
  return numericIfFits(excess < 0 ? exact * bigPowers[-excess]! : divideHalfEven(exact, bigPowers[excess]!), scale)
}

function negatedIfAny(a: Numeric | undefined): Numeric | undefined {
  return a && negated(a)
}

/**
 * The product of two Numerics of two limbs each, computed with halves of limbs. Halves and carries are rounded rather than cut, so that some are negative; the last
 * step makes them right. No sum is more than 5 * 10^14.
 */
function shortProduct(a: Numeric, b: Numeric, excess: number, scale: number): Numeric | undefined {
  const a1 = nearest(a.low * perHalf)
  const a0 = a.low - a1 * halfBase
  const a3 = nearest(a.mid * perHalf)
  const a2 = a.mid - a3 * halfBase
  const b1 = nearest(b.low * perHalf)
  const b0 = b.low - b1 * halfBase
  const b3 = nearest(b.mid * perHalf)
  const b2 = b.mid - b3 * halfBase

  const column1 = a1 * b0 + a0 * b1
  const column3 = a3 * b0 + a2 * b1 + a1 * b2 + a0 * b3
  const column5 = a3 * b2 + a2 * b3
  const over1 = nearest(column1 * perHalf)
  const over3 = nearest(column3 * perHalf)
  const over5 = nearest(column5 * perHalf)
  const sum0 = a0 * b0 + (column1 - over1 * halfBase) * halfBase
  const sum1 = a2 * b0 + a1 * b1 + a0 * b2 + (column3 - over3 * halfBase) * halfBase + over1
  const sum2 = a3 * b1 + a2 * b2 + a1 * b3 + (column5 - over5 * halfBase) * halfBase + over3

  const carry0 = nearest(sum0 * perLimb)
  const carry1 = nearest(sum1 * perLimb)
  const carry2 = nearest(sum2 * perLimb)
  let limb0 = sum0 - carry0 * limbBase
  let limb1 = sum1 - carry1 * limbBase + carry0
  let limb2 = sum2 - carry2 * limbBase + carry1
  let limb3 = a3 * b3 + over5 + carry2

  let below = 0
  if (excess > limbDigits) {
    below = limb0
    limb0 = below < 0 ? limb1 - 1 : limb1
    limb1 = limb2
    limb2 = limb3
    limb3 = 0
  }
  const divisor = powers[excess > limbDigits ? excess - limbDigits : excess]!
  const factor = limbBase / divisor
  const whole0 = Math.floor(limb0 / divisor)
  const whole1 = nearest(limb1 / divisor)
  const whole2 = nearest(limb2 / divisor)
  const low = whole0 + (limb1 - whole1 * divisor) * factor
  const rest = limb0 - whole0 * divisor
  const rounding = below !== 0 && rest * 2 === divisor ? 1 : halfEven(rest, divisor, low)
  return normalised(whole2 + limb3 * factor, whole1 + (limb2 - whole2 * divisor) * factor, low + rounding, scale)
}

/** 2^52 + 2^51: beside it, numbers below 2^51 have no bits for fractions. */
const wholeBits = 6_755_399_441_055_744

/**
 * The nearest integer. Math.floor would return what V8 holds as a small integer, and V8 would compute on with conversions to
 * and fro.
 */
function nearest(value: number): number {
  return value + wholeBits - wholeBits
}

/** Not negative, of safe integers. For `%` V8 calls a function of the C library. */
function remainder(dividend: number, divisor: number): number {
  return dividend - Math.floor(dividend / divisor) * divisor
}

/** a / b with this scale. Undefined also if b is zero. */
export function quotient(a: Numeric, b: Numeric, scale: number): Numeric | undefined {
  if (isZero(b)) return undefined
  if (isNegative(a)) return negatedIfAny(quotient(negated(a), b, scale))
  if (isNegative(b)) return negatedIfAny(quotient(a, negated(b), scale))
  const shift = scale + b.scale - a.scale
  return shortQuotient(a, b, shift, scale) ?? longQuotient(a, b, shift, scale)
}

function longQuotient({ unscaled: a }: Numeric, { unscaled: b }: Numeric, shift: number, scale: number) {
  const exact = shift < 0 ? divideHalfEven(a, b * bigPowers[-shift]!) : divideHalfEven(a * bigPowers[shift]!, b)
  return numericIfFits(exact, scale)
}

function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  if (divisor < 0n) return divideHalfEven(-dividend, -divisor)
  if (dividend < 0n) return -divideHalfEven(-dividend, divisor)
  const whole = dividend / divisor
  const excess = 2n * (dividend - whole * divisor) - divisor
  return excess < 0n || (excess === 0n && whole % 2n === 0n) ? whole : whole + 1n
}

/** A divisor and a power of ten below this, times a limb, leave the lower number of a pair below 2^46. */
const operandLimit = 2 ** 50
/** Below it, the error of a rounded division is less than 1/8, and what the dividend lacks is less than 1/4 of the divisor. */
const quotientLimit = 2 ** 50
/** Times a limb, such numbers are exact. */
const exactLimit = 1e6

/** Long division, limb by limb. Undefined if there are too many digits to do it so. */
function shortQuotient(dividend: Numeric, divisor: Numeric, shift: number, scale: number): Numeric | undefined {
  if (dividend.high !== 0 || divisor.high !== 0 || divisor.mid >= exactLimit) return undefined
  if (shift >= powers.length || shift <= -powers.length) return undefined
  const factor = shift > 0 ? powers[shift]! : 1
  const upperDivisor = divisor.mid * limbBase
  const wholeDivisor = upperDivisor + divisor.low
  if (wholeDivisor - upperDivisor !== divisor.low) return undefined
  const by = wholeDivisor * (shift < 0 ? powers[-shift]! : 1)

  // Divisors such as 3.0000000000 end with zeros.
  const shortened = by / factor
  if (shortened < operandLimit && shortened * factor === by && errorOfProduct(by, shortened, factor) === 0) {
    const upper = Math.floor(dividend.mid / shortened)
    const rest = (dividend.mid - upper * shortened) * limbBase + dividend.low
    if (shortened === Math.floor(shortened) && rest <= Number.MAX_SAFE_INTEGER) {
      const lower = Math.floor(rest / shortened)
      return ofQuotients(upper, lower + halfEven(rest - lower * shortened, shortened, lower), scale)
    }
  }

  if (by >= operandLimit || factor >= operandLimit) return undefined
  // Whole parts come from rounded numbers: they are wrong by less than a half. Rests are exact, if below 0 or too large.
  const top = dividend.mid * factor
  const upper = Math.floor(top / by)
  if (upper >= quotientLimit) return undefined
  const rest = restOf(top, errorOfProduct(top, dividend.mid, factor), upper, by)
  const fromRest = rest * limbBase
  const fromLow = dividend.low * factor
  const total = fromRest + fromLow
  const lackOfParts = errorOfProduct(fromRest, rest, limbBase) + errorOfProduct(fromLow, dividend.low, factor)
  const lower = Math.floor(total / by)
  if (lower >= quotientLimit) return undefined
  const lowerRest = restOf(total, errorOfSum(total, fromRest, fromLow) + lackOfParts, lower, by)
  return ofQuotients(upper, lower + halfEven(lowerRest, by, lower), scale)
}

function ofQuotients(upper: number, lower: number, scale: number): Numeric | undefined {
  const carry = lower < limbBase ? 0 : Math.floor(lower / limbBase)
  const mid = upper + carry
  const high = mid < limbBase ? 0 : Math.floor(mid / limbBase)
  return normalised(high, mid - high * limbBase, lower - carry * limbBase, scale)
}

/** (dividend + lack) - whole * divisor: the products are so near to each other that the differences are exact. */
function restOf(dividend: number, lack: number, whole: number, divisor: number): number {
  const multiple = whole * divisor
  return dividend - multiple + (lack - errorOfProduct(multiple, whole, divisor))
}

/** 1 if the rest of a division is more than half the divisor, or just the half and the whole part odd. */
function halfEven(rest: number, divisor: number, whole: number): number {
  if (rest * 2 !== divisor) return rest * 2 > divisor ? 1 : 0
  return remainder(whole, 2)
}

/** 2^27 + 1: multiplying by it splits the 53 bits of a number into two parts whose products are exact (Veltkamp). */
const splitter = 134_217_729

/** The error of a rounded product: the exact one minus it (Dekker). */
function errorOfProduct(rounded: number, a: number, b: number): number {
  const aWide = splitter * a
  const aHigh = aWide - (aWide - a)
  const aLow = a - aHigh
  const bWide = splitter * b
  const bHigh = bWide - (bWide - b)
  const bLow = b - bHigh
  return aHigh * bHigh - rounded + aHigh * bLow + aLow * bHigh + aLow * bLow
}

/** The error of a rounded sum: the exact one minus it (Knuth). */
function errorOfSum(rounded: number, a: number, b: number): number {
  const bPart = rounded - a
  return a - (rounded - bPart) + (b - bPart)
}

/** The nearest multiple of 10^count. */
export function rounded(a: Numeric, count: number): Numeric | undefined {
  if (count >= limbDigits) {
    const step = bigPowers[count]!
    return numericIfFits(divideHalfEven(a.unscaled, step) * step, a.scale)
  }
  const step = powers[count]!
  const whole = Math.floor(a.low / step)
  const rest = a.low - whole * step
  return normalised(a.high, a.mid, (whole + halfEven(rest, step, whole)) * step, a.scale)
}

/** Without the decimals: a number where it can be computed as such, which is always a safe integer. */
export function wholePart(a: Numeric): number | bigint {
  const unscaled = unscaledNumber(a)
  const divisor = powers[a.scale]
  if (unscaled === undefined || divisor === undefined) return a.unscaled / bigPowers[a.scale]!
  return Math.trunc(unscaled / divisor) + 0 // Not JavaScript's -0.
}

/** a * 10^count, as an integer. */
export function timesPowerOfTen(a: Numeric, count: number, scale: number): Numeric | undefined {
  let { high, mid, low } = a
  let rest = count
  for (; rest >= limbDigits; rest -= limbDigits) {
    // Where this is inexact, it is too large.
    high = high * limbBase + mid
    mid = low
    low = 0
  }
  const factor = powers[rest]!
  const divisor = limbBase / factor
  const [fromLow, fromMid] = [Math.floor(low / divisor), Math.floor(mid / divisor)]
  return normalised(
    high * factor + fromMid,
    (mid - fromMid * divisor) * factor + fromLow,
    (low - fromLow * divisor) * factor,
    scale,
  )
}

/** a / 10^count, as an integer. Undefined if it is none. */
export function byPowerOfTen(a: Numeric, count: number, scale: number): Numeric | undefined {
  if (count >= limbDigits) {
    const { unscaled } = a
    const divisor = bigPowers[count]!
    return unscaled % divisor === 0n ? numericIfFits(unscaled / divisor, scale) : undefined
  }
  const divisor = powers[count]!
  return remainder(a.low, divisor) === 0 ? floorByPowerOfTen(a, divisor, scale) : undefined
}

function floorByPowerOfTen({ high, mid, low }: Numeric, divisor: number, scale: number): Numeric | undefined {
  const factor = limbBase / divisor
  const ofHigh = Math.floor(high / divisor)
  const ofMid = Math.floor(mid / divisor)
  const newMid = ofMid + (high - ofHigh * divisor) * factor
  return normalised(ofHigh, newMid, Math.floor(low / divisor) + (mid - ofMid * divisor) * factor, scale)
}
