// Reads protobuf from untrusted sources: fields in any order, unknown ones ignored, the last of several counts. Errors
// have the texts of Java's protobuf, which clients of Canton see.
import { isUtf8 } from 'node:buffer'

/** Why bytes are no message, or a message no topology transaction. */
export class TopologyFormatError extends Error {}

const truncated =
  'While parsing a protocol message, the input ended unexpectedly in the middle of a field.  This could mean either ' +
  'that the input has been truncated or that an embedded message misreported its own length.'

const wireTypes = { varint: 0, fixed64: 1, bytes: 2, startGroup: 3, endGroup: 4, fixed32: 5 } as const
const varintBytesMax = 10

type Field = { readonly number: number; readonly varint?: number; readonly bytes?: Uint8Array }

export class ProtoMessage {
  readonly #fields: readonly Field[]

  constructor(bytes: Uint8Array) {
    this.#fields = readFields(bytes)
  }

  /** The low 32 bits; 0 if absent. */
  int(number: number): number {
    return this.#fields.findLast((field) => field.number === number && field.varint !== undefined)?.varint ?? 0
  }

  /** Written one by one or packed. */
  ints(number: number): number[] {
    return this.#fields.flatMap((field) => {
      if (field.number !== number) return []
      return field.varint === undefined ? readPacked(field.bytes) : [field.varint]
    })
  }

  bytes(number: number): Uint8Array | undefined {
    return this.#of(number).at(-1)
  }

  /** "" if absent. */
  text(number: number): string {
    return this.texts(number).at(-1) ?? ''
  }

  texts(number: number): string[] {
    return this.#of(number).map((bytes) => {
      if (!isUtf8(bytes)) throw new TopologyFormatError('Protocol message had invalid UTF-8.')
      return Buffer.from(bytes).toString()
    })
  }

  /** Several occurrences are pieces of one message. */
  message(number: number): ProtoMessage | undefined {
    const pieces = this.#of(number)
    return pieces.length === 0 ? undefined : new ProtoMessage(Buffer.concat(pieces))
  }

  /** Not parsed yet: there may be too many of them. */
  messages(number: number): Uint8Array[] {
    return this.#of(number)
  }

  /** Which message of a oneof is set: the last one. */
  choice<N extends number>(numbers: readonly N[]): N | undefined {
    const chosen = this.#fields.findLast(
      (field) => field.bytes !== undefined && numbers.some((number) => number === field.number),
    )
    return chosen?.number as N | undefined
  }

  #of(number: number): Uint8Array[] {
    return this.#fields.flatMap((field) => (field.number === number && field.bytes ? [field.bytes] : []))
  }
}

function readFields(bytes: Uint8Array): Field[] {
  const cursor = { bytes, position: 0 }
  const fields: Field[] = []
  while (cursor.position < bytes.length) {
    const tag = readVarint(cursor)
    const number = tag >>> 3
    if (number === 0) throw new TopologyFormatError('Protocol message contained an invalid tag (zero).')
    const field = readField(cursor, number, tag & 7)
    if (field !== undefined) fields.push(field)
  }
  return fields
}

type Cursor = { readonly bytes: Uint8Array; position: number }

function readField(cursor: Cursor, number: number, wireType: number): Field | undefined {
  if (wireType === wireTypes.varint) return { number, varint: readVarint(cursor) }
  if (wireType === wireTypes.bytes) return { number, bytes: take(cursor, readVarint(cursor)) }
  if (wireType === wireTypes.fixed64) take(cursor, 8)
  else if (wireType === wireTypes.fixed32) take(cursor, 4)
  else if (wireType === wireTypes.startGroup) skipGroup(cursor, number)
  // The end of a group that did not begin means nothing to the reference.
  else if (wireType !== wireTypes.endGroup) throw new TopologyFormatError('Protocol message tag had invalid wire type.')
  return undefined
}

/** None of our messages has groups, but unknown fields may be nested groups. */
function skipGroup(cursor: Cursor, number: number): void {
  const open = [number]
  while (open.length > 0) {
    const tag = readVarint(cursor)
    const inner = tag >>> 3
    if ((tag & 7) === wireTypes.startGroup) open.push(inner)
    else if ((tag & 7) !== wireTypes.endGroup) readField(cursor, inner, tag & 7)
    else if (open.pop() !== inner) throw wrongEndOfGroup()
  }
}

const wrongEndOfGroup = () => new TopologyFormatError('Protocol message end-group tag did not match expected tag.')

function readPacked(bytes: Uint8Array | undefined): number[] {
  const cursor = { bytes: bytes ?? new Uint8Array(), position: 0 }
  const numbers: number[] = []
  while (cursor.position < cursor.bytes.length) numbers.push(readVarint(cursor))
  return numbers
}

/** The low 32 bits as a signed integer, like tags, lengths, enums, int32 and uint32 on the JVM. */
function readVarint(cursor: Cursor): number {
  let value = 0
  for (let i = 0; i < varintBytesMax; i++) {
    const byte = cursor.bytes[cursor.position++]
    if (byte === undefined) throw new TopologyFormatError(truncated)
    if (i < 5) value |= (byte & 0x7f) << (7 * i)
    if (byte < 0x80) return value
  }
  throw new TopologyFormatError('CodedInputStream encountered a malformed varint.')
}

function take(cursor: Cursor, length: number): Uint8Array {
  const start = cursor.position
  if (length < 0) {
    throw new TopologyFormatError(
      'CodedInputStream encountered an embedded string or message which claimed to have negative size.',
    )
  }
  if (start + length > cursor.bytes.length) throw new TopologyFormatError(truncated)
  cursor.position += length
  return cursor.bytes.subarray(start, start + length)
}

export const notSet = (field: string) => new TopologyFormatError(`Field \`${field}\` is not set`)

export const unrecognized = (field: string, value: number) =>
  new TopologyFormatError(`Unrecognized value \`${value}\` in enum field \`${field}\``)

export function positive(value: number, field: string): number {
  if (value > 0) return value
  const reason = `Received the non-positive ${value} as argument, but we require a positive value here.`
  throw new TopologyFormatError(`Invariant violation in field \`${field}\`: ${reason}`)
}
