// Hashes of contracts and contract keys in typed normal form (Canton: interpreter crypto/SValueHash.scala). Neither the
// package id nor trailing fields that are None are part of them, so that both survive upgrades.
import type { Identifier, Type } from '../syntax/ast.ts'
import type { DataTypes } from '../values/data-types.ts'
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
import { unscaledInteger } from '../values/numeric.ts'
import { Cons, type ContractId, type LfValue, type List, none } from '../values/values.ts'
import { HashInput } from './hash-input.ts'
import {
  type Compiled,
  compilePerType,
  type RecordShape,
  type Shape,
  storedFieldsMin,
  typeToText,
  type VariantShape,
} from './shapes.ts'
import { ValueError } from './value-error.ts'

const tags = {
  int64: 0,
  numeric: 1,
  text: 2,
  timestamp: 3,
  party: 4,
  bool: 5,
  unit: 6,
  date: 7,
  record: 8,
  variant: 9,
  enum: 10,
  list: 11,
  optional: 12,
  'text-map': 13,
  'gen-map': 14,
  'contract-id': 15,
} as const satisfies Record<Shape['kind'], number>

const recordEnd = 0xff
/** The version of the encoding, then the purpose of the hash; a key's hash has a version of its own. */
const contractStart = [3, 5]
const keyStart = [3, 9, 1]

export type Hashed = {
  readonly packageName: string
  readonly templateId: Identifier
  readonly type: Type
  readonly value: LfValue
}

export type ValueHash = {
  /** The hash of a contract's argument, 32 bytes in hex. */
  contractHash(hashed: Hashed): string
  /** The hash of a contract's key, 32 bytes in hex. Throws a ValueError for a key that holds a contract id. */
  keyHash(hashed: Hashed): string
}

type Write = (input: ValueInput, value: LfValue) => void
type WriterOf = (type: Type) => Compiled<Write>

export function createValueHash(dataTypes: DataTypes): ValueHash {
  const writerOf = compilePerType<Write>(dataTypes, compileWriter)
  const ofContract = new ValueInput(true)
  const ofKey = new ValueInput(false)
  const names = new WeakMap<Identifier, Buffer>()

  function nameOf(templateId: Identifier): Buffer {
    let name = names.get(templateId)
    if (name === undefined) {
      name = qualifiedName(templateId)
      names.set(templateId, name)
    }
    return name
  }

  function digest(
    start: readonly number[],
    { packageName, templateId, type, value }: Hashed,
    input: ValueInput,
  ): string {
    input.restart()
    for (const byte of start) input.byte(byte)
    input.text(packageName)
    input.raw(nameOf(templateId))
    writerOf(type).run(input, value)
    return input.sha256()
  }

  return {
    contractHash: (hashed) => digest(contractStart, hashed, ofContract),
    keyHash: (hashed) => digest(keyStart, hashed, ofKey),
  }
}

function compileWriter(shape: Shape, type: Type, of: WriterOf): Write {
  const tag = tags[shape.kind]
  switch (shape.kind) {
    case 'unit':
      return (input, value) => asUnit(value) && input.byte(tag)
    case 'bool':
      return (input, value) => {
        input.byte(tag)
        input.byte(asBool(value) ? 1 : 0)
      }
    case 'int64':
      return (input, value) => {
        input.byte(tag)
        input.int64(asLedgerInt64(value))
      }
    case 'timestamp':
      return (input, value) => {
        input.byte(tag)
        input.int64(asTimestamp(value))
      }
    case 'date':
      return (input, value) => {
        input.byte(tag)
        input.int32(asDate(value))
      }
    case 'numeric':
      return (input, value) => {
        input.byte(tag)
        input.number(unscaledInteger(asNumericOf(shape.scale, value)))
      }
    case 'party':
      return (input, value) => {
        input.byte(tag)
        input.text(asParty(value))
      }
    case 'text':
      return (input, value) => {
        input.byte(tag)
        input.text(asText(value))
      }
    case 'contract-id':
      return (input, value) => {
        const id = asContractId(value)
        if (!input.allowsContractIds) throw contractIdInKey(id, type)
        input.byte(tag)
        const { text } = id
        input.int32(text.length / 2)
        input.hex(text)
      }
    case 'optional': {
      const element = of(shape.element)
      return (input, value) => {
        input.byte(tag)
        const content = contentOf(value)
        input.byte(content === undefined ? 0 : 1)
        if (content !== undefined) element.run(input, content)
      }
    }
    case 'list': {
      const element = of(shape.element)
      return (input, value) => {
        input.byte(tag)
        const list = asList(value)
        input.int32(lengthOf(list))
        for (let rest = list; rest instanceof Cons; rest = asList(rest.tail)) element.run(input, rest.head)
      }
    }
    case 'text-map':
    case 'gen-map':
      return mapWriter(shape, of)
    case 'record':
      return recordWriter(shape, of)
    case 'variant':
      return variantWriter(shape, of)
    case 'enum': {
      const starts = shape.type.tags.map((name, rank) => constructorBytes(tag, shape.type.id, name, rank))
      return (input, value) => input.raw(starts[asEnumOf(shape.type, value).rank]!)
    }
  }
}

