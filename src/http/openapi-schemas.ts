// Wire schemas as OpenAPI 3.0 writes them. A titled schema is listed once, under its title, and referred to.
import type { TSchema } from 'typebox'

export type Json = Record<string, unknown>

/**
 * A request may leave out what has a default; an answer has every declared field. A schema that serves both is listed
 * as requests have it, so requests have to be written first.
 */
export type SchemaUse = 'request' | 'answer'

export type Components = Record<string, Json>

type WireSchema = Json & { readonly title?: string; readonly nullable?: boolean }

export function writeSchema(schema: TSchema, use: SchemaUse, components: Components): Json {
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
  if (Array.isArray(anyOf)) return { ...schema, oneOf: anyOf.map((variant) => writeSchema(variant, use, components)) }
  if (patternProperties !== undefined) {
    const [value] = Object.values(patternProperties as Record<string, TSchema>)
    return { ...schema, additionalProperties: writeSchema(value!, use, components) }
  }
  if (schema.type === 'array') return { ...schema, items: writeSchema(schema.items as TSchema, use, components) }
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
        const written = writeSchema(property, use, components)
        return [name, given.has(name) ? written : orNull(written)]
      }),
    ),
  }
}
