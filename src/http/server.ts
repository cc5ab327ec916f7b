// The HTTP service: one pipeline for every operation of the API (token, decoding, early checks, rights, call), and the
// few plain pages beside them. Order of checks as in json-api-facts, section 1.5.
import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Authenticator, ClaimsCheck } from '../auth/authentication.ts'
import { authorize, type Permission, requirements } from '../auth/authorization.ts'
import type { Claims } from '../auth/claims.ts'
import type { Clock } from '../base/clock.ts'
import type { Health } from '../base/health.ts'
import type { Log } from '../base/log.ts'
import type { Metrics } from '../base/metrics.ts'
import type { Random } from '../base/random.ts'
import { isDevelopment, type Settings } from '../base/settings.ts'
import { createTurns } from '../base/turns.ts'
import type { Hints } from '../ledger/hints.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { accepts, prefers } from './accept.ts'
import { createApp, listen } from './app.ts'
import { bearerToken } from './bearer.ts'
import { ClientGone, createBodyReader } from './body-reader.ts'
import { Call } from './call-context.ts'
import { createDeadlines } from './deadlines.ts'
import { createDocuments, unlessKnown } from './documents.ts'
import {
  bugResponse,
  type Circumstances,
  type HttpResponse,
  plainText,
  refusalResponse,
  withHint,
} from './error-response.ts'
import { createRequestHints } from './hints.ts'
import { createHttpMetrics } from './http-metrics.ts'
import type { ListQuery } from './list.ts'
import { createPipelining } from './pipelining.ts'
import type { ProcessMetrics } from './process-metrics.ts'
import { createRefusalLog } from './refusal-log.ts'
import { expectsWebSocket, jsonType, notFound, responseOf, timedOut, typeOf, wrongMethod } from './responses.ts'
import { operationOf, type Route } from './route.ts'
import { paramReader, patternOf, readBody, routerPath } from './route-input.ts'
import { allRoutes } from './routes/all.ts'
import { linesType, sendLines } from './streams/element-lines.ts'
import { asksForWebSocket, pathOf } from './streams/handshake.ts'
import { type AccessChanges, createOngoingAuthorization } from './streams/ongoing-authorization.ts'
import { createOpenStreams, readerOf, shutDown } from './streams/open-streams.ts'
import { createWebSockets } from './streams/websockets.ts'
import { Trace } from './trace.ts'
import { createPageCheck } from './visited-pages.ts'
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
  /** Adds hints to errors; undefined where developers are not the readers. */
  readonly hints?: Hints | undefined
  readonly authenticate: Authenticator
  /** Whether a reader of a stream, or of a list that waits, may still read it. */
  readonly stillMay: ClaimsCheck
  readonly accessChanges: AccessChanges
  readonly metrics: Metrics
  readonly processMetrics: ProcessMetrics
  readonly health: Health
  /** Throws when a request would not succeed now. */
  readonly checkReady: () => Promise<void>
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

