// The scalar types of protobuf: how each is read and written, and what its absence stands for.
import type { MessageWriter } from './message-writer.ts'
import {
  type Cursor,
  readBytes,
  readFixedInt64,
  readInt32,
  readInt64,
  readSignedInt64,
  readText,
  wireTypes,
} from './wire-reading.ts'

export const scalarNames = [
  'string',
  'bytes',
  'bool',
  'int32',
  'uint32',
  'int64',
  'uint64',
  'sint64',
  'sfixed64',
] as const
export type ScalarName = (typeof scalarNames)[number]

export type Scalar = {
  readonly wireType: 0 | 1 | 2
  readonly absent: unknown
  read(cursor: Cursor): unknown
  write(writer: MessageWriter, value: never): void
}

const { varint, fixed64, bytes } = wireTypes
const noBytes = new Uint8Array()

/** Unsigned numbers are read as in Java, with the top bit as the sign: that is what Canton hashes. */
export const scalars: Readonly<Record<ScalarName, Scalar>> = {
  string: { wireType: bytes, absent: '', read: readText, write: (writer, value: string) => writer.string(value) },
  bytes: {
    wireType: bytes,
    absent: noBytes,
    read: readBytes,
    write: (writer, value: Uint8Array) => writer.bytes(value),
  },
  bool: { wireType: varint, absent: false, read: readBool, write: (writer, value: boolean) => writer.bool(value) },
  int32: { wireType: varint, absent: 0, read: readInt32, write: (writer, value: number) => writer.int32(value) },
  uint32: {
    wireType: varint,
    absent: 0,
    read: readInt32,
    write: (writer, value: number) => writer.uint32(value >>> 0),
  },
  int64: { wireType: varint, absent: 0n, read: readInt64, write: (writer, value: Integer) => writer.int64(value) },
  uint64: { wireType: varint, absent: 0n, read: readInt64, write: (writer, value: Integer) => writer.int64(value) },
  sint64: {
    wireType: varint,
    absent: 0n,
    read: readSignedInt64,
    write: (writer, value: Integer) => writer.sint64(value),
  },
  sfixed64: {
    wireType: fixed64,
    absent: 0n,
    read: readFixedInt64,
    write: (writer, value: Integer) => writer.sfixed64(value),
  },
}

type Integer = number | bigint

function readBool(cursor: Cursor): boolean {
  return readInt64(cursor) !== 0n
}
