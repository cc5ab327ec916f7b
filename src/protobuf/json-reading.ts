// Reads protobuf messages as requests of the JSON API are decoded: a decoder for each pair of a message and a wire
// schema, compiled when it is first used. The message knows numbers, the schema knows what the route expects: which
// fields are optional, how a oneof is wrapped, and which values stay bytes. Without a schema, a field is what its type
// says.
import { invalidField, missingField } from '../base/errors.ts'
import { keptProtobuf } from '../base/exact-json.ts'
import {
  count,
  type FieldReader,
  type Limits,
  ownReaders,
  type Read,
  type Reading,
  readFields,
  readPacked,
  type Target,
  within,
} from './lenient-reading.ts'
import { type EnumType, type Field, jsonNameOf, type MessageType, variantNamesOf } from './messages.ts'
import { type ScalarName, scalarNames, scalars } from './scalars.ts'
import { openCursor, readBytes, readInt32, tagOf, wireTypes } from './wire-reading.ts'

/** The part of JSON Schema that wire schemas use, and that matters here. */
export type WireSchema = {
  readonly type?: string
  readonly format?: string
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, WireSchema>>
  readonly patternProperties?: Readonly<Record<string, WireSchema>>
  readonly items?: WireSchema
  readonly anyOf?: readonly WireSchema[]
  readonly required?: readonly string[]
}

export type Decode = (bytes: Uint8Array, limits: Limits) => unknown

/** Throws a ProtobufError for bytes that are no such message, and a LedgerError for a missing part. */
export function createDecoder(message: MessageType, schema?: WireSchema): Decode {
  const read = messageReader(message, schema)
  return (bytes, { depthMax, valuesMax }) =>
    read({ cursor: openCursor(bytes, message.fullName), depth: depthMax, values: valuesMax })
}

const known = new Map<MessageType, Map<WireSchema | undefined, Read>>()

function messageReader(message: MessageType, schema: WireSchema | undefined): Read {
  let bySchema = known.get(message)
  if (bySchema === undefined) {
    bySchema = new Map()
    known.set(message, bySchema)
  }
  const found = bySchema.get(schema)
  if (found !== undefined) return found
  let compiled: Read | undefined
  const read: Read = (reading) => {
    compiled ??= ownReaders[message.fullName] ?? compile(message, schema)
    return compiled(reading)
  }
  bySchema.set(schema, read)
  return read
}

function compile(message: MessageType, schema: WireSchema | undefined): Read {
  if (schema?.anyOf !== undefined) return wholeOneof(message, schema.anyOf)
  const readers = new Map<number, FieldReader>()
  const completions: ((target: Target) => void)[] = []
  const oneofs = new Set<string>()
  for (const field of message.fields) {
    if (field.oneof === undefined) {
      const part = fieldPart(field, schema)
      if (part === undefined) continue
      readers.set(field.number, part.reader)
      completions.push(part.complete)
    } else if (!oneofs.has(field.oneof)) {
      oneofs.add(field.oneof)
      const members = message.fields.filter(({ oneof }) => oneof === field.oneof)
      const part = oneofPart(field.oneof, members, schema)
      if (part === undefined) continue
      for (const [number, reader] of part.readers) readers.set(number, reader)
      completions.push(part.complete)
    }
  }
  completions.push(...fieldsOutside(message, schema))
  return (reading) => {
    const target: Target = {}
    readFields(reading, (number) => readers.get(number), target)
    for (const complete of completions) complete(target)
    return target
  }
}

/** Fields of the schema that the message does not have take their defaults. */
function fieldsOutside({ fields }: MessageType, schema: WireSchema | undefined): ((target: Target) => void)[] {
  const names = new Set(fields.map(({ jsonName, oneof }) => (oneof === undefined ? jsonName : jsonNameOf(oneof))))
  return Object.entries(schema?.properties ?? {}).flatMap(([name, property]) => {
    if (names.has(name) || property.default === undefined || !isRequired(schema, name)) return []
    return [
      (target: Target) => {
        target[name] = structuredClone(property.default)
      },
    ]
  })
}

// ── Fields

/** How Canton calls what is missing, where it does not say its name. */
const missingNames: Readonly<Record<string, string>> = {
  choice_argument: 'value',
  party_signatures: 'parties_signatures',
}

