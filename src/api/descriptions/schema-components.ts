// Wire schemas as components of an API description; titled ones are listed once and referenced. OpenAPI follows
// Canton's document: plain strings for instants and bytes, its required fields, and no null, which OpenAPI 3.0 allows
// only in some schemas. AsyncAPI is JSON Schema, which has null, so there a validator accepts every message.
import type { TSchema } from 'typebox'

export type Json = Record<string, unknown>

/** Components by name. Wire schemas with the same title are identical. */
/** `openapi` is Canton's document, for generators; the others say where null and more than texts may be. */
export type Dialect = 'openapi' | 'strict openapi' | 'asyncapi'
export type Components = { readonly dialect: Dialect; readonly schemas: Record<string, Json> }

export const errorReference = { $ref: '#/components/schemas/JsCantonError' }

const pair = {
  title: 'Tuple2_String_String',
  type: 'array',
  items: { type: 'string' },
  minItems: 2,
  maxItems: 2,
  description: 'Type and name',
}

export const errorSchema = {
  title: 'JsCantonError',
  type: 'object',
  description: 'Why a request was refused',
  required: ['code', 'cause', 'context', 'resources', 'errorCategory'],
  requires: ['code', 'cause', 'context', 'errorCategory'],
  properties: {
    code: { type: 'string', description: 'Stable id of the error; NA if it is withheld' },
    cause: { type: 'string', description: 'A description of the error' },
    correlationId: { type: 'string', description: 'The submission id of a command, or the trace id' },
    traceId: { type: 'string', description: 'Identifies the request in the log' },
    context: {
      title: 'Map_String',
      type: 'object',
      patternProperties: { '': { type: 'string' } },
      description: 'Details of the error, by key',
    },
    resources: { type: 'array', description: 'What the error is about: pairs of type and name', items: pair },
    errorCategory: { type: 'integer', format: 'int32', description: 'The error category; -1 if it is withheld' },
    grpcCodeValue: { type: 'integer', format: 'int32', description: 'The gRPC status code' },
    retryInfo: { type: 'string', description: 'How long to wait before trying again' },
    definiteAnswer: { type: 'boolean', description: 'Whether the command certainly had no effect' },
  },
}

export function createComponents(dialect: Components['dialect']): Components {
  const components: Components = { dialect, schemas: {} }
  component(errorSchema, components)
  return components
}

type WireSchema = {
  readonly title?: string
  readonly type?: string
  readonly format?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly minItems?: number
  readonly maxItems?: number
  readonly anyOf?: readonly TSchema[]
  readonly items?: TSchema
  readonly properties?: Readonly<Record<string, TSchema>>
  readonly patternProperties?: Readonly<Record<string, TSchema>>
  readonly required?: readonly string[]
  readonly nullable?: boolean
  readonly default?: unknown
  /** What Canton's document says instead, where the wire differs. */
  readonly documented?: Json
  /** The fields that Canton's document requires, see schema.ts. */
  readonly requires?: 'all' | readonly string[]
}

/** A schema as written where it is used; adds the components it refers to. */
export function component(schema: TSchema | Json, components: Components): Json {
  const wire = schema as WireSchema
  const { title, nullable = false } = wire
  const written = title === undefined ? converted(wire, components) : reference(title, wire, components)
  return nullable ? orNull(written, components) : written
}

function reference(title: string, wire: WireSchema, components: Components): Json {
  const isMap = wire.patternProperties !== undefined
  if (components.schemas[title] === undefined) {
    components.schemas[title] = {} // Registered before its parts are visited, so that a schema may contain itself.
    const { description, ...rest } = converted(wire, components)
    const words = isMap || description === undefined ? {} : { description }
    // Canton numbers components of the same name, but not their titles.
    components.schemas[title] = { title: title.replace(/\d+$/, ''), ...words, ...rest }
  }
  const { description } = wire
  return { $ref: `#/components/schemas/${title}`, ...(isMap && description !== undefined && { description }) }
}

/** Formats that tell generators the type of a number or a file; the others only concern decoding. */
const writtenFormats: ReadonlySet<string> = new Set(['int32', 'int64', 'binary'])

function converted(wire: WireSchema, components: Components): Json {
  const { description, anyOf, patternProperties, documented } = wire
  const words = description === undefined ? {} : { description }
  if (documented !== undefined && components.dialect === 'openapi') return { ...words, ...documented }
  if (anyOf !== undefined) return { ...words, oneOf: anyOf.map((variant) => component(variant, components)) }
  if (patternProperties !== undefined) {
    const [value] = Object.values(patternProperties)
    return { ...words, type: 'object', additionalProperties: component(value!, components) }
  }
  const { type, format, enum: values, minItems, maxItems, items } = wire
  return defined({
    ...words,
    type,
    format: writtenFormats.has(format ?? '') ? format : undefined,
    enum: values,
    minItems,
    maxItems,
    items: items && component(items, components),
    ...(type === 'object' && fields(wire, components)),
  })
}

function fields({ properties = {}, required = [], requires }: WireSchema, components: Components): Json {
  const given = new Set(required)
  const entries = Object.entries(properties)
  const withoutDefault = required.filter((name) => (properties[name] as WireSchema).default === undefined)
  const needed = new Set(requires === 'all' ? entries.map(([name]) => name) : (requires ?? withoutDefault))
  const requiredFields = entries.map(([name]) => name).filter((name) => needed.has(name))
  const written = entries.map(([name, property]) => {
    const field = component(property, components)
    return [name, given.has(name) ? field : orNull(field, components)] as const
  })
  return {
    required: requiredFields.length > 0 ? requiredFields : undefined, // OpenAPI allows no empty list here.
    properties: written.length > 0 ? Object.fromEntries(written) : undefined,
  }
}

function orNull(schema: Json, { dialect }: Components): Json {
  const { type } = schema
  if (dialect === 'openapi') return schema
  if ('$ref' in schema || 'oneOf' in schema || 'enum' in schema) return { oneOf: [schema, { type: 'null' }] }
  return type === undefined ? schema : { ...schema, type: [type, 'null'] } // Without a type, null is allowed anyway.
}

function defined(schema: Json): Json {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined))
}
