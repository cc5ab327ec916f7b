// The JSON of a Daml value as the Ledger API has it in protobuf: from one form to the other by type, without a value in
// between. Events are stored as JSON, so this is how readers of protobuf get them. The JSON is what json-encoding.ts
// writes: fields are in the order of their type. Trailing fields that are None are left out (Canton: LfEngineToApi);
// names of types and fields are written only for those who ask for them.
import { wireTypes } from '../archive/wire.ts'
import type { Identifier, Type } from '../syntax/ast.ts'
import type { DataTypes } from '../values/data-types.ts'
import { type JsonReader, nameBytes } from './json-reader.ts'
import type { MessageWriter } from './message-writer.ts'
import { type Compiled, compilePerType, isOptional, type RecordShape, type Shape } from './shapes.ts'
import { dateFromText, timestampFromText } from './time-text.ts'

/** Passes the JSON of a value, and writes the content of a Value message. */
export type Render = (writer: MessageWriter, json: JsonReader) => void

export type LedgerValueRendering = {
  /** The content of a Value. */
  value(writer: MessageWriter, json: JsonReader, type: Type): void
  /** The content of a Record, for a type that is one. */
  record(writer: MessageWriter, json: JsonReader, type: Type): void
}

const { varint, fixed64, bytes } = wireTypes

export function createLedgerValueRendering(dataTypes: DataTypes, isVerbose: boolean): LedgerValueRendering {
  const renderOf = compilePerType<Render>(dataTypes, (shape, _type, of) => {
    return inValue(shape.kind, compile(shape, of, isVerbose))
  })
  const contentOf = compilePerType<Render>(dataTypes, (shape) => compile(shape, renderOf, isVerbose))
  return {
    value: (writer, json, type) => renderOf(type).run(writer, json),
    record: (writer, json, type) => contentOf(type).run(writer, json),
  }
}

/** The content, in the field of a Value that is for it. */
function inValue(kind: Shape['kind'], write: Render): Render {
  const [number, wireType] = fieldNumbers[kind]
  if (wireType !== bytes || textKinds.has(kind)) return (writer, json) => write(writer.tag(number, wireType), json)
  return (writer, json) => {
    writer.tag(number, bytes).fork()
    write(writer, json)
    writer.join()
  }
}

const textKinds: ReadonlySet<Shape['kind']> = new Set(['numeric', 'party', 'text', 'contract-id'])

const fieldNumbers: Readonly<Record<Shape['kind'], readonly [number: number, wireType: 0 | 1 | 2]>> = {
  unit: [1, bytes],
  bool: [2, varint],
  int64: [3, varint],
  date: [4, varint],
  timestamp: [5, fixed64],
  numeric: [6, bytes],
  party: [7, bytes],
  text: [8, bytes],
  'contract-id': [9, bytes],
  optional: [10, bytes],
  list: [11, bytes],
  'text-map': [12, bytes],
  'gen-map': [13, bytes],
  record: [14, bytes],
  variant: [15, bytes],
  enum: [16, bytes],
}

type RenderOf = (type: Type) => Compiled<Render>