export function missingNameOf(field: string): string {
  return missingNames[field] ?? field
}

type Part = { readonly reader: FieldReader; readonly complete: (target: Target) => void }

function fieldPart(field: Field, schema: WireSchema | undefined): Part | undefined {
  const { jsonName: name, occurs } = field
  const property = schema === undefined ? undefined : schema.properties?.[name]
  if (schema !== undefined && property === undefined) return undefined
  if (occurs === 'repeated') return repeatedPart(field, property?.items)
  if (occurs === 'map') return mapPart(field, Object.values(property?.patternProperties ?? {})[0])
  const content = contentOf(field, property)
  const reader: FieldReader = {
    wireType: content.wireType,
    into(target, reading) {
      target[name] = content.read(reading)
    },
  }
  const isMessage = typeof field.kind === 'object' && field.kind.is === 'message'
  const isRequiredHere = schema !== undefined && isRequired(schema, name)
  const complete = (target: Target) => {
    if (target[name] !== undefined) return
    if (isMessage) {
      if (!isRequiredHere) return
      if (property!.default === undefined) throw missingField(missingNameOf(field.name))
      target[name] = structuredClone(property!.default)
    } else if (occurs === 'once' && (schema === undefined || isRequiredHere)) target[name] = content.absent
    // A default other than the zero of protobuf is the default of an optional field.
    else if (isRequiredHere) target[name] = property!.default
  }
  return { reader, complete }
}

function repeatedPart(field: Field, items: WireSchema | undefined): Part {
  const { jsonName: name, kind } = field
  const content = contentOf(field, items)
  const isPackable = content.wireType !== wireTypes.bytes
  const listOf = (target: Target) => {
    target[name] ??= []
    return target[name] as unknown[]
  }
  return {
    reader: {
      wireType: content.wireType,
      isPackable,
      into(target, reading, wireType) {
        if (isPackable && wireType === wireTypes.bytes) {
          readPacked(reading, () => listOf(target).push(content.read(reading)))
          return
        }
        count(reading)
        listOf(target).push(content.read(reading))
      },
    },
    complete(target) {
      if (typeof kind === 'string' || target[name] === undefined) target[name] ??= []
    },
  }
}

function mapPart(field: Field, values: WireSchema | undefined): Part {
  const { jsonName: name } = field
  const content = contentOf(field, values)
  const text = scalarContents.string
  const empty = () => (typeof field.kind === 'object' ? (content.read(emptyReading()) as unknown) : content.absent)
  const entryReaders: Record<number, FieldReader> = {
    1: {
      wireType: wireTypes.bytes,
      into: (entry, reading) => {
        entry.key = text.read(reading)
      },
    },
    2: {
      wireType: content.wireType,
      into: (entry, reading) => {
        entry.value = content.read(reading)
      },
    },
  }
  return {
    reader: {
      wireType: wireTypes.bytes,
      into(target, reading) {
        target[name] ??= Object.create(null) // "__proto__" is a key like any other.
        const map = target[name] as Target
        within(reading, () => {
          const entry: Target = {}
          readFields(reading, (number) => entryReaders[number], entry)
          map[(entry.key as string | undefined) ?? ''] = entry.value ?? empty()
        })
      },
    },
    complete(target) {
      target[name] ??= Object.create(null)
    },
  }
}

// ── Oneofs

type OneofPart = {
  readonly readers: readonly (readonly [number, FieldReader])[]
  readonly complete: (target: Target) => void
}

/** In the schema: a property with variants `{Name: {value}}`, or `{Name: {…}}`. */
function oneofPart(oneof: string, members: readonly Field[], schema: WireSchema | undefined): OneofPart | undefined {
  const name = jsonNameOf(oneof)
  const property = schema === undefined ? undefined : schema.properties?.[name]
  if (schema !== undefined && property === undefined) return undefined
  const readers = members.flatMap((field): (readonly [number, FieldReader])[] => {
    const variant = property?.anyOf === undefined ? plainVariant(field) : variantOf(field, property.anyOf)
    return variant === undefined ? [] : [[field.number, variantReader(field, name, variant)]]
  })
  const isRequiredHere = schema !== undefined && isRequired(schema, name)
  return {
    readers,
    complete(target) {
      if (target[name] !== undefined || !isRequiredHere) return
      if (property!.default === undefined) throw missingField(oneof)
      target[name] = structuredClone(property!.default)
    },
  }
}

