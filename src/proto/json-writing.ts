// Answers of the JSON API as protobuf: a writer for each message, compiled when it is first used. It goes through the text
// of the answer once and writes what it finds, so nothing is parsed into objects. The two shapes have the same names, so
// only what JSON writes otherwise has rules of its own: times and identifiers are texts, bytes are Base64, and a oneof is
// an object with one key.
import { wireTypes } from '../lf/archive/wire.ts'
import { expected, JsonReader, nameBytes } from '../lf/codec/json-reader.ts'
import { MessageWriter } from '../lf/codec/message-writer.ts'
import { instantFromText } from '../lf/codec/time-text.ts'
import type { Int64 } from '../lf/values/values.ts'
import { type EnumType, type Field, jsonNameOf, type MessageType, type ScalarName } from './messages.ts'

/** Passes a value of JSON, and writes it as the content of a message or as a field with its tag. */
export type WriteJson = (writer: MessageWriter, json: JsonReader) => void

/** What an owner writes in its own way. */
export type OwnMessage = {
  /** By the names in JSON. They are given null, too. `usual` does what is done for others. */
  readonly fields: Readonly<Record<string, (writer: MessageWriter, json: JsonReader, usual: WriteJson) => void>>
  /** When the message ends. */
  readonly after?: WriteJson
}

/** By the full name of the message. */
export type OwnMessages = Readonly<Record<string, OwnMessage>>

export type JsonWriters = { of(message: MessageType): WriteJson }

/** The text of an answer that is plain data. */
export function jsonOf(answer: unknown): JsonReader {
  return new JsonReader(Buffer.from(JSON.stringify(answer)))
}

/** Names of variants in JSON that are neither that of the field nor that of its message. */
const variantNames: Readonly<Record<string, string>> = {
  JsAssignmentEvent: 'assigned',
  JsUnassignedEvent: 'unassigned',
}

type Member = { readonly name: DataView; readonly write: WriteJson; readonly takesNull: boolean }

export function createJsonWriters(own: OwnMessages = {}): JsonWriters {
  const known = new Map<MessageType, WriteJson>()

  function of(message: MessageType): WriteJson {
    const written = ownForms[message.fullName]
    if (written !== undefined) return written
    const found = known.get(message)
    if (found !== undefined) return found
    let compiled: WriteJson | undefined
    const write: WriteJson = (writer, json) => {
      compiled ??= objectWriter(membersOf(message), own[message.fullName]?.after)
      compiled(writer, json)
    }
    known.set(message, write)
    return write
  }

  function membersOf({ fullName, fields }: MessageType): ReadonlyMap<string, Member> {
    const writers = new Map<string, WriteJson>()
    const oneofs = Map.groupBy(
      fields.filter(({ oneof }) => oneof !== undefined),
      ({ oneof }) => oneof!,
    )
    for (const [oneof, variants] of oneofs) {
      const written = variantsOf(variants)
      writers.set(jsonNameOf(oneof), objectWriter(written))
      // In JSON a oneof is a field of its own, or the whole message if there is nothing else in it.
      if (variants.length === fields.length) for (const [name, { write }] of written) writers.set(name, write)
    }
    for (const field of fields) if (field.oneof === undefined) writers.set(field.jsonName, fieldWriter(field))
    const members = new Map([...writers].map(([name, write]) => [name, member(name, write)]))
    for (const [name, write] of Object.entries(own[fullName]?.fields ?? {})) {
      const usual = writers.get(name) ?? pass
      members.set(name, { ...member(name, (writer, json) => write(writer, json, usual)), takesNull: true })
    }
    return members
  }

  function variantsOf(fields: readonly Field[]): ReadonlyMap<string, Member> {
    return new Map(
      fields.flatMap((field) => {
        const mayHaveBox = typeof field.kind === 'string' || field.kind.is === 'enum' || !hasValue(field.kind)
        const write = valueWriter(field)
        const variant = mayHaveBox ? inBox(write) : write
        return namesOf(field).map((name) => [name, member(name, variant)] as const)
      }),
    )
  }

  function fieldWriter(field: Field): WriteJson {
    const { occurs, number } = field
    const write = valueWriter(field)
    if (occurs === 'repeated') {
      return (writer, json) => {
        if (!json.enter()) return
        do write(writer, json)
        while (json.more())
      }
    }
    if (occurs === 'map') {
      return (writer, json) => {
        if (!json.enter()) return
        do {
          writer.tag(number, wireTypes.bytes).fork().tag(1, wireTypes.bytes).string(json.name())
          write(writer, json)
          writer.join()
        } while (json.more())
      }
    }
    return write
  }

  /** Writes the tag and the value. */
  function valueWriter({ number, kind, occurs, oneof }: Field): WriteJson {
    const at = occurs === 'map' ? 2 : number
    if (typeof kind === 'string') return scalarWriter(kind, at, occurs !== 'once' || oneof !== undefined)
    if (kind.is === 'enum') return enumWriter(kind, at, occurs !== 'once')
    const write = of(kind)
    const isOwnForm = Object.hasOwn(ownForms, kind.fullName)
    return (writer, json) => {
      writer.tag(at, wireTypes.bytes)
      // A message that JSON has as bytes, such as a prepared transaction.
      if (!isOwnForm && json.isText()) {
        writer.bytes(Buffer.from(json.text(), 'base64'))
        return
      }
      writer.fork()
      write(writer, json)
      writer.join()
    }
  }

  return { of }
}

