// Fields of contracts as people compare them: by a dotted path, numbers by their size, everything else as text.

/** JSON of Daml values, untrusted: names are looked up with Object.hasOwn. */
type Json = unknown

/** As much of a text is compared, and is part of a page token. */
const comparedMax = 256

/** Undefined if there is no such field, or it is empty (None). */
export function valueAt(value: Json, path: readonly string[]): string | undefined {
  let at = value
  for (const name of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined
    at = (at as Record<string, Json>)[name]
  }
  return textOf(at)
}

/** Int64 and Numeric are texts in JSON. */
export function textOf(value: Json): string | undefined {
  if (value === null || value === undefined) return undefined
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const number = /^(-?)(\d{1,40})(?:\.(\d{1,40}))?$/

/**
 * A text that sorts as the value does: all numbers before all other texts. A number has its sign, how many digits come
 * before the point, and its digits; those of a negative one are complemented.
 */
export function sortKeyOf(value: string): string {
  const parts = number.exec(value)
  if (parts === null) return `t${value.slice(0, comparedMax)}`
  const whole = parts[2]!.replace(/^0+(?=\d)/, '')
  const fraction = (parts[3] ?? '').replace(/0+$/, '')
  const key = String(whole.length).padStart(2, '0') + whole + fraction
  if (parts[1] === '' || whole + fraction === '0') return `n1${key}`
  return `n0${key.replace(/\d/g, (digit) => String(9 - Number(digit)))}~`
}

export const isNumberKey = (key: string): boolean => key.startsWith('n')

const party = /^([^:]+::)1220[0-9a-f]{64}$/i
const contractId = /^00[0-9a-f]{64,}$/

/**
 * Whether the value contains the text, which is in small letters. An id must begin with it, or have it in the name of its
 * party: fingerprints and hashes contain every short number.
 */
export function hasText(value: string, wanted: string): boolean {
  const at = value.toLowerCase().indexOf(wanted)
  if (at <= 0) return at === 0
  const name = party.exec(value)?.[1]
  return name === undefined ? !contractId.test(value) : at < name.length
}

/** The first field whose value contains the text, in any case of its letters: its path and its value. */
export function fieldContaining(
  value: Json,
  wanted: string,
  path: readonly string[] = [],
): { readonly path: readonly string[]; readonly value: string } | undefined {
  if (typeof value !== 'object' || value === null) {
    const text = textOf(value)
    return text !== undefined && hasText(text, wanted) ? { path, value: text } : undefined
  }
  for (const [name, inner] of Object.entries(value)) {
    const found = fieldContaining(inner, wanted, [...path, name])
    if (found !== undefined) return found
  }
  return undefined
}
