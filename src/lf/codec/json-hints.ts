// What a client can write instead of JSON that is no value of its type. Called only for a value that is refused, whose
// names may be long and many: each hint looks at a bounded part of them.

import { shorten } from '../../base/names.ts'
import { nearest } from '../../base/nearest.ts'
import { isObject, numberTextOf } from './json-forms.ts'

/** Names compared with a misspelt one. */
const candidatesMax = 200
const namesShown = 10

export const timeHint = 'write a time in UTC as "2030-01-31T12:00:00Z"'
export const pairsHint = 'write a map as a list of pairs, as in [["key", "value"]]'
export const dateHint = 'write a date as "2030-01-31"'

export const intHint = (text: string): string => {
  const digits = text.replaceAll(/[\s,_']/g, '')
  return /^[+-]?\d{1,19}$/.test(digits) && digits !== text
    ? `write digits only: "${digits}"`
    : 'write a whole number of 64 bits as a string, such as "42"'
}

export function numericHint(json: unknown): string {
  const number = numberTextOf(json)
  if (number !== undefined) return `write the Numeric as a string: "${shorten(number)}"`
  const plain = typeof json === 'string' ? json.trim().replaceAll(/[\s,_']/g, '') : ''
  if (/^[+-]?\d{1,28}(\.\d{1,37})?$/.test(plain) && plain !== json) return `write digits and a point only: "${plain}"`
  return 'write digits and a point as a string, such as "10.5"'
}

/** For JSON of another kind than `wanted`. */
export function kindHint(json: unknown, wanted: string): string | undefined {
  const number = numberTextOf(json)
  if (wanted === 'a string' && number !== undefined) return `write it as a string: "${shorten(number)}"`
  if (wanted === 'a boolean' && (json === 'true' || json === 'false')) return `write ${json} without quotes`
  if (wanted === 'an array') return json === null ? 'write a list; an empty one is []' : 'write a list, as in ["..."]'
  if (wanted === 'an array of a key and a value') return pairsHint
  if (wanted === 'an object') return 'write an object: {"field": ...}'
  if (isObject(json) && (Object.hasOwn(json, 'Some') || json.tag === 'Some')) return optionalHint
  return undefined
}

const optionalHint = 'write Some as the value itself, and None as null'

/** Of a record with names that it does not have, or without some that it needs. */
export function fieldsHint(
  unexpected: readonly string[],
  missing: readonly string[],
  fields: readonly string[],
): string {
  const free = missing.length > 0 ? missing : fields
  const meant = unexpected.slice(0, 3).flatMap((name) => {
    const field = nameMeantBy(name, free)
    return field === undefined ? [] : [`\`${shorten(name)}\`: did you mean \`${field}\`?`]
  })
  if (meant.length > 0) return meant.join(' ')
  return missing.length > 0 ? `${listed(missing)} must be there` : `the fields are ${listed(fields)}`
}

/** Of a constructor of an enum or variant that does not exist. */
export function constructorHint(name: string, constructors: readonly string[]): string {
  const meant = nameMeantBy(name, constructors)
  return `${meant === undefined ? '' : `did you mean \`${meant}\`? `}it is one of ${listed(constructors)}`
}

export function variantHint(json: unknown, constructors: readonly string[]): string {
  const [name] = typeof json === 'string' ? [json] : isObject(json) ? Object.keys(json) : []
  const shown = constructors.find((one) => one === name) ?? constructors[0] ?? 'Name'
  return `write {"tag": "${shown}", "value": ...}, with {} as the value of a constructor without one`
}

/** snake_case and other spellings count as the same name. */
function nameMeantBy(written: string, names: readonly string[]): string | undefined {
  const plain = plainName(written)
  const some = names.slice(0, candidatesMax)
  return some.find((name) => plainName(name) === plain) ?? nearest(written, some)
}

const plainName = (name: string): string =>
  name
    .slice(0, 200)
    .replaceAll(/[_\-\s]/g, '')
    .toLowerCase()

function listed(names: readonly string[]): string {
  const more = names.length - namesShown
  const shown = names.slice(0, namesShown).map((name) => `\`${shorten(name, 100)}\``)
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
