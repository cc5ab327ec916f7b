// Answers of the JSON API as protobuf: an encoder for each message, compiled when it is first used. The two shapes have
// the same names, so only what JSON writes otherwise has rules of its own: times and identifiers are texts, bytes are
// Base64 (one field is hexadecimal), and a oneof is an object with one key.

import { MessageWriter } from './message-writer.ts'
import { type Field, jsonNameOf, type MessageType, variantNamesOf } from './messages.ts'
import { type ScalarName, scalars } from './scalars.ts'
import { wireTypes } from './wire-reading.ts'

type Json = Readonly<Record<string, unknown>>

/** Writes the content of a message. */
export type WriteJson = (writer: MessageWriter, json: Json) => void

/** What the encoders of an owner write in their own way, by the full name of the message. */
export type OwnWriters = Readonly<Record<string, WriteJson>>

export type JsonWriters = { of(message: MessageType): WriteJson }

/** Names of variants in JSON that are neither that of the field nor that of its message. */
const variantNames: Readonly<Record<string, string>> = {
  JsAssignmentEvent: 'assigned',
  JsUnassignedEvent: 'unassigned',
}

/** The only bytes that Canton's JSON has in hexadecimal digits. */
const hexadecimalName = 'external_transaction_hash'

export function createJsonWriters(own: OwnWriters = {}): JsonWriters {
  const known = new Map<MessageType, WriteJson>()

  function of(message: MessageType): WriteJson {
    const written = own[message.fullName] ?? ownForms[message.fullName]
    if (written !== undefined) return written
    const found = known.get(message)
    if (found !== undefined) return found
    let steps: readonly WriteJson[] | undefined
    const write: WriteJson = (writer, json) => {
      steps ??= stepsOf(message)
      for (const step of steps) step(writer, json)
    }
    known.set(message, write)
    return write
  }

  function stepsOf({ fields }: MessageType): WriteJson[] {
    const oneofs = new Set<string>()
    return fields.flatMap((field): WriteJson[] => {
      if (field.oneof === undefined) return [plainStep(field)]
      if (oneofs.has(field.oneof)) return []
      oneofs.add(field.oneof)
      const members = fields.filter(({ oneof }) => oneof === field.oneof)
      return [oneofStep(field.oneof, members, members.length === fields.length)]
    })
  }

  function plainStep(field: Field): WriteJson {
    const { jsonName, occurs, number } = field
    const write = presentWriter(field)
    if (occurs === 'repeated') {
      return (writer, json) => {
        const items = json[jsonName] as readonly unknown[] | null | undefined
        if (items) for (const item of items) write(writer, item)
      }
    }
    if (occurs === 'map') {
      return (writer, json) => {
        for (const [key, value] of Object.entries((json[jsonName] ?? {}) as Json)) {
          writer.tag(number, wireTypes.bytes).fork().tag(1, wireTypes.bytes).string(key)
          write(writer, value)
          writer.join()
        }
      }
    }
    const isLeftOut = occurs === 'once' && typeof field.kind === 'string' ? defaultOf[field.kind] : isNever
    return (writer, json) => {
      const value = json[jsonName]
      if (value === undefined || value === null || isLeftOut(value)) return
      write(writer, value)
    }
  }

  /** In JSON a oneof is a field of its own, or the whole message if there is nothing else in it. */
  function oneofStep(oneof: string, members: readonly Field[], isWhole: boolean): WriteJson {
    const name = jsonNameOf(oneof)
    const writers = new Map<string, { readonly write: WriteValue; readonly isBoxable: boolean }>()
    for (const field of members) {
      const isBoxable = typeof field.kind === 'string' || field.kind.is === 'enum' || !hasValue(field.kind)
      const member = { write: presentWriter(field), isBoxable }
      for (const variant of namesOf(field)) writers.set(variant, member)
    }
    return (writer, json) => {
      const holder = (json[name] ?? (isWhole ? json : undefined)) as Json | undefined
      if (holder === undefined) return
      for (const variant in holder) {
        const member = writers.get(variant)
        if (member === undefined) continue
        const value = holder[variant]
        const isBox = member.isBoxable && typeof value === 'object' && value !== null && Object.hasOwn(value, 'value')
        member.write(writer, isBox ? (value as Json).value : value)
        return
      }
    }
  }

  /** Writes the tag and the value. */
  function presentWriter({ name, number, kind, occurs }: Field): WriteValue {
    const at = occurs === 'map' ? 2 : number
    if (name === hexadecimalName) {
      return (writer, value) => writer.tag(at, wireTypes.bytes).bytes(Buffer.from(value as string, 'hex'))
    }
    if (typeof kind === 'string') {
      const { wireType, write } = scalars[kind]
      const convert = conversions[kind]
      if (convert === undefined) return (writer, value) => write(writer.tag(at, wireType), value as never)
      return (writer, value) => write(writer.tag(at, wireType), convert(value) as never)
    }
    if (kind.is === 'enum') {
      const { numbers } = kind
      return (writer, value) => {
        const given = typeof value === 'number' ? value : (numbers.get(value as string) ?? 0)
        if (given !== 0 || occurs !== 'once') writer.tag(at, wireTypes.varint).int32(given)
      }
    }
    const write = of(kind)
    return (writer, value) => {
      writer.tag(at, wireTypes.bytes)
      // A message that JSON has as bytes, such as a prepared transaction.
      if (typeof value === 'string' && !Object.hasOwn(ownForms, kind.fullName)) {
        writer.bytes(Buffer.from(value, 'base64'))
        return
      }
      writer.fork()
      write(writer, value as Json)
      writer.join()
    }
  }

  return { of }
}

