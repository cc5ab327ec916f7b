// What is wrong with a value before the node is asked: with the texts in a form, and with JSON that was pasted instead of
// one. Each problem names its field.
import type { TypeDescription } from '../../codegen/type-description.ts'
import {
  type Bound,
  type Draft,
  dataOf,
  elementOf,
  isNested,
  partsOf,
  resolved,
  type Types,
  unbound,
} from './drafts.ts'
import type { Json } from './wire.ts'

export type ValueProblem = {
  /** Of the field in the form, or in JSON; empty for the whole value. */
  readonly path: string
  readonly words: string
  /** Whether a form could not show the value. */
  readonly isOfShape?: boolean
}

/** More are not looked for: nobody reads them. */
const problemsMax = 20

const missing = (path: string): ValueProblem => ({ path, words: `${path === '' ? 'A value' : path} is missing` })
const wrong = (path: string, words: string): ValueProblem => ({
  path,
  words: path === '' ? words : `${path}: ${words}`,
})

/** A field inside another. */
export const fieldPath = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)
/** An item of a list, or the `key` or `value` of an entry, counted as people do. */
export const itemPath = (path: string, index: number, part = ''): string =>
  `${path}${part === '' ? '' : ` ${part}`} ${index + 1}`.trim()

/** What is wrong with a text; undefined if the node may accept it. */
export function problemWith(text: string, type: TypeDescription): string | undefined {
  switch (type.kind) {
    case 'Int64':
      return /^-?\d{1,19}$/.test(text) ? undefined : 'A whole number'
    case 'Numeric': {
      const decimals = /^-?\d{1,38}(?:\.(\d+))?$/.exec(text)
      if (decimals === null) return 'A number, such as 12.5'
      return (decimals[1] ?? '').length > (type.scale ?? 37)
        ? `Digits after the point: at most ${type.scale ?? 37}`
        : undefined
    }
    case 'Date':
      return /^\d{4}-\d\d-\d\d$/.test(text) ? undefined : 'A date, such as 2030-01-31'
    case 'Timestamp':
      return /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) ? undefined : 'A time, such as 2030-01-31T12:00:00Z'
    case 'Party':
      return text.includes('::') ? undefined : 'A party'
    case 'ContractId':
      return /^00[0-9a-f]+$/.test(text) ? undefined : 'A contract id'
    default:
      return undefined
  }
}

/** The fields of a form that are missing or wrong, in their order. */
export function problemsInDraft(draft: Draft, type: TypeDescription, types: Types): readonly ValueProblem[] {
  const found: ValueProblem[] = []
  look(draft, type, unbound, '')
  return found

  function look(one: Draft, given: TypeDescription, bound: Bound, path: string): void {
    if (found.length >= problemsMax) return
    const of = resolved(given, bound)
    switch (one.kind) {
      case 'text': {
        const words = problemWith(one.text, of)
        if (words !== undefined) found.push(one.text === '' ? missing(path) : wrong(path, words))
        return
      }
      case 'json':
        if (one.text.trim() === '') found.push(missing(path))
        return
      case 'optional':
        if (one.some !== undefined) look(one.some, elementOf(of), bound, path)
        return
      case 'list':
        for (const [index, item] of one.items.entries()) look(item, elementOf(of), bound, itemPath(path, index))
        return
      case 'entries': {
        const keyType: TypeDescription = of.kind === 'GenMap' ? of.key : { kind: 'Text' }
        for (const [index, [key, value]] of one.entries.entries()) {
          look(key, keyType, bound, itemPath(path, index, 'key'))
          look(value, elementOf(of), bound, itemPath(path, index, 'value'))
        }
        return
      }
      case 'record': {
        const inner = partsOf(of, types, bound)
        for (const [name, value] of one.fields) look(value, inner.typeOf(name), inner.bound, fieldPath(path, name))
        return
      }
      case 'variant': {
        const inner = partsOf(of, types, bound)
        look(one.value, inner.typeOf(one.tag), inner.bound, fieldPath(path, one.tag))
      }
    }
  }
}