/** A message that is one oneof and nothing else, and whose JSON is the variant itself. */
function wholeOneof(message: MessageType, variants: readonly WireSchema[]): Read {
  const [first] = message.fields
  const readers = new Map(
    message.fields.flatMap((field): [number, FieldReader][] => {
      const variant = variantOf(field, variants)
      return variant === undefined ? [] : [[field.number, variantReader(field, 'whole', variant)]]
    }),
  )
  return (reading) => {
    const target: Target = {}
    readFields(reading, (number) => readers.get(number), target)
    if (target.whole === undefined) throw missingField(first!.oneof!)
    return target.whole
  }
}

type Variant = { readonly name: string; readonly content: WireSchema | undefined; readonly isBoxed: boolean }

function plainVariant({ jsonName: name }: Field): Variant {
  return { name, content: undefined, isBoxed: false }
}

function variantOf(field: Field, variants: readonly WireSchema[]): Variant | undefined {
  const names = variantNamesOf(field)
  for (const { properties = {} } of variants) {
    const [[name, content] = ['', undefined]] = Object.entries(properties)
    if (!names.includes(name)) continue
    const box = content?.properties
    const isBoxed = box !== undefined && Object.keys(box).join() === 'value'
    return { name, content: isBoxed ? box.value : content, isBoxed }
  }
  return undefined
}

function variantReader(field: Field, target: string, { name, content: schema, isBoxed }: Variant): FieldReader {
  const content = contentOf(field, schema)
  return {
    wireType: content.wireType,
    into(message, reading) {
      const value = content.read(reading)
      message[target] = { [name]: isBoxed ? { value } : value }
    },
  }
}

// ── Contents

type Content = { readonly wireType: number; readonly absent: unknown; readonly read: Read }

const scalarContents = Object.fromEntries(
  scalarNames.map((name) => {
    const { wireType, absent, read } = scalars[name]
    return [name, { wireType, absent, read: ({ cursor }: Reading) => read(cursor) }]
  }),
) as Record<ScalarName, Content>

function contentOf({ name, kind }: Field, schema: WireSchema | undefined): Content {
  if (typeof kind === 'string') return scalarContents[kind]
  if (kind.is === 'enum') return enumContent(name, kind)
  if (schema === undefined || schema.type === undefined) {
    if (kind.fullName === 'com.daml.ledger.api.v2.Value') return keptValue
    if (kind.fullName === 'com.daml.ledger.api.v2.Record') return keptRecord
  }
  // A message that JSON has as bytes, such as a prepared transaction.
  if (schema?.format === 'byte') return scalarContents.bytes
  const read = messageReader(kind, schema)
  return { wireType: wireTypes.bytes, absent: undefined, read: (reading) => within(reading, () => read(reading)) }
}

function enumContent(name: string, { names }: EnumType): Content {
  return {
    wireType: wireTypes.varint,
    absent: names.get(0),
    read({ cursor }) {
      const number = readInt32(cursor)
      const value = names.get(number)
      if (value === undefined) throw invalidField(name, `there is no value with the number ${number}`)
      return value
    },
  }
}

/** Values of Daml stay bytes: the thread that knows their types reads them. */
const keptValue: Content = {
  wireType: wireTypes.bytes,
  absent: undefined,
  read: ({ cursor }) => keptProtobuf(readBytes(cursor)),
}

/** A Value with the record, so that all kept values are read alike. */
const keptRecord: Content = {
  wireType: wireTypes.bytes,
  absent: undefined,
  read: ({ cursor }) => {
    const start = cursor.position
    readBytes(cursor)
    return keptProtobuf(Buffer.concat([recordTag, cursor.bytes.subarray(start, cursor.position)]))
  },
}
const recordTag = Buffer.from([tagOf(14, wireTypes.bytes)])

function emptyReading(): Reading {
  return { cursor: openCursor(Uint8Array.of(0), ''), depth: 2, values: 2 }
}

function isRequired(schema: WireSchema | undefined, name: string): boolean {
  return schema?.required?.includes(name) ?? false
}
