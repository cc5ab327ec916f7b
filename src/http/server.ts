// The HTTP service: one pipeline for every operation of the API (token, decoding, early checks, rights, call), and the
// few plain pages beside them. Order of checks as in json-api-facts, section 1.5.
import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Authenticator, ClaimsCheck } from '../auth/authentication.ts'
import { authorize, requirements } from '../auth/authorization.ts'
import type { Claims } from '../auth/claims.ts'
import type { Clock } from '../base/clock.ts'
import { categoryOf, LedgerError } from '../base/errors.ts'
import type { Health } from '../base/health.ts'
import type { Log } from '../base/log.ts'
import type { Random } from '../base/random.ts'
import type { Settings } from '../base/settings.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { accepts, prefers } from './accept.ts'
import { createApp, listen, takeBytes, transportRefusal } from './app.ts'
import { bearerToken } from './bearer.ts'
import { Call } from './call-context.ts'
import { createDeadlines } from './deadlines.ts'
import { bugResponse, type HttpResponse, plainText, refusalResponse } from './error-response.ts'
import type { ListQuery } from './list.ts'
import type { Metrics } from './metrics.ts'
import { expectsWebSocket, jsonType, notFound, responseOf, timedOut, typeOf, wrongMethod } from './responses.ts'
import { operationOf, type Route } from './route.ts'
import { paramReader, patternOf, readBody, routerPath } from './route-input.ts'
import { allRoutes } from './routes/all.ts'
import { linesType, sendLines } from './streams/element-lines.ts'
import { asksForWebSocket, pathOf } from './streams/handshake.ts'
import { createOpenStreams, shutDown } from './streams/open-streams.ts'
import { createWebSockets } from './streams/websockets.ts'
import { Trace } from './trace.ts'
import { DecodeError, decodeQuery } from './wire/decode.ts'
import { text } from './wire/schema.ts'

export type HttpService = {
  /** Starts to answer; gives the URL. */
  listen(): Promise<string>
  /** Answers what is under way, refuses what comes, and ends within the time given. */
  close(withinMs: number): Promise<void>
}

