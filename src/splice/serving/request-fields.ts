// The fields of a request's body. One that is missing or of another kind is refused in the words of Splice's decoder, circe.
import type { Json } from '../ledger/participant.ts'
import { MalformedRequest } from './route.ts'

/** By the words in which a value of another kind is refused. */
const kinds = {
  String: (value: unknown) => typeof value === 'string',
  Long: (value: unknown) => typeof value === 'number' && Number.isSafeInteger(value),
  BigDecimal: (value: unknown) => typeof value === 'number' || (typeof value === 'string' && value !== ''),
  Boolean: (value: unknown) => typeof value === 'boolean',
  'C[A]': (value: unknown) => Array.isArray(value),
  Object: (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value),
} as const

export type Kind = keyof typeof kinds

/** An object of texts. */
const isTexts = (value: unknown) =>
  kinds.Object(value) && Object.values(value as object).every((one) => typeof one === 'string')

export type Fields = {
  readonly required?: Readonly<Record<string, Kind>>
  /** Null stands for none. */
  readonly optional?: Readonly<Record<string, Kind>>
  /** Objects of texts; optional. */
  readonly texts?: readonly string[]
}

/** Throws unless the value is an object with these fields; `path` is where it is in the body, the innermost first. */
export function checkFields(
  value: Json,
  { required = {}, optional = {}, texts = [] }: Fields,
  ...path: string[]
): void {
  const refuse = (problem: string, field: string) => {
    const places = [field, ...path].map((name) => `DownField(${name})`)
    throw new MalformedRequest(`${problem}: ${places.join(',')}`)
  }
  for (const [field, kind] of Object.entries(required)) {
    if (value?.[field] === undefined) refuse('Attempt to decode value on failed cursor', field)
    if (!kinds[kind](value[field])) refuse(kind, field)
  }
  for (const [field, kind] of Object.entries(optional)) {
    const found = value?.[field] ?? undefined
    if (found !== undefined && !kinds[kind](found)) refuse(kind, field)
  }
  for (const field of texts) {
    const found = value?.[field] ?? undefined
    if (found !== undefined && !isTexts(found)) refuse('String', field)
  }
}
