// Walks a value along a wire schema, and lists what is wrong with it, each with its path.
import { exactNumberOf, keptJson, placeOf } from '../../base/exact-json.ts'
import { printable } from './printable.ts'
import { bytesFrom, type Decoded, enumValueFrom, identifierFrom, instantFrom, int64From } from './scalars.ts'

// The subset of JSON Schema that wire schemas use, with our additions (schema.ts).
export type Schema = {
  readonly type?: string
  readonly format?: string
  readonly enum?: readonly string[]
  readonly default?: unknown
  readonly cantonDefault?: unknown
  readonly configured?: true
  readonly nullIsDefault?: true
  readonly requiredByCanton?: true
  readonly undefaulted?: true
  readonly properties?: Readonly<Record<string, Schema>>
  readonly title?: string
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly required?: readonly string[]
}

export type Walking = {
  readonly problems: string[]
  /** Whether to continue after a problem, as Canton does for some messages. */
  readonly findsAll: boolean
  /** Daml values kept as text, indexed by the numbers that replace them. */
  readonly kept: readonly string[]
  readonly isCanton: boolean
}

type Walk = (schema: Schema, value: unknown, path: string, walking: Walking) => unknown

const problemsMax = 20

/** The decoded value; undefined if problems were found. */
export const walk: Walk = (schema, value, path, walking) => {
  if (value === undefined) return absent(schema, path, walking, false)
  if (schema.anyOf !== undefined) return walkVariant(schema.anyOf, value, path, walking)
  switch (schema.type) {
    case 'string':
      return walkText(schema, value, path, walking)
    case 'boolean':
      return typeof value === 'boolean' ? value : wrongType(value, "'true' or 'false'", path, walking)
    case 'integer':
      return walkInteger(schema, value, path, walking)
    case 'array':
      return walkArray(schema, value, path, walking)
    case 'object':
      return schema.patternProperties === undefined
        ? walkObject(schema, value, path, walking)
        : walkMap(schema, value, path, walking)
    default:
      return walking.kept.length === 0 ? value : damlValue(value, walking.kept)
  }
}

function absent(schema: Schema, path: string, { problems, isCanton }: Walking, isConfigured: boolean): unknown {
  const byDefault =
    isCanton && schema.requiredByCanton ? undefined : (schema.default ?? (isCanton ? schema.cantonDefault : undefined))
  if (byDefault !== undefined) return copyOf(byDefault)
  if (schema.enum !== undefined && !isConfigured) {
    // Canton inserts an object here, and then fails on it.
    const filledIn = '{"Unrecognized":{"unrecognizedValue":0}}'
    problems.push(at(`Got value '${filledIn}' with wrong type, expecting string`, path))
  } else problems.push(at('Missing required field', path))
  return undefined
}

/** Lists and objects are copied, so that the caller may change them. */
function copyOf(byDefault: unknown): unknown {
  if (typeof byDefault !== 'object') return byDefault
  return Array.isArray(byDefault) && byDefault.length === 0 ? [] : structuredClone(byDefault)
}

function damlValue(value: unknown, kept: readonly string[]): unknown {
  const source = kept[placeOf(value) ?? -1]
  return source === undefined ? value : keptJson(source)
}

type NamedVariant = { readonly name: string; readonly variant: Schema }
const variantsKnown = new WeakMap<readonly Schema[], readonly NamedVariant[]>()

