// Numerics as text: what the API and stored values hold (Canton: data/NumericModule.scala, ValueValidator.scala).
import { decimalText, type Numeric, numericDigitsMax, numericFromDigits } from '../values/numeric.ts'
import { timesPowerOfTen } from '../values/numeric-arithmetic.ts'

/** The form that clients may write. */
const decimalPattern = /^([+-]?)(\d{1,38})(?:\.(\d{0,37}))?$/
/** The form that numericToText writes. */
const canonicalPattern = /^-?(?:[1-9]\d{0,37}|0)\.\d{0,37}$/

/** All decimals of the scale, and the point even without any: `5.` */
export function numericToText(numeric: Numeric): string {
  return decimalText(numeric, numeric.scale)
}

/** The inverse of numericToText: the digits after the point give the scale. */
export function numericFromText(text: string): Numeric | undefined {
  if (!canonicalPattern.test(text)) return undefined
  const isNegative = text.startsWith('-')
  const point = text.indexOf('.')
  const digits = text.slice(isNegative ? 1 : 0, point) + text.slice(point + 1)
  return digitsIfFit(isNegative, digits, text.length - point - 1)
}

/** The number a client wrote, with the smallest scale that holds it. */
export function numericFromDecimal(text: string): Numeric | undefined {
  const match = decimalPattern.exec(text)
  if (match === null) return undefined
  const [, sign, whole = '', decimals = ''] = match
  let length = decimals.length
  while (length > 0 && decimals[length - 1] === '0') length -= 1
  return digitsIfFit(sign === '-', whole + decimals.slice(0, length), length)
}

/** The same number with another scale, or why that is not possible, in Canton's words. */
export function rescaled(numeric: Numeric, scale: number): Numeric | string {
  if (numeric.scale > scale) {
    return `Cannot represent ${numericToText(numeric)} as (Numeric ${scale}) without loss of precision`
  }
  const result = timesPowerOfTen(numeric, scale - numeric.scale, scale)
  return result ?? `Out-of-bounds (Numeric ${scale}) ${numericToText(numeric)}${'0'.repeat(scale - numeric.scale)}`
}

/** Leading zeros do not count. */
function digitsIfFit(isNegative: boolean, digits: string, scale: number): Numeric | undefined {
  const significant = digits.length > numericDigitsMax ? digits.replace(/^0+/, '') : digits
  return significant.length > numericDigitsMax ? undefined : numericFromDigits(isNegative, significant, scale)
}
