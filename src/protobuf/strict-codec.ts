// Reads and writes messages of the tables exactly. Fields are written in the order of their numbers, and defaults are
// left out where proto3 leaves them out. Unknown, repeated and truncated fields are refused, so that no two different
// messages are read as the same one.
import { finishWriting, type MessageWriter } from './message-writer.ts'
import type { Field, MessageType } from './messages.ts'
import { type Scalar, scalars } from './scalars.ts'
import { type Cursor, inMessage, openCursor, readInt32, refuse, tagOf, wireTypes } from './wire-reading.ts'

/**
 * Messages are objects with the names of JSON. A message that is one oneof and nothing else is `{kind, value}`, with the
 * name of the member in kebab-case, or undefined if it is empty.
 */
export type StrictCodec<T> = {
  /** Throws a ProtobufError for anything wrong. `place` names the message in it. */
  decode(bytes: Uint8Array, place: string, limits: Limits): T
  encode(value: T): Uint8Array
}

/** Names that objects have instead, by the message and the field. A field without a name is refused. */
export type OwnNames = Readonly<Record<string, Readonly<Record<string, string | undefined>>>>

type Limits = { readonly depthMax: number; readonly messagesMax: number }

/** One pass over bytes, with what is left of its limits. */
type Reading = { readonly cursor: Cursor; depth: number; messages: number }

type Content = { read(reading: Reading): unknown; write(writer: MessageWriter, value: unknown): void }

type Row = {
  readonly name: string
  readonly tag: number
  /** When absent, `once` has its default and `maybe` is undefined. */
  readonly occurs: 'once' | 'maybe' | 'many'
  readonly absent: unknown
  read(reading: Reading): unknown
  /** With the tag. */
  write(writer: MessageWriter, value: unknown): void
}

export function createStrictCodec<T>(message: MessageType, ownNames: OwnNames): StrictCodec<T> {
  const { read, write } = createContents(ownNames)(message)
  return {
    decode(bytes, place, { depthMax, messagesMax }) {
      const cursor = openCursor(bytes, place)
      const value = read({ cursor, depth: depthMax, messages: messagesMax })
      if (cursor.position !== cursor.end) refuse(cursor, 'a message does not end where it should', 'truncated')
      return value as T
    },
    encode: (value) => finishWriting((writer) => write(writer, value)),
  }
}

/** Messages are compiled when they are first read or written, because they may hold themselves. */
function createContents(ownNames: OwnNames): (message: MessageType) => Content {
  const known = new Map<MessageType, Content>()

  function contentOf(message: MessageType): Content {
    const found = known.get(message)
    if (found !== undefined) return found
    let compiled: Content | undefined
    const content: Content = {
      read(reading) {
        compiled ??= compile(message)
        return compiled.read(reading)
      },
      write(writer, value) {
        compiled ??= compile(message)
        compiled.write(writer, value)
      },
    }
    known.set(message, content)
    return content
  }

  function compile({ fullName, fields }: MessageType): Content {
    const isOneof = fields.length > 0 && fields.every(({ oneof }) => oneof !== undefined && oneof === fields[0]!.oneof)
    const names = ownNames[fullName] ?? {}
    const rows = fields
      .toSorted((a, b) => a.number - b.number)
      .flatMap((field) => {
        const usual = isOneof ? field.name.replaceAll('_', '-') : field.jsonName
        const name = Object.hasOwn(names, field.name) ? names[field.name] : usual
        return name === undefined ? [] : [rowOf(field, name)]
      })
    return isOneof ? oneofContent(rows) : objectContent(rows)
  }

  function rowOf(field: Field, name: string): Row {
    const { kind, number, occurs, oneof } = field
    if (occurs === 'map') throw new Error(`maps like ${name} are not read strictly`)
    if (typeof kind === 'object') {
      if (kind.is === 'enum') throw new Error(`enums like ${name} are not read strictly`)
      return messageRow(number, name, occurs === 'repeated' ? 'many' : 'maybe', contentOf(kind))
    }
    const { wireType, absent, read, write } = kind === 'bool' ? strictBool : scalars[kind]
    if (occurs === 'repeated' && wireType !== wireTypes.bytes) {
      throw new Error(`lists of numbers like ${name} are not read strictly`)
    }
    return {
      name,
      tag: tagOf(number, wireType),
      occurs: occurs === 'repeated' ? 'many' : occurs === 'optional' || oneof !== undefined ? 'maybe' : 'once',
      absent,
      read: ({ cursor }) => read(cursor),
      write: (writer, value) => write(writer.tag(number, wireType), value as never),
    }
  }

  return contentOf
}

const strictBool: Scalar = {
  ...scalars.bool,
  read(cursor) {
    const number = readInt32(cursor)
    return number === 0 || number === 1 ? number === 1 : refuse(cursor, 'a truth value is neither')
  },
}

function messageRow(number: number, name: string, occurs: 'maybe' | 'many', content: Content): Row {
  return {
    name,
    tag: tagOf(number, wireTypes.bytes),
    occurs,
    absent: undefined,
    read(reading) {
      const { cursor } = reading
      reading.depth -= 1
      reading.messages -= 1
      if (reading.depth < 0) refuse(cursor, 'messages are nested too deeply', 'depth')
      if (reading.messages < 0) refuse(cursor, 'there are too many messages')
      const value = inMessage(cursor, () => content.read(reading))
      reading.depth += 1
      return value
    },
    write: (writer, value) => writer.message(number, () => content.write(writer, value)),
  }
}

function objectContent(rows: readonly Row[]): Content {
  const byTag = new Map(rows.map((row) => [row.tag, row]))
  return {
    read(reading) {
      const { cursor } = reading
      const values: Record<string, unknown> = {}
      for (const { name, occurs, absent } of rows) {
        values[name] = occurs === 'many' ? [] : occurs === 'once' ? absent : undefined
      }
      const seen = new Set<string>()
      while (cursor.position < cursor.end) {
        const row = byTag.get(readInt32(cursor))
        if (row === undefined) return refuse(cursor, 'a field is unknown')
        const value = row.read(reading)
        if (row.occurs === 'many') {
          ;(values[row.name] as unknown[]).push(value)
          continue
        }
        if (seen.has(row.name)) refuse(cursor, `the field ${row.name} is given twice`)
        seen.add(row.name)
        values[row.name] = value
      }
      return values
    },
    write(writer, values) {
      for (const { name, occurs, absent, write } of rows) {
        const value = (values as Record<string, unknown>)[name]
        if (occurs === 'many') for (const item of value as unknown[]) write(writer, item)
        else if (occurs === 'maybe' ? value !== undefined : !isDefault(value, absent)) write(writer, value)
      }
    },
  }
}

function isDefault(value: unknown, absent: unknown): boolean {
  return value === absent || (value instanceof Uint8Array && value.length === 0)
}

function oneofContent(rows: readonly Row[]): Content {
  const byTag = new Map(rows.map((row) => [row.tag, row]))
  const byKind = new Map(rows.map((row) => [row.name, row]))
  return {
    read(reading) {
      const { cursor } = reading
      if (cursor.position === cursor.end) return undefined
      const row = byTag.get(readInt32(cursor))
      if (row === undefined) return refuse(cursor, 'a field is unknown')
      const value = row.read(reading)
      if (cursor.position !== cursor.end) refuse(cursor, 'more than one form is given')
      return { kind: row.name, value }
    },
    write(writer, choice) {
      if (choice === undefined) return
      const { kind, value } = choice as { readonly kind: string; readonly value: unknown }
      byKind.get(kind)!.write(writer, value)
    },
  }
}
