// Wire schemas as OpenAPI 3.0 writes them: titled ones listed once and referred to, errors among them.
import type { TSchema } from 'typebox'

export type Json = Record<string, unknown>

/**
 * A request may leave out what has a default; an answer has every declared field. A schema that serves both is listed
 * as requests have it, so requests have to be written first.
 */
export type SchemaUse = 'request' | 'answer'

export type Components = Record<string, Json>

type WireSchema = Json & { readonly title?: string; readonly nullable?: boolean }

export const errorReference = { $ref: '#/components/schemas/JsCantonError' }

export const errorSchema = {
  type: 'object',
  description: 'Why a request was refused',
  required: [
    ...['code', 'cause', 'correlationId', 'traceId', 'context', 'resources', 'errorCategory'],
    ...['grpcCodeValue', 'retryInfo', 'definiteAnswer'],
  ],
  properties: {
    code: { type: 'string', description: 'Stable id of the error, NA when it is not told' },
    cause: { type: 'string', description: 'What is wrong, in words' },
    correlationId: { type: 'string', nullable: true, description: 'The submission id of a command, or the trace id' },
    traceId: { type: 'string', nullable: true, description: 'Finds the request in the log' },
    context: { type: 'object', additionalProperties: { type: 'string' }, description: 'More about it, by key' },
    resources: {
      type: 'array',
      description: 'What it is about: pairs of type and name',
      items: { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 2 },
    },
    errorCategory: { type: 'integer', format: 'int32', description: 'What kind of error, -1 when it is not told' },
    grpcCodeValue: { type: 'integer', format: 'int32', nullable: true, description: 'The gRPC status code' },
    retryInfo: { type: 'string', nullable: true, description: 'How long to wait before trying again' },
    definiteAnswer: { type: 'boolean', nullable: true, description: 'Whether the command certainly had no effect' },
  },
}

export function withErrors(): Components {
  return { JsCantonError: errorSchema }
}

/** A schema as it is written where it is used; what it refers to is among the components then. */
export function component(schema: TSchema, components: Components, use: SchemaUse = 'request'): Json {
  const { title, nullable, ...plain } = schema as WireSchema
  if (title === undefined) return { ...converted(plain, use, components), ...(nullable && { nullable }) }
  if (components[title] === undefined) {
    components[title] = {} // Taken before its parts are looked at, so that a schema may contain itself.
    components[title] = converted(plain, use, components)
  }
  const reference = { $ref: `#/components/schemas/${title}` }
  return nullable ? orNull(reference) : reference
}

/** Beside a reference nothing else counts. */
function orNull(schema: Json): Json {
  return '$ref' in schema ? { nullable: true, allOf: [schema] } : { ...schema, nullable: true }
}

function converted(
  {
    anyOf,
    patternProperties,
    default: _,
    cantonDefault: _canton,
    configured: _configured,
    needed: _needed,
    ...schema
  }: Json,
  use: SchemaUse,
  components: Components,
): Json {
  if (Array.isArray(anyOf)) return { ...schema, oneOf: anyOf.map((variant) => component(variant, components, use)) }
  if (patternProperties !== undefined) {
    const [value] = Object.values(patternProperties as Record<string, TSchema>)
    return { ...schema, additionalProperties: component(value!, components, use) }
  }
  if (schema.type === 'array') return { ...schema, items: component(schema.items as TSchema, components, use) }
  return schema.type === 'object' ? objectSchema(schema, use, components) : schema
}

type Property = TSchema & { readonly default?: unknown; readonly needed?: true }

function objectSchema(schema: Json, use: SchemaUse, components: Components): Json {
  const properties = Object.entries(schema.properties as Record<string, Property>)
  const given = new Set(schema.required as string[] | undefined)
  const required = properties
    .filter(([name, property]) =>
      use === 'answer' ? true : given.has(name) && (property.default === undefined || property.needed === true),
    )
    .map(([name]) => name)
  return {
    ...schema,
    required: required.length > 0 ? required : undefined, // OpenAPI has no empty list here.
    properties: Object.fromEntries(
      properties.map(([name, property]) => {
        const written = component(property, components, use)
        return [name, given.has(name) ? written : orNull(written)]
      }),
    ),
  }
}
