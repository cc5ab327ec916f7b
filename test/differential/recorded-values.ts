// Converts between the values in recordings (README.md beside this file) and those of the engine. Arguments are read by
// type, because a recorded record does not name its own.
import assert from 'node:assert/strict'
import { compareTexts, compareValues } from '../../src/engine/values/order.ts'
import type { Identifier, Type } from '../../src/lf/syntax/ast.ts'
import { substitute } from '../../src/lf/syntax/types.ts'
import type { DataTypes } from '../../src/lf/values/data-types.ts'
import { Numeric, numericOf } from '../../src/lf/values/numeric.ts'
import { OrderedMap } from '../../src/lf/values/ordered-map.ts'
import {
  Any,
  arrayFromList,
  Cons,
  ContractId,
  EnumValue,
  int64,
  LfRecord,
  LfStruct,
  type LfValue,
  listFromArray,
  nil,
  none,
  Some,
  TypeRep,
  unit,
  Variant,
} from '../../src/lf/values/values.ts'

// biome-ignore lint/suspicious/noExplicitAny: recordings are plain JSON.
export type Recorded = any

export function readRecorded(json: Recorded, type: Type, dataTypes: DataTypes): LfValue {
  const [kind, content] = Object.entries(json)[0] as [string, Recorded]
  const argument = (index = 0) => ('args' in type ? type.args[index]! : assert.fail(`${type.kind} has no arguments`))
  switch (kind) {
    case 'unit':
      return unit
    case 'none':
      return none
    case 'bool':
    case 'text':
    case 'party':
      return content
    case 'int64':
    case 'timestamp':
      return int64(BigInt(content))
    case 'numeric': {
      const [whole, fraction] = content.split('.')
      // A command may have fewer decimals than its type, or more zeros.
      const scale = type.kind === 'builtin' && type.args[0]?.kind === 'nat' ? type.args[0].value : fraction.length
      return numericOf(BigInt(whole + fraction.padEnd(scale, '0').slice(0, scale)), scale)
    }
    case 'date':
      return Date.parse(`${content}T00:00:00Z`) / 86_400_000
    case 'contractId':
      return new ContractId(content)
    case 'some':
      return new Some(readRecorded(content, argument(), dataTypes))
    case 'list':
      return listFromArray(content.map((item: Recorded) => readRecorded(item, argument(), dataTypes)))
    case 'textMap':
      return content.reduce(
        (map: OrderedMap, [key, value]: [string, Recorded]) =>
          map.with(key, readRecorded(value, argument(), dataTypes)),
        OrderedMap.empty(compareTexts as (a: LfValue, b: LfValue) => number),
      )
    case 'genMap':
      return content.reduce(
        (map: OrderedMap, [key, value]: [Recorded, Recorded]) =>
          map.with(readRecorded(key, argument(0), dataTypes), readRecorded(value, argument(1), dataTypes)),
        OrderedMap.empty(compareValues),
      )
    default:
      return readData(kind, content, type, dataTypes)
  }
}

function readData(kind: string, content: Recorded, type: Type, dataTypes: DataTypes): LfValue {
  assert(type.kind === 'constructor', `${kind} is recorded for a ${type.kind}`)
  const { parameters, constructors } = dataTypes.definition(type.id)
  const bound = new Map(parameters.map(({ name }, index) => [name, type.args[index]!]))
  const part = (json: Recorded, of: Type) => readRecorded(json, substitute(of, bound), dataTypes)
  switch (constructors.kind) {
    case 'record': {
      const { create } = dataTypes.record(type.id)
      // A command may label its fields, in any order, and omit those that are None.
      const labelled = new Map<string, Recorded>(kind === 'labelled' ? content : [])
      const given: Recorded[] =
        kind === 'labelled' ? constructors.fields.map(({ name }) => labelled.get(name)) : content
      return new create(
        ...constructors.fields.map((field, index) => (given[index] ? part(given[index], field.type) : none)),
      )
    }
    case 'variant': {
      const rank = constructors.fields.findIndex(({ name }) => name === content[0])
      return new Variant(dataTypes.variant(type.id), rank, part(content[1], constructors.fields[rank]!.type))
    }
    case 'enum':
      return dataTypes.enum(type.id).values[constructors.names.indexOf(content)]
    case 'interface':
      return assert.fail('interfaces are not recorded as arguments')
  }
}

