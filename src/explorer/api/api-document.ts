// The OpenAPI document of the node as the explorer reads it: operations in groups, the fields of a schema, and a search.
import type { Json } from './wire.ts'

export type Schema = {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly title?: string
  readonly description?: string
  readonly deprecated?: boolean
  readonly enum?: readonly string[]
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly minItems?: number
  readonly maxItems?: number
  readonly oneOf?: readonly Schema[]
  readonly additionalProperties?: Schema | boolean
}
export type Schemas = ReadonlyMap<string, Schema>

export type Parameter = {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly description?: string
  readonly required?: boolean
  readonly schema: Schema
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>
type DescribedOperation = {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly deprecated?: boolean
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}
export type ApiDocument = {
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
export type Body = { readonly isBytes: boolean; readonly schema: Schema }
export type Operation = {
  readonly id: string
  readonly method: Method
  readonly path: string
  readonly group: string
  readonly summary: string
  readonly description: string
  readonly isDeprecated: boolean
  readonly parameters: readonly Parameter[]
  readonly body: Body | undefined
  readonly answer: Body | undefined
}
export type Api = { readonly operations: readonly Operation[]; readonly schemas: Schemas }

// The document has no tags, like Canton's: generators would put the operations of each tag into a class of its own.
const groups: readonly (readonly [prefix: string, group: string])[] = [
  ['/v2/commands/', 'Commands'],
  ['/v2/interactive-submission/', 'Interactive submission'],
  ['/v2/updates', 'Updates'],
  ['/v2/state/', 'State'],
  ['/v2/events/', 'Contracts'],
  ['/v2/contracts/', 'Contracts'],
  ['/v2/users', 'Users'],
  ['/v2/authenticated-user', 'Users'],
  ['/v2/parties', 'Parties'],
  ['/v2/idps', 'Identity providers'],
  ['/v2/dars', 'Packages'],
  ['/v2/packages', 'Packages'],
  ['/v2/package-vetting', 'Packages'],
  ['/v2/synchronizers', 'Administration'],
  ['/v2/pruning', 'Administration'],
  ['/v2/time', 'Administration'],
  ['/dev/', 'Development'],
  ['/explorer/', 'Explorer'],
]

export function groupOf(path: string): string {
  return groups.find(([prefix]) => path.startsWith(prefix))?.[1] ?? 'Node'
}

export function apiFrom({ paths, components }: ApiDocument): Api {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, described]): Operation => ({
        id: described.operationId,
        method: method.toUpperCase() as Method,
        path,
        group: groupOf(path),
        summary: described.summary,
        description: described.description,
        isDeprecated: described.deprecated === true,
        parameters: described.parameters ?? [],
        body: bodyIn(described.requestBody?.content),
        answer: bodyIn(described.responses['200']?.content),
      }),
    ),
  )
  return { operations, schemas: new Map(Object.entries(components.schemas)) }
}

function bodyIn(content: Content = {}): Body | undefined {
  const [first] = Object.entries(content)
  return first && { isBytes: first[0] !== 'application/json', schema: first[1].schema }
}

/** The operations of each group, both in the order of the document. */
export function byGroup<T extends { readonly group: string }>(
  operations: readonly T[],
): readonly (readonly [group: string, operations: readonly T[]])[] {
  return [...Map.groupBy(operations, ({ group }) => group)]
}

const referencePrefix = '#/components/schemas/'

export function nameOfReference(schema: Schema): string | undefined {
  return schema.$ref?.slice(referencePrefix.length)
}

/** The schema that a reference leads to, with the description that stands beside the reference. */
export function resolved(schema: Schema, schemas: Schemas): Schema {
  const name = nameOfReference(schema)
  const target = name === undefined ? undefined : schemas.get(name)
  if (target === undefined) return schema
  const { $ref: _, ...beside } = schema
  return resolved({ ...target, ...beside }, schemas)
}

export type Field = {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly isDeprecated: boolean
  readonly description: string
  readonly values: readonly string[]
  /** What to unfold: has fields of its own. */
  readonly inner: Schema | undefined
}

/** The fields of an object, the elements of a list, or the alternatives of a union. */
export function fieldsOf(schema: Schema, schemas: Schemas): readonly Field[] {
  const { properties = {}, required = [], oneOf } = elementOf(schema, schemas)
  if (oneOf !== undefined) return oneOf.flatMap((alternative) => alternativeFields(alternative, schemas))
  return Object.entries(properties).map(([name, of]) => fieldOf(name, of, required.includes(name), schemas))
}