/** What does not fit the type in a value that was pasted, with its path as programs write it. */
export function problemsInJson(json: Json, type: TypeDescription, types: Types): readonly ValueProblem[] {
  const found: ValueProblem[] = []
  look(json, type, unbound, '', false)
  return found

  /** The value is of another kind than its type. */
  function say(path: string, words: string): void {
    if (found.length < problemsMax) found.push({ ...wrong(path, words), isOfShape: true })
  }

  function look(value: Json, given: TypeDescription, bound: Bound, path: string, isInside: boolean): void {
    if (found.length >= problemsMax) return
    const of = resolved(given, bound)
    switch (of.kind) {
      case 'Unknown':
      case 'Variable':
        return
      case 'Unit':
        if (!isObject(value)) say(path, 'An empty object, {}')
        return
      case 'Bool':
        if (typeof value !== 'boolean') say(path, 'true or false')
        return
      case 'Optional':
        return lookIntoOptional(value, of, bound, path, isInside)
      case 'List':
        if (!Array.isArray(value)) return say(path, 'A list, [ … ]')
        for (const [index, item] of value.entries()) look(item as Json, of.of, bound, `${path}[${index}]`, false)
        return
      case 'TextMap':
        if (!isObject(value)) return say(path, 'An object of texts and values')
        for (const [key, item] of Object.entries(value)) look(item, of.of, bound, fieldPath(path, key), false)
        return
      case 'GenMap':
        if (!Array.isArray(value)) return say(path, 'A list of pairs, [[key, value], …]')
        for (const [index, pair] of value.entries()) {
          if (!Array.isArray(pair) || pair.length !== 2) return say(`${path}[${index}]`, 'A pair, [key, value]')
          look(pair[0] as Json, of.key, bound, `${path}[${index}][0]`, false)
          look(pair[1] as Json, of.of, bound, `${path}[${index}][1]`, false)
        }
        return
      case 'Data':
        return lookIntoData(value, of, bound, path)
      default:
        return lookAtScalar(value, of, path)
    }
  }

  function lookIntoOptional(
    value: Json,
    of: TypeDescription & { readonly kind: 'Optional' },
    bound: Bound,
    path: string,
    isInside: boolean,
  ): void {
    const isArray = isInside || isNested(of)
    if (!isArray) {
      if (value !== null) look(value, of.of, bound, path, false)
      return
    }
    if (value === null && !isInside) return
    if (!Array.isArray(value) || value.length > 1) return say(path, 'A list of one value, or an empty one')
    if (value.length === 1) look(value[0] as Json, of.of, bound, path, isNested(of))
  }

  function lookIntoData(
    value: Json,
    of: TypeDescription & { readonly kind: 'Data' },
    bound: Bound,
    path: string,
  ): void {
    const data = dataOf(of, types, bound)?.data
    if (data === undefined) return
    const inner = partsOf(of, types, bound)
    if (data.kind === 'enum') {
      if (!data.names.includes(value as string)) say(path, `One of ${data.names.slice(0, namesShown).join(', ')}`)
      return
    }
    if (!isObject(value)) return say(path, data.kind === 'record' ? 'An object' : 'An object with tag and value')
    if (data.kind === 'variant') {
      const names = data.constructors.map(({ name }) => name)
      const tag = Object.hasOwn(value, 'tag') ? value.tag : undefined
      if (typeof tag !== 'string' || !names.includes(tag)) {
        return say(fieldPath(path, 'tag'), `One of ${names.slice(0, namesShown).join(', ')}`)
      }
      return look(value.value ?? null, inner.typeOf(tag), inner.bound, fieldPath(path, 'value'), false)
    }
    const names = data.fields.map(({ name }) => name)
    for (const name of Object.keys(value)) {
      if (!names.includes(name)) {
        say(fieldPath(path, name), `There is no such field; there are ${names.slice(0, namesShown).join(', ')}`)
      }
    }
    for (const name of names) {
      const fieldType = resolved(inner.typeOf(name), inner.bound)
      const at = fieldPath(path, name)
      if (Object.hasOwn(value, name)) look(value[name]!, fieldType, inner.bound, at, false)
      else if (fieldType.kind !== 'Optional' && found.length < problemsMax) found.push(missing(at))
    }
  }

  function lookAtScalar(value: Json, of: TypeDescription, path: string): void {
    const isNumber = typeof value === 'number' && (of.kind === 'Int64' || of.kind === 'Numeric')
    if (isNumber && Math.abs(value) > Number.MAX_SAFE_INTEGER) {
      return say(path, 'So many digits belong in a text, in quotes')
    }
    if (typeof value !== 'string' && !isNumber) return say(path, problemWith('', of) ?? 'A text')
    const words = problemWith(String(value), of)
    if (words !== undefined) found.push(value === '' ? missing(path) : wrong(path, words))
  }
}

const namesShown = 8

function isObject(json: Json): json is { readonly [name: string]: Json } {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}
