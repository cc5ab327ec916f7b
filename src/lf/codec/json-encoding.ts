// Daml values to JSON text (json-api-facts, section 2.4). Events are stored as they are served, so this writes text at
// once. Each record type gets a function of its own that joins its fields in one expression.
import type { Type } from '../ast.ts'
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
import { numericToText } from './numeric-text.ts'
import { type Compiled, isOptional, type RecordShape, type Shape, type VariantShape } from './shapes.ts'
import { dateToText, timestampToText } from './time-text.ts'

/** From a value to the JSON text for it. */
export type Encode = (value: LfValue) => string

type EncoderOf = (type: Type) => Compiled<Encode>

const quote = (text: string): string => JSON.stringify(text)

export function compileEncoder(shape: Shape, of: EncoderOf): Encode {
  switch (shape.kind) {
    case 'unit':
      return () => '{}'
    case 'bool':
      return (value) => (value === true ? 'true' : 'false')
    case 'int64':
      return (value) => `"${value as Int64}"`
    case 'numeric':
      return (value) => `"${numericToText(value as Numeric)}"`
    case 'date':
      return (value) => `"${dateToText(value as number)}"`
    case 'timestamp':
      return (value) => `"${timestampToText(value as Int64)}"`
    case 'party':
      return (value) => `"${value as string}"`
    case 'text':
      return (value) => quote(value as string)
    case 'contract-id':
      return (value) => `"${(value as ContractId).text}"`
    case 'optional':
      return isOptional(shape.element) ? nestedOptionalEncoder(shape.element, of) : optionalEncoder(shape.element, of)
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
      return (value) => texts[(value as EnumValue).rank]!
    }
  }
}

function optionalEncoder(element: Type, of: EncoderOf): Encode {
  const encoder = of(element)
  return (value) => (value === none ? 'null' : encoder.run((value as Some).value))
}

/** Every level of an Optional of an Optional is an array: null could not tell None from Some None. */
function nestedOptionalEncoder(element: Type, of: EncoderOf): Encode {
  const encoder = isOptional(element) ? { run: nestedOptionalEncoder(element.args[0]!, of) } : of(element)
  return (value) => (value === none ? '[]' : `[${encoder.run((value as Some).value)}]`)
}

function listEncoder(element: Type, of: EncoderOf): Encode {
  const encoder = of(element)
  return (value) => {
    let text = ''
    for (let rest = value as List; rest instanceof Cons; rest = rest.tail) text += `,${encoder.run(rest.head)}`
    return `[${text.slice(1)}]`
  }
}

function textMapEncoder(element: Type, of: EncoderOf): Encode {
  const encoder = of(element)
  return (value) => {
    let text = ''
    for (const [key, item] of (value as OrderedMap).entries()) text += `,${quote(key as string)}:${encoder.run(item)}`
    return `{${text.slice(1)}}`
  }
}

function genMapEncoder(key: Type, element: Type, of: EncoderOf): Encode {
  const [keyEncoder, encoder] = [of(key), of(element)]
  return (value) => {
    let text = ''
    for (const [entryKey, item] of (value as OrderedMap).entries()) {
      text += `,[${keyEncoder.run(entryKey)},${encoder.run(item)}]`
    }
    return `[${text.slice(1)}]`
  }
}

function variantEncoder({ type, fields }: VariantShape, of: EncoderOf): Encode {
  const starts = type.tags.map((tag) => `{"tag":${quote(tag)},"value":`)
  const encoders = fields.map((field) => of(field.type))
  return (value) => {
    const { rank, value: content } = value as Variant
    return `${starts[rank]!}${encoders[rank]!.run(content)}}`
  }
}

/** Encoders short enough to stand where they are used. */
const inline: Partial<Record<string, (field: string) => string>> = {
  Bool: (field) => `(${field} ? 'true' : 'false')`,
  Int64: (field) => `'"' + ${field} + '"'`,
  Party: (field) => `'"' + ${field} + '"'`,
  Text: (field) => `quote(${field})`,
  ContractId: (field) => `'"' + ${field}.text + '"'`,
}

/**
 * The generated code names fields by number; their names and encoders are its parameters. Fields up to the last one
 * that always has a value are written in one go; of those after it, None is written only when a value follows.
 */
function recordEncoder({ fields }: RecordShape, of: EncoderOf): Encode {
  const lastRequired = fields.findLastIndex(({ type }) => !mayBeNull(type))
  const required: string[] = []
  const trailing: string[] = []
  for (const [index, { type }] of fields.entries()) {
    const field = `record.$${index}`
    const write = type.kind === 'builtin' ? inline[type.name] : undefined
    const text = write === undefined ? `encoder${index}.run(${field})` : write(field)
    if (index <= lastRequired) required.push(`label${index} + ${text}`)
    else {
      trailing.push(
        `if (${field} === none) pending += label${index} + 'null';` +
          `else { text += pending + label${index} + ${text}; pending = '' }`,
      )
    }
  }
  const names = [...fields.keys()]
  const compiled = new Function(
    'none',
    'quote',
    ...names.map((index) => `label${index}`),
    ...names.map((index) => `encoder${index}`),
    `return (record) => {
      let text = ${required.join(' + ') || "''"}
      let pending = ''
      ${trailing.join('\n')}
      return text === '' ? '{}' : text + '}'
    }`,
  )
  const labels = fields.map(({ name }, index) => `${index === 0 ? '{' : ','}${quote(name)}:`)
  return compiled(none, quote, ...labels, ...fields.map(({ type }) => of(type))) as (
    record: LfRecord | LfValue,
  ) => string
}

/** None of an Optional of an Optional is `[]`, and so is never left out. */
function mayBeNull(type: Type): boolean {
  return isOptional(type) && !isOptional(type.args[0]!)
}
