// Values in error texts, as Canton writes them there (Pretty.scala, prettyValue; for keys that are not found, the Scala
// form of Value). Run-time values do not know whether they are a date or an Int64: the type tells.

import { shorten } from '../../base/names.ts'
import { numericToText } from '../../lf/codec/numeric-text.ts'
import type { DataConstructors, DataType, Identifier, Type } from '../../lf/syntax/ast.ts'
import { shownIdentifier } from '../../lf/syntax/names.ts'
import { substitute } from '../../lf/syntax/types.ts'
import {
  asBool,
  asContractId,
  asDate,
  asLedgerInt64,
  asMap,
  asNumeric,
  asText,
  asTimestamp,
  asUnit,
  contentOf,
  itemsOf,
  wrongKind,
} from '../../lf/values/kinds.ts'
import { EnumValue, LfRecord, type LfValue, none, Variant } from '../../lf/values/values.ts'
import { steps } from '../failures/steps.ts'
import type { TypedValue } from './typed-value.ts'

/**
 * How a value is written: `typed` with the names of types and fields, `ledger` as it is stored, without names and
 * without trailing None, `key` as Canton names the keys it cannot find and values of a wrong type, `resource` as it names values among the resources
 * of an error: in protobuf, in base64.
 */
export type ValueText = (value: TypedValue, form: Form | 'resource') => string

/** The default, which leaves the value out of the text. */
export const noValueText: ValueText = () => '…'

type Form = 'typed' | 'ledger' | 'key'

/** More never fits into the details of an error, which leave out what does not fit. */
const resourceLengthMax = 4096

/** How the forms differ; the texts of parts are parameters. */
type Style = {
  readonly dropsTrailingNone: boolean
  scalar(kind: string, text: string): string
  record(id: Identifier, fields: [name: string, text: string][]): string
  variant(id: Identifier, tag: string, text: string): string
  enum(id: Identifier, tag: string): string
  list(items: string[]): string
  optional(text: string | undefined): string
  map(kind: 'TextMap' | 'GenMap', entries: [string, string][]): string
}

type Parts = {
  definition(id: Identifier): DataType
  /** In protobuf. */
  encode(value: LfValue, type: Type): Uint8Array
}

export function createValueText({ definition, encode }: Parts): ValueText {
  return ({ type, value }, form) => {
    return form === 'resource' ? resourceText(encode(value, type)) : write(type, value, styles[form])
  }

  function write(type: Type, value: LfValue, style: Style): string {
    steps.charge(1)
    if (type.kind === 'constructor') return writeData(definition(type.id), type, value, style)
    if (type.kind !== 'builtin') return '…'
    const [first, second] = type.args
    switch (type.name) {
      case 'List':
        return style.list(Array.from(itemsOf(value), (item) => write(part(first), item, style)))
      case 'Optional': {
        const content = contentOf(value)
        return style.optional(content === undefined ? undefined : write(part(first), content, style))
      }
      case 'TextMap':
      case 'GenMap': {
        const isText = type.name === 'TextMap'
        const entries = [...asMap(value).entries()].map(([key, item]): [string, string] => [
          isText ? asText(key) : write(part(first), key, style),
          write(part(isText ? first : second), item, style),
        ])
        return style.map(type.name, entries)
      }
      default:
        return style.scalar(type.name, scalarText(type.name, value))
    }
  }

  function writeData(
    { parameters, constructors }: DataType,
    { id, args }: Extract<Type, { kind: 'constructor' }>,
    value: LfValue,
    style: Style,
  ): string {
    const typeArguments = new Map(parameters.map(({ name }, index) => [name, part(args[index])]))
    const written = (type: Type, inner: LfValue) => write(substitute(type, typeArguments), inner, style)
    return writeConstructors(constructors, id, value, written, style)
  }
}