/** The recorded form of a value; strings, numbers and similar values need their type for that. */
export function writeRecorded(value: LfValue, type: Type | undefined, dataTypes: DataTypes): Recorded {
  const write = (part: LfValue, of: Type | undefined) => writeRecorded(part, of, dataTypes)
  const argument = (index = 0) => (type && 'args' in type ? type.args[index] : undefined)
  if (value === unit) return { unit: true }
  if (value === none) return { none: true }
  if (typeof value === 'boolean') return { bool: value }
  if (typeof value === 'function') return { function: true }
  if (value instanceof Numeric) return { numeric: numericText(value) }
  if (value instanceof ContractId) return { contractId: value.text }
  if (value instanceof Some) return { some: write(value.value, argument()) }
  if (value === nil || value instanceof Cons) {
    return { list: arrayFromList(value as Cons).map((item) => write(item, argument())) }
  }
  if (value instanceof OrderedMap) {
    const isTextMap = type?.kind === 'builtin' && type.name === 'TextMap'
    const entries = [...value.entries()]
    return isTextMap
      ? { textMap: entries.map(([key, item]) => [key, write(item, argument())]) }
      : { genMap: entries.map(([key, item]) => [write(key, argument(0)), write(item, argument(1))]) }
  }
  if (value instanceof LfRecord) {
    const record = recordToJson(value, type, dataTypes)
    return isInterface(type, dataTypes) ? { any: [identifierText(value.type.id), record] } : record
  }
  if (value instanceof Variant) {
    const field = fieldsOf(value.type.id, type, dataTypes)[value.rank]
    return { variant: [value.type.tags[value.rank], write(value.value, field)] }
  }
  if (value instanceof EnumValue) return { enum: value.type.tags[value.rank] }
  if (value instanceof Any) return { any: [typeText(value.type), write(value.value, value.type)] }
  if (value instanceof TypeRep) return { typeRep: typeText(value.type) }
  if (typeof value === 'string') return isBuiltin(type, 'Party') ? { party: value } : { text: value }
  if (typeof value === 'number' || typeof value === 'bigint') return integerToJson(value, type)
  assert(value instanceof LfStruct, 'there is no other kind of value')
  const parts = value.type.fieldsOf(value)
  const types = new Map(type?.kind === 'struct' ? type.fields.map((field) => [field.name, field.type]) : [])
  return { struct: value.type.fieldNames.map((name, index) => [name, write(parts[index], types.get(name))]) }
}

function recordToJson(value: LfRecord, type: Type | undefined, dataTypes: DataTypes): Recorded {
  const fields = fieldsOf(value.type.id, type, dataTypes)
  return {
    record: value.type.fieldsOf(value).map((part, index) => writeRecorded(part, fields[index], dataTypes)),
  }
}

function isInterface(type: Type | undefined, dataTypes: DataTypes): boolean {
  return type?.kind === 'constructor' && dataTypes.definition(type.id).constructors.kind === 'interface'
}

function fieldsOf(id: Identifier, type: Type | undefined, dataTypes: DataTypes): Type[] {
  const { parameters, constructors } = dataTypes.definition(id)
  const args = type?.kind === 'constructor' ? type.args : []
  const bound = new Map(parameters.flatMap(({ name }, index) => (args[index] ? [[name, args[index]] as const] : [])))
  return 'fields' in constructors ? constructors.fields.map((field) => substitute(field.type, bound)) : []
}

function integerToJson(value: number | bigint, type: Type | undefined): Recorded {
  if (isBuiltin(type, 'Date')) return { date: new Date(Number(value) * 86_400_000).toISOString().slice(0, 10) }
  if (isBuiltin(type, 'Timestamp')) return { timestamp: String(value) }
  return { int64: String(value) }
}

function isBuiltin(type: Type | undefined, name: string): boolean {
  return type?.kind === 'builtin' && type.name === name
}

function numericText({ unscaled, scale }: Numeric): string {
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, '0')
  const whole = digits.slice(0, digits.length - scale)
  return `${unscaled < 0n ? '-' : ''}${whole}.${scale === 0 ? '' : digits.slice(-scale)}`
}

function identifierText({ packageId, module, name }: Identifier): string {
  return `${packageId}:${module}:${name}`
}

function typeText(type: Type): string {
  if (type.kind === 'constructor') return identifierText(type.id)
  return type.kind === 'builtin' ? [type.name, ...type.args.map(typeText)].join(' ') : type.kind
}

/** The recorded outcome, and the outcome here. */
export type Replay = {
  readonly name: string
  readonly group: string
  readonly actual: Recorded
  readonly expected: Recorded
}
