// The OpenAPI document, built from the routes. Ids, names and types are those of Canton's document, so that code
// generated from one compiles with the other; descriptions are ours.
import { requirements } from '../../auth/authorization.ts'
import { type BodyKind, operationOf, type ResponseKind, type Route } from '../route.ts'
import { trackedCantonVersion } from '../routes/version.ts'
import { linesType } from '../stream-route.ts'
import { type Components, component, createComponents, errorReference, type Json } from './schema-components.ts'

const aboutNull =
  'Answers contain every declared field; fields that are not required may be null. Null in a request is the same as ' +
  'an absent field.'

/** The strict one is for validators. It is OpenAPI 3.1, whose schemas are JSON Schema and can have null. */
export function openApiDocument(routes: readonly Route[], ownVersion: string, isStrict = false) {
  const components = createComponents(isStrict ? 'strict openapi' : 'openapi')
  const paths: Record<string, Record<string, Json>> = { ...health }
  for (const route of routes) {
    paths[route.path] ??= {}
    paths[route.path]![route.method.toLowerCase()] = operation(route, components)
  }
  return {
    openapi: isStrict ? '3.1.0' : '3.0.3',
    info: {
      title: 'JSON Ledger API HTTP endpoints',
      version: trackedCantonVersion,
      description: `Tallystick ${ownVersion}: a ledger participant over HTTP. Errors that are not plain text are JsCantonError. ${aboutNull}`,
    },
    paths,
    components: { schemas: byName(components.schemas), securitySchemes },
  }
}

function byName(schemas: Components['schemas']): Components['schemas'] {
  return Object.fromEntries(Object.entries(schemas).sort(([one], [other]) => (one < other ? -1 : 1)))
}

const securitySchemes = {
  apiKeyAuth: {
    type: 'apiKey',
    description: 'The token of a WebSocket: jwt.token.<JWT>',
    name: 'Sec-WebSocket-Protocol',
    in: 'header',
  },
  httpAuth: { type: 'http', description: 'The token: a JWT', scheme: 'bearer' },
}
const security = [{ httpAuth: [] }, { apiKeyAuth: [] }]

/** Deprecated in Canton's document, too. */
const deprecated: ReadonlySet<string> = new Set([
  'GET /v2/interactive-submission/preferred-package-version',
  'GET /v2/package-vetting',
  'GET /v2/state/active-contracts-page',
  'GET /v2/updates/transaction-tree-by-id/{update-id}',
  'GET /v2/updates/transaction-tree-by-offset/{offset}',
  'POST /v2/commands/submit-and-wait-for-transaction-tree',
  'POST /v2/package-vetting',
  'POST /v2/updates/flats',
  'POST /v2/updates/transaction-by-id',
  'POST /v2/updates/transaction-by-offset',
  'POST /v2/updates/trees',
])

function operation(route: Route, components: Components): Json {
  const requirement = requirements[operationOf(route)]
  const access = requirement === undefined ? 'Needs no token.' : `Needs: ${requirement.words}.`
  const parameters = [...pathParameters(route), ...queryParameters(route, components)]
  return {
    summary: route.summary,
    description: route.streaming === undefined ? access : `${access} ${alsoStreams}`,
    operationId: operationId(route.method, route.path),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body !== undefined && { requestBody: { content: contentOf(route.body, components), required: true } }),
    responses: {
      200: {
        description: 'Done',
        ...(route.responseHeaders && { headers: headersOf(route.responseHeaders) }),
        ...(route.response !== 'nothing' && { content: contentOf(route.response, components) }),
      },
      ...refusals,
    },
    ...(deprecated.has(operationOf(route)) && { deprecated: true }),
    security,
  }
}

/** As in Canton's document: GET /v2/users/{user-id} is getV2UsersUser-id. */
function operationId(method: string, path: string): string {
  const parts = path.replaceAll(/[{}]/g, '').split('/')
  return [
    method.toLowerCase(),
    ...parts.map((part) => part.charAt(0).toUpperCase() + part.slice(1).toLowerCase()),
  ].join('')
}

const refusals = {
  400: {
    description: 'The request cannot be decoded; other refusals are JsCantonError',
    content: { 'text/plain': { schema: { type: 'string' } } },
  },
  default: { description: 'Refused', content: json(errorReference) },
}

function contentOf(kind: Exclude<ResponseKind, 'nothing'> | BodyKind, components: Components): Json {
  return kind === 'bytes' || kind === 'stream' ? binary : json(component(kind, components))
}

const alsoStreams =
  `With Accept: ${linesType} the number of elements is not limited: one per line, as fast as the client reads; an error is the ` +
  'last line. The same path serves a WebSocket (/docs/asyncapi).'

function json(schema: Json): Json {
  return { 'application/json': { schema } }
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
  name: 'The name of the snapshot',
  id: 'The id of the fault',
  alias: 'The alias of the synchronizer',
  'idp-id': 'The identity provider',
  party: 'The party',
  'package-id': 'The package',
  'update-id': 'The update: 68 hex digits',
  offset: 'The offset, a positive number',
}

function pathParameters({ path }: Route): Json[] {
  return [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    description: pathWords[name!],
    required: true,
    schema: name === 'offset' ? { type: 'integer', format: 'int64' } : { type: 'string' },
  }))
}

function queryParameters({ query }: Route, components: Components): Json[] {
  return Object.entries(query.properties).map(([name, property]) => {
    const { description, ...schema } = component(property, components)
    // Canton's document gives the format of an instant only for parameters.
    const isInstant = 'format' in property && property.format === 'date-time'
    const isRequired = query.required?.includes(name) === true && !('default' in property)
    return {
      name,
      in: 'query',
      description,
      required: isRequired,
      schema: isInstant ? { ...schema, format: 'date-time' } : schema,
    }
  })
}

const healthCheck = (path: string, summary: string, content: Json): Record<string, Json> => ({
  get: {
    summary,
    description: 'Needs no token. 503 means no; the plain text says why.',
    operationId: operationId('GET', path),
    responses: { 200: { description: 'Yes', ...content }, ...refusals },
    security,
  },
})

/** Not routes; documented because Canton documents them. */
const health = {
  '/livez': healthCheck('/livez', 'Check that the process is running', {}),
  '/readyz': healthCheck('/readyz', 'Check that the node is ready for requests', {
    content: { 'text/plain': { schema: { type: 'string' } } },
  }),
}
