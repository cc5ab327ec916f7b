// Answers requests by a table of routes: finds the route, checks the token, reads the body, and turns refusals into Splice's bodies.
import type { IncomingMessage } from 'node:http'
import type { Log } from '../../base/log.ts'
import { bodyOf, createPlainService, type Handler, type PlainAnswer } from '../../http/plain-service.ts'
import { createRouter } from '../../http/router.ts'
import type { Json } from '../ledger/participant.ts'
import { type IssuedTokens, userOf } from '../profile/tokens.ts'
import { type RefusalAnswer, refusalOf } from './refusals.ts'
import { MalformedRequest, type Route, RouteRefusal, type RouteRequest, unauthorized } from './route.ts'

type Found = {
  readonly handler: (request: RouteRequest) => Promise<Json>
  readonly access: Route<never>['access']
  readonly isOperator: IsOperator
}

/** Whether a user may call routes of the operator. */
export type IsOperator = (userId: string) => Promise<boolean>

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

  async function answerTo(request: IncomingMessage): Promise<PlainAnswer> {
    const target = URL.parse(request.url!, 'http://localhost')
    if (target === null) throw new RouteRefusal(400, 'The request-target is not a path')
    const { pathname, searchParams: query } = target
    const found = findRoute(request.method!, pathname)
    if (found === undefined) return notServed(request.method!, pathname, [...router.methods(pathname)])
    const { access, handler, isOperator } = found.handler
    const user = access === 'anyone' ? undefined : await userOf(request.headers.authorization, issued)
    if (access !== 'anyone' && user === undefined) return unauthenticated(request)
    if (access === 'operator' && !(await isOperator(user!))) throw unauthorized(user!)
    const body = bodyIn(await bodyOf(request, bodyBytesMax))
    return { status: 200, json: await handler({ params: found.params, query, body, user }) }
  }

  return createPlainService(
    {
      headersFor: () => otherOrigins,
      preflightStatus: 200,
      answerTo,
      refusalOf: (error) => {
        const refusal = refusalOf(error)
        return refusal && plainAnswer(refusal)
      },
      failure: { status: 500, json: { error: 'An unexpected error occurred.' } },
      name: 'the LocalNet APIs',
    },
    log,
  )
}

/** As pekko-http words it. */
function unauthenticated({ headers }: IncomingMessage): PlainAnswer {
  const text =
    headers.authorization === undefined
      ? 'The resource requires authentication, which was not supplied with the request'
      : 'The supplied authentication is invalid'
  return plainAnswer({ status: 401, text })
}

function notServed(method: string, path: string, methods: readonly string[]): PlainAnswer {
  if (methods.length > 0) return { status: 405, json: { error: `${path} is served for ${methods.join(', ')} only` } }
  return { status: 404, json: { error: `${method} ${path} is not served by tallystick localnet` } }
}

function bodyIn(text: string): Json {
  if (text === '') return {}
  const body = parsed(text)
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

function plainAnswer({ status, body, text }: RefusalAnswer): PlainAnswer {
  const headers = {
    ...(status === 401 && { 'www-authenticate': 'Bearer realm="splice"' }),
    ...(text !== undefined && { 'content-type': 'text/plain; charset=UTF-8' }),
  }
  return { status, headers, ...(text === undefined ? { json: body } : { text }) }
}

const otherOrigins = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'DELETE, GET, POST, PUT, HEAD, OPTIONS',
  'access-control-allow-headers': '*, Authorization',
  'access-control-expose-headers': 'traceparent',
}
