// The HTTP service: finds the route of each request, reads its body and hands it to the API; refuses unknown routes.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { parse as parseQuery } from 'node:querystring'
import { type Api, controlPath } from '../api/api.ts'
import { createHttpMetrics } from '../api/calls/request-metrics.ts'
import { createDocuments } from '../api/descriptions/documents.ts'
import { type HttpResponse, plainText, withHint } from '../api/errors/error-response.ts'
import type { LedgerError } from '../base/errors.ts'
import type { Metrics } from '../base/metrics.ts'
import { servesExplorer } from '../base/settings.ts'
import { createBodyReader } from './body-reader.ts'
import { createCors } from './cors.ts'
import { createCrossSiteGuard } from './cross-site-guard.ts'
import { type Handler, handlerOf, prepareRoute } from './exchange.ts'
import { createExplorerFiles } from './explorer-files.ts'
import { type LocalCall, LocalExchange, type LocalRequest } from './local-exchange.ts'
import type { Handlers } from './node-servers.ts'
import { createPages, type Page } from './pages.ts'
import { notFound, wrongMethod } from './response-body.ts'
import { createRouter } from './router.ts'
import { createResponder } from './send-response.ts'
import { asksForWebSocket, pathOf } from './websockets/handshake.ts'
import { createWebSockets } from './websockets/websockets.ts'

/** What serves the requests of a listener. */
export type HttpService = Handlers & {
  readonly api: Api
  /** A request from inside this process. */
  readonly call: LocalCall
  /** Closes the API and its WebSockets: answers pending requests, refuses new ones, and ends within the time given. */
  close(withinMs: number): Promise<void>
  /** Another service takes over: see `Api.retire`. */
  retire(refusal: LedgerError, withinMs: number): Promise<void>
}

type Parts = {
  readonly api: Api
  readonly ownVersion: string
  readonly metrics: Metrics
  /** What `GET /metrics` answers. */
  readonly metricsPage: () => Promise<string>
  /** Throws if a request would not succeed now. */
  readonly checkReady: () => Promise<void>
}

export function createHttpService(parts: Parts): HttpService {
  const { api, ownVersion, metrics, metricsPage, checkReady } = parts
  const { settings, ledger, routes, authenticate, failures, refusals, hints, heldBytes, inFlight } = api
  const { health, clock, random, log, isClosing } = api
  const { participantId } = ledger.parties
  const responder = createResponder({ failures, metrics: createHttpMetrics(metrics), clock, random, log })
  const bodies = createBodyReader({ limits: settings.limits, authenticate, heldBytes, clock })
  const cors = createCors(settings.http)
  const checkSite = createCrossSiteGuard(settings)
  const webSockets = createWebSockets({ api, checkSite, responder })

  const router = createRouter<Handler>()
  const shared = { api, bodies, responder }
  for (const route of routes) router.add(route.method, route.path, handlerOf(prepareRoute(route), shared))
  const documents = createDocuments(routes, ownVersion, ledger, clock)
  const explorer = servesExplorer(settings) ? createExplorerFiles() : undefined
  const pages = createPages({
    documents,
    names: () => ledger.packages.names(),
    explorer,
    authenticate,
    participantId,
    isDevelopment: ledger.development !== undefined,
    metricsPage,
    health,
    checkReady,
    responder,
    clock,
    isClosing,
  })
  for (const [path, page] of Object.entries(pages)) {
    if (page !== undefined) router.add('GET', path, answering(path, page))
  }

  function answering(path: string, page: Page): Handler {
    return {
      isReading: false,
      async handle({ request, response, query, params }) {
        const startedMs = clock.elapsedMs()
        responder.send(response, await page(request, query, params), `GET ${path}`, startedMs)
      },
    }
  }

  const streamPaths = new Set(routes.filter(({ streaming }) => streaming !== undefined).map(({ path }) => path))
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    inFlight.begin()
    try {
      if (cors?.(request, response)) return
      checkSite?.(request)
      const path = pathOf(request)
      const stopped = path === controlPath ? undefined : api.stopped()
      if (stopped !== undefined) throw stopped
      const found = router.find(request.method!, path)
      if (found === undefined) {
        if (hasBody(request)) await bodies.discard(request)
        refuseUnrouted(request, response, path)
        return
      }
      const { isReading, handle } = found.handler
      const body = hasBody(request) && !isReading ? await bodies.read(request) : undefined
      await handle({ request, response, params: found.params, query: queryOf(request), body })
    } catch (error) {
      const operation = 'unreadable request'
      const trace = responder.traceOf(request)
      const answer = responder.failure(error, { operation, trace, hint: hints?.forUnread(error) })
      responder.send(response, answer, operation, clock.elapsedMs())
    } finally {
      inFlight.end()
    }
  }

  async function call({ method, path: target, ...request }: LocalRequest): Promise<HttpResponse> {
    const [path, query = ''] = target.split('?', 2)
    const found = router.find(method, path!)
    if (found?.handler.route === undefined) return plainText(404, `${method} ${path} is no operation`)
    const exchange = new LocalExchange(shared, found.handler.route, {
      ...request,
      params: found.params,
      query: parseQuery(query),
    })
    inFlight.begin()
    void api
      .run(exchange)
      .catch(({ stack }: Error) => log.error({ operation: exchange.operation, stack }, 'a request failed'))
      .finally(inFlight.end)
    return exchange.answered
  }

  function refuseUnrouted(request: IncomingMessage, response: ServerResponse, path: string): void {
    const method = request.method!
    const methods = [...router.methods(path)]
    // In Canton, a GET there matches only with an upgrade.
    const isUnknown = methods.length === 0 || (isReading(method) && streamPaths.has(path))
    if (method !== 'OPTIONS') refusals.noRoute(method, path, isUnknown ? 404 : 405)
    const hint = method === 'OPTIONS' ? undefined : hintFor(path, methods)
    if (isUnknown) {
      const answer = withHint(notFound(request, settings.http.tls !== undefined), hint)
      return responder.send(response, answer, 'unknown path', clock.elapsedMs())
    }
    responder.send(response, withHint(wrongMethod(method, methods), hint), 'wrong method', clock.elapsedMs())
  }

  function hintFor(path: string, methods: readonly string[]): string | undefined {
    return methods.length === 0 ? hints?.forPath(path) : hints?.forMethod(path, methods)
  }

  return {
    api,
    call,
    mayTakeLonger: bodies.mayTakeLonger,
    isUpgrade: (request) => asksForWebSocket(request) && !hasBody(request) && streamPaths.has(pathOf(request)),
    request: (request, response) => void serve(request, response),
    upgrade: (request, socket, head) => void webSockets.accept(request, socket, head),
    async close(withinMs) {
      responder.close()
      await Promise.all([webSockets.close(withinMs / 4), api.close(withinMs)])
    },
    async retire(refusal, withinMs) {
      webSockets.retire(refusal)
      await api.retire(refusal, withinMs)
    },
  }
}

const isReading = (method: string) => method === 'GET' || method === 'HEAD'

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

/** A repeated parameter is a list. */
function queryOf({ url = '' }: IncomingMessage): Readonly<Record<string, unknown>> {
  const start = url.indexOf('?')
  return start < 0 ? noQuery : parseQuery(url.slice(start + 1))
}

const noQuery = {}
