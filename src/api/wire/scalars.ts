// Scalars beyond the JSON types: 64-bit integers, instants, bytes, type names. Errors use the words of Canton's
// decoders (circe, java.time), because clients see them.
import { instantFromText } from '../../lf/codec/time-text.ts'
import { printable } from './printable.ts'

/** The value of a scalar, or what is wrong with it. */
export type Decoded<T> = { readonly value: T } | { readonly problem: string }

const int64Min = -(2n ** 63n)
const int64Max = 2n ** 63n - 1n
const integerText = /^\0?([+-]?\d{1,64})(?:\.0*)?$/ // After NUL: a number that no double can represent (exact-json.ts).

/** From a JSON number, or a string with one; undefined if it is not a 64-bit integer. */
export function int64From(value: unknown): bigint | undefined {
  const integer = integerFrom(value)
  return integer === undefined || integer < int64Min || integer > int64Max ? undefined : integer
}

function integerFrom(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined
  const match = typeof value === 'string' ? integerText.exec(value) : null
  return match === null ? undefined : BigInt(match[1]!)
}

// Instants as java.time parses them, piece by piece, because its errors give the index of the first problem.
const instantPieces = [
  /\d{4}/y,
  /-/y,
  /\d\d/y,
  /-/y,
  /\d\d/y,
  /t/iy,
  /\d\d/y,
  /:/y,
  /\d\d/y,
  /:/y,
  /\d\d/y,
  /(\.\d{1,9})?/y,
  /z|[+-]\d\d:\d\d(:\d\d)?/iy,
]

/** Microseconds since 1970; further digits are truncated. */
export function instantFrom(text: string): Decoded<bigint> {
  let position = 0
  for (const piece of instantPieces) {
    piece.lastIndex = position
    if (!piece.test(text)) return { problem: `Text '${printable(text)}' could not be parsed at index ${position}` }
    position = piece.lastIndex
  }
  if (position < text.length) {
    return { problem: `Text '${printable(text)}' could not be parsed, unparsed text found at index ${position}` }
  }
  const micros = instantFromText(text)
  return micros === undefined
    ? { problem: `Text '${printable(text)}' could not be parsed at index 0` } // Well formed, but no such day or hour.
    : { value: BigInt(micros) }
}

/** Padding may be missing, but not wrong. */
export function bytesFrom(text: string): Decoded<Uint8Array> {
  const digits = text.replace(/={1,2}$/, '')
  const isPadded = digits.length < text.length
  const isWhole = isPadded ? text.length % 4 === 0 : digits.length % 4 !== 1
  if (!isWhole || !/^[A-Za-z0-9+/]*$/.test(digits))
    return { problem: `The string is not a valid Base64: ${printable(text)}` }
  return { value: Buffer.from(digits, 'base64') }
}

/** `package:Module:Entity`; trailing colons are ignored. */
export function identifierFrom(text: string): Decoded<string> {
  const parts = text.replace(/:+$/, '').split(':')
  if (parts.length === 3) return { value: parts.join(':') }
  const format = '<package>:<moduleName>:<entityName>'
  return { problem: `Invalid identifier format (${printable(text)}) not matching the expected format (${format})` }
}

export function enumValueFrom(text: string, values: readonly string[]): Decoded<string> {
  if (values.includes(text)) return { value: text }
  return { problem: `Unrecognized enum value ${printable(text)}. Supported values: [${values.join(', ')}]` }
}