/** Each name predicts the one that followed it last time: texts of one kind have their names in one order. */
function objectWriter(members: ReadonlyMap<string, Member>, after?: WriteJson): WriteJson {
  const list = [...members.values()]
  const places = new Map([...members.keys()].map((name, index) => [name, index]))
  const next = new Int32Array(list.length + 1)
  return (writer, json) => {
    let previous = list.length
    if (json.enter()) {
      do {
        let place = next[previous]!
        if (list.length === 0 || !json.passed(list[place]!.name)) {
          const found = places.get(json.name())
          if (found === undefined) {
            json.skip()
            continue
          }
          place = found
          next[previous] = place
        }
        previous = place
        const { write, takesNull } = list[place]!
        if (takesNull || !json.passedNull()) write(writer, json)
      } while (json.more())
    }
    after?.(writer, json)
  }
}

function member(name: string, write: WriteJson): Member {
  return { name: nameBytes(name), write, takesNull: false }
}

const pass: WriteJson = (_, json) => json.skip()

const beginningOfBox = expected('{"value":')

/** The variant, or an object with it as `value`. */
function inBox(write: WriteJson): WriteJson {
  return (writer, json) => {
    if (!json.passed(beginningOfBox)) return write(writer, json)
    if (!json.passedNull()) write(writer, json)
    while (json.more()) {
      json.name()
      json.skip()
    }
  }
}

function hasValue({ fields }: MessageType): boolean {
  return fields.some(({ jsonName }) => jsonName === 'value')
}

function namesOf({ jsonName, name, kind }: Field): string[] {
  const names = [`${jsonName[0]!.toUpperCase()}${jsonName.slice(1)}`]
  // The variant `Empty` stands for a oneof that is absent, not for a field of that type.
  if (typeof kind === 'object' && kind.fullName !== 'google.protobuf.Empty') {
    names.push(kind.fullName.slice(kind.fullName.lastIndexOf('.') + 1))
  }
  const others = Object.keys(variantNames).filter((variant) => variantNames[variant] === name)
  return [...names, ...names.map((variant) => `Js${variant}`), ...others]
}