function mapWriter(shape: Extract<Shape, { kind: 'text-map' | 'gen-map' }>, of: WriterOf): Write {
  const tag = tags[shape.kind]
  const key: Compiled<Write> =
    shape.kind === 'gen-map' ? of(shape.key) : { run: (input, value) => input.text(asText(value)) }
  const element = of(shape.element)
  return (input, value) => {
    const map = asMap(value)
    input.byte(tag)
    input.int32(map.size)
    for (const [entryKey, item] of map.entries()) {
      key.run(input, entryKey)
      element.run(input, item)
    }
  }
}

function recordWriter(shape: RecordShape, of: WriterOf): Write {
  const { type } = shape
  const storedMin = storedFieldsMin(shape)
  const start = Buffer.concat([Buffer.of(tags.record), qualifiedName(type.id)])
  const fields = shape.fields.map((field) => ({ label: textBytes(field.name), writer: of(field.type) }))
  return (input, value) => {
    const values = type.fieldsOf(asRecordOf(type, value))
    const count = Math.max(storedMin, values.findLastIndex((field) => field !== none) + 1)
    input.raw(start)
    for (let index = 0; index < count; index++) {
      const { label, writer } = fields[index]!
      input.raw(label)
      writer.run(input, values[index])
    }
    input.byte(recordEnd)
  }
}

function variantWriter(shape: VariantShape, of: WriterOf): Write {
  const constructors = shape.fields.map(({ name, type }, rank) => ({
    start: constructorBytes(tags.variant, shape.type.id, name, rank),
    writer: of(type),
  }))
  return (input, value) => {
    const { rank, value: content } = asVariantOf(shape.type, value)
    const { start, writer } = constructors[rank]!
    input.raw(start)
    writer.run(input, content)
  }
}

// ── Bytes

function constructorBytes(tag: number, id: Identifier, name: string, rank: number): Buffer {
  return Buffer.concat([Buffer.of(tag), qualifiedName(id), textBytes(name), int32Bytes(rank)])
}

function qualifiedName({ module, name }: Identifier): Buffer {
  return Buffer.concat([dottedName(module), dottedName(name)])
}

function dottedName(name: string): Buffer {
  const segments = name.split('.')
  return Buffer.concat([int32Bytes(segments.length), ...segments.map(textBytes)])
}

function textBytes(text: string): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([int32Bytes(bytes.length), bytes])
}

function int32Bytes(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

function lengthOf(list: List): number {
  let length = 0
  for (let rest = list; rest instanceof Cons; rest = rest.tail) length++
  return length
}

class ValueInput extends HashInput {
  readonly allowsContractIds: boolean

  constructor(allowsContractIds: boolean) {
    super()
    this.allowsContractIds = allowsContractIds
  }
}

function contractIdInKey({ text }: ContractId, type: Type): ValueError {
  const reason = `Contract IDs are not supported in contract keys: ${text}`
  return new ValueError('CONTRACT_ID_IN_CONTRACT_KEY', reason, { path: '', expected: typeToText(type) })
}
