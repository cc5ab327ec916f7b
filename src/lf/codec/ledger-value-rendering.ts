// The JSON of a Daml value as the Ledger API has it in protobuf: from one form to the other by type, without a value in
// between. Events are stored as JSON, so this is how readers of protobuf get them. Trailing fields that are None are left
// out (Canton: LfEngineToApi); names of types and fields are written only for those who ask for them.
import { wireTypes } from '../archive/wire.ts'
import type { Identifier, Type } from '../syntax/ast.ts'
import type { DataTypes } from '../values/data-types.ts'
import type { MessageWriter } from './message-writer.ts'
import { type Compiled, compilePerType, isOptional, type RecordShape, type Shape } from './shapes.ts'
import { dateFromText, timestampFromText } from './time-text.ts'

/** Writes the content of a Value message; `json` is what JSON.parse returns. */
export type Render = (writer: MessageWriter, json: never) => void

export type LedgerValueRendering = {
  /** The content of a Value. */
  value(writer: MessageWriter, json: unknown, type: Type): void
  /** The content of a Record, for a type that is one. */
  record(writer: MessageWriter, json: unknown, type: Type): void
}

const { varint, fixed64, bytes } = wireTypes

export function createLedgerValueRendering(dataTypes: DataTypes, isVerbose: boolean): LedgerValueRendering {
  const renderOf = compilePerType<Render>(dataTypes, (shape, _type, of) => {
    return inValue(shape.kind, compile(shape, of, isVerbose))
  })
  const contentOf = compilePerType<Render>(dataTypes, (shape) => compile(shape, renderOf, isVerbose))
  return {
    value: (writer, json, type) => renderOf(type).run(writer, json as never),
    record: (writer, json, type) => contentOf(type).run(writer, json as never),
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
      return () => undefined
    case 'bool':
      return (writer, json: boolean) => writer.bool(json)
    case 'int64':
      return (writer, json: string) => writer.sint64(integerOf(json))
    case 'date':
      return (writer, json: string) => writer.int32(dateFromText(json)!)
    case 'timestamp':
      return (writer, json: string) => writer.sfixed64(timestampFromText(json)!)
    case 'numeric':
    case 'party':
    case 'text':
    case 'contract-id':
      return (writer, json: string) => writer.string(json)
    case 'optional':
      return isOptional(shape.element) ? nestedOptional(shape.element, of) : optional(of(shape.element))
    case 'list': {
      const element = of(shape.element)
      return (writer, json: readonly never[]) => {
        for (const item of json) part(writer, 1, element, item)
      }
    }
    case 'text-map': {
      const element = of(shape.element)
      return (writer, json: Readonly<Record<string, never>>) => {
        for (const key of Object.keys(json).sort(byCodePoints)) {
          writer.tag(1, bytes).fork()
          if (key !== '') writer.tag(1, bytes).string(key)
          part(writer, 2, element, json[key]!)
          writer.join()
        }
      }
    }
    case 'gen-map': {
      const [key, element] = [of(shape.key), of(shape.element)]
      return (writer, json: readonly (readonly [never, never])[]) => {
        for (const [entryKey, item] of json) {
          writer.tag(1, bytes).fork()
          part(writer, 1, key, entryKey)
          part(writer, 2, element, item)
          writer.join()
        }
      }
    }
    case 'record':
      return record(shape, of, isVerbose)
    case 'variant': {
      const contents = new Map(shape.fields.map(({ name, type }) => [name, of(type)]))
      const { id } = shape.type
      return (writer, { tag, value }: { tag: string; value: never }) => {
        if (isVerbose) identifier(writer, id)
        writer.tag(2, bytes).string(tag)
        part(writer, 3, contents.get(tag)!, value)
      }
    }
    case 'enum': {
      const { id } = shape.type
      return (writer, json: string) => {
        if (isVerbose) identifier(writer, id)
        writer.tag(2, bytes).string(json)
      }
    }
  }
}

function optional(element: Compiled<Render>): Render {
  return (writer, json: never) => {
    if (json !== null && json !== undefined) part(writer, 1, element, json)
  }
}

/** Each level of nested Optionals is a list. */
function nestedOptional(element: Type, of: RenderOf): Render {
  const content = isOptional(element) ? { run: inValue('optional', nestedOptional(element.args[0]!, of)) } : of(element)
  return (writer, json: readonly never[] | null) => {
    if (json !== null && json !== undefined && json.length > 0) part(writer, 1, content, json[0]!)
  }
}

function record({ type, fields }: RecordShape, of: RenderOf, isVerbose: boolean): Render {
  const rows = fields.map((field) => ({
    name: field.name,
    content: of(field.type),
    isNone: noneOf(field.type),
    isInherited: field.name in Object.prototype,
  }))
  return (writer, json: Readonly<Record<string, never>>) => {
    if (isVerbose) identifier(writer, type.id)
    let count = rows.length
    while (count > 0 && rows[count - 1]!.isNone(fieldOf(json, rows[count - 1]!))) count -= 1
    for (let index = 0; index < count; index += 1) {
      const row = rows[index]!
      writer.tag(2, bytes).fork()
      if (isVerbose) writer.tag(1, bytes).string(row.name)
      part(writer, 2, row.content, fieldOf(json, row) as never)
      writer.join()
    }
  }
}

function fieldOf(
  json: Readonly<Record<string, unknown>>,
  field: { readonly name: string; readonly isInherited: boolean },
) {
  return field.isInherited && !Object.hasOwn(json, field.name) ? undefined : json[field.name]
}

/** Whether the JSON of a field is None. */
function noneOf(type: Type): (json: unknown) => boolean {
  if (!isOptional(type)) return () => false
  if (!isOptional(type.args[0]!)) return (json) => json === null || json === undefined
  return (json) => json === null || json === undefined || (json as readonly unknown[]).length === 0
}

function part(writer: MessageWriter, number: number, content: Compiled<Render>, json: never): void {
  writer.tag(number, bytes).fork()
  content.run(writer, json)
  writer.join()
}

function identifier(writer: MessageWriter, { packageId, module, name }: Identifier): void {
  writer.tag(1, bytes).fork().tag(1, bytes).string(packageId)
  writer.tag(2, bytes).string(module).tag(3, bytes).string(name).join()
}

function integerOf(text: string): number | bigint {
  return text.length < 16 ? Number(text) : BigInt(text)
}

/** The order of Daml's texts; JSON.parse keeps another one. */
function byCodePoints(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
