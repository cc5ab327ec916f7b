// What somebody has entered so far for a Daml value, by its type: how it begins, and its JSON. A
// draft holds texts as they were typed, and an Optional as what it contains, so that nested ones are told apart.
import type { DataTypeDescription, TypeDescription } from '../../codegen/type-description.ts'
import type { Json } from './wire.ts'

export type Draft =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'flag'; readonly isSet: boolean }
  | { readonly kind: 'unit' }
  | { readonly kind: 'optional'; readonly some: Draft | undefined }
  | { readonly kind: 'list'; readonly items: readonly Draft[] }
  | { readonly kind: 'entries'; readonly entries: readonly (readonly [Draft, Draft])[] }
  | { readonly kind: 'record'; readonly fields: readonly (readonly [name: string, Draft])[] }
  | { readonly kind: 'variant'; readonly tag: string; readonly value: Draft }
  /** For a type that is not known: JSON, as text. */
  | { readonly kind: 'json'; readonly text: string }

export type Types = Readonly<Record<string, DataTypeDescription>>
export type Bound = ReadonlyMap<string, TypeDescription>
export const unbound: Bound = new Map()

/** Types nest without end where a variant or a list contains itself; nobody fills in more. */
const depthMax = 12

/** The type behind a variable. */
export function resolved(type: TypeDescription, bound: Bound): TypeDescription {
  return type.kind === 'Variable' ? (bound.get(type.name) ?? { kind: 'Unknown' }) : type
}

/** A data type with its parameters bound. */
export function dataOf(
  type: TypeDescription & { readonly kind: 'Data' },
  types: Types,
  bound: Bound,
): { readonly data: DataTypeDescription; readonly bound: Bound } | undefined {
  const data = Object.hasOwn(types, type.id) ? types[type.id] : undefined
  if (data === undefined) return undefined
  const args = data.parameters.map((name, index) => {
    return [name, closed(type.args[index] ?? { kind: 'Unknown' }, bound)] as const
  })
  return { data, bound: new Map(args) }
}

/** The type without variables: those of the data type that it goes to may have the same names. */
function closed(type: TypeDescription, bound: Bound): TypeDescription {
  switch (type.kind) {
    case 'Variable':
      return resolved(type, bound)
    case 'Optional': {
      const of = closed(type.of, bound)
      return type.of.kind === 'Variable' ? { ...type, of, isOfParameter: true } : { ...type, of }
    }
    case 'List':
    case 'TextMap':
    case 'ContractId':
      return { ...type, of: closed(type.of, bound) }
    case 'GenMap':
      return { ...type, key: closed(type.key, bound), of: closed(type.of, bound) }
    case 'Data':
      return { ...type, args: type.args.map((argument) => closed(argument, bound)) }
    default:
      return type
  }
}

/** Whether an Optional contains another one that is written there, which makes both of them arrays. */
export function isNested(type: TypeDescription): boolean {
  return type.kind === 'Optional' && !type.isOfParameter && type.of.kind === 'Optional'
}

export function blankOf(given: TypeDescription, types: Types, bound: Bound = unbound, depth = 0): Draft {
  const type = resolved(given, bound)
  switch (type.kind) {
    case 'Unit':
      return { kind: 'unit' }
    case 'Bool':
      return { kind: 'flag', isSet: false }
    case 'Optional':
      return { kind: 'optional', some: undefined }
    case 'List':
      return { kind: 'list', items: [] }
    case 'TextMap':
    case 'GenMap':
      return { kind: 'entries', entries: [] }
    case 'Data':
      return blankData(type, types, bound, depth)
    case 'Unknown':
      return { kind: 'json', text: '' }
    default:
      return { kind: 'text', text: '' }
  }
}

function blankData(type: TypeDescription & { kind: 'Data' }, types: Types, outer: Bound, depth: number): Draft {
  const found = dataOf(type, types, outer)
  if (found === undefined || depth > depthMax) return { kind: 'json', text: '' }
  const { data, bound } = found
  if (data.kind === 'enum') return { kind: 'text', text: data.names[0] ?? '' }
  const blank = (of: TypeDescription) => blankOf(of, types, bound, depth + 1)
  if (data.kind === 'record') {
    return { kind: 'record', fields: data.fields.map((field) => [field.name, blank(field.type)]) }
  }
  const first = data.constructors[0]
  return { kind: 'variant', tag: first?.name ?? '', value: first === undefined ? { kind: 'unit' } : blank(first.type) }
}

