// Converts Daml values to values of the Ledger API and back. On the way there data types and fields get their names,
// and trailing fields that are None are left out (Canton: InteractiveSubmissionEnricher). On the way back the names are
// dropped, and the remaining bytes are read as every stored value is (protobuf.ts).

import { finishWriting, type MessageWriter } from '../../../protobuf/message-writer.ts'
import { wireTypes } from '../../../protobuf/wire-reading.ts'
import type { Type } from '../../syntax/ast.ts'
import { contractIdFromText, contractIdToBytes } from '../../values/contract-ids.ts'
import type { DataTypes } from '../../values/data-types.ts'
import {
  asBool,
  asContractId,
  asDate,
  asEnumOf,
  asLedgerInt64,
  asMap,
  asNumericOf,
  asParty,
  asRecordOf,
  asText,
  asTimestamp,
  asUnit,
  asVariantOf,
  contentOf,
  itemsOf,
} from '../../values/kinds.ts'
import { type LfValue, none } from '../../values/values.ts'
import { numericToText } from '../numeric-text.ts'
import { type Compiled, compilePerType, type Shape, storedFieldsMin } from '../shapes.ts'
import { ValueError } from '../value-error.ts'
import { valueFields } from '../value-proto.ts'
import type { LedgerValue, MaybeValue } from './type.ts'

type Convert = (value: LfValue) => LedgerValue

/** The value with all names. Throws a KindError for a value of another type. */
export function createLedgerValues(dataTypes: DataTypes): (value: LfValue, type: Type) => LedgerValue {
  const converterOf = compilePerType<Convert>(dataTypes, (shape, _type, of) => compile(shape, of))
  return (value, type) => converterOf(type).run(value)
}

function compile(shape: Shape, of: (type: Type) => Compiled<Convert>): Convert {
  switch (shape.kind) {
    case 'unit':
      return (value) => asUnit(value) && { kind: 'unit', value: {} }
    case 'bool':
      return (value) => ({ kind: 'bool', value: asBool(value) })
    case 'int64':
      return (value) => ({ kind: 'int64', value: BigInt(asLedgerInt64(value)) })
    case 'timestamp':
      return (value) => ({ kind: 'timestamp', value: BigInt(asTimestamp(value)) })
    case 'date':
      return (value) => ({ kind: 'date', value: asDate(value) })
    case 'numeric':
      return (value) => ({ kind: 'numeric', value: numericToText(asNumericOf(shape.scale, value)) })
    case 'party':
      return (value) => ({ kind: 'party', value: asParty(value) })
    case 'text':
      return (value) => ({ kind: 'text', value: asText(value) })
    case 'contract-id':
      return (value) => ({ kind: 'contract-id', value: asContractId(value).text })
    case 'optional': {
      const element = of(shape.element)
      return (value) => {
        const content = contentOf(value)
        return { kind: 'optional', value: { value: content === undefined ? undefined : element.run(content) } }
      }
    }
    case 'list': {
      const element = of(shape.element)
      return (value) => {
        return { kind: 'list', value: { elements: Array.from(itemsOf(value), (item) => element.run(item)) } }
      }
    }
    case 'text-map': {
      const element = of(shape.element)
      return (value) => {
        const entries = [...asMap(value).entries()]
        return {
          kind: 'text-map',
          value: { entries: entries.map(([key, item]) => ({ key: asText(key), value: element.run(item) })) },
        }
      }
    }
    case 'gen-map': {
      const [key, element] = [of(shape.key), of(shape.element)]
      return (value) => {
        const entries = [...asMap(value).entries()]
        return {
          kind: 'gen-map',
          value: { entries: entries.map(([entry, item]) => ({ key: key.run(entry), value: element.run(item) })) },
        }
      }
    }
    case 'record': {
      const { type } = shape
      const storedMin = storedFieldsMin(shape)
      const fields = shape.fields.map((field) => ({ label: field.name, content: of(field.type) }))
      return (value) => {
        const values = type.fieldsOf(asRecordOf(type, value))
        const count = Math.max(storedMin, values.findLastIndex((field) => field !== none) + 1)
        const shown = fields.slice(0, count)
        return {
          kind: 'record',
          value: {
            recordId: type.id,
            fields: shown.map(({ label, content }, index) => ({ label, value: content.run(values[index]) })),
          },
        }
      }
    }
    case 'variant': {
      const { id } = shape.type
      const constructors = shape.fields.map(({ name, type }) => ({ name, content: of(type) }))
      return (value) => {
        const { rank, value: inner } = asVariantOf(shape.type, value)
        const { name, content } = constructors[rank]!
        return { kind: 'variant', value: { variantId: id, constructor: name, value: content.run(inner) } }
      }
    }
    case 'enum': {
      const { type } = shape
      return (value) => {
        const tag = type.tags[asEnumOf(type, value).rank]!
        return { kind: 'enum', value: { enumId: type.id, constructor: tag } }
      }
    }
  }
}

/** The bytes of the value without names. Throws a ValueError for a missing part; the reader finds other errors. */
export function storedValueOf(value: MaybeValue): Uint8Array {
  return finishWriting((writer) => writeStored(writer, value))
}

function writeStored(writer: MessageWriter, given: MaybeValue): void {
  if (given === undefined) throw malformed('a value is missing')
  const { number, wireType } = valueFields[given.kind]
  writer.tag(number, wireType)
  const { kind, value } = given
  switch (kind) {
    case 'unit':
      writer.uint32(0)
      return
    case 'bool':
      writer.bool(value)
      return
    case 'int64':
      writer.sint64(value)
      return
    case 'timestamp':
      writer.sfixed64(value)
      return
    case 'date':
      writer.int32(value)
      return
    case 'numeric':
    case 'party':
    case 'text':
      writer.string(value)
      return
    case 'contract-id': {
      const id = contractIdFromText(value)
      if (id === undefined) throw malformed('a contract id is none')
      writer.bytes(contractIdToBytes(id))
      return
    }
    case 'optional':
      return within(writer, () => {
        if (value.value !== undefined) part(writer, 1, value.value)
      })
    case 'list':
      return within(writer, () => {
        for (const element of value.elements) part(writer, 1, element)
      })
    case 'text-map':
      return within(writer, () => {
        for (const { key, value: item } of value.entries) {
          writer.tag(1, wireTypes.bytes).fork()
          if (key !== '') writer.tag(1, wireTypes.bytes).string(key)
          part(writer, 2, item)
          writer.join()
        }
      })
    case 'gen-map':
      return within(writer, () => {
        for (const { key, value: item } of value.entries) {
          writer.tag(1, wireTypes.bytes).fork()
          part(writer, 1, key)
          part(writer, 2, item)
          writer.join()
        }
      })
    case 'record':
      return within(writer, () => {
        for (const field of value.fields) {
          writer.tag(1, wireTypes.bytes).fork()
          part(writer, 1, field.value)
          writer.join()
        }
      })
    case 'variant':
      return within(writer, () => {
        writer.tag(1, wireTypes.bytes).string(value.constructor)
        part(writer, 2, value.value)
      })
    case 'enum':
      return within(writer, () => writer.tag(1, wireTypes.bytes).string(value.constructor))
  }
}

function within(writer: MessageWriter, write: () => void): void {
  writer.fork()
  write()
  writer.join()
}

function part(writer: MessageWriter, number: number, value: MaybeValue): void {
  writer.tag(number, wireTypes.bytes).fork()
  writeStored(writer, value)
  writer.join()
}

function malformed(reason: string): ValueError {
  return new ValueError('INVALID_ARGUMENT', reason, { path: '', expected: 'a value' })
}