type Parts = {
  readonly settings: Settings
  readonly explainsErrors: boolean
  readonly ownVersion: string
  readonly ledger: Ledger
  readonly authenticate: Authenticator
  /** Whether a reader of a stream may still read it. */
  readonly stillMay: ClaimsCheck
  readonly metrics: Metrics
  readonly health: Health
  /** Throws when a request would not succeed now. */
  readonly checkReady: () => Promise<void>
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

export async function createHttpService(parts: Parts): Promise<HttpService> {
  const { settings, explainsErrors, ownVersion, ledger, authenticate, stillMay, metrics, health, checkReady } = parts
  const { clock, random, log } = parts
  const { limits } = settings
  const { participantId } = ledger.parties
  const participant = participantId.slice(0, participantId.indexOf('::'))
  const routes = allRoutes(ownVersion)
  const plainPaths: string[] = []
  let isClosing = false

  const streamPaths = new Set(routes.filter(({ streaming }) => streaming !== undefined).map(({ path }) => path))
  const app = await createApp(settings, (request) => asksForWebSocket(request) && streamPaths.has(pathOf(request)))
  const openStreams = createOpenStreams({ limits, clock, metrics, stillMay, log })
  const streamParts = { settings, routes, ledger, authenticate, openStreams, traceOf, failure, clock }
  const webSockets = createWebSockets(streamParts)
  app.server.on('upgrade', (request, socket, head) => void webSockets.accept(request, socket as Socket, head))
  const deadlines = createDeadlines<FastifyReply>(clock, limits.requestTimeoutMs, (reply, startedMs) =>
    send(reply, timedOut, 'timed out', startedMs),
  )

  for (const route of routes.filter(({ body }) => body !== 'bytes')) serve(app, route)
  app.register(async (scope) => {
    takeBytes(scope)
    for (const route of routes.filter(({ body }) => body === 'bytes')) serve(scope, route)
  })
  servePlain('/livez', async () => ({ status: 200, type: 'text/plain', body: '' }))
  servePlain('/readyz', readiness)
  servePlain('/metrics', async () => ({ status: 200, ...(await metrics.page()) }))
  servePlain('/docs', async () => {
    const { docsPage } = await import('./docs-page.ts')
    return { status: 200, type: 'text/html; charset=utf-8', body: docsPage(await openApi()) }
  })
  servePlain('/docs/openapi', describe)
  servePlain('/docs/asyncapi', async () => {
    const { asyncApiDocument } = await import('./asyncapi.ts')
    return jsonText(JSON.stringify(asyncApiDocument(routes, ownVersion)))
  })

  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request.raw)
    if (request.method === 'GET' && streamPaths.has(path)) {
      return send(reply, expectsWebSocket, `GET ${path}`, clock.elapsedMs())
    }
    const isKnown = [...routes.map((route) => route.path), ...plainPaths].some((known) => patternOf(known).test(path))
    const response = isKnown ? wrongMethod : notFound(request)
    return send(reply, response, isKnown ? 'wrong method' : 'unknown path', clock.elapsedMs())
  })
  app.setErrorHandler((error, request, reply) =>
    send(reply, failure(error, traceOf(request), 'unreadable request'), 'unreadable request', clock.elapsedMs()),
  )

  function serve(scope: FastifyInstance, route: Route): void {
    const operation = operationOf(route)
    const requirement = requirements[operation]
    const readParams = paramReader(route.path)
    const answerType = typeOf(route.response)
    const { streaming } = route
    scope.route({
      method: route.method,
      url: routerPath(route),
      async handler(request, reply) {
        const startedMs = clock.elapsedMs()
        const trace = traceOf(request)
        let response: HttpResponse
        let call: Call | undefined
        deadlines.start(reply, startedMs)
        try {
          if (isClosing) throw shutDown()
          const { accept } = request.headers
          const asLines = streaming !== undefined && prefers(accept, linesType, jsonType)
          if (!asLines && !accepts(accept, answerType)) throw new DecodeError('Not Acceptable', 406)
          const authentication = requirement && (await authenticate(bearerToken(request.raw)))
          const input = {
            params: readParams(request.params as Record<string, string>),
            query: decodeQuery(route.query, request.query as Record<string, unknown>),
            body: readBody(route, request.body, ledger.compatibility),
          }
          route.early(input, ledger.compatibility)
          const permission = requirement && authorize(requirement, authentication!, route.subject(input), participantId)
          call = new Call(reply.raw, trace, clock, ledger.readBudget)
          if (asLines) {
            const elements = streaming.stream(ledger, input, permission!)
            using stream = openStreams.open({ operation, transport: 'ndjson', claims: authentication as Claims })
            call.signal.addEventListener('abort', stream.abandon)
            await sendLines(reply, {
              ...{ elements, query: input.query as ListQuery, stream, limits, clock, account: call.account },
              begun() {
                deadlines.end(reply)
                observe(operation, 200, startedMs)
              },
              explain: (error) => failure(error, trace, operation).body,
            })
            call.done()
            return reply
          }
          const result = await route.call(ledger, input, permission!, call)
          response = responseOf(route.response, result)
        } catch (error) {
          response = failure(error, trace, operation)
        }
        call?.done()
        deadlines.end(reply)
        return send(reply, response, operation, startedMs)
      },
    })
  }

  function servePlain(path: string, answer: (request: FastifyRequest) => Promise<HttpResponse>): void {
    plainPaths.push(path)
    app.get(path, async (request, reply) => send(reply, await answer(request), `GET ${path}`, clock.elapsedMs()))
  }

  /** The API's description; that of a package is for those who may see which packages there are. */
  async function describe(request: FastifyRequest): Promise<HttpResponse> {
    try {
      const query = decodeQuery(descriptionQuery, request.query as Record<string, unknown>)
      if (query.package === '') return jsonText(JSON.stringify(await openApi()))
      const authentication = await authenticate(bearerToken(request.raw))
      authorize(requirements['GET /v2/packages']!, authentication, {}, participantId)
      const { packageDescription } = await import('./package-description.ts')
      return jsonText(JSON.stringify(await packageDescription(query.package, await openApi(), ledger)))
    } catch (error) {
      return failure(error, traceOf(request), 'GET /docs/openapi')
    }
  }

  async function readiness(): Promise<HttpResponse> {
    try {
      if (isClosing || health.failing().length > 0) throw new Error('NOT_SERVING')
      await checkReady()
      return plainText(200, '[+] ledger ok (SERVING)\nreadyz check passed\n')
    } catch {
      const failing = health.failing().map(({ name, reason }) => `[-] ${name} failed (${reason})\n`)
      return plainText(503, `[-] ledger failed (NOT_SERVING)\n${failing.join('')}readyz check failed\n`)
    }
  }

  async function openApi() {
    const { openApiDocument } = await import('./openapi.ts')
    return openApiDocument(routes, ownVersion)
  }

  function send(reply: FastifyReply, response: HttpResponse, operation: string, startedMs: number): FastifyReply {
    if (reply.sent) return reply // The time for an answer ran out before there was one.
    observe(operation, response.status, startedMs)
    if (isClosing) reply.header('connection', 'close')
    reply.code(response.status)
    if (response.body.length === 0) return reply.send()
    if (response.headers !== undefined) reply.headers(response.headers)
    // The serializer keeps Fastify from adding a charset to the type; as one text, head and body are one write.
    return reply.header('content-type', response.type).serializer(asIs).send(response.body)
  }

  function observe(operation: string, status: number, startedMs: number): void {
    const durationMs = clock.elapsedMs() - startedMs
    metrics.observe(operation, status, durationMs)
    if (log.isDebug) log.debug({ operation, status, durationMs }, 'request')
  }

  function traceOf(request: { readonly headers: IncomingHttpHeaders }): Trace {
    return new Trace(request.headers, random)
  }

  /** A refusal as it is, anything else as a bug: told to the log in full, to the caller hardly. */
  function failure(error: unknown, trace: Trace, operation: string): HttpResponse {
    const traceId = trace.id
    const setting = { traceId, explains: explainsErrors, participant }
    if ((error as Error).name === 'AbortError') {
      log.info({ operation, traceId }, 'a request was abandoned')
      return timedOut // Nobody reads it.
    }
    const refusal = transportRefusal(error, limits) ?? refusalResponse(error, setting)
    if (refusal !== undefined) {
      const told = error instanceof LedgerError ? { code: error.code, reason: reasonOf(error) } : {}
      log.info({ operation, status: refusal.status, ...told, traceId }, 'request refused')
      return refusal
    }
    log.error({ operation, traceId, stack: (error as Error).stack }, 'a request failed')
    return bugResponse(setting)
  }

  return {
    listen: () => listen(app, settings),
    async close(withinMs) {
      isClosing = true
      const force = clock.after(withinMs, () => app.server.closeAllConnections())
      const closed = webSockets.close(withinMs / 4)
      openStreams.close()
      await Promise.all([app.close(), closed])
      force.cancel()
      deadlines.close()
      metrics.close()
    },
  }
}

/** What the caller is not told, the operator is; what the caller is told may repeat a payload and stays out. */
function reasonOf({ code, message }: LedgerError): string | undefined {
  return categoryOf(code).redact ? message : undefined
}

const descriptionQuery = Type.Object({
  package: text('Types of this package instead of any Daml value; by name, in its highest version'),
})

const jsonText = (body: string): HttpResponse => ({ status: 200, type: jsonType, body })

const asIs = (body: unknown) => body as string
