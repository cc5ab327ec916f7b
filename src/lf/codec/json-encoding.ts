// Daml values to JSON text, in the encoding of Canton's JSON API. Events are stored as they are served, so this writes
// text directly. Each record type gets its own function, which joins its fields in one expression. Encoders check the kind
// of a value first, so numbers, dates, parties and ids need no escapes.
import { compileFunction } from '../../base/generated-code.ts'
import type { Type } from '../syntax/ast.ts'
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
import { isNull, leftOut, someOf, withoutNones } from './hidden-somes.ts'
import { numericToText } from './numeric-text.ts'
import {
  type Compiled,
  isOptional,
  mayBeNull,
  nestedIn,
  type OptionalShape,
  optionalShape,
  type RecordShape,
  type Shape,
  type VariantShape,
} from './shapes.ts'
import { dateToText, timestampToText } from './time-text.ts'

/** Returns the JSON text of a value. */
export type Encode = (value: LfValue) => string

type EncoderOf = (type: Type) => Compiled<Encode>

const quote = (text: LfValue): string => JSON.stringify(asText(text))

export function compileEncoder(shape: Shape, of: EncoderOf): Encode {
  switch (shape.kind) {
    case 'unit':
      return (value) => asUnit(value) && '{}'
    case 'bool':
      return (value) => (asBool(value) ? 'true' : 'false')
    case 'int64':
      return (value) => `"${asLedgerInt64(value)}"`
    case 'numeric':
      return (value) => `"${numericToText(asNumericOf(shape.scale, value))}"`
    case 'date':
      return (value) => `"${dateToText(asDate(value))}"`
    case 'timestamp':
      return (value) => `"${timestampToText(asTimestamp(value))}"`
    case 'party':
      return (value) => `"${asParty(value)}"`
    case 'text':
      return quote
    case 'contract-id':
      return (value) => `"${asContractId(value).text}"`
    case 'optional':
      return nestedIn(shape) === undefined ? optionalEncoder(shape, of) : nestedOptionalEncoder(shape, of)
    case 'list':
      return listEncoder(shape.element, of)
    case 'text-map':
      return textMapEncoder(shape.element, of)
    case 'gen-map':
      return genMapEncoder(shape.key, shape.element, of)
    case 'record':
      return recordEncoder(shape, of)
    case 'variant':
      return variantEncoder(shape, of)
    case 'enum': {
      const texts = shape.type.tags.map(quote)
      const { type } = shape
      return (value) => texts[asEnumOf(type, value).rank]!
    }
  }
}

function optionalEncoder({ element }: OptionalShape, of: EncoderOf): Encode {
  const encoder = of(element)
  if (isOptional(element)) {
    return (value) => {
      const content = contentOf(value)
      return content === undefined ? 'null' : someOf(encoder.run(content))
    }
  }
  return (value) => {
    const content = contentOf(value)
    return content === undefined ? 'null' : encoder.run(content)
  }
}

/** Each level of nested Optionals is an array: null could not tell None from Some None. */
function nestedOptionalEncoder(shape: OptionalShape, of: EncoderOf): Encode {
  const nested = nestedIn(shape)
  const encoder = nested === undefined ? of(shape.element) : { run: nestedOptionalEncoder(nested, of) }
  return (value) => {
    const content = contentOf(value)
    return content === undefined ? '[]' : `[${encoder.run(content)}]`
  }
}

function listEncoder(element: Type, of: EncoderOf): Encode {
  const encoder = of(element)
  return (value) => {
    let text = ''
    for (let rest = asList(value); rest instanceof Cons; rest = asList(rest.tail)) text += `,${encoder.run(rest.head)}`
    return `[${text.slice(1)}]`
  }
}

function textMapEncoder(element: Type, of: EncoderOf): Encode {
  const encoder = of(element)
  return (value) => {
    let text = ''
    for (const [key, item] of asMap(value).entries()) text += `,${quote(key)}:${encoder.run(item)}`
    return `{${text.slice(1)}}`
  }
}

