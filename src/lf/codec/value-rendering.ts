// Renders the JSON of Daml values as protobuf of the Ledger API, by type and without a value in between. Events are stored
// as JSON, so this is how readers of protobuf get them. Trailing fields that are None are left out (Canton:
// LfEngineToApi); names of types and fields are written only in verbose answers.

import { MessageWriter } from '../../protobuf/message-writer.ts'
import { wireTypes } from '../../protobuf/wire-reading.ts'
import type { Identifier } from '../syntax/ast.ts'
import { expected, type JsonReader } from './json-reader.ts'
import type { Compiled } from './shapes.ts'
import { dateFromText, timestampFromText } from './time-text.ts'
import type { PlannedOptional, PlannedShape, ValuePlan } from './value-plan.ts'

/** Reads the next value, and writes the content of a message. */
export type RenderNext = (reader: JsonReader, writer: MessageWriter) => void

/** A Value, and, for the type of a record, a Record. */
export type RenderedPlan = { readonly value: RenderNext; readonly record: RenderNext }

/** How a shape reaches its parts. */
export type Parts<Part> = {
  /** Writes the content of a Value. */
  readonly of: (part: Part) => Compiled<RenderNext>
  /** Undefined for a part that is not an Optional. */
  readonly asOptional: (part: Part) => PlannedOptional<Part> | undefined
  readonly isVerbose: boolean
}

const { varint, fixed64, bytes } = wireTypes
const tab = 0x09
const space = 0x20
const comma = 0x2c
const colon = 0x3a
const openList = 0x5b
const closeList = 0x5d
const letterN = 0x6e
const letterT = 0x74
const openObject = 0x7b
const closeObject = 0x7d
const texts = {
  true: expected('true'),
  false: expected('false'),
  null: expected('null'),
  emptyList: expected('[]'),
  tag: expected('{"tag":'),
  value: expected(',"value":'),
}
const nothing = new Uint8Array()

export function compilePlan(plan: ValuePlan, isVerbose: boolean): RenderedPlan {
  const values = plan.map((shape): Compiled<RenderNext> => {
    const compiled: Compiled<RenderNext> = {
      run(reader, writer) {
        compiled.run = renderingOf(shape, parts)
        compiled.run(reader, writer)
      },
    }
    return compiled
  })
  const parts: Parts<number> = {
    of: (place) => values[place]!,
    asOptional(place) {
      const shape = plan[place]!
      return shape.kind === 'optional' ? shape : undefined
    },
    isVerbose,
  }
  return { value: (reader, writer) => values[0]!.run(reader, writer), record: contentOf(plan[0]!, parts) }
}

/** The content of a Value. */
export function renderingOf<Part>(shape: PlannedShape<Part>, parts: Parts<Part>): RenderNext {
  return inValue(shape.kind, contentOf(shape, parts))
}

/** Of a type that is a record, the content of a Record. */
export function contentOf<Part>(shape: PlannedShape<Part>, parts: Parts<Part>): RenderNext {
  const { of } = parts
  switch (shape.kind) {
    case 'unit':
      return (reader) => {
        reader.pass(openObject)
        reader.pass(closeObject)
      }
    case 'bool':
      return (reader, writer) => {
        const isTrue = reader.next() === letterT
        reader.passText(isTrue ? texts.true : texts.false)
        writer.bool(isTrue)
      }
    case 'int64':
      return (reader, writer) => writer.sint64(reader.integer())
    case 'date':
      return (reader, writer) => writer.int32(dateFromText(reader.text()) ?? reader.fail())
    case 'timestamp':
      return (reader, writer) => writer.sfixed64(timestampFromText(reader.text()) ?? reader.fail())
    case 'text':
      return (reader, writer) => void reader.textTo(writer)
    case 'numeric':
    case 'party':
    case 'contract-id':
      return (reader, writer) => void reader.idTo(writer)
    case 'optional':
      if (nestedIn(shape, parts) !== undefined) return nestedOptional(shape, parts)
      return parts.asOptional(shape.element) === undefined ? optional(of(shape.element)) : hiding(of(shape.element))
    case 'list': {
      const element = part(1, of(shape.element))
      return (reader, writer) => items(reader, writer, element)
    }
    case 'text-map':
      return textMap(part(2, of(shape.element)))
    case 'gen-map':
      return genMap(part(1, of(shape.key)), part(2, of(shape.element)))
    case 'record':
      return record(shape.id, shape.fields, parts)
    case 'variant':
      return variant(shape.id, shape.fields, parts)
    case 'enum': {
      const id = parts.isVerbose ? identifierField(shape.id) : nothing
      return (reader, writer) => {
        writer.raw(id)
        reader.textTo(writer.tag(2, bytes))
      }
    }
  }
}

