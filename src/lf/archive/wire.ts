// The protobuf wire format over one buffer: varints, fixed-width numbers, lengths and texts. Readers move the cursor
// and check against the buffer; that a message ends where it should is checked once per message (message.ts).
import { isUtf8 } from 'node:buffer'
import { ArchiveError } from './archive-error.ts'

export type Cursor = {
  readonly bytes: Buffer
  position: number
  /** Where the innermost message being read ends. */
  end: number
  /** What is being read, for errors: a package, a module, a definition. */
  place: string
}

export const wireTypes = { varint: 0, fixed64: 1, bytes: 2 } as const
export type WireType = (typeof wireTypes)[keyof typeof wireTypes]

const varintBytesMax = 10

export function openCursor(bytes: Uint8Array, place: string): Cursor {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return { bytes: buffer, position: 0, end: buffer.length, place }
}

/** `reason`: in the reference's words. */
export function refuse(cursor: Cursor, problem: string, reason?: string): never {
  const message = `${cursor.place}: ${problem} (at byte ${Math.min(cursor.position, cursor.bytes.length)})`
  throw new ArchiveError(message, { kind: 'content', ...(reason !== undefined && { reason }) })
}

/** What Java's reader of protobuf says. */
const protobufWords = {
  cutOff:
    'While parsing a protocol message, the input ended unexpectedly in the middle of a field.  This could mean either that the ' +
    'input has been truncated or that an embedded message misreported its own length.',
  varint: 'CodedInputStream encountered a malformed varint.',
  negative: 'CodedInputStream encountered an embedded string or message which claimed to have negative size.',
  utf8: 'Protocol message had invalid UTF-8.',
}

function refuseBytes(cursor: Cursor, problem: string, words: keyof typeof protobufWords): never {
  const exception = 'com.google.protobuf.InvalidProtocolBufferException'
  return refuse(cursor, problem, `IO error: ${exception}: ${protobufWords[words]}`)
}

/** A varint's low 32 bits as a signed integer, for int32, enum, bool and tags. */
export function readInt32(cursor: Cursor): number {
  const byte = cursor.bytes[cursor.position]!
  if (byte < 0x80) {
    cursor.position++
    return byte
  }
  return readLongInt32(cursor)
}

function readLongInt32(cursor: Cursor): number {
  let value = 0
  for (let i = 0; i < varintBytesMax; i++) {
    const byte = readByte(cursor)
    if (i < 5) value |= (byte & 0x7f) << (7 * i)
    if (byte < 0x80) return value
  }
  return refuseBytes(cursor, 'a number has more than 10 bytes', 'varint')
}

/** A zig-zag encoded sint64. */
export function readSignedInt64(cursor: Cursor): bigint {
  const first = cursor.bytes[cursor.position]!
  if (first < 0x80) {
    cursor.position++
    return BigInt(first & 1 ? -(first + 1) / 2 : first / 2)
  }
  const unsigned = readVarint64(cursor)
  return unsigned & 1n ? -((unsigned + 1n) >> 1n) : unsigned >> 1n
}

/** An int64, or a uint64 as in Java: with the top bit as the sign. */
export function readInt64(cursor: Cursor): bigint {
  const first = cursor.bytes[cursor.position]!
  if (first < 0x80) {
    cursor.position++
    return BigInt(first)
  }
  return BigInt.asIntN(64, readVarint64(cursor))
}

function readVarint64(cursor: Cursor): bigint {
  let value = 0n
  for (let i = 0n; i < varintBytesMax; i++) {
    const byte = readByte(cursor)
    value |= BigInt(byte & 0x7f) << (7n * i)
    if (byte < 0x80) return BigInt.asUintN(64, value)
  }
  return refuseBytes(cursor, 'a number has more than 10 bytes', 'varint')
}

export function readFixedInt64(cursor: Cursor): bigint {
  const start = cursor.position
  if (start + 8 > cursor.end) refuseBytes(cursor, 'the data is cut off', 'cutOff')
  cursor.position += 8
  return cursor.bytes.readBigInt64LE(start)
}

/** Reads a length and returns where its bytes end; they start at the cursor. */
export function readLength(cursor: Cursor): number {
  const length = readInt32(cursor)
  const end = cursor.position + length
  if (length < 0) refuseBytes(cursor, 'a length is negative', 'negative')
  if (end > cursor.end) refuseBytes(cursor, 'the data is cut off, or a length is wrong', 'cutOff')
  return end
}

export function readText(cursor: Cursor): string {
  const end = readLength(cursor)
  const start = cursor.position
  const text = cursor.bytes.toString('utf8', start, end)
  if (text.includes('\ufffd') && !isUtf8(cursor.bytes.subarray(start, end))) {
    refuseBytes(cursor, 'a text is not valid UTF-8', 'utf8')
  }
  cursor.position = end
  return text
}

export function readBytes(cursor: Cursor): Buffer {
  const end = readLength(cursor)
  const bytes = cursor.bytes.subarray(cursor.position, end)
  cursor.position = end
  return bytes
}

function readByte(cursor: Cursor): number {
  const byte = cursor.bytes[cursor.position]
  if (byte === undefined) return refuseBytes(cursor, 'the data is cut off', 'cutOff')
  cursor.position++
  return byte
}
