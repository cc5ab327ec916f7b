// Answers requests by a table of routes: finds the route, checks the token, reads the body, and turns refusals into Splice's bodies.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Log } from '../../base/log.ts'
import { createRouter } from '../../http/router.ts'
import type { Json } from '../ledger/participant.ts'
import { type IssuedTokens, userOf } from '../profile/tokens.ts'
import { refusalOf } from './refusals.ts'
import { MalformedRequest, type Route, RouteRefusal, type RouteRequest, unauthorized } from './route.ts'

export type Handler = (request: IncomingMessage, response: ServerResponse) => void

type Found = {
  readonly handler: (request: RouteRequest) => Promise<Json>
  readonly access: Route<never>['access']
  readonly isOperator: IsOperator
}

/** Whether a user may call routes of the operator. */
export type IsOperator = (userId: string) => Promise<boolean>

type Answer = { readonly status: number; readonly body?: Json; readonly text?: string }

const bodyBytesMax = 10 * 1024 * 1024

/** A table of routes, and what they answer with. */
export type RouteTable = { add(router: Router): void }
type Router = ReturnType<typeof createRouter<Found>>

export function routeTable<Context>(
  routes: readonly Route<Context>[],
  context: Context,
  isOperator: IsOperator = async () => false,
): RouteTable {
  return {
    add(router) {
      for (const { method, path, access, answer } of routes) {
        router.add(method, path, { access, isOperator, handler: (request) => answer(context, request) })
      }
    },
  }
}

/** Tokens are LocalNet's, or `issued` ones. */
export function createRouteHandler(tables: readonly RouteTable[], log: Log, issued?: IssuedTokens): Handler {
  const router = createRouter<Found>()
  for (const table of tables) table.add(router)

  function findRoute(method: string, path: string) {
    try {
      return router.find(method, path)
    } catch (error) {
      throw new RouteRefusal(400, (error as Error).message) // It cannot be decoded.
    }
  }

  async function answerTo(request: IncomingMessage): Promise<Answer> {
    const target = URL.parse(request.url!, 'http://localhost')
    if (target === null) throw new RouteRefusal(400, 'The request-target is not a path')
    const { pathname, searchParams: query } = target
    const found = findRoute(request.method!, pathname)
    if (found === undefined) return notServed(request.method!, pathname, [...router.methods(pathname)])
    const { access, handler, isOperator } = found.handler
    const user = access === 'anyone' ? undefined : await userOf(request.headers.authorization, issued)
    if (access !== 'anyone' && user === undefined) return { status: 401, text: unauthenticated(request) }
    if (access === 'operator' && !(await isOperator(user!))) throw unauthorized(user!)
    const body = await readBody(request)
    return { status: 200, body: await handler({ params: found.params, query, body, user }) }
  }

  return (request, response) => {
    allowOtherOrigins(response)
    if (request.method === 'OPTIONS') return void response.writeHead(200).end()
    void answerTo(request)
      .catch((error: unknown) => failedAnswer(error, log))
      .then((answer) => send(response, answer))
  }
}

/** As pekko-http words it. */
function unauthenticated({ headers }: IncomingMessage): string {
  return headers.authorization === undefined
    ? 'The resource requires authentication, which was not supplied with the request'
    : 'The supplied authentication is invalid'
}

function notServed(method: string, path: string, methods: readonly string[]): Answer {
  if (methods.length > 0) return { status: 405, body: { error: `${path} is served for ${methods.join(', ')} only` } }
  return { status: 404, body: { error: `${method} ${path} is not served by tallystick localnet` } }
}

async function readBody(request: IncomingMessage): Promise<Json> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length > bodyBytesMax) throw new RouteRefusal(413, `The body has more than ${bodyBytesMax} bytes`)
    chunks.push(chunk)
  }
  if (length === 0) return {}
  const body = parsed(Buffer.concat(chunks).toString('utf8'))
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body
  throw new MalformedRequest('An object is expected')
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new MalformedRequest((error as Error).message)
  }
}

function failedAnswer(error: unknown, log: Log): Answer {
  const refusal = refusalOf(error)
  if (refusal !== undefined) return refusal
  log.error({ reason: (error as Error).message }, 'a request to the LocalNet APIs failed')
  return { status: 500, body: { error: 'An unexpected error occurred.' } }
}

function allowOtherOrigins(response: ServerResponse): void {
  response.setHeader('access-control-allow-origin', '*')
  response.setHeader('access-control-allow-methods', 'DELETE, GET, POST, PUT, HEAD, OPTIONS')
  response.setHeader('access-control-allow-headers', '*, Authorization')
  response.setHeader('access-control-expose-headers', 'traceparent')
}

function send(response: ServerResponse, { status, body, text }: Answer): void {
  if (status === 401) response.setHeader('www-authenticate', 'Bearer realm="splice"')
  if (text !== undefined)
    return void response.writeHead(status, { 'content-type': 'text/plain; charset=UTF-8' }).end(text)
  if (body === undefined) return void response.writeHead(status).end()
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
