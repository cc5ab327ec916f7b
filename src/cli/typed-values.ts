// Values from the words of a command line, by the types of a package: `amount=30`, `owner=alice`, `limits.upper=5`,
// `observers=bob,carol`, and `terms:={"days":30}` for JSON. The result has the JSON form of the API.
import { exactNumberOf, parseExactly } from '../base/exact-json.ts'
import { nearest } from '../base/nearest.ts'
import type { DataTypeDescription, PackageTypes, TypeDescription } from '../codegen/type-description.ts'
import { UsageError } from './command.ts'

/** What names in values stand for. */
export type Names = {
  party(written: string): Promise<string>
  contract(written: string): Promise<string>
}

/** What was given for a place: texts, JSON, or parts of it by name. */
type Given = { readonly texts: string[]; json?: unknown; readonly parts: Map<string, Given> }

type Context = { readonly types: PackageTypes['types']; readonly names: Names }

/** Throws a usage error that names the place. */
export async function valueFromWords(
  words: readonly string[],
  type: TypeDescription,
  types: PackageTypes['types'],
  names: Names,
): Promise<unknown> {
  const root = emptyPlace()
  for (const word of words) add(word, root)
  return valueFrom(root, type, [], { types, names })
}

function emptyPlace(): Given {
  return { texts: [], parts: new Map() }
}

function add(word: string, root: Given): void {
  const [, path = '', sign = '', text = ''] = /^([^=]*?)(:?=)(.*)$/s.exec(word) ?? []
  if (sign === '' || path === '') throw new UsageError(`${word} is neither KEY=VALUE nor KEY:=JSON`)
  let place = root
  for (const step of path.split('.')) {
    const part = place.parts.get(step) ?? emptyPlace()
    place.parts.set(step, part)
    place = part
  }
  if (sign === '=') place.texts.push(text)
  else place.json = jsonFrom(text, path)
}

function jsonFrom(text: string, path: string): unknown {
  try {
    return parseExactly(text)
  } catch (error) {
    throw new UsageError(`${path}: not JSON: ${(error as Error).message}`)
  }
}

async function valueFrom(
  given: Given,
  type: TypeDescription,
  path: readonly string[],
  context: Context,
): Promise<unknown> {
  if (given.json !== undefined) return fromJson(given.json, type, path, context)
  if (type.kind === 'Data') return dataValueOf(given, type, path, context)
  if (type.kind === 'Optional') {
    if (type.of.kind === 'Optional') throw mistake(path, 'an Optional in an Optional is written as JSON, with :=')
    return valueFrom(given, type.of, path, context)
  }
  if (type.kind === 'List') return listOf(given, type.of, path, context)
  if (type.kind === 'TextMap') {
    const entries: [string, unknown][] = []
    for (const [key, part] of given.parts) entries.push([key, await valueFrom(part, type.of, [...path, key], context)])
    return Object.fromEntries(entries)
  }
  if (type.kind === 'Unit' && given.texts.every((text) => text === '')) return {}
  const [extra] = given.parts.keys()
  if (extra !== undefined) throw mistake(path, `it is ${wordsFor(type)} and has no ${extra}`)
  if (given.texts.length > 1) throw mistake(path, 'it is given twice')
  if (given.texts.length === 0) throw mistake(path, 'it is missing')
  return scalarFrom(given.texts[0]!, type, path, context)
}

async function listOf(
  given: Given,
  of: TypeDescription,
  path: readonly string[],
  context: Context,
): Promise<unknown[]> {
  const items: unknown[] = []
  for (const [step, part] of given.parts) items.push(await valueFrom(part, of, [...path, step], context))
  for (const text of given.texts) {
    // A text may have commas of its own: each KEY=TEXT is one item.
    const pieces = text === '' ? [] : of.kind === 'Text' ? [text] : text.split(',')
    for (const piece of pieces) {
      const item: Given = { texts: [piece.trim()], parts: new Map() }
      items.push(await valueFrom(item, of, [...path, String(items.length)], context))
    }
  }
  return items
}

