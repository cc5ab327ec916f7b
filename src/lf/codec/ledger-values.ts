// Daml values to values of the Ledger API and back. On the way there data types and fields get their names, and fields
// that are None at the end of a record are left out (Canton: InteractiveSubmissionEnricher). On the way back the names
// are dropped, and the bytes that remain are read as every stored value is (protobuf.ts).
import type { Type } from '../ast.ts'
import { contractIdFromText, contractIdToBytes } from '../contract-ids.ts'
import type { DataTypes } from '../data-types.ts'
import type { OrderedMap } from '../ordered-map.ts'
import {
  arrayFromList,
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
import type { LedgerValue, MaybeValue } from './ledger-value.ts'
import type { MessageWriter } from './message-writer.ts'
import { numericToText } from './numeric-text.ts'
import { finishWriting } from './protobuf-writing.ts'
import { type Compiled, compilePerType, type Shape } from './shapes.ts'
import { ValueError } from './value-error.ts'
import { valueFields } from './value-proto.ts'

type Convert = (value: LfValue) => LedgerValue

/** The value, which is taken to be of the type, with all names. */
export function createLedgerValues(dataTypes: DataTypes): (value: LfValue, type: Type) => LedgerValue {
  const converterOf = compilePerType<Convert>(dataTypes, (shape, _type, of) => compile(shape, of))
  return (value, type) => converterOf(type).run(value)
}

function compile(shape: Shape, of: (type: Type) => Compiled<Convert>): Convert {
  switch (shape.kind) {
    case 'unit':
      return () => ({ kind: 'unit', value: {} })
    case 'bool':
      return (value) => ({ kind: 'bool', value: value === true })
    case 'int64':
    case 'timestamp':
      return (value) => ({ kind: shape.kind as 'int64' | 'timestamp', value: BigInt(value as Int64) })
    case 'date':
      return (value) => ({ kind: 'date', value: value as number })
    case 'numeric':
      return (value) => ({ kind: 'numeric', value: numericToText(value as Numeric) })
    case 'party':
    case 'text':
      return (value) => ({ kind: shape.kind as 'party' | 'text', value: value as string })
    case 'contract-id':
      return (value) => ({ kind: 'contract-id', value: (value as ContractId).text })
    case 'optional': {
      const element = of(shape.element)
      return (value) => {
        return { kind: 'optional', value: { value: value === none ? undefined : element.run((value as Some).value) } }
      }
    }
    case 'list': {
      const element = of(shape.element)
      return (value) => {
        return { kind: 'list', value: { elements: arrayFromList(value as List).map((item) => element.run(item)) } }
      }
    }
    case 'text-map': {
      const element = of(shape.element)
      return (value) => {
        const entries = [...(value as OrderedMap).entries()]
        return {
          kind: 'text-map',
          value: { entries: entries.map(([key, item]) => ({ key: key as string, value: element.run(item) })) },
        }
      }
    }
    case 'gen-map': {
      const [key, element] = [of(shape.key), of(shape.element)]
      return (value) => {
        const entries = [...(value as OrderedMap).entries()]
        return {
          kind: 'gen-map',
          value: { entries: entries.map(([entry, item]) => ({ key: key.run(entry), value: element.run(item) })) },
        }
      }
    }
    case 'record': {
      const { id, fieldsOf } = shape.type
      const fields = shape.fields.map(({ name, type }) => ({ label: name, content: of(type) }))
      return (value) => {
        const values = fieldsOf(value as LfRecord)
        const count = values.findLastIndex((field) => field !== none) + 1
        const shown = fields.slice(0, count)
        return {
          kind: 'record',
          value: {
            recordId: id,
            fields: shown.map(({ label, content }, index) => ({ label, value: content.run(values[index]) })),
          },
        }
      }
    }
    case 'variant': {
      const { id } = shape.type
      const constructors = shape.fields.map(({ name, type }) => ({ name, content: of(type) }))
      return (value) => {
        const { rank, value: inner } = value as Variant
        const { name, content } = constructors[rank]!
        return { kind: 'variant', value: { variantId: id, constructor: name, value: content.run(inner) } }
      }
    }
    case 'enum': {
      const { id, tags } = shape.type
      return (value) => ({ kind: 'enum', value: { enumId: id, constructor: tags[(value as EnumValue).rank]! } })
    }
  }
}

/** The bytes of the value without its names. A ValueError where a part is missing; the rest is for the reader to find. */
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
