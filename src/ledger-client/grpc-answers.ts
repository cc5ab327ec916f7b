// Answers of the gRPC Ledger API as objects: fields have their names in JSON, bytes are Base64, times and identifiers are
// texts, Daml values are JSON. A reader for each message is made from its table when it is first needed.
import { instantToText } from '../lf/codec/time-text.ts'
import { int64 } from '../lf/values/values.ts'
import { type Field, jsonNameOf, type MessageType } from '../protobuf/messages.ts'
import { type ScalarName, scalars } from '../protobuf/scalars.ts'
import {
  type Cursor,
  inMessage,
  openCursor,
  readBytes,
  readInt32,
  readInt64,
  readTag,
  readText,
  skipField,
} from '../protobuf/wire-reading.ts'
import { readKnown, readRecord, readValue } from './grpc-values.ts'

type Read = (cursor: Cursor) => unknown
type Target = Record<string, unknown>

/** Groups may be nested this deeply in fields that are not known. */
const groupDepthMax = 10
const emptyList: readonly unknown[] = []

// biome-ignore lint/suspicious/noExplicitAny: as JSON.parse.
export function readAnswer(message: MessageType, bytes: Uint8Array): any {
  return readerOf(message)(openCursor(bytes, message.fullName))
}

const known = new Map<string, Read>()

function readerOf(message: MessageType): Read {
  const found = known.get(message.fullName)
  if (found !== undefined) return found
  let compiled: Read | undefined
  const read: Read = (cursor) => {
    compiled ??= ownReaders[message.fullName] ?? compile(message)
    return compiled(cursor)
  }
  known.set(message.fullName, read)
  return read
}

function compile({ fields }: MessageType): Read {
  const readers = new Map(fields.map((field) => [field.number, intoTarget(field)]))
  const absent = Object.fromEntries(fields.flatMap(absentOf))
  return (cursor) => {
    const target: Target = { ...absent }
    while (cursor.position < cursor.end) {
      const tag = readTag(cursor)
      const read = readers.get(tag >>> 3)
      if (read === undefined) skipField(cursor, tag, groupDepthMax)
      else read(target, cursor)
    }
    return target
  }
}

/** What proto3 leaves out. */
function absentOf({ jsonName, kind, occurs, oneof }: Field): [string, unknown][] {
  if (oneof !== undefined) return []
  if (occurs === 'repeated') return [[jsonName, emptyList]]
  return occurs === 'once' && typeof kind === 'string' ? [[jsonName, plain(kind, scalars[kind].absent)]] : []
}

/** A oneof is an object with the member that is set. */
function intoTarget(field: Field): (target: Target, cursor: Cursor) => void {
  const { jsonName, occurs } = field
  const read = contentOf(field)
  if (field.oneof !== undefined) {
    const oneof = jsonNameOf(field.oneof)
    return (target, cursor) => {
      target[oneof] = { [jsonName]: read(cursor) }
    }
  }
  if (occurs !== 'repeated') {
    return (target, cursor) => {
      target[jsonName] = read(cursor)
    }
  }
  return (target, cursor) => {
    if (target[jsonName] === emptyList) target[jsonName] = [read(cursor)]
    else (target[jsonName] as unknown[]).push(read(cursor))
  }
}

function contentOf({ name, kind }: Field): Read {
  if (name === 'external_transaction_hash') return (cursor) => readBytes(cursor).toString('hex')
  if (typeof kind === 'string') return (cursor) => plain(kind, scalars[kind].read(cursor))
  if (kind.is === 'enum') return (cursor) => kind.names.get(readInt32(cursor))
  const read = readerOf(kind)
  return (cursor) => inMessage(cursor, () => read(cursor))
}

/** Offsets and counts are numbers, as in JSON. */
function plain(kind: ScalarName, value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  return kind === 'bytes' ? Buffer.from(value as Uint8Array).toString('base64') : value
}

const ownReaders: Readonly<Record<string, Read>> = {
  'com.daml.ledger.api.v2.Value': readValue,
  'com.daml.ledger.api.v2.Record': readRecord,
  'com.daml.ledger.api.v2.Identifier': (cursor) => {
    const parts = ['', '', '']
    readKnown(cursor, (number) => {
      if (number <= 3) parts[number - 1] = readText(cursor)
      return number <= 3
    })
    return parts.join(':')
  },
  'google.protobuf.Timestamp': (cursor) => {
    const time = { seconds: 0n, nanos: 0n }
    readKnown(cursor, (number) => {
      if (number === 1) time.seconds = readInt64(cursor)
      else if (number === 2) time.nanos = readInt64(cursor)
      return number <= 2
    })
    return instantToText(int64(time.seconds * 1_000_000n + time.nanos / 1_000n))
  },
}