/** The content, in the field of a Value that is for it. */
function inValue(kind: Kind, write: RenderNext): RenderNext {
  const [number, wireType] = fieldNumbers[kind]
  if (wireType !== bytes || textKinds.has(kind)) return (reader, writer) => write(reader, writer.tag(number, wireType))
  return part(number, { run: write })
}

type Kind = PlannedShape<unknown>['kind']

const textKinds: ReadonlySet<Kind> = new Set(['numeric', 'party', 'text', 'contract-id'])

const fieldNumbers: Readonly<Record<Kind, readonly [number: number, wireType: 0 | 1 | 2]>> = {
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

/** A nested message. Its length probably takes as many bytes as that of the last one. */
function part(number: number, content: Compiled<RenderNext>): RenderNext {
  let lengthBytes = 1
  return (reader, writer) => {
    const guess = lengthBytes
    const start = writer.tag(number, bytes).open(guess)
    content.run(reader, writer)
    lengthBytes = writer.close(start, guess)
  }
}

function optional(element: Compiled<RenderNext>): RenderNext {
  const some = part(1, element)
  return (reader, writer) => {
    if (!passesNull(reader)) some(reader, writer)
  }
}

/** An Optional around another one, in whose JSON a Some may be hidden (hidden-somes.ts). */
function hiding(element: Compiled<RenderNext>): RenderNext {
  const visible = optional(element)
  return (reader, writer) => {
    let somes = 0
    while (reader.passes(space)) somes += 1
    if (somes === 0) return visible(reader, writer)
    if (!passesNull(reader) && !passesLeftOut(reader)) reader.fail()
    writer.raw(noneWithin(somes))
  }
}

/** The content of the outermost Optional of so many Somes around None. */
function noneWithin(somes: number): Uint8Array {
  let content: Uint8Array = nothing
  for (let count = 0; count < somes; count += 1) {
    const writer = new MessageWriter().tag(1, bytes).fork()
    content = writer.tag(fieldNumbers.optional[0], bytes).bytes(content).join().finish()
  }
  return content
}

function nestedIn<Part>(shape: PlannedOptional<Part>, parts: Parts<Part>): PlannedOptional<Part> | undefined {
  return shape.isOfParameter ? undefined : parts.asOptional(shape.element)
}

/** Each level of nested Optionals is a list. */
function nestedOptional<Part>(shape: PlannedOptional<Part>, parts: Parts<Part>): RenderNext {
  const nested = nestedIn(shape, parts)
  const content =
    nested === undefined ? parts.of(shape.element) : { run: inValue('optional', nestedOptional(nested, parts)) }
  const some = part(1, content)
  return (reader, writer) => {
    if (passesNone(reader, true)) return
    reader.pass(openList)
    some(reader, writer)
    reader.pass(closeList)
  }
}

function textMap(element: RenderNext): RenderNext {
  let key = ''
  const entry = part(1, {
    run(reader, writer) {
      const own = reader.text()
      if (own !== '') writer.tag(1, bytes).string(own)
      reader.pass(colon)
      element(reader, writer)
      key = own
    },
  })
  return (reader, writer) => {
    reader.pass(openObject)
    if (reader.passes(closeObject)) return
    const keys: { readonly key: string; readonly start: number }[] = []
    do {
      const start = writer.position()
      entry(reader, writer)
      keys.push({ key, start })
    } while (reader.passes(comma))
    reader.pass(closeObject)
    if (keys.some((one, index) => index > 0 && byCodePoints(keys[index - 1]!, one) > 0)) sort(writer, keys)
  }
}

/** JSON.parse puts names that look like numbers first; Daml's order is that of code points. */
function sort(writer: MessageWriter, entries: readonly { readonly key: string; readonly start: number }[]): void {
  const end = writer.position()
  const sorted = entries
    .map((entry, index) => ({ ...entry, bytes: writer.copyOf(entry.start, entries[index + 1]?.start ?? end) }))
    .sort(byCodePoints)
  writer.takeBack(entries[0]!.start)
  for (const entry of sorted) writer.raw(entry.bytes)
}

function byCodePoints({ key: a }: { readonly key: string }, { key: b }: { readonly key: string }): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

function genMap(key: RenderNext, element: RenderNext): RenderNext {
  const entry = part(1, {
    run(reader, writer) {
      reader.pass(openList)
      key(reader, writer)
      reader.pass(comma)
      element(reader, writer)
      reader.pass(closeList)
    },
  })
  return (reader, writer) => items(reader, writer, entry)
}

function items(reader: JsonReader, writer: MessageWriter, item: RenderNext): void {
  reader.pass(openList)
  if (reader.passes(closeList)) return
  do item(reader, writer)
  while (reader.passes(comma))
  reader.pass(closeList)
}

type Field<Part> = { readonly name: string; readonly type: Part }

function record<Part>(id: Identifier, fields: readonly Field<Part>[], parts: Parts<Part>): RenderNext {
  const { isVerbose, of, asOptional } = parts
  const before = isVerbose ? identifierField(id) : nothing
  const rows = fields.map(({ name, type }) => {
    const label = isVerbose ? new MessageWriter().tag(1, bytes).string(name).finish() : nothing
    const value = part(2, of(type))
    const labelled: RenderNext = (reader, writer) => {
      writer.raw(label)
      value(reader, writer)
    }
    const optional = asOptional(type)
    return {
      name: expected(`${JSON.stringify(name)}:`),
      write: part(2, { run: isVerbose ? labelled : value }),
      none: optional === undefined ? undefined : absentField(label),
      isNested: optional !== undefined && nestedIn(optional, parts) !== undefined,
    }
  })
  return (reader, writer) => {
    if (isVerbose) writer.raw(before)
    reader.pass(openObject)
    let needed = writer.position()
    let isFirst = true
    for (let index = 0; index < rows.length; index += 1) {
      const { name, write, none, isNested } = rows[index]!
      if (isFirst ? reader.passesText(name) : reader.passesNext(name)) {
        isFirst = false
        if (none === undefined || !passesNone(reader, isNested)) {
          write(reader, writer)
          needed = writer.position()
          continue
        }
      } else if (reader.next() === space) {
        write(reader, writer) // Left out, because its JSON is null, but a Some.
        needed = writer.position()
        continue
      } else passesLeftOut(reader)
      writer.raw(none ?? reader.fail())
    }
    reader.pass(closeObject)
    writer.takeBack(needed) // Trailing fields that are None.
  }
}

function variant<Part>(id: Identifier, fields: readonly Field<Part>[], { of, isVerbose }: Parts<Part>): RenderNext {
  const before = isVerbose ? identifierField(id) : nothing
  const contents = new Map(fields.map(({ name, type }) => [name, part(3, of(type))]))
  return (reader, writer) => {
    writer.raw(before)
    reader.passText(texts.tag)
    const tag = reader.text()
    writer.tag(2, bytes).string(tag)
    reader.passText(texts.value)
    const content = contents.get(tag) ?? reader.fail()
    content(reader, writer)
    reader.pass(closeObject)
  }
}

function passesNull(reader: JsonReader): boolean {
  return reader.next() === letterN && reader.passesText(texts.null)
}

/** Stands for a null that a record leaves out. */
function passesLeftOut(reader: JsonReader): boolean {
  return reader.passes(tab)
}

/** None of a nested Optional is an empty list. */
function passesNone(reader: JsonReader, isNested: boolean): boolean {
  return passesNull(reader) || (isNested && reader.passesText(texts.emptyList))
}

function identifierField({ packageId, module, name }: Identifier): Uint8Array {
  const writer = new MessageWriter()
  writer.tag(1, bytes).fork().tag(1, bytes).string(packageId)
  writer.tag(2, bytes).string(module).tag(3, bytes).string(name).join()
  return writer.finish()
}

/** A field of a record that is None. */
function absentField(label: Uint8Array): Uint8Array {
  const writer = new MessageWriter().tag(2, bytes).fork()
  writer.raw(label)
  writer.tag(2, bytes).fork().tag(fieldNumbers.optional[0], bytes).fork().join().join().join()
  return writer.finish()
}
