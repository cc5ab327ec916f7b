// An example of a request, built from its schema: required fields, and those whose values are known. Where a schema has
// alternatives the example takes one of them and says which others there were.
import { labelOf, nameOfReference, resolved, type Schema, type Schemas } from './api-document.ts'
import type { Json } from './wire.ts'

export type Decision = {
  /** Where it was taken: `commands.commands.0`. */
  readonly path: string
  readonly options: readonly string[]
  readonly chosen: number
}
export type Example = { readonly value: Json; readonly decisions: readonly Decision[] }

type Options = {
  /** Values by the name of their field, where the type fits: the reader's user, parties, the ledger's end. */
  readonly known?: ReadonlyMap<string, Json>
  /** The alternative to take, by the path of the decision. */
  readonly choices?: ReadonlyMap<string, number>
  readonly withOptional?: boolean
}

const depthMax = 24
/** What one most likely wants. */
const likely: ReadonlySet<string> = new Set(['CreateCommand', 'CanActAs', 'WildcardFilter', 'DeduplicationDuration'])

export function exampleOf(schema: Schema, schemas: Schemas, options: Options = {}): Example {
  const { known = new Map<string, Json>(), choices = new Map<string, number>(), withOptional = false } = options
  const decisions: Decision[] = []

  function jsonOf(of: Schema, path: readonly string[], within: readonly string[]): Json {
    if (within.length > depthMax) return {}
    const reference = nameOfReference(of)
    const inside = reference === undefined ? within : [...within, reference]
    const found = resolved(of, schemas)
    if (found.oneOf !== undefined) return alternativeOf(found.oneOf, path, inside)
    if (found.type === 'array') return listOf(found, path, inside)
    if (found.type === 'object') return objectOf(found, path, inside)
    return scalarOf(found, known)
  }

  function objectOf(
    { properties = {}, required = [] }: Schema,
    path: readonly string[],
    within: readonly string[],
  ): Json {
    const fields: [string, Json][] = []
    for (const [name, of] of Object.entries(properties)) {
      const given = known.get(name)
      if (given !== undefined && fits(given, resolved(of, schemas))) fields.push([name, given])
      else if (required.includes(name) || (withOptional && !isRecursive(of, within))) {
        fields.push([name, jsonOf(of, [...path, name], within)])
      }
    }
    return Object.fromEntries(fields)
  }

  /** One element, if it is known how it ends: optional values and recursive lists stay empty. */
  function listOf({ items, minItems = 0, maxItems }: Schema, path: readonly string[], within: readonly string[]): Json {
    const isOptional = maxItems === 1 && !withOptional
    if (items === undefined || (minItems === 0 && (isOptional || isRecursive(items, within)))) return []
    const element = (index: number) => jsonOf(items, [...path, String(index)], within)
    return Array.from({ length: Math.max(1, minItems) }, (_, index) => element(index))
  }

  function alternativeOf(oneOf: readonly Schema[], path: readonly string[], within: readonly string[]): Json {
    const labels = oneOf.map((alternative) => labelOf(alternative, schemas))
    const place = path.join('.')
    const asked = choices.get(place)
    const chosen = asked !== undefined && asked < oneOf.length ? asked : likelyOf(oneOf, labels, within)
    decisions.push({ path: place, options: labels, chosen })
    return jsonOf(oneOf[chosen]!, path, within)
  }

  function likelyOf(oneOf: readonly Schema[], labels: readonly string[], within: readonly string[]): number {
    const wanted = labels.findIndex((label) => likely.has(label))
    if (wanted >= 0) return wanted
    const plain = oneOf.findIndex(
      (alternative, index) => !isRecursive(alternative, within) && labels[index] !== 'Empty',
    )
    return Math.max(0, plain)
  }

  /** Looks one step into an alternative, which is an object with one field. */
  function isRecursive(of: Schema, within: readonly string[]): boolean {
    const { properties = {}, items } = resolved(of, schemas)
    const near = [of, ...Object.values(properties), ...(items ? [items] : [])]
    return near.some((part) => within.includes(nameOfReference(part) ?? ''))
  }

  return { value: jsonOf(schema, [], []), decisions }
}

function fits(value: Json, { type, properties, oneOf }: Schema): boolean {
  if (typeof value === 'string') return type === 'string'
  if (typeof value === 'number') return type === 'integer' || type === 'number'
  if (typeof value === 'boolean') return type === 'boolean'
  if (Array.isArray(value)) return type === 'array'
  return properties !== undefined || oneOf !== undefined
}

/** Strings by what their description says: Daml's values are strings of many kinds. */
function scalarOf({ type, format, description = '', enum: values }: Schema, known: ReadonlyMap<string, Json>): Json {
  if (values !== undefined) return values.find((value) => !value.endsWith('_UNSPECIFIED')) ?? values[0] ?? ''
  if (type === 'integer' || type === 'number') return 0
  if (type === 'boolean') return false
  if (type !== 'string') return {}
  if (description === 'A party') return known.get('party') ?? 'party::1220…'
  if (format === 'date-time') return '2030-01-01T00:00:00Z'
  if (format === 'date') return '2030-01-01'
  if (/^\d+ decimals$/.test(description)) return '1.0'
  return description === '64 bits' ? '1' : ''
}
