// The HTTP service: one pipeline for every operation of the API (token, decoding, early checks, rights, call), and the
// few plain pages beside them. Order of checks as in json-api-facts, section 1.5.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Authenticator } from '../auth/authentication.ts'
import { authorize, requirements } from '../auth/authorization.ts'
import type { Clock } from '../base/clock.ts'
import { categoryOf, LedgerError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { Random } from '../base/random.ts'
import type { Settings } from '../base/settings.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { createApp, listen, takeBytes, transportRefusal } from './app.ts'
import { bearerToken } from './bearer.ts'
import { Call } from './call-context.ts'
import { createDeadlines } from './deadlines.ts'
import { bugResponse, type HttpResponse, plainText, refusalResponse } from './error-response.ts'
import type { Metrics } from './metrics.ts'
import { RenderedJson } from './rendered-json.ts'
import { type BytesResponse, operationOf, type ResponseKind, type Route } from './route.ts'
import { allRoutes } from './routes/all.ts'
import { Trace } from './trace.ts'
import { DecodeError, decodeBody, decodeQuery } from './wire/decode.ts'
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
  readonly metrics: Metrics
  /** Throws when a request would not succeed now. */
  readonly checkReady: () => Promise<void>
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

export async function createHttpService(parts: Parts): Promise<HttpService> {
  const { settings, explainsErrors, ownVersion, ledger, authenticate, metrics, checkReady, clock, random, log } = parts
  const { participantId } = ledger.parties
  const participant = participantId.slice(0, participantId.indexOf('::'))
  const routes = allRoutes(ownVersion)
  const plainPaths: string[] = []
  let isClosing = false

  const app = await createApp(settings)
  const deadlines = createDeadlines<FastifyReply>(clock, settings.limits.requestTimeoutMs, (reply, startedMs) =>
    send(reply, timedOut, 'timed out', startedMs),
  )

  for (const route of routes.filter(({ body }) => body !== 'bytes')) serve(app, route)
  app.register(async (scope) => {
    takeBytes(scope)
    for (const route of routes.filter(({ body }) => body === 'bytes')) serve(scope, route)
  })
  servePlain('/livez', async () => ({ status: 200, type: 'text/plain', body: '' }))
  servePlain('/readyz', readiness)
  servePlain('/metrics', async () => ({ status: 200, type: metrics.contentType, body: await metrics.text() }))
  servePlain('/docs', async () => {
    const { docsPage } = await import('./docs-page.ts')
    return { status: 200, type: 'text/html; charset=utf-8', body: docsPage(await openApi()) }
  })
  servePlain('/docs/openapi', describe)

  app.setNotFoundHandler((request, reply) => {
    const isKnown = [...routes.map(({ path }) => path), ...plainPaths].some((path) =>
      patternOf(path).test(pathOf(request)),
    )
    const response = isKnown ? plainText(405, 'Method Not Allowed') : notFound(request)
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
    scope.route({
      method: route.method,
      url: route.path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => `:${routerName(name)}`),
      async handler(request, reply) {
        const startedMs = clock.elapsedMs()
        const trace = traceOf(request)
        let response: HttpResponse
        let call: Call | undefined
        deadlines.start(reply, startedMs)
        try {
          if (isClosing) throw new LedgerError('SERVICE_NOT_RUNNING', 'The participant has been shut down.')
          if (!accepts(request.headers.accept, answerType)) throw new DecodeError('Not Acceptable', 406)
          const authentication = requirement && (await authenticate(bearerToken(request.raw)))
          const input = {
            params: readParams(request.params as Record<string, string>),
            query: decodeQuery(route.query, request.query as Record<string, unknown>),
            body: readBody(route, request.body, ledger.compatibility),
          }
          route.early(input, ledger.compatibility)
          const permission = requirement && authorize(requirement, authentication!, route.subject(input), participantId)
          call = new Call(reply.raw, trace, clock)
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
      if (isClosing) throw new Error('NOT_SERVING')
      await checkReady()
      return plainText(200, '[+] ledger ok (SERVING)\nreadyz check passed\n')
    } catch {
      return plainText(503, '[-] ledger failed (NOT_SERVING)\nreadyz check failed\n')
    }
  }

  async function openApi() {
    const { openApiDocument } = await import('./openapi.ts')
    return openApiDocument(routes, ownVersion)
  }

  function send(reply: FastifyReply, response: HttpResponse, operation: string, startedMs: number): FastifyReply {
    if (reply.sent) return reply // The time for an answer ran out before there was one.
    const durationMs = clock.elapsedMs() - startedMs
    metrics.observe(operation, response.status, durationMs)
    if (log.isDebug) log.debug({ operation, status: response.status, durationMs }, 'request')
    if (isClosing) reply.header('connection', 'close')
    reply.code(response.status)
    if (response.body.length === 0) return reply.send()
    if (response.headers !== undefined) reply.headers(response.headers)
    // The serializer keeps Fastify from adding a charset to the type; as one text, head and body are one write.
    return reply.header('content-type', response.type).serializer(asIs).send(response.body)
  }

  function traceOf(request: FastifyRequest): Trace {
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
    const refusal = transportRefusal(error, settings.limits) ?? refusalResponse(error, setting)
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
      await app.close()
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

/** Where a GET takes a body, it may be left out. */
function readBody({ method, body: kind }: Route, body: unknown, compatibility: Settings['compatibility']): unknown {
  if (kind === undefined) return undefined
  if (kind === 'bytes') return body ?? noBytes
  const text = (body as string | undefined) || (method === 'GET' ? '{}' : '')
  return decodeBody(kind, text, compatibility)
}

function typeOf(kind: ResponseKind): string | undefined {
  if (kind === 'nothing') return undefined
  return kind === 'bytes' ? 'application/octet-stream' : 'application/json'
}

function responseOf(kind: ResponseKind, result: unknown): HttpResponse {
  if (kind === 'nothing') return { status: 200, type: '', body: '' }
  if (kind !== 'bytes') {
    const body = result instanceof RenderedJson ? result.bytes : JSON.stringify(result)
    return { status: 200, type: 'application/json', body }
  }
  const { bytes, headers } = result as BytesResponse
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  return { status: 200, type: 'application/octet-stream', body, headers }
}

const descriptionQuery = Type.Object({
  package: text('Types of this package instead of any Daml value; by name, in its highest version'),
})

const jsonText = (body: string): HttpResponse => ({ status: 200, type: 'application/json', body })

const noBytes = new Uint8Array()
const asIs = (body: unknown) => body as string

const timedOut = plainText(503, 'The server was not able to produce a timely response to your request.')

function notFound(request: FastifyRequest): HttpResponse {
  const uri = `${request.protocol}://${request.host}${request.url}`.slice(0, 1000)
  const body = { errors: [`HttpMethod(${request.method}), uri: ${uri}`], status: 404, ledgerApiError: null }
  return { status: 404, type: 'application/json', body: JSON.stringify(body) }
}

function accepts(accept: string | undefined, answerType: string | undefined): boolean {
  if (accept === undefined || accept === '' || accept === '*/*' || answerType === undefined) return true
  return accept.split(',').some((range) => {
    const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const isRefused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
    return !isRefused && ['*/*', 'application/*', answerType].includes(type!)
  })
}

/** Fastify's parameter names cannot have dashes; the API's do. */
function routerName(name: string): string {
  return name.replaceAll('-', '_')
}

function paramReader(path: string): (params: Record<string, string>) => Record<string, string> {
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!)
  return (params) => Object.fromEntries(names.map((name) => [name, params[routerName(name)]!]))
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?')[0]!.replaceAll(/\/+/g, '/')
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`)
}
