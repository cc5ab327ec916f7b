// Reads messages as most readers of protobuf do: unknown fields are skipped, among them those of another wire type, fields
// come in any order, and the last of repeated single fields counts. Depth and number of the values are limited.
import {
  type Cursor,
  inMessage,
  readInt64,
  readLength,
  readTag,
  readText,
  refuse,
  skipField,
  wireTypes,
} from './wire-reading.ts'

export type Limits = { readonly depthMax: number; readonly valuesMax: number }

/** One pass over bytes, with what is left of its limits. */
export type Reading = { readonly cursor: Cursor; depth: number; values: number }

export type Read = (reading: Reading) => unknown
export type Target = Record<string, unknown>
export type FieldReader = {
  readonly wireType: number
  /** Whether it also takes bytes with many of its values. */
  readonly isPackable?: boolean
  into(target: Target, reading: Reading, wireType: number): void
}

/** Reads up to the end of the message that the cursor is in. */
export function readFields(
  reading: Reading,
  readerOf: (number: number) => FieldReader | undefined,
  target: Target,
): void {
  const { cursor } = reading
  while (cursor.position < cursor.end) {
    const tag = readTag(cursor)
    const wireType = tag & 7
    const reader = readerOf(tag >>> 3)
    if (reader !== undefined && takes(reader, wireType)) reader.into(target, reading, wireType)
    else skipField(cursor, tag, reading.depth)
  }
  if (cursor.position !== cursor.end) refuse(cursor, 'a message does not end where it should', 'truncated')
}

function takes({ wireType, isPackable }: FieldReader, found: number): boolean {
  return found === wireType || (isPackable === true && found === wireTypes.bytes)
}

/** Reads a nested message. */
export function within<T>(reading: Reading, read: () => T): T {
  reading.depth -= 1
  if (reading.depth < 0) refuse(reading.cursor, 'messages are nested too deeply', 'depth')
  count(reading)
  const value = inMessage(reading.cursor, read)
  reading.depth += 1
  return value
}

/** Reads the numbers of a list that are packed into one field. */
export function readPacked(reading: Reading, read: () => void): void {
  const { cursor } = reading
  const end = readLength(cursor)
  while (cursor.position < end) {
    count(reading)
    read()
  }
  if (cursor.position !== end) refuse(cursor, 'a list does not end where it should', 'truncated')
}

export function count(reading: Reading): void {
  reading.values -= 1
  if (reading.values < 0) refuse(reading.cursor, 'there are too many values')
}

// ── Messages with a form of their own

const microsPerSecond = 1_000_000n

/** Times are microseconds since 1970, identifiers are texts; both as the JSON API decodes them. */
export const ownReaders: Readonly<Record<string, Read>> = {
  'google.protobuf.Timestamp': (reading) => {
    const { seconds, nanos } = timeOf(reading)
    return seconds * microsPerSecond + nanos / 1000n
  },
  'google.protobuf.Duration': (reading) => {
    const { seconds, nanos } = timeOf(reading)
    return { seconds, nanos: Number(nanos) }
  },
  'com.daml.ledger.api.v2.Identifier': (reading) => {
    const parts = { package: '', module: '', name: '' }
    readFields(reading, (number) => identifierReaders[number - 1], parts)
    return `${parts.package}:${parts.module}:${parts.name}`
  },
}

const identifierReaders: readonly FieldReader[] = ['package', 'module', 'name'].map((part) => ({
  wireType: wireTypes.bytes,
  into(parts, { cursor }) {
    parts[part] = readText(cursor)
  },
}))

function timeOf(reading: Reading): { seconds: bigint; nanos: bigint } {
  const time = { seconds: 0n, nanos: 0n }
  readFields(reading, (number) => timeReaders[number - 1], time)
  return time
}

const timeReaders: readonly FieldReader[] = ['seconds', 'nanos'].map((part) => ({
  wireType: wireTypes.varint,
  into(time, { cursor }) {
    time[part] = readInt64(cursor)
  },
}))