function genMapEncoder(key: Type, element: Type, of: EncoderOf): Encode {
  const [keyEncoder, encoder] = [of(key), of(element)]
  return (value) => {
    let text = ''
    for (const [entryKey, item] of asMap(value).entries()) {
      text += `,[${keyEncoder.run(entryKey)},${encoder.run(item)}]`
    }
    return `[${text.slice(1)}]`
  }
}

function variantEncoder({ type, fields }: VariantShape, of: EncoderOf): Encode {
  const starts = type.tags.map((tag) => `{"tag":${quote(tag)},"value":`)
  const encoders = fields.map((field) => of(field.type))
  return (value) => {
    const { rank, value: content } = asVariantOf(type, value)
    return `${starts[rank]!}${encoders[rank]!.run(content)}}`
  }
}

/** Encoders short enough to be inlined. */
const inline: Partial<Record<string, (field: string) => string>> = {
  Bool: (field) => `(kinds.asBool(${field}) ? 'true' : 'false')`,
  Int64: (field) => `'"' + kinds.asLedgerInt64(${field}) + '"'`,
  Party: (field) => `'"' + kinds.asParty(${field}) + '"'`,
  Text: (field) => `kinds.quote(${field})`,
  ContractId: (field) => `'"' + kinds.asContractId(${field}).text + '"'`,
}

const kinds = { asBool, asLedgerInt64, asParty, quote, asContractId } as const

/**
 * The generated code names fields by number; their names and encoders are its parameters. Fields up to the last one
 * that is never null are written in one go; after it, null is written only when something else follows.
 */
function recordEncoder({ type: recordType, fields }: RecordShape, of: EncoderOf): Encode {
  const lastRequired = fields.findLastIndex(({ type }) => !mayBeNull(type))
  const mayHide = fields.some(({ type }, index) => index > lastRequired && mayHideSome(type))
  const required: string[] = []
  const trailing: string[] = []
  for (const [index, { type }] of fields.entries()) {
    const field = `record.${recordType.slots[index]}`
    const write = type.kind === 'builtin' ? inline[type.name] : undefined
    const text = write === undefined ? `encoder${index}.run(${field})` : write(field)
    if (index <= lastRequired) required.push(`label${index} + ${text}`)
    else if (mayHide) {
      trailing.push(
        `const json${index} = ${text};` +
          `if (isNull(json${index})) { pending += label${index} + json${index}; hidden += leftOut(json${index}) }` +
          `else { text += pending + label${index} + json${index}; pending = hidden = '' }`,
      )
    } else {
      trailing.push(
        `if (${field} === none) pending += label${index} + 'null';` +
          `else { text += pending + label${index} + ${text}; pending = '' }`,
      )
    }
  }
  const names = [...fields.keys()]
  const parameters = [...names.map((index) => `label${index}`), ...names.map((index) => `encoder${index}`)]
  const compiled = compileFunction(
    ['none', 'kinds', 'asRecord', 'isNull', 'leftOut', 'withoutNones', ...parameters],
    `return (value) => {
      const record = asRecord(value)
      let text = ${required.join(' + ') || "''"}
      let pending = ''
      ${mayHide ? "let hidden = ''" : ''}
      ${trailing.join('\n')}
      ${mayHide ? "if (hidden !== '') return (text || '{') + withoutNones(hidden) + '}'" : ''}
      return text === '' ? '{}' : text + '}'
    }`,
  ) as (...args: unknown[]) => Encode
  const asRecord = (value: LfValue) => asRecordOf(recordType, value)
  const labels = fields.map(({ name }, index) => `${index === 0 ? '{' : ','}${quote(name)}:`)
  const hiding = [isNull, leftOut, withoutNones]
  return compiled(none, kinds, asRecord, ...hiding, ...labels, ...fields.map(({ type }) => of(type)))
}

/** For an Optional that may be null around another Optional. */
function mayHideSome(type: Type): boolean {
  return mayBeNull(type) && isOptional(optionalShape(type)!.element)
}
