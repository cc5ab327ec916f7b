// The protobuf wire format over one buffer: varints, fixed-width numbers, lengths and texts. Readers move the cursor
// and check it against the message it is in. A number of one byte is not checked: whether a message ends where it should
// is checked once per message.
import { isUtf8 } from 'node:buffer'
import { type Damage, ProtobufError } from './protobuf-error.ts'

export type Cursor = {
  readonly bytes: Buffer
  position: number
  /** Where the innermost message being read ends. */
  end: number
  /** What is being read, for errors: a package, a module, a definition. */
  place: string
  /** Makes the error that is thrown, so that every format has its own. */
  readonly errorOf: ErrorOf
}

type ErrorOf = (message: string, damage: Damage | undefined) => Error

export const wireTypes = { varint: 0, fixed64: 1, bytes: 2, startGroup: 3, endGroup: 4, fixed32: 5 } as const
/** Of what is written: groups and short numbers are only skipped. */
export type WireType = 0 | 1 | 2

/** A field's number and wire type in one number, as on the wire. */
export const tagOf = (number: number, wireType: number): number => (number << 3) | wireType

const varintBytesMax = 10

export function openCursor(bytes: Uint8Array, place: string, errorOf: ErrorOf = protobufError): Cursor {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return { bytes: buffer, position: 0, end: buffer.length, place, errorOf }
}

const protobufError: ErrorOf = (message, damage) => new ProtobufError(message, damage)

export function refuse(cursor: Cursor, problem: string, damage?: Damage): never {
  throw cursor.errorOf(`${cursor.place}: ${problem} (at byte ${byteOf(cursor)})`, damage)
}

/** Where the cursor is, for errors. */
export function byteOf({ position, bytes }: Cursor): number {
  return Math.min(position, bytes.length)
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
  return refuse(cursor, 'a number has more than 10 bytes', 'varint')
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
  return refuse(cursor, 'a number has more than 10 bytes', 'varint')
}

export function readFixedInt64(cursor: Cursor): bigint {
  const start = cursor.position
  if (start + 8 > cursor.end) refuse(cursor, 'the data is cut off', 'truncated')
  cursor.position += 8
  return cursor.bytes.readBigInt64LE(start)
}

/** Reads a length and returns where its bytes end; they start at the cursor. */
export function readLength(cursor: Cursor): number {
  const length = readInt32(cursor)
  const end = cursor.position + length
  if (length < 0) refuse(cursor, 'a length is negative', 'negative')
  if (end > cursor.end) refuse(cursor, 'the data is cut off, or a length is wrong', 'truncated')
  return end
}

export function readText(cursor: Cursor): string {
  const end = readLength(cursor)
  const start = cursor.position
  const text = cursor.bytes.toString('utf8', start, end)
  if (text.includes('\ufffd') && !isUtf8(cursor.bytes.subarray(start, end))) {
    refuse(cursor, 'a text is not valid UTF-8', 'utf8')
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

/** Reads a length and then, with the cursor limited to it, a message of that length. */
export function inMessage<Result>(cursor: Cursor, read: () => Result): Result {
  const outer = cursor.end
  cursor.end = readLength(cursor)
  const result = read()
  if (cursor.position !== cursor.end) refuse(cursor, 'a message does not end where it should', 'truncated')
  cursor.end = outer
  return result
}

/** The tag of a field that may be unknown. */
export function readTag(cursor: Cursor): number {
  const tag = readInt32(cursor)
  if (tag >>> 3 === 0) refuse(cursor, 'a field has the number 0', 'tag')
  return tag
}

/** Skips what follows the tag of an unknown field. Groups may be nested this deeply; 0 refuses them. */
export function skipField(cursor: Cursor, tag: number, groupDepthMax = 0): void {
  const wireType = tag & 7
  if (wireType === wireTypes.varint) readInt64(cursor)
  else if (wireType === wireTypes.bytes) cursor.position = readLength(cursor)
  else if (wireType === wireTypes.fixed64) cursor.position += 8
  else if (wireType === wireTypes.fixed32) cursor.position += 4
  else if (wireType === wireTypes.startGroup && groupDepthMax > 0) skipGroup(cursor, tag >>> 3, groupDepthMax)
  else refuseWireType(cursor, tag)
  if (cursor.position > cursor.end) refuse(cursor, 'the data is cut off', 'truncated')
}

/** Only older versions of protobuf have groups: none is known, but a client may send some. */
function skipGroup(cursor: Cursor, number: number, depthMax: number): void {
  for (;;) {
    if (cursor.position >= cursor.end) refuse(cursor, 'a group has no end', 'group')
    const tag = readTag(cursor)
    if ((tag & 7) !== wireTypes.endGroup) {
      if ((tag & 7) === wireTypes.startGroup && depthMax === 1) refuse(cursor, 'groups are nested too deeply', 'depth')
      skipField(cursor, tag, depthMax - 1)
    } else if (tag >>> 3 === number) return
    else refuse(cursor, 'a group has the end of another', 'group')
  }
}

export function refuseWireType(cursor: Cursor, tag: number): never {
  const damage = (tag & 7) === wireTypes.endGroup ? 'group' : 'wireType'
  return refuse(cursor, `the field ${tag >>> 3} cannot have the wire type ${tag & 7}`, damage)
}

function readByte(cursor: Cursor): number {
  if (cursor.position >= cursor.end) refuse(cursor, 'the data is cut off', 'truncated')
  return cursor.bytes[cursor.position++]!
}