/** By name, in alphabetical order. */
function namedVariants(variants: readonly Schema[]): readonly NamedVariant[] {
  let named = variantsKnown.get(variants)
  if (named === undefined) {
    named = variants
      .map((variant) => ({ name: Object.keys(variant.properties ?? {})[0]!, variant }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
    variantsKnown.set(variants, named)
  }
  return named
}

/** The alphabetically first known key decides; others are ignored. */
function walkVariant(variants: readonly Schema[], value: unknown, path: string, walking: Walking): unknown {
  const chosen = isObject(value) && namedVariants(variants).find(({ name }) => Object.hasOwn(value, name))
  if (!chosen) {
    walking.problems.push(at('JSON decoding to CNil should never happen', path))
    return undefined
  }
  return walkFields(chosen.variant, value as Record<string, unknown>, path, walking)
}

function walkText(schema: Schema, value: unknown, path: string, walking: Walking): unknown {
  if (typeof value !== 'string' || exactNumberOf(value) !== undefined) {
    return wrongType(value, 'string', path, walking)
  }
  const decoded = textOf(schema, value)
  if ('value' in decoded) return decoded.value
  walking.problems.push(at(decoded.problem, path))
  return undefined
}

function textOf(schema: Schema, text: string): Decoded<unknown> {
  if (schema.enum !== undefined) return enumValueFrom(text, schema.enum)
  switch (schema.format) {
    case 'date-time':
      return instantFrom(text)
    case 'byte':
      return bytesFrom(text)
    case 'identifier':
      return identifierFrom(text)
    default:
      return { value: text }
  }
}

function walkInteger({ format }: Schema, value: unknown, path: string, { problems }: Walking): unknown {
  const integer = int64From(value)
  if (format === 'int64') {
    if (integer === undefined) problems.push(at('Long', path))
    return integer
  }
  const number = Number(integer ?? Number.NaN)
  if ((number | 0) === number) return number
  problems.push(at('Int', path))
  return undefined
}

function walkArray({ items }: Schema, value: unknown, path: string, walking: Walking): unknown {
  if (!Array.isArray(value)) return wrongType(value, 'array', path, walking)
  const before = walking.problems.length
  const decoded: unknown[] = []
  for (const [index, item] of value.entries()) {
    decoded.push(walk(items!, item, `${path}[${index}]`, walking))
    if (isEnough(walking, before)) break
  }
  return decoded
}

const integerKey = /^[+-]?\d{1,10}$/

function walkMap({ patternProperties, title }: Schema, value: unknown, path: string, walking: Walking): unknown {
  if (!isObject(value)) return wrongType(value, 'object', path, walking)
  const before = walking.problems.length
  const item = Object.values(patternProperties!)[0]!
  const hasNumbers = title?.startsWith('Map_Int_') === true // Canton's name tells the type of the keys.
  const decoded: Record<string, unknown> = Object.create(null) // "__proto__" is a key like any other.
  for (const [key, entry] of Object.entries(value)) {
    if (hasNumbers && !integerKey.test(key)) walking.problems.push(at("Couldn't decode key.", join(path, key)))
    else decoded[key] = walk(item, entry, join(path, key), walking)
    if (isEnough(walking, before)) break
  }
  return decoded
}

type Field = { readonly key: string; readonly property: Schema; readonly isOptional: boolean }
const fieldsKnown = new WeakMap<Schema, readonly Field[]>()

function fieldsOf(schema: Schema): readonly Field[] {
  let fields = fieldsKnown.get(schema)
  if (fields === undefined) {
    const { properties = {}, required = [] } = schema
    fields = Object.entries(properties).map(([key, property]) => ({
      key,
      property,
      isOptional: !required.includes(key),
    }))
    fieldsKnown.set(schema, fields)
  }
  return fields
}

/** The variant of a oneof that is not set; Canton names its place. */
const nothingSet = '.Empty'

/** In Canton, paths begin at the innermost message that is not configured; here at the top, where nobody has to guess. */
function walkObject(schema: Schema, given: unknown, from: string, walking: Walking): unknown {
  const { configured = false } = schema
  const path = walking.isCanton && !configured ? '' : from
  if (!isObject(given) && !configured) return noObject(schema, from.endsWith(nothingSet) ? from : path, walking)
  return walkFields(schema, isObject(given) ? given : undefined, path, walking)
}

/** `value` is undefined if there is no object; only configured messages are decoded then. */
function walkFields(
  schema: Schema,
  value: Readonly<Record<string, unknown>> | undefined,
  path: string,
  walking: Walking,
): unknown {
  const { configured = false } = schema
  const findsAll = walking.findsAll && configured
  const inside: Walking = findsAll === walking.findsAll ? walking : { ...walking, findsAll }
  const before = walking.problems.length
  const decoded: Record<string, unknown> = {}
  for (const { key, property, isOptional } of fieldsOf(schema)) {
    const field = value !== undefined && Object.hasOwn(value, key) ? value[key] : undefined
    const isLacking = value === undefined && walking.isCanton && property.undefaulted === true
    if (isOptional && (field === undefined || field === null) && !isLacking) continue
    const place = join(path, key)
    decoded[key] =
      field === undefined || takesDefault(property, field, configured, walking)
        ? absent(property, place, inside, configured)
        : walk(property, field, place, inside)
    if (isEnough(inside, before)) break
  }
  return decoded
}

function takesDefault(property: Schema, field: unknown, configured: boolean, { isCanton }: Walking): boolean {
  if (field !== null || property.default === undefined) return false
  return property.nullIsDefault === true || (configured && !(isCanton && property.requiredByCanton))
}

/** Canton's decoders look for the fields first: what is no object lacks the first one, even if it has a default. */
function noObject(schema: Schema, path: string, { problems }: Walking): undefined {
  const [first] = fieldsOf(schema)
  problems.push(first === undefined ? at('HNil', path) : at('Missing required field', join(path, first.key)))
}

function isEnough({ problems, findsAll }: Walking, before: number): boolean {
  return problems.length > before && (!findsAll || problems.length >= problemsMax)
}

function wrongType(value: unknown, expected: string, path: string, { problems }: Walking): undefined {
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

/** Deep or long values are only named: printing them would recurse, and be unreadable. */
function showJson(value: unknown): string {
  const isCompound = Array.isArray(value) || isObject(value)
  if (!isCompound) return printable(exactNumberOf(value) ?? JSON.stringify(value))
  return compactJson(value, shownDepthMax, shownCharactersMax) ?? (Array.isArray(value) ? '[…]' : '{…}')
}

const shownDepthMax = 30
const shownCharactersMax = 1000

/** Undefined if it is too deep or too long. */
function compactJson(value: unknown, depth: number, room: number): string | undefined {
  const isList = Array.isArray(value)
  if (!isList && !isObject(value)) {
    if (typeof value === 'string' && value.length > room) return undefined
    const text = exactNumberOf(value) ?? JSON.stringify(value)
    return text.length > room ? undefined : text
  }
  if (depth === 0) return undefined
  let text = ''
  for (const [key, part] of Object.entries(value)) {
    const shown = compactJson(part, depth - 1, room - text.length)
    if (shown === undefined) return undefined
    text += `${text === '' ? '' : ','}${isList ? '' : `${JSON.stringify(key)}:`}${shown}`
    if (text.length > room) return undefined
  }
  return isList ? `[${text}]` : `{${text}}`
}
