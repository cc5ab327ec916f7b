// JSON in, typed values out, by walking a wire schema. What is absent takes its default; what is wrong is named with
// its path, in the words of Canton's JSON layer (circe and tapir), which clients see as plain text.
import type { Static, TSchema } from 'typebox'
import { timestampFromText } from '../../lf/codec/time-text.ts'

/** What is wrong with a request before it means anything: answered as plain text, nearly always with 400. */
export class DecodeError extends Error {
  readonly status: number

  constructor(message: string, status = 400) {
    super(message)
    this.status = status
  }
}

/** Turns a value that was parsed from JSON into what the schema describes, or throws a DecodeError about `where`. */
export function decode<T extends TSchema>(schema: T, value: unknown, where: string): Static<T> {
  const problems: string[] = []
  const decoded = walk(schema as Schema, value, '', problems)
  if (problems.length > 0) throw new DecodeError(`Invalid value for: ${where} (${problems.join(', ')})`)
  return decoded as Static<T>
}

/**
 * Reads query parameters, which arrive as text: one value each, or several where the schema is a list. A bad one is
 * named without detail, as Canton does.
 */
export function decodeQuery<T extends TSchema>(schema: T, query: Readonly<Record<string, unknown>>): Static<T> {
  const decoded: Record<string, unknown> = {}
  for (const [name, property] of Object.entries((schema as Schema).properties ?? {})) {
    const given = query[name]
    const value = property.type === 'array' && given !== undefined ? [given].flat() : fromQueryText(property, given)
    const problems: string[] = []
    decoded[name] = walk(property, value, '', problems)
    if (problems.length > 0) throw new DecodeError(`Invalid value for: query parameter ${name}`)
  }
  return decoded as Static<T>
}

function fromQueryText({ type }: Schema, given: unknown): unknown {
  if (type !== 'boolean' || typeof given !== 'string') return given
  return booleans.get(given.toLowerCase()) ?? given
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
])

/** Reads a body. JSON.parse neither recurses nor runs code, so size is its only cost, and the server limits it. */
export function parseBody(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch (error) {
    const detail = body.trim() === '' ? 'exhausted input' : (error as Error).message
    throw new DecodeError(`Invalid value for: body (${printable(detail)})`)
  }
}

// The part of JSON Schema that wire schemas use.
type Schema = {
  readonly type?: string
  readonly format?: string
  readonly enum?: readonly string[]
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly required?: readonly string[]
}

type Walk = (schema: Schema, value: unknown, path: string, problems: string[]) => unknown

const walk: Walk = (schema, value, path, problems) => {
  if (value === undefined) {
    if (schema.default !== undefined) return copyOf(schema.default)
    problems.push(at('Missing required field', path))
    return undefined
  }
  if (schema.anyOf !== undefined) return walkVariant(schema.anyOf, value, path, problems)
  switch (schema.type) {
    case 'string':
      return walkText(schema, value, path, problems)
    case 'boolean':
      return typeof value === 'boolean' ? value : wrongType(value, "'true' or 'false'", path, problems)
    case 'integer':
      return walkInteger(schema, value, path, problems)
    case 'array':
      return walkArray(schema, value, path, problems)
    default:
      return schema.patternProperties === undefined
        ? walkObject(schema, value, path, problems)
        : walkMap(schema, value, path, problems)
  }
}

/** Lists and objects are copied, so that whoever is given one may change it. */
function copyOf(byDefault: unknown): unknown {
  return typeof byDefault === 'object' ? structuredClone(byDefault) : byDefault
}

/** The alphabetically first known key decides; others are ignored. */
function walkVariant(variants: readonly Schema[], value: unknown, path: string, problems: string[]): unknown {
  if (!isObject(value)) return wrongType(value, 'object', path, problems)
  const named = variants
    .map((variant) => ({ name: Object.keys(variant.properties ?? {})[0]!, variant }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  const chosen = named.find(({ name }) => Object.hasOwn(value, name))
  if (chosen === undefined) {
    problems.push(at('JSON decoding to CNil should never happen', path))
    return undefined
  }
  return walk(chosen.variant, value, path, problems)
}

function walkText({ format, enum: values }: Schema, value: unknown, path: string, problems: string[]): unknown {
  if (typeof value !== 'string') return wrongType(value, 'string', path, problems)
  if (values !== undefined && !values.includes(value)) {
    problems.push(at(`Unrecognized enum value ${printable(value)}. Supported values: [${values.join(', ')}]`, path))
  }
  if (format !== 'date-time') return value
  const micros = timestampFromText(value)
  if (micros !== undefined) return BigInt(micros)
  problems.push(at(`Text '${printable(value)}' could not be parsed at index 0`, path))
  return undefined
}

function walkInteger({ format }: Schema, value: unknown, path: string, problems: string[]): unknown {
  const isNumeric = typeof value === 'number' || (typeof value === 'string' && /^[+-]?\d+(\.0*)?$/.test(value))
  const number = isNumeric ? Number(value) : Number.NaN
  const isFitting = format === 'int32' ? (number | 0) === number : Number.isSafeInteger(number)
  if (isFitting) return number
  problems.push(at(format === 'int32' ? 'Int' : 'Long', path))
  return undefined
}

function walkArray({ items }: Schema, value: unknown, path: string, problems: string[]): unknown {
  if (!Array.isArray(value)) return wrongType(value, 'array', path, problems)
  const decoded: unknown[] = []
  for (const [index, item] of value.entries()) {
    decoded.push(walk(items!, item, `${path}[${index}]`, problems))
    if (problems.length > 0) break
  }
  return decoded
}

function walkMap({ patternProperties }: Schema, value: unknown, path: string, problems: string[]): unknown {
  if (!isObject(value)) return wrongType(value, 'object', path, problems)
  const item = Object.values(patternProperties!)[0]!
  const decoded: Record<string, unknown> = Object.create(null) // "__proto__" is a key like any other.
  for (const [key, entry] of Object.entries(value)) {
    decoded[key] = walk(item, entry, join(path, key), problems)
    if (problems.length > 0) break
  }
  return decoded
}

function walkObject({ properties = {}, required = [] }: Schema, value: unknown, path: string, problems: string[]) {
  if (!isObject(value)) return wrongType(value, 'object', path, problems)
  const decoded: Record<string, unknown> = {}
  for (const [key, schema] of Object.entries(properties)) {
    const field = Object.hasOwn(value, key) ? value[key] : undefined
    const isOptional = !required.includes(key)
    if (isOptional && (field === undefined || field === null)) continue
    decoded[key] = walk(schema, field, join(path, key), problems)
    if (problems.length > 0) break
  }
  return decoded
}

function wrongType(value: unknown, expected: string, path: string, problems: string[]): undefined {
  problems.push(at(`Got value '${showJson(value)}' with wrong type, expecting ${expected}`, path))
}

function at(problem: string, path: string): string {
  return path === '' ? problem : `${problem} at '${printable(path)}'`
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Deep or long values are only named: printing them would recurse, and nobody reads them. */
function showJson(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? '[]' : '[…]'
  if (isObject(value)) return Object.keys(value).length === 0 ? '{}' : '{…}'
  return printable(JSON.stringify(value))
}

/** Client text inside an answer: one line, bounded. */
function printable(part: string): string {
  const shown = part.length > 200 ? `${part.slice(0, 200)}…` : part
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced.
  return shown.replaceAll(/[\u0000-\u001f\u007f]/g, ' ')
}
