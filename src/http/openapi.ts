// The OpenAPI document, made from the routes themselves.
import { requirements } from '../auth/authorization.ts'
import { operationOf, type ResponseKind, type Route } from './route.ts'
import { trackedCantonVersion } from './routes/version.ts'
import { type Components, component, errorReference, type Json, withErrors } from './schema-components.ts'
import { linesType } from './streams/element-lines.ts'

export function openApiDocument(routes: readonly Route[], ownVersion: string): Json {
  const components = withErrors()
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

function operation(route: Route, components: Components): Json {
  const requirement = requirements[operationOf(route)]
  const access = requirement === undefined ? 'Needs no token.' : `Needs: ${requirement.words}.`
  return {
    tags: [route.tag],
    summary: route.summary,
    description: route.streaming === undefined ? access : `${access} ${alsoStreams}`,
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
        ...(route.response === 'nothing' ? {} : { content: answerOf(route, route.response, components) }),
      },
      400: {
        description: 'The request cannot be decoded (text) or is refused (JSON)',
        content: {
          'text/plain': { schema: { type: 'string' } },
          ...json(errorReference),
        },
      },
      default: { description: 'Refused', content: json(errorReference) },
    },
  }
}

const alsoStreams =
  `With Accept: ${linesType} there is no limit on elements: one a line, as fast as they are read, and an error on the way ` +
  'is the last line. The same path serves a WebSocket (/docs/asyncapi).'
const json = (schema: unknown) => ({ 'application/json': { schema } })
const binary = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }

function answerOf({ streaming }: Route, response: Exclude<ResponseKind, 'nothing'>, components: Components): Json {
  if (response === 'bytes') return binary
  return {
    ...json(component(response, components)),
    // One element a line; an error on the way is the last line.
    ...(streaming && {
      [linesType]: { schema: { oneOf: [component(streaming.element, components), errorReference] } },
    }),
  }
}

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

function queryParameters({ query }: Route, components: Components): Json[] {
  return Object.entries(query.properties).map(([name, schema]) => {
    const { description, ...rest } = component(schema, components)
    return { name, in: 'query', required: false, description, schema: rest }
  })
}
