// Daml values of the gRPC Ledger API as the JSON Ledger API has them. Values say what they are, and in verbose answers
// records have labels, so no types are needed. Only None of an Optional around an Optional cannot be told from any other
// None: it is null here, and an empty list there.
import { dateToText, timestampToText } from '../lf/codec/time-text.ts'
import { int64 } from '../lf/values/values.ts'
import {
  type Cursor,
  inMessage,
  readFixedInt64,
  readInt32,
  readSignedInt64,
  readTag,
  readText,
  skipField,
} from '../protobuf/wire-reading.ts'

type Read = (cursor: Cursor) => unknown

/** An Optional, until it is known whether it is inside another one. */
class Optional {
  content: unknown
}

/** Reads the fields of a message that these readers know, up to its end. */
export function readKnown(cursor: Cursor, read: (number: number) => boolean): void {
  while (cursor.position < cursor.end) {
    const tag = readTag(cursor)
    if (!read(tag >>> 3)) skipField(cursor, tag)
  }
}

/** The content of a Value. */
export function readValue(cursor: Cursor): unknown {
  const value = readSum(cursor)
  if (!(value instanceof Optional)) return value
  return value.content instanceof Optional ? levelsOf(value) : (value.content ?? null)
}

/** Each level of nested Optionals is a list. */
function levelsOf({ content }: Optional): unknown[] {
  if (content === undefined) return []
  return [content instanceof Optional ? levelsOf(content) : content]
}

function readSum(cursor: Cursor): unknown {
  let value: unknown = {} // Unit is an empty message.
  readKnown(cursor, (number) => {
    const read = sums[number]
    if (read !== undefined) value = read(cursor)
    return read !== undefined
  })
  return value
}

const nested =
  (read: Read): Read =>
  (cursor) =>
    inMessage(cursor, () => read(cursor))

/** By the numbers of the members of `Value.sum`. */
const sums: Readonly<Record<number, Read>> = {
  2: (cursor) => readInt32(cursor) !== 0,
  3: (cursor) => String(readSignedInt64(cursor)),
  4: (cursor) => dateToText(readInt32(cursor)),
  5: (cursor) => timestampToText(int64(readFixedInt64(cursor))),
  6: readText,
  7: readText,
  8: readText,
  9: readText,
  10: nested(readOptional),
  11: nested((cursor) => readAll(cursor, readValue)),
  12: nested((cursor) => Object.fromEntries(readAll(cursor, (entry) => readPair(entry, readText)))),
  13: nested((cursor) => readAll(cursor, (entry) => readPair(entry, nested(readValue)))),
  14: nested(readRecord),
  15: nested(readVariant),
  16: nested((cursor) => readVariant(cursor).tag),
}

function readOptional(cursor: Cursor): Optional {
  const optional = new Optional()
  readKnown(cursor, (number) => {
    if (number === 1) optional.content = inMessage(cursor, () => readSum(cursor))
    return number === 1
  })
  return optional
}

/** The messages of field 1. */
function readAll<T>(cursor: Cursor, read: (cursor: Cursor) => T): T[] {
  const items: T[] = []
  readKnown(cursor, (number) => {
    if (number === 1) items.push(inMessage(cursor, () => read(cursor)))
    return number === 1
  })
  return items
}

/** A key, and a Value. */
function readPair<Key>(cursor: Cursor, readKey: (cursor: Cursor) => Key): [Key, unknown] {
  const pair = ['' as Key, {} as unknown] as [Key, unknown]
  readKnown(cursor, (number) => {
    if (number === 1) pair[0] = readKey(cursor)
    else if (number === 2) pair[1] = inMessage(cursor, () => readValue(cursor))
    return number <= 2
  })
  return pair
}

/** Nulls at the end are left out, as the JSON Ledger API does. */
export function readRecord(cursor: Cursor): object {
  const fields: [label: string, value: unknown][] = []
  readKnown(cursor, (number) => {
    if (number === 2) fields.push(inMessage(cursor, () => readPair(cursor, readText)))
    return number === 2
  })
  while (fields.at(-1)?.[1] === null) fields.pop()
  return Object.fromEntries(fields)
}

function readVariant(cursor: Cursor): { tag: string; value: unknown } {
  const variant = { tag: '', value: {} as unknown }
  readKnown(cursor, (number) => {
    if (number === 2) variant.tag = readText(cursor)
    else if (number === 3) variant.value = inMessage(cursor, () => readValue(cursor))
    return number === 2 || number === 3
  })
  return variant
}
