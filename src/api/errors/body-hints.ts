// Finds out what is wrong with a JSON body, for a hint: the body is compared with the schema of its operation once more, after it
// was refused. Names that the schema does not have are ignored by Canton, so a misspelt field is found only here. It says
// nothing about the ledger.
import { nearest } from '../../base/nearest.ts'
import { notJsonHint } from './json-place.ts'

/** Larger bodies get no hint about their content. */
export const bodyCharactersMax = 64 * 1024
/** Limits the values looked at, the unknown names of a body, and the names that each is compared with. */
const valuesMax = 2_000
const depthMax = 30
const unknownNamesMax = 50
const candidatesMax = 100
const namesShown = 8

/** The subset of JSON Schema that wire schemas use (wire/schema.ts). */
type Schema = {
  readonly type?: string
  readonly format?: string
  readonly enum?: readonly string[]
  readonly default?: unknown
  readonly properties?: Properties
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly required?: readonly string[]
}

type Properties = Readonly<Record<string, Schema>>

export type BodyHint = {
  readonly text: string
  /** A type as it was written, of which the ledger may know the right name. */
  readonly type?: string
}

type Json = Readonly<Record<string, unknown>>

/** The first of each kind is enough. */
type Walk = {
  refused: BodyHint | undefined
  ignored: BodyHint | undefined
  values: number
  unknownNames: number
}

/** For a body that could not be decoded. */
export function refusedBodyHint(schema: unknown, text: string): BodyHint | undefined {
  if (text.length > bodyCharactersMax) return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { text: notJsonHint(text) }
  }
  const { refused, ignored } = walked(schema, value)
  return refused ?? ignored
}

/** For one that was decoded and refused later: a field that was ignored, but probably meant. */
export function ignoredFieldHint(schema: unknown, text: string): string | undefined {
  if (text.length > bodyCharactersMax) return undefined
  try {
    return walked(schema, JSON.parse(text)).ignored?.text
  } catch {
    return undefined
  }
}

function walked(schema: unknown, value: unknown): Walk {
  const walk: Walk = { refused: undefined, ignored: undefined, values: 0, unknownNames: 0 }
  look(schema as Schema, value, '', walk, 0)
  return walk
}

function look(schema: Schema, value: unknown, path: string, walk: Walk, depth: number): void {
  walk.values += 1
  if (walk.refused !== undefined || walk.values > valuesMax || depth > depthMax) return
  if (value === null || value === undefined) return
  const wrong = (text: string, type?: string) => {
    walk.refused ??= { text: path === '' ? text : `${path}: ${text}`, ...(type !== undefined && { type }) }
  }
  if (schema.anyOf !== undefined) return lookAtVariant(schema.anyOf, value, path, walk, depth)
  switch (schema.type) {
    case 'string':
      return lookAtText(schema, value, wrong)
    case 'boolean':
      return typeof value === 'boolean' ? undefined : wrong('write true or false, without quotes')
    case 'integer':
      if (/^[+-]?\d+(\.0*)?$/.test(String(value)) && typeof value !== 'object') return
      return wrong(`write a whole number, such as 42${path.toLowerCase().includes('offset') ? offsetsAdvice : ''}`)
    case 'array':
      if (!Array.isArray(value)) return wrong(listAdvice(path, value))
      for (const [index, item] of value.entries()) look(schema.items ?? {}, item, `${path}[${index}]`, walk, depth + 1)
      return
    case 'object':
      if (!isObject(value)) return wrong('write an object: {...}')
      if (schema.patternProperties === undefined) return lookAtFields(schema, value, path, walk, depth)
      for (const [key, item] of Object.entries(value)) {
        look(Object.values(schema.patternProperties)[0]!, item, joined(path, key), walk, depth + 1)
      }
  }
}

const offsetsAdvice = '; GET /v2/state/ledger-end tells the offset of the end'

/** A whole request inside its own field: the body of an operation that nests it, sent to one that does not. */
function listAdvice(path: string, value: unknown): string {
  const name = path.slice(path.lastIndexOf('.') + 1)
  if (isObject(value) && Object.hasOwn(value, name)) {
    return `this operation takes its fields at the top: leave out the outer \`${name}\``
  }
  return typeof value === 'string' ? 'write a list: ["..."]' : 'write a list: [...]'
}

function lookAtText(schema: Schema, value: unknown, wrong: (text: string, type?: string) => void): void {
  if (typeof value !== 'string') return wrong(`write a text: "${typeof value === 'object' ? '...' : String(value)}"`)
  if (schema.enum !== undefined) {
    if (schema.enum.includes(value)) return
    return wrong(`${didYouMean(value, schema.enum)}it is one of ${listed(schema.enum)}`)
  }
  switch (schema.format) {
    case 'date-time':
      if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i.test(value)) {
        wrong('write a time as "2030-01-31T12:00:00Z"')
      }
      return
    case 'byte':
      if (!/^[A-Za-z0-9+/]*={0,2}$/.test(value)) wrong('write Base64, of the letters A-Z, a-z, 0-9, + and /')
      return
    case 'identifier':
      if (value.replace(/:+$/, '').split(':').length !== 3) {
        wrong('name a template or interface as #package-name:Module:Entity', typeWrittenAs(value))
      }
  }
}