export async function createHttpService(parts: Parts): Promise<HttpService> {
  const { settings, explainsErrors, ownVersion, ledger, authenticate, stillMay, accessChanges } = parts
  const { processMetrics, health, checkReady, clock, random, log } = parts
  const metrics = createHttpMetrics(parts.metrics, health)
  const { limits } = settings
  const { participantId } = ledger.parties
  const participant = participantId.slice(0, participantId.indexOf('::'))
  const routes = allRoutes(ownVersion)
  const documents = createDocuments(routes, ownVersion, ledger, clock)
  const refusals = createRefusalLog(log, settings.log.causes ?? isDevelopment(settings))
  const hints = parts.hints && createRequestHints({ hints: parts.hints, routes, settings, log })
  const plainPaths: string[] = []
  let isClosing = false

  const streamPaths = new Set(routes.filter(({ streaming }) => streaming !== undefined).map(({ path }) => path))
  const bodies = createBodyReader(limits, authenticate)
  const turns = createTurns()
  const decoding = { compatibility: ledger.compatibility, valuesMax: limits.bodyValuesMax, turn: turns.next }
  const app = await createApp(
    settings,
    bodies,
    (request) => asksForWebSocket(request) && streamPaths.has(pathOf(request)),
  )
  const pipelining = createPipelining(turns)
  app.addHook('onRequest', ({ raw }, reply, done) => pipelining(raw.socket, reply.raw, done))
  const checkPage = createPageCheck(settings)
  if (checkPage !== undefined) app.addHook('onRequest', async ({ raw }) => checkPage(raw))
  const authorization = createOngoingAuthorization({ limits, clock, stillMay, accessChanges, log })
  const openStreams = createOpenStreams({ limits, clock, metrics, authorization })
  const streamParts = {
    settings,
    routes,
    ledger,
    authenticate,
    openStreams,
    decoding,
    checkPage,
    traceOf,
    failure,
    hints,
    clock,
  }
  const webSockets = createWebSockets(streamParts)
  app.server.on('upgrade', (request, socket, head) => void webSockets.accept(request, socket as Socket, head))
  const deadlines = createDeadlines<FastifyReply>(clock, limits.requestTimeoutMs, (reply, startedMs) => {
    refusals.timedOut(reply.request.method, pathOf(reply.request.raw))
    send(reply, timedOut, 'timed out', startedMs)
  })

  for (const route of routes) serve(route)
  servePlain('/livez', async () => ({ status: 200, type: 'text/plain', body: '' }))
  servePlain('/readyz', readiness)
  servePlain('/metrics', metricsPage)
  servePlain('/docs', async ({ headers }) => unlessKnown(await documents.page(), headers))
  servePlain('/docs/openapi', describe)
  servePlain('/docs/asyncapi', async ({ headers }) => unlessKnown(await documents.asyncApi(), headers))

  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request.raw)
    const isGet = request.method === 'GET' || request.method === 'HEAD'
    if (isGet && streamPaths.has(path)) return send(reply, expectsWebSocket, `GET ${path}`, clock.elapsedMs())
    const methods = methodsOf(path)
    if (request.method !== 'OPTIONS') refusals.noRoute(request.method, path, methods.length === 0 ? 404 : 405)
    if (methods.length === 0) {
      return send(reply, withHint(notFound(request), hints?.forPath(path)), 'unknown path', clock.elapsedMs())
    }
    const refusal = wrongMethod(request.method, methods)
    const hint = request.method === 'OPTIONS' ? undefined : hints?.forMethod(path, methods)
    return send(reply, withHint(refusal, hint), 'wrong method', clock.elapsedMs())
  })
  app.setErrorHandler((error, request, reply) => {
    const operation = 'unreadable request'
    const response = failure(error, traceOf(request), operation, { hint: hints?.forUnread(error) })
    return send(reply, response, operation, clock.elapsedMs())
  })

  function serve(route: Route): void {
    const operation = operationOf(route)
    const requirement = requirements[operation]
    const readParams = paramReader(route.path)
    const answerType = typeOf(route.response)
    const { streaming } = route
    app.route({
      method: route.method === 'GET' ? ['GET', 'HEAD'] : route.method,
      url: routerPath(route),
      async handler(request, reply) {
        const startedMs = clock.elapsedMs()
        const trace = traceOf(request)
        let response: HttpResponse
        let call: Call | undefined
        let userId: string | undefined
        let permission: Permission | undefined
        deadlines.start(reply, startedMs)
        try {
          if (isClosing) throw shutDown()
          const { accept } = request.headers
          const asLines = streaming !== undefined && prefers(accept, linesType, jsonType)
          if (!asLines && !accepts(accept, answerType)) throw new DecodeError('Not Acceptable', 406)
          let authentication = requirement && (await authenticate(bearerToken(request.raw)))
          userId = (authentication as Claims | undefined)?.userId
          const params = readParams(request.params as Record<string, string>)
          const query = decodeQuery(route.query, request.query as Record<string, unknown>)
          const decoded = readBody(route, request.body as Buffer | undefined, decoding)
          const body = (decoded instanceof Promise ? await decoded : decoded) as never
          // Rights may have changed while a large body was decoded.
          if (requirement && decoded instanceof Promise) authentication = await authenticate(bearerToken(request.raw))
          const input = { params, query, body }
          route.early(input, ledger.compatibility)
          permission = requirement && authorize(requirement, authentication!, route.subject(input), participantId)
          const owner = readerOf(userId, request.raw.socket.remoteAddress)
          call = new Call(reply.raw, trace, clock, ledger.readBudget, owner)
          if (asLines) {
            const elements = streaming.stream(ledger, input, permission!)
            using stream = openStreams.open({
              ...{ operation, transport: 'ndjson', claims: authentication as Claims },
              address: request.raw.socket.remoteAddress,
            })
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
            bodies.release(request)
            return reply
          }
          const answered = call
          using _watch = streaming && authorization.watch(authentication as Claims, (refusal) => answered.end(refusal))
          const result = await route.call(ledger, input, permission!, call)
          response = responseOf(route.response, result)
        } catch (error) {
          response = failure(error, trace, operation, { userId, hint: await hints?.forError(error, permission?.reads) })
        }
        call?.done()
        deadlines.end(reply)
        bodies.release(request)
        return send(reply, response, operation, startedMs)
      },
    })
  }

  /** Methods that there are for a path; none for a path that there is not. */
  function methodsOf(path: string): string[] {
    const known = [
      ...routes.map((route) => [route.path, route.method] as const),
      ...[...streamPaths, ...plainPaths].map((plain) => [plain, 'GET'] as const),
    ]
    if (path === '*') return [...new Set(known.map(([, method]) => method))]
    return known.filter(([pattern]) => patternOf(pattern).test(path)).map(([, method]) => method)
  }

  function servePlain(path: string, answer: (request: FastifyRequest) => Promise<HttpResponse>): void {
    plainPaths.push(path)
    app.route({
      method: ['GET', 'HEAD'],
      url: path,
      handler: async (request, reply) => send(reply, await answer(request), `GET ${path}`, clock.elapsedMs()),
    })
  }

  /** The API's description; that of a package is for those who may see which packages there are. */
  async function describe(request: FastifyRequest): Promise<HttpResponse> {
    try {
      const query = decodeQuery(descriptionQuery, request.query as Record<string, unknown>)
      if (query.package === '') return unlessKnown(await documents.openApi(), request.headers)
      const authentication = await authenticate(bearerToken(request.raw))
      authorize(requirements['GET /v2/packages']!, authentication, {}, participantId)
      return unlessKnown(await documents.openApiFor(query.package), request.headers)
    } catch (error) {
      return failure(error, traceOf(request), 'GET /docs/openapi')
    }
  }

  async function metricsPage(): Promise<HttpResponse> {
    return { status: 200, type: metricsType, body: (await parts.metrics.page()) + (await processMetrics.page()) }
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

  function send(reply: FastifyReply, response: HttpResponse, operation: string, startedMs: number): FastifyReply {
    if (reply.sent) return reply // The time for an answer ran out before there was one.
    observe(operation, response.status, startedMs)
    if (isClosing) reply.header('connection', 'close')
    reply.code(response.status)
    if (response.headers !== undefined) reply.headers(response.headers)
    if (response.body.length === 0) {
      if (response.status === 200) reply.header('content-length', '0') // For HEAD as for GET.
      return reply.send()
    }
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
  function failure(
    error: unknown,
    trace: Trace,
    operation: string,
    { userId, hint }: Circumstances = {},
  ): HttpResponse {
    const traceId = trace.id
    const setting = { traceId, explains: explainsErrors, participant, hint }
    if ((error as Error).name === 'AbortError' || error instanceof ClientGone) {
      log.info({ operation, traceId }, 'a request was abandoned')
      return timedOut // Nobody reads it.
    }
    const refusal = refusalResponse(error, setting)
    if (refusal !== undefined) {
      refusals.refused(error, { operation, status: refusal.status, traceId, userId })
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
      authorization.close()
      await Promise.all([app.close(), closed])
      force.cancel()
      deadlines.close()
      processMetrics.close()
    },
  }
}

const descriptionQuery = Type.Object({
  package: text('Types of this package instead of any Daml value; by name, in its highest version'),
})

/** The text format of Prometheus. */
const metricsType = 'text/plain; version=0.0.4; charset=utf-8'

const asIs = (body: unknown) => body as string
