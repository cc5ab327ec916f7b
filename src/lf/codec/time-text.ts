// Dates and timestamps as the API writes them: ISO 8601, in UTC, with no more digits of the second than needed.
import { type Int64, int64 } from '../values/values.ts'

const dayMillis = 86_400_000
const daysPerCycle = 146_097
const datePattern = /^([+-]?)(\d{4,9})-(\d\d)-(\d\d)$/
const timestampPattern =
  /^([+-]?\d{4,9}-\d\d-\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{0,9}))?)?(Z|[+-]\d\d:\d\d(?::\d\d)?)(?:\[([^\]]+)\])?$/i
const fixedZone = /^(?:Z|(?:UTC|GMT|UT)?(?:[+-]\d\d?(?::?\d\d)?)?)$/
const offsetSecondsMax = 18 * 3600
const microsMin = Date.parse('0000-01-01T00:00:00Z') * 1000
const microsMax = BigInt(Date.parse('9999-12-31T23:59:59.999Z')) * 1000n + 999n

export function dateToText(days: number): string {
  return new Date(days * dayMillis).toISOString().slice(0, 10)
}

/**
 * Undefined for text that is not a date. The year has four digits or a sign, as in Java: `+` only where it has more than
 * four. As in Canton, days beyond 32 bits wrap.
 */
export function dateFromText(text: string): number | undefined {
  const days = daysFromText(text)
  return days === undefined ? undefined : Number(BigInt.asIntN(32, BigInt(days)))
}

function daysFromText(text: string): number | undefined {
  const match = datePattern.exec(text)
  if (match === null) return undefined
  const [, sign = '', digits = ''] = match
  if (sign === '+' ? digits.length === 4 : sign === '' && digits.length > 4) return undefined
  const [years, month, day] = [Number(digits), Number(match[3]), Number(match[4])]
  if (sign === '-' && years === 0) return undefined
  // The calendar repeats after 400 years; dates of JavaScript do not reach as far as those of Java.
  const year = sign === '-' ? -years : years
  const cycles = Math.floor(year / 400)
  const date = new Date(0)
  const millis = date.setUTCFullYear(year - cycles * 400, month - 1, day)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined
  return millis / dayMillis + cycles * daysPerCycle
}

export function timestampToText(micros: Int64): string {
  const [millis, rest] = typeof micros === 'number' ? split(micros) : splitBig(micros)
  const text = new Date(millis).toISOString()
  const fraction = `${text.slice(20, 23)}${String(rest).padStart(3, '0')}`.replace(/0+$/, '')
  return fraction === '' ? `${text.slice(0, 19)}Z` : `${text.slice(0, 19)}.${fraction}Z`
}

/** For times that are not Daml values: zero, three or six digits after the second. */
export function instantToText(micros: Int64): string {
  const number = Number(micros)
  if (!Number.isSafeInteger(number)) return instantFrom(timestampToText(micros))
  const within = ((number % microsPerSecond) + microsPerSecond) % microsPerSecond
  const second = number - within
  if (second !== lastSecond) {
    lastText = new Date(second / 1000).toISOString().slice(0, 19)
    lastSecond = second
  }
  if (within === 0) return `${lastText}Z`
  const digits = String(within).padStart(6, '0')
  return `${lastText}.${digits.endsWith('000') ? digits.slice(0, 3) : digits}Z`
}

// Most times that are written are in the same second.
const microsPerSecond = 1_000_000
let lastSecond = Number.NaN
let lastText = ''

function instantFrom(text: string): string {
  const fraction = text.slice(20, -1)
  return `${text.slice(0, 19)}${fraction && `.${fraction.padEnd(fraction.length > 3 ? 6 : 3, '0')}`}Z`
}

/**
 * Undefined for text that is not a time with an offset, and perhaps with the name of a zone, which is not used. Digits
 * below a microsecond are cut off. As in Canton, times beyond 64 bits wrap.
 */
export function timestampFromText(text: string): Int64 | undefined {
  return usualFromText(text) ?? anyFromText(text)
}