/** Proto3 leaves out defaults, unless the field tells whether it is there. */
function scalarWriter(kind: ScalarName, at: number, keepsDefault: boolean): WriteJson {
  if (kind === 'string') {
    return (writer, json) => {
      if (keepsDefault || !json.passedEmptyText()) json.textTo(writer.tag(at, wireTypes.bytes))
    }
  }
  if (kind === 'bytes') {
    return (writer, json) => {
      if (keepsDefault || !json.passedEmptyText()) {
        writer.tag(at, wireTypes.bytes).bytes(Buffer.from(json.text(), 'base64'))
      }
    }
  }
  if (kind === 'bool') {
    return (writer, json) => {
      const value = json.bool()
      if (value || keepsDefault) writer.tag(at, wireTypes.varint).bool(value)
    }
  }
  const { wireType, write } = integers[kind]
  return (writer, json) => {
    const value = json.integer()
    if (value !== 0 || keepsDefault) write(writer.tag(at, wireType), value)
  }
}

type IntegerName = Exclude<ScalarName, 'string' | 'bytes' | 'bool'>
type WriteInteger = (writer: MessageWriter, value: number | bigint) => void

const int64Max = 2n ** 63n - 1n
/** An offset that a client made up comes back with the digits that a number has, which may be more. */
const int64: WriteInteger = (writer, value) => writer.int64(value > int64Max ? int64Max : value)

const integers: Readonly<Record<IntegerName, { readonly wireType: 0 | 1; readonly write: WriteInteger }>> = {
  int32: { wireType: wireTypes.varint, write: int64 },
  uint32: { wireType: wireTypes.varint, write: int64 },
  int64: { wireType: wireTypes.varint, write: int64 },
  uint64: { wireType: wireTypes.varint, write: int64 },
  sint64: { wireType: wireTypes.varint, write: (writer, value) => writer.sint64(value) },
  sfixed64: { wireType: wireTypes.fixed64, write: (writer, value) => writer.sfixed64(value) },
}

function enumWriter({ numbers }: EnumType, at: number, keepsDefault: boolean): WriteJson {
  return (writer, json) => {
    const given = json.isText() ? (numbers.get(json.text()) ?? 0) : Number(json.integer())
    if (given !== 0 || keepsDefault) writer.tag(at, wireTypes.varint).int32(given)
  }
}

/** Messages that JSON has as a text. */
const ownForms: Readonly<Record<string, WriteJson>> = {
  'google.protobuf.Timestamp': writeTimestamp,
  'com.daml.ledger.api.v2.Identifier': (writer, json) => writeIdentifier(writer, json.text()),
}

// Most times are of the same minute, and as this node writes them.
let minute = expected('"0')
let minuteSeconds = 0
const minuteLength = '2026-01-01T00:00:'.length
const usualTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/
const point = expected('.')
const endOfTime = expected('Z"')

function writeTimestamp(writer: MessageWriter, json: JsonReader): void {
  const start = json.at
  if (json.passed(minute)) {
    const seconds = minuteSeconds + Number(json.integer())
    const hasFraction = json.passed(point)
    const from = json.at
    const fraction = hasFraction ? Number(json.integer()) : 0
    const digits = json.at - from
    if (digits <= 6 && json.passed(endOfTime)) return writeInstant(writer, seconds, fraction * 10 ** (9 - digits))
    json.at = start
  }
  const text = json.text()
  const [seconds, micros] = secondsOf(instantFromText(text) ?? 0)
  if (usualTime.test(text)) {
    minute = expected(`"${text.slice(0, minuteLength)}`)
    minuteSeconds = seconds - Number(text.slice(minuteLength, minuteLength + 2))
  }
  writeInstant(writer, seconds, micros * 1000)
}

function writeInstant(writer: MessageWriter, seconds: number, nanos: number): void {
  if (seconds !== 0) writer.tag(1, wireTypes.varint).int64(seconds)
  if (nanos !== 0) writer.tag(2, wireTypes.varint).int32(nanos)
}

/** Rounded down, and the microseconds that remain. */
function secondsOf(instant: Int64): [seconds: number, micros: number] {
  if (typeof instant === 'bigint') {
    const micros = ((instant % 1_000_000n) + 1_000_000n) % 1_000_000n
    return [Number((instant - micros) / 1_000_000n), Number(micros)]
  }
  const seconds = Math.floor(instant / 1_000_000)
  return [seconds, instant - seconds * 1_000_000]
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
