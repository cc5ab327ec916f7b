// Literals as Java prints them, which is how the reference shows them in errors.
import type { Literal } from '../syntax/ast.ts'

export function literalText(literal: Literal): string {
  switch (literal.kind) {
    case 'int64':
      return `BLInt64(${literal.value})`
    case 'numeric':
      return `BLNumeric(${decimalText(literal.unscaled, literal.scale)})`
    case 'text':
      return `BLText(${literal.value})`
    case 'timestamp':
      return `BLTimestamp(${instantText(literal.micros)})`
    case 'date':
      return `BLDate(${dayText(BigInt(literal.days))})`
    case 'failure-category':
      return `BLFailureCategory(${literal.category})`
  }
}

/** As BigDecimal.toString: with an exponent once there are more than six zeros after the point. */
function decimalText(unscaled: bigint, scale: number): string {
  const sign = unscaled < 0n ? '-' : ''
  const digits = `${unscaled < 0n ? -unscaled : unscaled}`
  if (scale === 0) return `${sign}${digits}`
  const exponent = digits.length - 1 - scale
  if (exponent >= -6) {
    const padded = digits.padStart(scale + 1, '0')
    return `${sign}${padded.slice(0, -scale)}.${padded.slice(-scale)}`
  }
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : ''
  return `${sign}${digits[0]}${fraction}E${exponent}`
}

const microsInDay = 86_400_000_000n

/** As DateTimeFormatter.ISO_INSTANT: the fraction has no digits, three or six. */
function instantText(micros: bigint): string {
  const days = (micros - mod(micros, microsInDay)) / microsInDay
  const inDay = Number(mod(micros, microsInDay))
  const seconds = Math.floor(inDay / 1_000_000)
  const two = (value: number): string => `${value}`.padStart(2, '0')
  const time = `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
  const fraction = `${inDay % 1_000_000}`.padStart(6, '0')
  const shown = fraction === '000000' ? '' : fraction.endsWith('000') ? `.${fraction.slice(0, 3)}` : `.${fraction}`
  return `${dayText(days)}T${time}${shown}Z`
}

/** As DateTimeFormatter.ISO_DATE; years are between 1 and 9999. */
function dayText(days: bigint): string {
  return new Date(Number(days) * 86_400_000).toISOString().slice(0, 10)
}

const mod = (a: bigint, b: bigint): bigint => ((a % b) + b) % b