function writeConstructors(
  constructors: DataConstructors,
  id: Identifier,
  value: LfValue,
  part: (type: Type, inner: LfValue) => string,
  style: Style,
): string {
  switch (constructors.kind) {
    case 'record': {
      if (!(value instanceof LfRecord)) return wrongKind('a record')
      const values = value.type.fieldsOf(value)
      let end = values.length
      while (style.dropsTrailingNone && end > 0 && values[end - 1] === none) end -= 1
      const fields = constructors.fields.slice(0, end)
      return style.record(
        id,
        fields.map(({ name, type }, index) => [name, part(type, values[index])]),
      )
    }
    case 'variant': {
      if (!(value instanceof Variant)) return wrongKind('a variant')
      const { rank, value: inner } = value
      const { name, type } = constructors.fields[rank] ?? wrongKind('a variant')
      return style.variant(id, name, part(type, inner))
    }
    case 'enum':
      if (!(value instanceof EnumValue)) return wrongKind('an enum')
      return style.enum(id, constructors.names[value.rank] ?? wrongKind('an enum'))
    case 'interface':
      return '…'
  }
}

const labelled = (
  name: (id: Identifier) => string,
  label: (field: string) => string,
): Omit<Style, 'dropsTrailingNone'> => ({
  scalar: (kind, text) => (kind === 'Text' ? `"${text}"` : kind === 'Party' ? `'${text}'` : text),
  record: (id, fields) => `${name(id)}{ ${fields.map(([field, text]) => `${label(field)} = ${text}`).join(', ')} }`,
  variant: (id, tag, text) => `${prefix(name(id))}${tag}(${text})`,
  enum: (id, tag) => `${prefix(name(id))}${tag}`,
  list: (items) => `[${items.join(', ')}]`,
  optional: (text) => (text === undefined ? 'None' : `Option(${text})`),
  map: (kind, entries) => `${kind}(${entries.map(([key, text]) => `${key} -> ${text}`).join(', ')})`,
})

const prefix = (name: string) => (name === '' ? '' : `${name}:`)

const styles: Record<Form, Style> = {
  typed: { dropsTrailingNone: false, ...labelled(shownIdentifier, (field) => field) },
  ledger: {
    dropsTrailingNone: true,
    ...labelled(
      () => '',
      () => '<no-label>',
    ),
  },
  key: {
    dropsTrailingNone: true,
    scalar: (kind, text) => (kind === 'Unit' ? 'Unit' : `${kind}(${text})`),
    record: (_, fields) => `Record(None,ImmArray(${fields.map(([, text]) => `(None,${text})`).join(',')}))`,
    variant: (_, tag, text) => `Variant(None,${tag},${text})`,
    enum: (_, tag) => `Enum(None,${tag})`,
    list: (items) => `List(FrontStack(${items.join(',')}))`,
    optional: (text) => `Optional(${text === undefined ? 'None' : `Some(${text})`})`,
    map: (kind, entries) => `${kind}(${entries.map(([key, text]) => `(${key},${text})`).join(',')})`,
  },
}

function scalarText(kind: string, value: LfValue): string {
  switch (kind) {
    case 'Unit':
      return asUnit(value) && '<unit>'
    case 'Numeric':
      return numericToText(asNumeric(value))
    case 'Date':
      return new Date(asDate(value) * 86_400_000).toISOString().slice(0, 10)
    case 'Timestamp':
      return timestampText(BigInt(asTimestamp(value)))
    case 'ContractId':
      return asContractId(value).text
    case 'Bool':
      return String(asBool(value))
    case 'Int64':
      return String(asLedgerInt64(value))
    case 'Party':
    case 'Text':
      return asText(value)
    default:
      return wrongKind('a value of a serializable type')
  }
}

function resourceText(bytes: Uint8Array): string {
  return shorten(Buffer.from(bytes).toString('base64'), resourceLengthMax)
}

/** With as many groups of three digits as it needs. */
function timestampText(micros: bigint): string {
  const within = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n
  const seconds = new Date(Number((micros - within) / 1000n)).toISOString().slice(0, 19)
  const digits = within.toString().padStart(6, '0')
  if (within === 0n) return `${seconds}Z`
  return `${seconds}.${digits.endsWith('000') ? digits.slice(0, 3) : digits}Z`
}

function part(type: Type | undefined): Type {
  return type ?? wrongKind('a type with arguments')
}