function compile(shape: Shape, of: RenderOf, isVerbose: boolean): Render {
  switch (shape.kind) {
    case 'unit':
      return (_, json) => json.skip()
    case 'bool':
      return (writer, json) => writer.bool(json.bool())
    case 'int64':
      return (writer, json) => writer.sint64(json.integer())
    case 'date':
      return (writer, json) => writer.int32(dateFromText(json.text())!)
    case 'timestamp':
      return (writer, json) => writer.sfixed64(timestampFromText(json.text())!)
    case 'numeric':
    case 'party':
    case 'text':
    case 'contract-id':
      return (writer, json) => json.textTo(writer)
    case 'optional':
      return isOptional(shape.element) ? nestedOptional(shape.element, of) : optional(of(shape.element))
    case 'list': {
      const element = of(shape.element)
      return (writer, json) => {
        if (!json.enter()) return
        do part(writer, 1, element, json)
        while (json.more())
      }
    }
    case 'text-map':
      return textMap(of(shape.element))
    case 'gen-map': {
      const [key, element] = [of(shape.key), of(shape.element)]
      return (writer, json) => {
        if (!json.enter()) return
        do {
          writer.tag(1, bytes).fork()
          json.enter()
          part(writer, 1, key, json)
          json.more()
          part(writer, 2, element, json)
          json.more()
          writer.join()
        } while (json.more())
      }
    }
    case 'record':
      return record(shape, of, isVerbose)
    case 'variant': {
      const contents = new Map(shape.fields.map(({ name, type }) => [name, of(type)]))
      const { id } = shape.type
      return (writer, json) => {
        if (isVerbose) identifier(writer, id)
        json.enter()
        json.name()
        const tag = json.text()
        writer.tag(2, bytes).string(tag)
        json.more()
        json.name()
        part(writer, 3, contents.get(tag)!, json)
        json.more()
      }
    }
    case 'enum': {
      const { id } = shape.type
      return (writer, json) => {
        if (isVerbose) identifier(writer, id)
        json.textTo(writer.tag(2, bytes))
      }
    }
  }
}

function optional(element: Compiled<Render>): Render {
  return (writer, json) => {
    if (!json.passedNull()) part(writer, 1, element, json)
  }
}

/** Each level of nested Optionals is a list. */
function nestedOptional(element: Type, of: RenderOf): Render {
  const content = isOptional(element) ? { run: inValue('optional', nestedOptional(element.args[0]!, of)) } : of(element)
  return (writer, json) => {
    if (json.passedNull() || !json.enter()) return
    part(writer, 1, content, json)
    json.more()
  }
}

function textMap(element: Compiled<Render>): Render {
  return (writer, json) => {
    const entries: { readonly key: string; readonly at: number }[] = []
    if (!json.enter()) return
    do {
      entries.push({ key: json.name(), at: json.at })
      json.skip()
    } while (json.more())
    const end = json.at
    // The order of Daml's texts; what was parsed on its way here has another one.
    for (const { key, at } of entries.sort((a, b) => byCodePoints(a.key, b.key))) {
      json.at = at
      writer.tag(1, bytes).fork()
      if (key !== '') writer.tag(1, bytes).string(key)
      part(writer, 2, element, json)
      writer.join()
    }
    json.at = end
  }
}

function record({ type, fields }: RecordShape, of: RenderOf, isVerbose: boolean): Render {
  const rows = fields.map((field) => ({
    name: field.name,
    bytes: nameBytes(field.name),
    content: of(field.type),
    isNone: noneOf(field.type),
  }))
  return (writer, json) => {
    if (isVerbose) identifier(writer, type.id)
    if (!json.enter()) return
    /** After the last field that is not None. */
    let end = writer.position()
    for (const row of rows) {
      if (!json.passed(row.bytes)) throw new Error(`the field ${row.name} of ${type.id.name} is not in its place`)
      const isNone = row.isNone(json)
      writer.tag(2, bytes).fork()
      if (isVerbose) writer.tag(1, bytes).string(row.name)
      part(writer, 2, row.content, json)
      writer.join()
      if (!isNone) end = writer.position()
      if (!json.more()) break // None is left out at the end.
    }
    writer.backTo(end)
  }
}

/** Whether the JSON of a field is None. */
function noneOf(type: Type): (json: JsonReader) => boolean {
  if (!isOptional(type)) return () => false
  return isOptional(type.args[0]!) ? (json) => json.isEmptyList() : (json) => json.isNull()
}

function part(writer: MessageWriter, number: number, content: Compiled<Render>, json: JsonReader): void {
  writer.tag(number, bytes).fork()
  content.run(writer, json)
  writer.join()
}

function identifier(writer: MessageWriter, { packageId, module, name }: Identifier): void {
  writer.tag(1, bytes).fork().tag(1, bytes).string(packageId)
  writer.tag(2, bytes).string(module).tag(3, bytes).string(name).join()
}

/** As in UTF-8. */
function byCodePoints(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
