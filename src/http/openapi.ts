// The OpenAPI document, made from the routes themselves.
import { requirements } from '../auth/authorization.ts'
import { operationOf, type ResponseKind, type Route } from './route.ts'
import { trackedCantonVersion } from './routes/version.ts'
import { type Components, component, errorReference, type Json, withErrors } from './schema-components.ts'
import { linesType } from './streams/element-lines.ts'

export function openApiDocument(routes: readonly Route[], ownVersion: string) {
  const components = withErrors()
  const requests = routes.map((route) => requestOf(route, components)) // Before answers: see SchemaUse.
  const paths: Record<string, Record<string, Json>> = { ...health }
  for (const [index, route] of routes.entries()) {
    paths[route.path] ??= {}
    paths[route.path]![route.method.toLowerCase()] = operation(route, requests[index]!, components)
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

/** There for older clients; Canton says so of the same ones. */
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

const json = (schema: unknown) => ({ 'application/json': { schema } })

/** What an operation takes. */
function requestOf(route: Route, components: Components): Json {
  const parameters = [...pathParameters(route), ...queryParameters(route, components)]
  if (route.body === undefined) return { parameters }
  const content = route.body === 'bytes' ? binary : json(component(route.body, components))
  return { parameters, requestBody: { required: true, content } }
}

function operation(route: Route, request: Json, components: Components): Json {
  const requirement = requirements[operationOf(route)]
  const access = requirement === undefined ? 'Needs no token.' : `Needs: ${requirement.words}.`
  return {
    tags: [route.tag],
    summary: route.summary,
    description: route.streaming === undefined ? access : `${access} ${alsoStreams}`,
    operationId: operationOf(route).replaceAll(/[^A-Za-z0-9]+/g, '_'),
    ...(deprecated.has(operationOf(route)) && { deprecated: true }),
    ...(requirement === undefined ? {} : { security: [{ token: [] }] }),
    ...request,
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

function answerOf({ streaming }: Route, response: Exclude<ResponseKind, 'nothing'>, components: Components): Json {
  if (response === 'bytes') return binary
  const answer = json(component(response, components, 'answer'))
  if (streaming === undefined) return answer
  const line = { oneOf: [component(streaming.element, components, 'answer'), errorReference] }
  return { ...answer, [linesType]: { schema: line } }
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
    schema: name === 'offset' ? { type: 'integer', format: 'int64' } : { type: 'string' },
  }))
}

function queryParameters({ query }: Route, components: Components): Json[] {
  return Object.entries(query.properties).map(([name, schema]) => {
    const { description, ...rest } = component(schema, components)
    return { name, in: 'query', required: false, description, schema: rest }
  })
}

const healthCheck = (summary: string, operationId: string, content: Json): Record<string, Json> => ({
  get: {
    tags: ['Node'],
    summary,
    description: 'Needs no token.',
    operationId,
    parameters: [],
    responses: { 200: { description: 'Yes', ...content }, 503: { description: 'No' } },
  },
})

/** Served beside the routes, and listed because Canton lists them. */
const health = {
  '/livez': healthCheck('Tell whether the process runs', 'GET_livez', {}),
  '/readyz': healthCheck('Tell whether requests would succeed now', 'GET_readyz', {
    content: { 'text/plain': { schema: { type: 'string' } } },
  }),
}
