// Wire schemas as the two documents write them: titled ones listed once and referred to, errors among them.
import type { TSchema } from 'typebox'

export type Json = Record<string, unknown>
export type Components = Record<string, Json>

export const errorReference = { $ref: '#/components/schemas/JsCantonError' }

const errorSchema = {
  type: 'object',
  description: 'Why a request was refused',
  required: ['code', 'cause', 'context', 'errorCategory'],
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

/** A schema as OpenAPI and AsyncAPI write it; a titled one is listed once, under its title, and referred to. */
export function component(schema: TSchema, components: Components): Json {
  const { title, ...plain } = schema as Json & { title?: string }
  if (title === undefined) return converted(plain, components)
  if (components[title] === undefined) {
    components[title] = {} // Taken before its parts are looked at, so that a schema may contain itself.
    components[title] = converted(plain, components)
  }
  return { $ref: `#/components/schemas/${title}` }
}

function converted(
  { anyOf, patternProperties, default: _, cantonDefault: _canton, configured: _configured, ...schema }: Json,
  components: Components,
): Json {
  if (Array.isArray(anyOf)) return { ...schema, oneOf: anyOf.map((variant) => component(variant, components)) }
  if (patternProperties !== undefined) {
    const [value] = Object.values(patternProperties as Record<string, TSchema>)
    return { ...schema, additionalProperties: component(value!, components) }
  }
  if (schema.type === 'array') return { ...schema, items: component(schema.items as TSchema, components) }
  if (schema.type !== 'object') return schema
  const properties = Object.entries(schema.properties as Record<string, TSchema & { default?: unknown }>)
  // What has a default may be left out of a request, so no client is made to send it.
  const required = (schema.required as string[] | undefined)?.filter(
    (name) => properties.find(([key]) => key === name)?.[1].default === undefined,
  )
  return {
    ...schema,
    required: required?.length ? required : undefined,
    properties: Object.fromEntries(properties.map(([name, property]) => [name, component(property, components)])),
  }
}