type WriteValue = (writer: MessageWriter, value: unknown) => void

function hasValue({ fields }: MessageType): boolean {
  return fields.some(({ jsonName }) => jsonName === 'value')
}

function namesOf(field: Field): string[] {
  const names = variantNamesOf(field)
  const others = Object.keys(variantNames).filter((variant) => variantNames[variant] === field.name)
  return [...names, ...names.map((variant) => `Js${variant}`), ...others]
}

type IsDefault = (value: unknown) => boolean

const isNever: IsDefault = () => false
const isZero: IsDefault = (value) => value === 0 || value === 0n || value === '0'
const isEmpty: IsDefault = (value) => (value as string | Uint8Array).length === 0

/** What proto3 leaves out. */
const defaultOf: Readonly<Record<ScalarName, IsDefault>> = {
  string: isEmpty,
  bytes: isEmpty,
  bool: (value) => value === false,
  int32: isZero,
  uint32: isZero,
  int64: isZero,
  uint64: isZero,
  sint64: isZero,
  sfixed64: isZero,
}

/** Where JSON has another value than the writer of the scalar takes. */
const conversions: Readonly<Partial<Record<ScalarName, (value: unknown) => unknown>>> = {
  bytes: bytesOf,
  int64: integerOf,
  uint64: integerOf,
  sint64: integerOf,
  sfixed64: integerOf,
}

function bytesOf(value: unknown): Uint8Array {
  return typeof value === 'string' ? Buffer.from(value, 'base64') : (value as Uint8Array)
}

/** A number that no double can hold is a text, after NUL if it was parsed exactly. */
function integerOf(value: unknown): number | bigint {
  // An offset that a client made up comes back with the digits that a number has.
  if (typeof value === 'number') return value < 2 ** 63 ? value : 2n ** 63n - 1n
  if (typeof value === 'bigint') return value
  if (typeof value !== 'string') throw new TypeError('an integer is a number, a bigint or a text')
  return BigInt(value.charCodeAt(0) === 0 ? value.slice(1) : value)
}

/** Messages that JSON has as a text. */
const ownForms: Readonly<Record<string, WriteJson>> = {
  'google.protobuf.Timestamp': (writer, text) => writeTimestamp(writer, text as unknown as string),
  'com.daml.ledger.api.v2.Identifier': (writer, text) => writeIdentifier(writer, text as unknown as string),
}

// Most times that are written are in the same second.
const secondLength = '2026-01-01T00:00:00'.length
let lastText = ''
let lastSeconds = 0

/** As this node writes times: in UTC, with at most six digits after the second. */
function writeTimestamp(writer: MessageWriter, text: string): void {
  const second = text.slice(0, secondLength)
  if (second !== lastText) {
    lastText = second
    lastSeconds = Date.parse(`${second}Z`) / 1000 || 0
  }
  const digits = text.length - secondLength - 2
  writer.timestamp(lastSeconds, digits > 0 ? Number(text.slice(secondLength + 1, -1)) * 10 ** (9 - digits) : 0)
}

/** Identifiers as messages: there are few, and they are in every event. */
const identifiers = new Map<string, Uint8Array>()
const identifiersMax = 1000
const identifierLengthMax = 1000

/** `package:Module:Entity`. */
export function writeIdentifier(writer: MessageWriter, text: string): void {
  let message = identifiers.get(text)
  if (message === undefined) {
    message = identifierMessage(text)
    if (identifiers.size >= identifiersMax) identifiers.clear()
    if (text.length <= identifierLengthMax) identifiers.set(text, message)
  }
  writer.raw(message)
}

function identifierMessage(text: string): Uint8Array {
  const first = text.indexOf(':')
  const second = text.indexOf(':', first + 1)
  const writer = new MessageWriter()
  writer.tag(1, wireTypes.bytes).string(text.slice(0, first))
  writer.tag(2, wireTypes.bytes).string(text.slice(first + 1, second))
  writer.tag(3, wireTypes.bytes).string(text.slice(second + 1))
  return writer.finish()
}
