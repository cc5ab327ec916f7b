// Daml values to value.proto. Fields are written in the order of their numbers and defaults are left out where proto3
// leaves them out, so that equal values have equal bytes, identical to Canton's.

import type { MessageWriter } from '../../protobuf/message-writer.ts'
import { wireTypes } from '../../protobuf/wire-reading.ts'
import type { Type } from '../syntax/ast.ts'
import { contractIdToBytes } from '../values/contract-ids.ts'
import {
  asBool,
  asContractId,
  asDate,
  asEnumOf,
  asLedgerInt64,
  asList,
  asMap,
  asNumericOf,
  asParty,
  asRecordOf,
  asText,
  asTimestamp,
  asUnit,
  asVariantOf,
  contentOf,
} from '../values/kinds.ts'
import { Cons, type LfValue, none } from '../values/values.ts'
import { numericToText } from './numeric-text.ts'
import { type Compiled, type RecordShape, type Shape, storedFieldsMin, type VariantShape } from './shapes.ts'
import { valueFields } from './value-proto.ts'

/** Writes the content of a Value message. */
export type Write = (writer: MessageWriter, value: LfValue) => void

type WriterOf = (type: Type) => Compiled<Write>

export function compileWriter(shape: Shape, of: WriterOf): Write {
  const { number, wireType } = valueFields[shape.kind]
  const write = contentWriter(shape, of)
  return (writer, value) => write(writer.tag(number, wireType), value)
}

/** Writes what follows the tag of the one field that a Value has. */
function contentWriter(shape: Shape, of: WriterOf): Write {
  switch (shape.kind) {
    case 'unit':
      return (writer, value) => asUnit(value) && writer.uint32(0)
    case 'bool':
      return (writer, value) => writer.bool(asBool(value))
    case 'int64':
      return (writer, value) => writer.sint64(asLedgerInt64(value))
    case 'date':
      return (writer, value) => writer.int32(asDate(value))
    case 'timestamp':
      return (writer, value) => writer.sfixed64(asTimestamp(value))
    case 'numeric':
      return (writer, value) => writer.string(numericToText(asNumericOf(shape.scale, value)))
    case 'party':
      return (writer, value) => writer.string(asParty(value))
    case 'text':
      return (writer, value) => writer.string(asText(value))
    case 'contract-id':
      return (writer, value) => writer.bytes(contractIdToBytes(asContractId(value)))
    case 'optional':
      return optionalWriter(of(shape.element))
    case 'list':
      return listWriter(of(shape.element))
    case 'text-map':
      return mapWriter(textKeyWriter, of(shape.element))
    case 'gen-map': {
      const key = of(shape.key)
      return mapWriter((writer, value) => writer.message(1, () => key.run(writer, value)), of(shape.element))
    }
    case 'record':
      return recordWriter(shape, of)
    case 'variant':
      return variantWriter(shape, of)
    case 'enum': {
      const { type } = shape
      return (writer, value) => {
        writer.fork()
        writer.tag(1, wireTypes.bytes).string(type.tags[asEnumOf(type, value).rank]!)
        writer.join()
      }
    }
  }
}

function optionalWriter(element: Compiled<Write>): Write {
  return (writer, value) => {
    const content = contentOf(value)
    writer.fork()
    if (content !== undefined) writer.message(1, () => element.run(writer, content))
    writer.join()
  }
}

function listWriter(element: Compiled<Write>): Write {
  return (writer, value) => {
    writer.fork()
    for (let rest = asList(value); rest instanceof Cons; rest = asList(rest.tail)) {
      writer.tag(1, wireTypes.bytes).fork()
      element.run(writer, rest.head)
      writer.join()
    }
    writer.join()
  }
}

function textKeyWriter(writer: MessageWriter, key: LfValue): void {
  if (key !== '') writer.tag(1, wireTypes.bytes).string(asText(key))
}

function mapWriter(writeKey: Write, element: Compiled<Write>): Write {
  return (writer, value) => {
    writer.fork()
    for (const [key, item] of asMap(value).entries()) {
      writer.tag(1, wireTypes.bytes).fork()
      writeKey(writer, key)
      writer.message(2, () => element.run(writer, item))
      writer.join()
    }
    writer.join()
  }
}

function recordWriter(shape: RecordShape, of: WriterOf): Write {
  const { type } = shape
  const fields = shape.fields.map((field) => of(field.type))
  const storedMin = storedFieldsMin(shape)
  return (writer, value) => {
    const values = type.fieldsOf(asRecordOf(type, value))
    const count = Math.max(storedMin, values.findLastIndex((field) => field !== none) + 1)
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
    const { rank, value: inner } = asVariantOf(shape.type, value)
    const { name, content } = constructors[rank]!
    writer.fork()
    writer.tag(1, wireTypes.bytes).string(name)
    writer.message(2, () => content.run(writer, inner))
    writer.join()
  }
}