async function dataValueOf(
  given: Given,
  type: TypeDescription & { kind: 'Data' },
  path: readonly string[],
  context: Context,
): Promise<unknown> {
  const described = describedBy(type, path, context)
  const names = [...given.parts.keys()]
  if (described.kind === 'enum') {
    const [text = ''] = given.texts
    return oneOf('value', text, described.names, path)
  }
  if (described.kind === 'variant') {
    const [tag, ...more] = [...names, ...given.texts]
    if (tag === undefined || more.length > 0) {
      const all = described.constructors.map(({ name }) => name).join(', ')
      throw mistake(path, `it is one of ${all}: write ${[...path, 'NAME'].join('.')}=VALUE`)
    }
    const chosen = oneOf('case', tag, namesOf(described.constructors), path)
    const { type: of } = described.constructors.find(({ name }) => name === chosen)!
    return { tag: chosen, value: await valueFrom(given.parts.get(tag) ?? emptyPlace(), of, [...path, tag], context) }
  }
  if (given.texts.length > 0 && given.texts.some((text) => text !== '')) {
    throw mistake(path, `it has fields: write ${[...path, described.fields[0]?.name ?? 'FIELD'].join('.')}=VALUE`)
  }
  for (const name of names) oneOf('field', name, namesOf(described.fields), path)
  const missing = described.fields.filter(({ name, type: of }) => !given.parts.has(name) && !mayBeAbsent(of))
  if (missing.length > 0) {
    const words = missing.map(({ name, type: of }) => `${[...path, name].join('.')} (${wordsFor(of)})`)
    throw new UsageError(`${words.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing`)
  }
  const fields: [string, unknown][] = []
  for (const { name, type: of } of described.fields) {
    const part = given.parts.get(name)
    if (part !== undefined) fields.push([name, await valueFrom(part, of, [...path, name], context)])
    else if (of.kind === 'Unit') fields.push([name, {}])
  }
  return Object.fromEntries(fields)
}

function mayBeAbsent({ kind }: TypeDescription): boolean {
  return kind === 'Optional' || kind === 'Unit'
}

function namesOf(fields: readonly { readonly name: string }[]): string[] {
  return fields.map(({ name }) => name)
}

function oneOf(what: string, written: string, names: readonly string[], path: readonly string[]): string {
  if (names.includes(written)) return written
  const meant = nearest(written, names)
  const hint = meant === undefined ? `there are ${names.join(', ') || 'none'}` : `did you mean ${meant}?`
  throw mistake(path, `there is no ${what} ${written}; ${hint}`)
}

/** With the arguments of the type in the place of its parameters. */
function describedBy(
  { id, args }: TypeDescription & { kind: 'Data' },
  path: readonly string[],
  { types }: Context,
): DataTypeDescription {
  const described = Object.hasOwn(types, id) ? types[id] : undefined
  if (described === undefined) throw mistake(path, `its type ${id} is not known; write JSON with :=`)
  const bound = new Map(described.parameters.map((name, index) => [name, args[index] ?? { kind: 'Unknown' as const }]))
  if (bound.size === 0 || described.kind === 'enum') return described
  const field = ({ name, type }: { name: string; type: TypeDescription }) => ({ name, type: replaced(type, bound) })
  if (described.kind === 'record') return { ...described, fields: described.fields.map(field) }
  return { ...described, constructors: described.constructors.map(field) }
}

function replaced(type: TypeDescription, bound: ReadonlyMap<string, TypeDescription>): TypeDescription {
  switch (type.kind) {
    case 'Variable':
      return bound.get(type.name) ?? type
    case 'Data':
      return { ...type, args: type.args.map((one) => replaced(one, bound)) }
    case 'GenMap':
      return { ...type, key: replaced(type.key, bound), of: replaced(type.of, bound) }
    case 'Optional':
    case 'List':
    case 'TextMap':
    case 'ContractId':
      return { ...type, of: replaced(type.of, bound) }
    default:
      return type
  }
}

