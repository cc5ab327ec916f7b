// Protobuf messages as tables that both read and write. Fields are written in the order of their numbers, and defaults
// are left out where proto3 leaves them out. Reading is strict: unknown, repeated and truncated fields are refused, so
// that no two different messages are read as the same one.

import { finishWriting, type MessageWriter } from '../../protobuf/message-writer.ts'
import {
  type Cursor,
  openCursor,
  readBytes,
  readFixedInt64,
  readInt32,
  readInt64,
  readLength,
  readSignedInt64,
  readText,
  refuse,
  tagOf,
  type WireType,
  wireTypes,
} from '../../protobuf/wire-reading.ts'

/** A uint64 is an `int64` here, as in Java: the signed number is what is hashed. */
type ScalarName = 'string' | 'bytes' | 'bool' | 'int32' | 'int64' | 'sint64' | 'sfixed64'

type Scalar = {
  readonly wireType: WireType
  readonly absent: unknown
  read(cursor: Cursor): unknown
  write(writer: MessageWriter, value: never): void
}

const noBytes = new Uint8Array()

const scalars: Readonly<Record<ScalarName, Scalar>> = {
  string: {
    wireType: wireTypes.bytes,
    absent: '',
    read: readText,
    write: (writer, value: string) => writer.string(value),
  },
  bytes: {
    wireType: wireTypes.bytes,
    absent: noBytes,
    read: readBytes,
    write: (writer, value: Uint8Array) => writer.bytes(value),
  },
  bool: {
    wireType: wireTypes.varint,
    absent: false,
    read: readBool,
    write: (writer, value: boolean) => writer.bool(value),
  },
  int32: {
    wireType: wireTypes.varint,
    absent: 0,
    read: readInt32,
    write: (writer, value: number) => writer.int32(value),
  },
  int64: {
    wireType: wireTypes.varint,
    absent: 0n,
    read: readInt64,
    write: (writer, value: bigint) => writer.int64(value),
  },
  sint64: {
    wireType: wireTypes.varint,
    absent: 0n,
    read: readSignedInt64,
    write: (writer, value: bigint) => writer.sint64(value),
  },
  sfixed64: {
    wireType: wireTypes.fixed64,
    absent: 0n,
    read: readFixedInt64,
    write: (writer, value: bigint) => writer.sfixed64(value),
  },
}

type Content = ScalarName | (() => Message<unknown>)

type Field = {
  readonly number: number
  readonly content: Content
  /** When absent, `once` has its default and `maybe` is undefined. */
  readonly occurs: 'once' | 'maybe' | 'many'
}

export const once = (number: number, content: ScalarName): Field => ({ number, content, occurs: 'once' })
export const maybe = (number: number, content: Content): Field => ({ number, content, occurs: 'maybe' })
export const many = (number: number, content: Content): Field => ({ number, content, occurs: 'many' })

export type Message<T> = {
  read(reading: Reading): T
  write(writer: MessageWriter, value: T): void
}

/** One pass over bytes, with what is left of its limits. */
type Reading = { readonly cursor: Cursor; depth: number; messages: number }

type Limits = { readonly depthMax: number; readonly messagesMax: number }

/** Throws a ProtobufError for anything wrong. */
export function readWholeMessage<T>(bytes: Uint8Array, place: string, message: Message<T>, limits: Limits): T {
  const cursor = openCursor(bytes, place)
  const value = message.read({ cursor, depth: limits.depthMax, messages: limits.messagesMax })
  if (cursor.position !== cursor.end) refuse(cursor, 'a message does not end where it should')
  return value
}

export function writeWholeMessage<T>(value: T, message: Message<T>): Uint8Array {
  return finishWriting((writer) => message.write(writer, value))
}