/** An alternative is an object whose only field names it, or a schema of its own. */
function alternativeFields(alternative: Schema, schemas: Schemas): readonly Field[] {
  const { properties = {} } = resolved(alternative, schemas)
  const names = Object.keys(properties)
  const reference = nameOfReference(alternative)
  if (reference === undefined && names.length === 1) return [fieldOf(names[0]!, properties[names[0]!]!, false, schemas)]
  return [fieldOf(labelOf(alternative, schemas), alternative, false, schemas)]
}

function fieldOf(name: string, schema: Schema, isRequired: boolean, schemas: Schemas): Field {
  const { description = '', deprecated = false } = resolved(schema, schemas)
  const element = elementOf(schema, schemas)
  const hasFields = Object.keys(element.properties ?? {}).length > 0 || element.oneOf !== undefined
  return {
    name,
    isRequired,
    description,
    type: typeText(schema, schemas),
    isDeprecated: deprecated,
    values: element.enum ?? [],
    inner: hasFields ? schema : undefined,
  }
}

/** Through lists and maps to what they contain. */
function elementOf(schema: Schema, schemas: Schemas): Schema {
  const found = resolved(schema, schemas)
  if (found.type === 'array' && found.items) return elementOf(found.items, schemas)
  if (typeof found.additionalProperties === 'object') return elementOf(found.additionalProperties, schemas)
  return found
}

export function typeText(schema: Schema, schemas: Schemas): string {
  const { type, format, items, additionalProperties, oneOf, enum: values } = resolved(schema, schemas)
  if (type === 'array') return `list of ${items ? typeText(items, schemas) : 'anything'}`
  if (typeof additionalProperties === 'object') return `map to ${typeText(additionalProperties, schemas)}`
  if (oneOf !== undefined) return `one of ${oneOf.length} kinds`
  if (values !== undefined) return values.length === 1 ? 'constant' : 'enumeration'
  return format ?? type ?? 'anything'
}

/** The name of an alternative. */
export function labelOf(alternative: Schema, schemas: Schemas): string {
  const reference = nameOfReference(alternative)
  const { properties = {}, title } = resolved(alternative, schemas)
  const names = Object.keys(properties)
  return reference ?? (names.length === 1 ? names[0]! : (title ?? 'object'))
}

/** `field` is what was found, if neither path nor summary has the text. */
export type Hit = { readonly operation: Operation; readonly group: string; readonly field: string | undefined }

/** Finds words in the path and the summary, and in the names of the fields of body and answer. */
export function createSearch({ operations, schemas }: Api): (text: string) => readonly Hit[] {
  const entries = operations.map((operation) => ({
    operation,
    text: `${operation.method} ${operation.path} ${operation.summary}`.toLowerCase(),
    fields: fieldNamesOf(operation, schemas),
  }))
  return (text) => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean)
    return entries.flatMap(({ operation, text: own, fields }) => {
      const rest = words.filter((word) => !own.includes(word))
      const found = rest.map((word) => fields.find((name) => name.toLowerCase().includes(word)))
      if (found.includes(undefined)) return []
      return [{ operation, group: operation.group, field: found[0] }]
    })
  }
}

function fieldNamesOf({ parameters, body, answer }: Operation, schemas: Schemas): readonly string[] {
  const names = new Set(parameters.map(({ name }) => name))
  const seen = new Set<string>()
  const visit = (schema: Schema): void => {
    const reference = nameOfReference(schema)
    if (reference !== undefined) {
      if (seen.has(reference)) return
      seen.add(reference)
    }
    const { properties = {}, items, oneOf = [], additionalProperties } = resolved(schema, schemas)
    for (const [name, of] of Object.entries(properties)) {
      names.add(name)
      visit(of)
    }
    for (const alternative of oneOf) visit(alternative)
    if (items) visit(items)
    if (typeof additionalProperties === 'object') visit(additionalProperties)
  }
  for (const content of [body, answer]) if (content) visit(content.schema)
  return [...names]
}

/** Calls that lose something. */
export function losesSomething(method: Method, path: string): boolean {
  return (
    method === 'DELETE' ||
    path === '/dev/reset' ||
    /\/restore$/.test(path) ||
    (method === 'POST' && path === '/v2/pruning')
  )
}

/** The path with its parameters and its query filled in; empty ones of the query are left out. */
export function filledPath(operation: Operation, values: ReadonlyMap<string, string>): string {
  const given = (name: string) => values.get(name)?.trim() ?? ''
  const path = operation.path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(given(name)))
  const query = operation.parameters.filter(({ in: where, name }) => where === 'query' && given(name) !== '')
  const text = new URLSearchParams(query.map(({ name }) => [name, given(name)])).toString()
  return text === '' ? path : `${path}?${text}`
}

export function parsed(text: string): { readonly value?: Json; readonly error?: string } {
  try {
    return { value: JSON.parse(text) as Json }
  } catch (error) {
    return { error: (error as Error).message }
  }
}