async function scalarFrom(
  text: string,
  type: TypeDescription,
  path: readonly string[],
  { names }: Context,
): Promise<unknown> {
  switch (type.kind) {
    case 'Party':
      return names.party(text)
    case 'ContractId':
      return names.contract(text)
    case 'Int64':
      if (!/^-?\d+$/.test(text)) throw mistake(path, `${text} is not a whole number`)
      return text
    case 'Numeric':
      if (!/^-?\d+(\.\d+)?$/.test(text)) throw mistake(path, `${text} is not a number`)
      return text
    case 'Bool':
      if (text !== 'true' && text !== 'false') throw mistake(path, `${text} is neither true nor false`)
      return text === 'true'
    case 'Text':
    case 'Date':
    case 'Timestamp':
      return text
    default:
      throw mistake(path, `${wordsFor(type)} is written as JSON, with :=`)
  }
}

/** JSON as it is, with parties by their hints and contracts by the beginnings of their ids. */
async function fromJson(
  json: unknown,
  type: TypeDescription,
  path: readonly string[],
  context: Context,
): Promise<unknown> {
  const number = exactNumberOf(json)
  if (number !== undefined) return number
  if (typeof json === 'string') {
    if (type.kind === 'Optional') return fromJson(json, type.of, path, context)
    return type.kind === 'Party' || type.kind === 'ContractId' ? scalarFrom(json, type, path, context) : json
  }
  if (typeof json !== 'object' || json === null) return json
  if (Array.isArray(json)) {
    const of: TypeDescription = type.kind === 'List' || type.kind === 'Optional' ? type.of : { kind: 'Unknown' }
    const items: unknown[] = []
    for (const [index, item] of json.entries()) items.push(await fromJson(item, of, [...path, String(index)], context))
    return items
  }
  if (type.kind === 'Optional') return fromJson(json, type.of, path, context)
  const entries: [string, unknown][] = []
  for (const [name, part] of Object.entries(json)) {
    entries.push([name, await fromJson(part, partOf(name, json, type, path, context), [...path, name], context)])
  }
  return Object.fromEntries(entries)
}

function partOf(
  name: string,
  json: object,
  type: TypeDescription,
  path: readonly string[],
  context: Context,
): TypeDescription {
  const unknown: TypeDescription = { kind: 'Unknown' }
  if (type.kind === 'TextMap') return type.of
  if (type.kind !== 'Data') return unknown
  const described = describedBy(type, path, context)
  if (described.kind === 'record') return described.fields.find((field) => field.name === name)?.type ?? unknown
  if (described.kind === 'enum' || name !== 'value') return unknown
  const { tag } = json as { readonly tag?: unknown }
  return described.constructors.find((one) => one.name === tag)?.type ?? unknown
}

function mistake(path: readonly string[], problem: string): UsageError {
  return new UsageError(path.length === 0 ? problem : `${path.join('.')}: ${problem}`)
}

/** `List Party`, `Iou` */
export function wordsFor(type: TypeDescription): string {
  const nested = (of: TypeDescription) => (wordsFor(of).includes(' ') ? `(${wordsFor(of)})` : wordsFor(of))
  switch (type.kind) {
    case 'Data':
      return [type.id.slice(type.id.lastIndexOf(':') + 1), ...type.args.map(nested)].join(' ')
    case 'Variable':
      return type.name
    case 'GenMap':
      return `Map ${nested(type.key)} ${nested(type.of)}`
    case 'Optional':
    case 'List':
    case 'TextMap':
    case 'ContractId':
      return `${type.kind} ${nested(type.of)}`
    case 'Numeric':
      return type.scale === undefined || type.scale === 10 ? 'Decimal' : `Numeric ${type.scale}`
    default:
      return type.kind
  }
}