/** `isInside` an Optional that is nested: then this one is an array, too. */
export function jsonOf(draft: Draft, given: TypeDescription, types: Types, bound = unbound, isInside = false): Json {
  const type = resolved(given, bound)
  switch (draft.kind) {
    case 'unit':
      return {}
    case 'flag':
      return draft.isSet
    case 'text':
      return draft.text
    case 'json':
      return parsed(draft.text)
    case 'optional': {
      const of = type.kind === 'Optional' ? type.of : ({ kind: 'Unknown' } as const)
      const isOutside = isNested(type)
      if (draft.some === undefined) return isInside || isOutside ? [] : null
      const value = jsonOf(draft.some, of, types, bound, isOutside)
      return isInside || isOutside ? [value] : value
    }
    case 'list':
      return draft.items.map((item) => jsonOf(item, elementOf(type), types, bound))
    case 'entries': {
      const pairs = draft.entries.map(([key, value]) => {
        const keyType: TypeDescription = type.kind === 'GenMap' ? type.key : { kind: 'Text' }
        return [jsonOf(key, keyType, types, bound), jsonOf(value, elementOf(type), types, bound)] as const
      })
      return type.kind === 'GenMap'
        ? (pairs as unknown as Json)
        : Object.fromEntries(pairs.map(([k, v]) => [String(k), v]))
    }
    case 'record': {
      const inner = partsOf(type, types, bound)
      return Object.fromEntries(
        draft.fields.map(([name, value]) => [name, jsonOf(value, inner.typeOf(name), types, inner.bound)]),
      )
    }
    case 'variant': {
      const inner = partsOf(type, types, bound)
      return { tag: draft.tag, value: jsonOf(draft.value, inner.typeOf(draft.tag), types, inner.bound) }
    }
  }
}

/** The draft that a value would have come from, as for a command that is tried again. */
export function draftFrom(
  json: Json | undefined,
  given: TypeDescription,
  types: Types,
  bound = unbound,
  isInside = false,
): Draft {
  const type = resolved(given, bound)
  const from = (value: Json | undefined, of: TypeDescription) => draftFrom(value, of, types, bound)
  if (type.kind === 'Optional') {
    const isOutside = isNested(type)
    const some = isInside || isOutside ? (json as Json[] | null)?.[0] : (json ?? undefined)
    return {
      kind: 'optional',
      some: some === undefined ? undefined : draftFrom(some, type.of, types, bound, isOutside),
    }
  }
  if (json === undefined || json === null) return blankOf(type, types, bound)
  if (type.kind === 'Unit') return { kind: 'unit' }
  if (type.kind === 'Bool') return { kind: 'flag', isSet: json === true }
  if (type.kind === 'List' && Array.isArray(json)) {
    return { kind: 'list', items: json.map((item: Json) => from(item, type.of)) }
  }
  if (type.kind === 'TextMap' && isObject(json)) {
    return {
      kind: 'entries',
      entries: Object.entries(json).map(([k, v]) => [{ kind: 'text', text: k }, from(v, type.of)]),
    }
  }
  if (type.kind === 'GenMap' && Array.isArray(json)) {
    const pairs = json as unknown as readonly [Json, Json][]
    return { kind: 'entries', entries: pairs.map(([k, v]) => [from(k, type.key), from(v, type.of)]) }
  }
  if (type.kind === 'Data') {
    const { data, typeOf, bound: inner } = partsOf(type, types, bound)
    if (data?.kind === 'record' && isObject(json)) {
      const fields = data.fields.map(({ name }) => [name, draftFrom(json[name], typeOf(name), types, inner)] as const)
      return { kind: 'record', fields }
    }
    if (data?.kind === 'variant' && isObject(json)) {
      const tag = String(json.tag)
      return { kind: 'variant', tag, value: draftFrom(json.value, typeOf(tag), types, inner) }
    }
    if (data?.kind !== 'enum') return { kind: 'json', text: JSON.stringify(json) }
  }
  if (type.kind === 'Unknown') return { kind: 'json', text: JSON.stringify(json) }
  return { kind: 'text', text: String(json) }
}

function isObject(json: Json): json is { readonly [name: string]: Json } {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

export function partsOf(type: TypeDescription, types: Types, outer: Bound) {
  const found = type.kind === 'Data' ? dataOf(type, types, outer) : undefined
  const data = found?.data
  const parts = data?.kind === 'record' ? data.fields : data?.kind === 'variant' ? data.constructors : []
  const typeOf = (name: string): TypeDescription => parts.find((one) => one.name === name)?.type ?? { kind: 'Unknown' }
  return { data, typeOf, bound: found?.bound ?? unbound }
}

export function elementOf(type: TypeDescription): TypeDescription {
  return 'of' in type ? type.of : { kind: 'Unknown' }
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}