/** `Module:Entity`, `Module.Entity`, or `Module:Entity@package-id`, as other tools write types. */
function typeWrittenAs(text: string): string {
  const [written = '', packageId = ''] = text.slice(0, 500).split('@')
  const name = written.includes(':') ? written : written.replace(/\.(?=[^.]*$)/, ':')
  return `${packageId}:${name}`
}

function lookAtVariant(variants: readonly Schema[], value: unknown, path: string, walk: Walk, depth: number): void {
  const names = variants.map(({ properties = {} }) => Object.keys(properties)[0]!).toSorted()
  const name = isObject(value) ? names.find((one) => Object.hasOwn(value, one)) : undefined
  if (name !== undefined) {
    const variant = variants.find(({ properties = {} }) => Object.hasOwn(properties, name))
    return look(variant!.properties![name]!, (value as Json)[name], joined(path, name), walk, depth + 1)
  }
  const some = names.filter((one) => one !== 'Empty')
  const written = isObject(value) ? Object.keys(value).slice(0, unknownNamesMax) : []
  const meant = written.map((key) => didYouMean(key, some)).find((words) => words !== '') ?? ''
  const example = meant === '' ? `, as in {"${some[0]}": {...}}` : ''
  walk.refused ??= { text: `${path === '' ? '' : `${path}: `}${meant}it is one of ${listed(some)}${example}` }
}

function lookAtFields(schema: Schema, value: Json, path: string, walk: Walk, depth: number): void {
  const { properties = {}, required = [] } = schema
  const isAbsent = (key: string) => !Object.hasOwn(value, key) || value[key] === undefined
  const isOther = (key: string) => properties[key]!.type === 'object' && !isAbsent(key) && !isObject(value[key])
  const names = Object.keys(properties)
  const missing = names.filter(
    (key) => isAbsent(key) && required.includes(key) && properties[key]!.default === undefined,
  )
  const free = names.filter((key) => isAbsent(key) || isOther(key))
  const place = path === '' ? '' : `${path}: `
  const isRefused = missing.length > 0 || names.some(isOther)
  const text = isRefused || walk.ignored === undefined ? ignoredKeyText(value, free, properties, walk) : undefined
  const ignored = text === undefined ? undefined : { text: `${place}${text}` }
  if (isRefused) walk.refused ??= ignored
  else walk.ignored ??= ignored
  for (const [key, property] of Object.entries(properties)) {
    if (!isAbsent(key)) look(property, value[key], joined(path, key), walk, depth + 1)
  }
  if (missing.length === 0) return
  walk.refused ??= { text: `${place}${listed(missing)} ${missing.length > 1 ? 'are' : 'is'} missing` }
}

/** Of the first name that the schema does not have and that resembles one that is free. */
function ignoredKeyText(value: Json, free: readonly string[], properties: Properties, walk: Walk): string | undefined {
  for (const key of Object.keys(value)) {
    if (Object.hasOwn(properties, key)) continue
    walk.unknownNames += 1
    if (walk.unknownNames > unknownNamesMax) return undefined
    const text = meantByKey(key, free, properties)
    if (text !== undefined) return text
  }
  return undefined
}

function meantByKey(key: string, absent: readonly string[], properties: Properties): string | undefined {
  const alias = otherNames.get(key)
  if (alias !== undefined && absent.includes(alias)) return `\`${key}\`: did you mean \`${alias}\`?`
  const holder = absent.find((name) => namesIn(properties[name]!).includes(key))
  if (holder !== undefined) return `\`${key}\` belongs into \`${holder}\`: {"${holder}": {"${key}": ...}}`
  const meant = didYouMean(key, absent)
  return meant === '' ? undefined : `\`${key.slice(0, 100)}\`: ${meant.trimEnd()}`
}

/** The names of earlier versions of the API, and of its other forms. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ['applicationId', 'userId'],
  ['argument', 'choiceArgument'],
  ['arguments', 'createArguments'],
  ['createArgument', 'createArguments'],
  ['filter', 'eventFormat'],
  ['ledgerEffectiveTime', 'minLedgerTimeAbs'],
  ['party', 'actAs'],
  ['payload', 'createArguments'],
  ['template', 'templateId'],
])

function namesIn({ properties = {}, anyOf = [] }: Schema): readonly string[] {
  return [...Object.keys(properties), ...anyOf.flatMap((variant) => Object.keys(variant.properties ?? {}))]
}

/** Other spellings of the name first, then the name that it begins, then the nearest; empty if there is none. */
function didYouMean(written: string, names: readonly string[]): string {
  const plain = plainName(written)
  const some = names.slice(0, candidatesMax)
  const meant =
    some.find((name) => plainName(name) === plain) ??
    nearest(written, some) ??
    (plain.length < 3 ? undefined : some.filter((name) => isPart(plain, plainName(name))).toSorted(byLength)[0])
  return meant === undefined ? '' : `did you mean \`${meant}\`? `
}

const isPart = (plain: string, name: string) => name.startsWith(plain) || name.endsWith(plain)
const byLength = (one: string, other: string) => one.length - other.length
const plainName = (name: string): string =>
  name
    .slice(0, 200)
    .replaceAll(/[_\-\s]/g, '')
    .toLowerCase()

function listed(names: readonly string[]): string {
  const more = names.length - namesShown
  const shown = names.slice(0, namesShown).map((name) => `\`${name}\``)
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** Keys of maps, such as parties, may be long. */
function joined(path: string, key: string): string {
  const shown = key.length > 40 ? `${key.slice(0, 20)}...` : key
  return path === '' ? shown : `${path}.${shown}`
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