// Most times that are read are of the same day.
let lastDate = ''
let lastDateMicros = 0
const usualDateLength = 10
const usualLengthMin = '2026-01-01T00:00:00Z'.length
const usualLengthMax = usualLengthMin + '.000000'.length

/** A time as this node writes it; undefined for all others, and beyond what a double can hold. */
function usualFromText(text: string): number | undefined {
  const { length } = text
  if (length < usualLengthMin || length > usualLengthMax || text.charCodeAt(length - 1) !== codes.Z) return undefined
  if (text.charCodeAt(10) !== codes.T || text.charCodeAt(13) !== codes.colon || text.charCodeAt(16) !== codes.colon) {
    return undefined
  }
  const [hours, minutes, seconds] = [digitsAt(text, 11, 13), digitsAt(text, 14, 16), digitsAt(text, 17, 19)]
  if (!(hours < 24 && minutes < 60 && seconds < 60)) return undefined
  let fraction = 0
  if (length > usualLengthMin) {
    if (text.charCodeAt(19) !== codes.point) return undefined
    fraction = digitsAt(text, 20, length - 1)
    for (let digits = length - 1 - 20; digits < 6; digits += 1) fraction *= 10
  }
  if (!text.startsWith(lastDate) || lastDate === '') {
    const date = text.slice(0, usualDateLength)
    const days = daysFromText(date)
    if (days === undefined) return undefined
    lastDate = date
    lastDateMicros = days * 86_400 * microsPerSecond
  }
  const micros = lastDateMicros + (hours * 3600 + minutes * 60 + seconds) * microsPerSecond + fraction
  return Number.isSafeInteger(micros) ? micros : undefined
}

const codes = { zero: 48, colon: 58, point: 46, T: 84, Z: 90 }

/** NaN unless all are digits. */
function digitsAt(text: string, start: number, end: number): number {
  let number = 0
  for (let index = start; index < end; index += 1) {
    const digit = text.charCodeAt(index) - codes.zero
    if (digit < 0 || digit > 9) return Number.NaN
    number = number * 10 + digit
  }
  return number
}

function anyFromText(text: string): Int64 | undefined {
  const match = timestampPattern.exec(text)
  const days = match ? daysFromText(match[1]!) : undefined
  if (match === null || days === undefined) return undefined
  const [, , hours, minutes, seconds = '0', fraction = '', offset = '', zone] = match
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined
  if (zone !== undefined && !isZone(zone)) return undefined
  const offsetSeconds = secondsOfOffset(offset)
  if (offsetSeconds === undefined) return undefined
  const time = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) - offsetSeconds
  const micros = fraction.slice(0, 6).padEnd(6, '0')
  return int64(BigInt.asIntN(64, BigInt(days * 86_400 + time) * 1_000_000n + BigInt(micros)))
}

function isZone(name: string): boolean {
  if (fixedZone.test(name)) return true
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** The same for times other than Daml values, which have no zone. Undefined also beyond the supported years. */
export function instantFromText(text: string): Int64 | undefined {
  const micros = text.endsWith(']') ? undefined : timestampFromText(text)
  return micros === undefined || micros < microsMin || micros > microsMax ? undefined : micros
}

function secondsOfOffset(offset: string): number | undefined {
  if (offset.toUpperCase() === 'Z') return 0
  const [hours = 0, minutes = 0, seconds = 0] = offset.slice(1).split(':').map(Number)
  const total = hours * 3600 + minutes * 60 + seconds
  if (minutes > 59 || seconds > 59 || total > offsetSecondsMax) return undefined
  return offset.startsWith('-') ? -total : total
}

/** Milliseconds, rounded down, and the microseconds that remain. */
function split(micros: number): [millis: number, rest: number] {
  const remainder = micros % 1000
  const rest = remainder < 0 ? remainder + 1000 : remainder
  return [(micros - rest) / 1000, rest]
}

function splitBig(micros: bigint): [millis: number, rest: number] {
  const remainder = micros % 1000n
  const rest = remainder < 0n ? remainder + 1000n : remainder
  return [Number((micros - rest) / 1000n), Number(rest)]
}
