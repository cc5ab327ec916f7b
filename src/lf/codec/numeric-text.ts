// Numerics as text: what the API and stored values hold (Canton: data/NumericModule.scala, ValueValidator.scala).
import { Numeric } from '../values/values.ts'

const digitsMax = 38
const powersOfTen = Array.from({ length: digitsMax + 1 }, (_, exponent) => 10n ** BigInt(exponent))
const bound = powersOfTen[digitsMax]!

/** The form that clients may write. */
const decimalPattern = /^([+-]?)(\d{1,38})(?:\.(\d{0,37}))?$/
/** The form that numericToText writes. */
const canonicalPattern = /^-?(?:[1-9]\d{0,37}|0)\.\d{0,37}$/

/** All decimals of the scale, and the point even without any: `5.` */
export function numericToText({ unscaled, scale }: Numeric): string {
  const isNegative = unscaled < 0n
  const digits = (isNegative ? -unscaled : unscaled).toString().padStart(scale + 1, '0')
  const point = digits.length - scale
  return `${isNegative ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`
}

/** The inverse of numericToText: the digits after the point give the scale. */
export function numericFromText(text: string): Numeric | undefined {
  if (!canonicalPattern.test(text)) return undefined
  const unscaled = BigInt(text.replace('.', ''))
  return isInBounds(unscaled) ? new Numeric(unscaled, text.length - text.indexOf('.') - 1) : undefined
}

/** The number a client wrote, with the smallest scale that holds it. */
export function numericFromDecimal(text: string): Numeric | undefined {
  const match = decimalPattern.exec(text)
  if (match === null) return undefined
  const [, sign, whole = '', decimals = ''] = match
  let length = decimals.length
  while (length > 0 && decimals[length - 1] === '0') length -= 1
  const significant = decimals.slice(0, length)
  const digits = BigInt(whole + significant)
  if (!isInBounds(digits)) return undefined
  return new Numeric(sign === '-' ? -digits : digits, significant.length)
}

/** The same number with another scale, or why that is not possible, in Canton's words. */
export function rescaled(numeric: Numeric, scale: number): Numeric | string {
  if (numeric.scale > scale) {
    return `Cannot represent ${numericToText(numeric)} as (Numeric ${scale}) without loss of precision`
  }
  const result = new Numeric(numeric.unscaled * powersOfTen[scale - numeric.scale]!, scale)
  return isInBounds(result.unscaled) ? result : `Out-of-bounds (Numeric ${scale}) ${numericToText(result)}`
}

function isInBounds(unscaled: bigint): boolean {
  return unscaled < bound && unscaled > -bound
}