/** Rows in the order of their numbers, with the names of their values. */
export function messageOf<T>(fields: Readonly<Record<keyof T & string, Field>>): Message<T> {
  const rows = Object.entries<Field>(fields).map(([name, field]) => ({ name, ...field }))
  const byTag = new Map(rows.map((row) => [tagFor(row), row]))
  return {
    read(reading) {
      const { cursor } = reading
      const values: Record<string, unknown> = {}
      for (const { name, occurs, content } of rows) values[name] = absentValue(occurs, content)
      const seen = new Set<string>()
      while (cursor.position < cursor.end) {
        const row = byTag.get(readInt32(cursor))
        if (row === undefined) return refuse(cursor, 'a field is unknown')
        const value = readContent(reading, row.content)
        if (row.occurs === 'many') (values[row.name] as unknown[]).push(value)
        else {
          if (seen.has(row.name)) refuse(cursor, `the field ${row.name} is given twice`)
          seen.add(row.name)
          values[row.name] = value
        }
      }
      return values as T
    },
    write(writer, value) {
      for (const row of rows) {
        const given = (value as Record<string, unknown>)[row.name]
        if (row.occurs === 'many') for (const item of given as unknown[]) writeField(writer, row, item)
        else if (row.occurs === 'maybe' ? given !== undefined : !isDefault(given)) writeField(writer, row, given)
      }
    },
  }
}

/** A message that is one `oneof` and nothing else, as `{kind, value}`. */
export function oneOf<T extends { readonly kind: string; readonly value: unknown }>(
  forms: Readonly<Record<T['kind'], readonly [number: number, content: Content]>>,
): Message<T | undefined> {
  const rows = Object.entries<readonly [number, Content]>(forms).map(([kind, [number, content]]) => {
    return { kind, number, content }
  })
  const byTag = new Map(rows.map((row) => [tagFor(row), row]))
  const byKind = new Map(rows.map((row) => [row.kind, row]))
  return {
    read(reading) {
      const { cursor } = reading
      if (cursor.position === cursor.end) return undefined
      const row = byTag.get(readInt32(cursor))
      if (row === undefined) return refuse(cursor, 'a field is unknown')
      const value = readContent(reading, row.content)
      if (cursor.position !== cursor.end) refuse(cursor, 'more than one form is given')
      return { kind: row.kind, value } as unknown as T
    },
    write(writer, given) {
      if (given !== undefined) writeField(writer, byKind.get(given.kind)!, given.value)
    },
  }
}

function tagFor({ number, content }: { readonly number: number; readonly content: Content }): number {
  return tagOf(number, typeof content === 'string' ? scalars[content].wireType : wireTypes.bytes)
}

function absentValue(occurs: Field['occurs'], content: Content): unknown {
  if (occurs === 'many') return []
  return occurs === 'once' ? scalars[content as ScalarName].absent : undefined
}

function isDefault(value: unknown): boolean {
  return (
    value === '' || value === 0 || value === 0n || value === false || (value instanceof Uint8Array && !value.length)
  )
}

function readContent(reading: Reading, content: Content): unknown {
  const { cursor } = reading
  if (typeof content === 'string') return scalars[content].read(cursor)
  const outer = cursor.end
  cursor.end = readLength(cursor)
  reading.depth -= 1
  reading.messages -= 1
  if (reading.depth < 0) refuse(cursor, 'messages are nested too deeply')
  if (reading.messages < 0) refuse(cursor, 'there are too many messages')
  const value = content().read(reading)
  if (cursor.position !== cursor.end) refuse(cursor, 'a message does not end where it should')
  reading.depth += 1
  cursor.end = outer
  return value
}

function writeField(
  writer: MessageWriter,
  { number, content }: { readonly number: number; readonly content: Content },
  value: unknown,
): void {
  if (typeof content === 'string') {
    const { wireType, write } = scalars[content]
    write(writer.tag(number, wireType), value as never)
    return
  }
  writer.tag(number, wireTypes.bytes).fork()
  content().write(writer, value)
  writer.join()
}

function readBool(cursor: Cursor): boolean {
  const number = readInt32(cursor)
  return number === 0 || number === 1 ? number === 1 : refuse(cursor, 'a truth value is neither')
}
