// Daml values to value.proto. Fields are written in the order of their numbers and defaults are left out where proto3
// leaves them out, so that equal values have equal bytes, and the same as Canton's.
import type { Type } from '../ast.ts'
import { contractIdToBytes } from '../contract-ids.ts'
import type { OrderedMap } from '../ordered-map.ts'
import {
  Cons,
  type ContractId,
  type EnumValue,
  type Int64,
  type LfRecord,
  type LfValue,
  type List,
  type Numeric,
  none,
  type Some,
  type Variant,
} from '../values.ts'
import { wireTypes } from '../wire.ts'
import { MessageWriter } from './message-writer.ts'
import { numericToText } from './numeric-text.ts'
import type { Compiled, RecordShape, Shape, VariantShape } from './shapes.ts'
import { valueFields } from './value-proto.ts'

/** Writes the content of a Value message. */
export type Write = (writer: MessageWriter, value: LfValue) => void

type WriterOf = (type: Type) => Compiled<Write>

/** Finished writers, each with memory that the next message need not allocate. */
const spareWriters: MessageWriter[] = []

export function finishWriting(write: (writer: MessageWriter) => void): Uint8Array {
  const writer = spareWriters.pop() ?? new MessageWriter()
  write(writer)
  spareWriters.push(writer)
  return writer.finish()
}

export function compileWriter(shape: Shape, of: WriterOf): Write {
  const { number, wireType } = valueFields[shape.kind]
  const write = contentWriter(shape, of)
  return (writer, value) => write(writer.tag(number, wireType), value)
}

/** What follows the tag of the one field that a Value has. */
function contentWriter(shape: Shape, of: WriterOf): Write {
  switch (shape.kind) {
    case 'unit':
      return (writer) => writer.uint32(0)
    case 'bool':
      return (writer, value) => writer.bool(value === true)
    case 'int64':
      return (writer, value) => writer.sint64(value as Int64)
    case 'date':
      return (writer, value) => writer.int32(value as number)
    case 'timestamp':
      return (writer, value) => writer.sfixed64(value as Int64)
    case 'numeric':
      return (writer, value) => writer.string(numericToText(value as Numeric))
    case 'party':
    case 'text':
      return (writer, value) => writer.string(value as string)
    case 'contract-id':
      return (writer, value) => writer.bytes(contractIdToBytes(value as ContractId))
    case 'optional':
      return optionalWriter(of(shape.element))
    case 'list':
      return listWriter(of(shape.element))
    case 'text-map':
      return mapWriter(textKeyWriter, of(shape.element))
    case 'gen-map': {
      const key = of(shape.key)
      return mapWriter((writer, value) => writeMessage(writer, 1, () => key.run(writer, value)), of(shape.element))
    }
    case 'record':
      return recordWriter(shape, of)
    case 'variant':
      return variantWriter(shape, of)
    case 'enum': {
      const { tags } = shape.type
      return (writer, value) => {
        writer.fork()
        writer.tag(1, wireTypes.bytes).string(tags[(value as EnumValue).rank]!)
        writer.join()
      }
    }
  }
}

function optionalWriter(element: Compiled<Write>): Write {
  return (writer, value) => {
    writer.fork()
    if (value !== none) writeMessage(writer, 1, () => element.run(writer, (value as Some).value))
    writer.join()
  }
}

function listWriter(element: Compiled<Write>): Write {
  return (writer, value) => {
    writer.fork()
    for (let rest = value as List; rest instanceof Cons; rest = rest.tail) {
      writer.tag(1, wireTypes.bytes).fork()
      element.run(writer, rest.head)
      writer.join()
    }
    writer.join()
  }
}

function textKeyWriter(writer: MessageWriter, key: LfValue): void {
  if (key !== '') writer.tag(1, wireTypes.bytes).string(key as string)
}

function mapWriter(writeKey: Write, element: Compiled<Write>): Write {
  return (writer, value) => {
    writer.fork()
    for (const [key, item] of (value as OrderedMap).entries()) {
      writer.tag(1, wireTypes.bytes).fork()
      writeKey(writer, key)
      writeMessage(writer, 2, () => element.run(writer, item))
      writer.join()
    }
    writer.join()
  }
}

function recordWriter(shape: RecordShape, of: WriterOf): Write {
  const { fieldsOf } = shape.type
  const fields = shape.fields.map(({ type }) => of(type))
  return (writer, value) => {
    const values = fieldsOf(value as LfRecord)
    const count = values.findLastIndex((field) => field !== none) + 1
    writer.fork()
    for (let index = 0; index < count; index++) {
      writer.tag(1, wireTypes.bytes).fork().tag(1, wireTypes.bytes).fork()
      fields[index]!.run(writer, values[index])
      writer.join().join()
    }
    writer.join()
  }
}

function variantWriter(shape: VariantShape, of: WriterOf): Write {
  const constructors = shape.fields.map(({ name, type }) => ({ name, content: of(type) }))
  return (writer, value) => {
    const { rank, value: inner } = value as Variant
    const { name, content } = constructors[rank]!
    writer.fork()
    writer.tag(1, wireTypes.bytes).string(name)
    writeMessage(writer, 2, () => content.run(writer, inner))
    writer.join()
  }
}

function writeMessage(writer: MessageWriter, number: number, write: () => void): void {
  writer.tag(number, wireTypes.bytes).fork()
  write()
  writer.join()
}
