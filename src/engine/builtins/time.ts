// Dates count days and timestamps count microseconds since 1970, both within the years 1 to 9999.
import { asDate, asInt64, asTimestamp } from '../../lf/values/kinds.ts'
import type { Int64 } from '../../lf/values/values.ts'
import { arithmeticError } from '../values/arithmetic-error.ts'
import type { Rows } from './rows.ts'

const daysMin = -719162
const daysMax = 2932896
const microsMin = -62135596800000000n
const microsMax = 253402300799999999n

export const timeBuiltins = {
  DATE_TO_TEXT(days: number): string {
    return new Date(asDate(days) * 86_400_000).toISOString().slice(0, 'YYYY-MM-DD'.length)
  },

  DATE_TO_UNIX_DAYS(days: number): Int64 {
    return asDate(days)
  },

  UNIX_DAYS_TO_DATE(days: Int64): number {
    asInt64(days)
    if (days < daysMin || days > daysMax) throw arithmeticError('UNIX_DAYS_TO_DATE', days)
    return Number(days)
  },

  TIMESTAMP_TO_TEXT(micros: Int64): string {
    return timestampToText(BigInt(asTimestamp(micros)))
  },

  TIMESTAMP_TO_UNIX_MICROSECONDS(micros: Int64): Int64 {
    return asTimestamp(micros)
  },

  UNIX_MICROSECONDS_TO_TIMESTAMP(micros: Int64): Int64 {
    asInt64(micros)
    if (micros < microsMin || micros > microsMax) throw arithmeticError('UNIX_MICROSECONDS_TO_TIMESTAMP', micros)
    return micros
  },
} satisfies Partial<Rows>

/** The fraction of a second has zero, three or six digits, as Java's ISO_INSTANT prints it. */
function timestampToText(micros: bigint): string {
  const rest = ((micros % 1000n) + 1000n) % 1000n
  const millis = Number((micros - rest) / 1000n)
  const text = new Date(millis).toISOString().slice(0, -1)
  if (rest !== 0n) return `${text}${rest.toString().padStart(3, '0')}Z`
  return `${millis % 1000 === 0 ? text.slice(0, -'.000'.length) : text}Z`
}
