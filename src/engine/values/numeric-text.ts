// Numerics as Daml prints and reads them (Canton's NumericModule.scala), and the powers of ten that scales stand for.
import { Numeric } from '../../lf/values/values.ts'

export const numericDigitsMax = 38

/** Up to twice the maximum digits: exact products and shifted dividends need them. */
const powers = Array.from({ length: 2 * numericDigitsMax + 1 }, (_, exponent) => 10n ** BigInt(exponent))

export const powerOfTen = (exponent: number): bigint => powers[exponent]!

/** Without trailing zeros, but with at least one decimal. */
export function numericToText({ unscaled, scale }: Numeric): string {
  const isNegative = unscaled < 0n
  const digits = String(isNegative ? -unscaled : unscaled).padStart(scale + 1, '0')
  const point = digits.length - scale
  const zeros = scale === 0 ? 0 : Math.min(trailingZeros(digits), scale)
  const decimals = scale === zeros ? '0' : digits.slice(point, digits.length - zeros)
  return `${isNegative ? '-' : ''}${digits.slice(0, point)}.${decimals}`
}

/** Undefined if the text is not a number, or one that the scale cannot hold exactly. */
export function numericFromText(text: string, scale: number): Numeric | undefined {
  const match = /^([+-]?)(\d+)(?:\.(\d+))?$/.exec(text)
  if (match === null) return undefined
  const [, sign, wholeDigits, decimalDigits = ''] = match
  // Zeros are removed first: what is left is short, however long the text.
  const whole = wholeDigits!.slice(leadingZeros(wholeDigits!))
  const decimals = decimalDigits.slice(0, decimalDigits.length - trailingZeros(decimalDigits))
  if (whole.length > numericDigitsMax - scale || decimals.length > scale) return undefined
  const unscaled = integerFrom(whole + decimals) * powerOfTen(scale - decimals.length)
  return new Numeric(sign === '-' ? -unscaled : unscaled, scale)
}

/** So many digits make a safe integer. Reading a bigint from a text takes three times as long as reading a number. */
const safeDigits = 15

function integerFrom(digits: string): bigint {
  return BigInt(digits.length > safeDigits ? digits : Number(digits))
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
