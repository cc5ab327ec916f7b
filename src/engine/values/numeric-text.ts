// Numerics as Daml prints and reads them (Canton's NumericModule.scala).
import {
  decimalText,
  type Numeric,
  numericDigitsMax,
  numericFromDigits,
  numericOfNumber,
} from '../../lf/values/numeric.ts'

/** Without trailing zeros, but with at least one decimal. */
export function numericToText(numeric: Numeric): string {
  return decimalText(numeric, 1)
}

/** Undefined if the text is not a number, or one that the scale cannot hold exactly. */
export function numericFromText(text: string, scale: number): Numeric | undefined {
  return shortNumericFromText(text, scale) ?? anyNumericFromText(text, scale)
}

/** So many digits make a safe integer. */
const safeDigits = 15
const powers = Array.from({ length: safeDigits + 1 }, (_, exponent) => 10 ** exponent)
const zero = 48
const point = 46

/** Reads digits, or digits around a point, that with all decimals of the scale make a safe integer. Undefined for others. */
function shortNumericFromText(text: string, scale: number): Numeric | undefined {
  if (text.length > safeDigits + 1) return undefined
  let value = 0
  let decimals = -1 // Before the point.
  for (let index = 0; index < text.length; index += 1) {
    const digit = text.charCodeAt(index) - zero
    if (digit >= 0 && digit <= 9) {
      value = value * 10 + digit
      if (decimals >= 0) decimals += 1
    } else if (digit === point - zero && decimals < 0 && index > 0) {
      decimals = 0
    } else {
      return undefined
    }
  }
  if (decimals === 0 || text.length === 0) return undefined
  const unscaled = value * (powers[scale - Math.max(0, decimals)] ?? Infinity)
  return unscaled <= Number.MAX_SAFE_INTEGER ? numericOfNumber(unscaled, scale) : undefined
}

function anyNumericFromText(text: string, scale: number): Numeric | undefined {
  const match = /^([+-]?)(\d+)(?:\.(\d+))?$/.exec(text)
  if (match === null) return undefined
  const [, sign, wholeDigits, decimalDigits = ''] = match
  // Zeros are removed first: what is left is short, however long the text.
  const whole = wholeDigits!.slice(leadingZeros(wholeDigits!))
  const decimals = decimalDigits.slice(0, decimalDigits.length - trailingZeros(decimalDigits))
  if (whole.length > numericDigitsMax - scale || decimals.length > scale) return undefined
  return numericFromDigits(sign === '-', whole + decimals.padEnd(scale, '0'), scale)
}

function leadingZeros(digits: string): number {
  let count = 0
  while (digits.charAt(count) === '0') count += 1
  return count
}

function trailingZeros(digits: string): number {
  let count = 0
  while (digits.charAt(digits.length - 1 - count) === '0') count += 1
  return count
}
