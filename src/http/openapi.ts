// The OpenAPI document, made from the routes themselves.
import type { TSchema } from 'typebox'
import { requirements } from '../auth/authorization.ts'
import { operationOf, type Route } from './route.ts'
import { trackedCantonVersion } from './routes/version.ts'

type Json = Record<string, unknown>

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

export function openApiDocument(routes: readonly Route[], ownVersion: string): Json {
  const components: Record<string, Json> = { JsCantonError: errorSchema }
  const paths: Record<string, Record<string, Json>> = {}
  for (const route of routes) {
    paths[route.path] ??= {}
    paths[route.path]![route.method.toLowerCase()] = operation(route, components)
  }
  return {
    openapi: '3.0.3',
    info: {
      title: 'JSON Ledger API',
      version: trackedCantonVersion,
      description: `Tallystick ${ownVersion}: a ledger participant over HTTP. Errors that are not plain text are JsCantonError.`,
    },
    paths,
    components: {
      schemas: components,
      securitySchemes: { token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
  }
}

function operation(route: Route, components: Record<string, Json>): Json {
  const requirement = requirements[operationOf(route)]
  const access = requirement === undefined ? 'Needs no token.' : `Needs: ${requirement.words}.`
  const json = (schema: unknown) => ({ 'application/json': { schema } })
  return {
    tags: [route.tag],
    summary: route.summary,
    description: access,
    operationId: operationOf(route).replaceAll(/[^A-Za-z0-9]+/g, '_'),
    ...(requirement === undefined ? {} : { security: [{ token: [] }] }),
    parameters: [...pathParameters(route), ...queryParameters(route, components)],
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: route.body === 'bytes' ? binary : json(component(route.body, components)),
          },
        }),
    responses: {
      200: {
        description: 'Done',
        ...(route.responseHeaders && { headers: headersOf(route.responseHeaders) }),
        ...(route.response === 'nothing'
          ? {}
          : { content: route.response === 'bytes' ? binary : json(component(route.response, components)) }),
      },
      400: {
        description: 'The request cannot be decoded (text) or is refused (JSON)',
        content: {
          'text/plain': { schema: { type: 'string' } },
          ...json({ $ref: '#/components/schemas/JsCantonError' }),
        },
      },
      default: { description: 'Refused', content: json({ $ref: '#/components/schemas/JsCantonError' }) },
    },
  }
}

const binary = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }

function headersOf(headers: Readonly<Record<string, string>>): Json {
  return Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [
      name,
      { description, required: true, schema: { type: 'string' } },
    ]),
  )
}

const pathWords: Readonly<Record<string, string>> = {
  'user-id': 'The user',
  alias: 'What the node calls the synchronizer',
  'idp-id': 'The identity provider',
  party: 'The party',
  'package-id': 'The package',
  'update-id': 'The update: 68 hex digits',
  offset: 'Where in the ledger, a positive number',
}

function pathParameters({ path }: Route): Json[] {
  return [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    description: pathWords[name!],
    required: true,
    schema: { type: 'string' },
  }))
}

function queryParameters({ query }: Route, components: Record<string, Json>): Json[] {
  return Object.entries(query.properties).map(([name, schema]) => {
    const { description, ...rest } = component(schema, components)
    return { name, in: 'query', required: false, description, schema: rest }
  })
}

/** A schema as OpenAPI writes it; a titled one is listed once, under its title, and referred to. */
function component(schema: TSchema, components: Record<string, Json>): Json {
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
  components: Record<string, Json>,
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
