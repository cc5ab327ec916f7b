// The HTTP service: finds the route of each request, reads its body and calls the operation; refuses unknown routes.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { parse as parseQuery } from 'node:querystring'
import { createDeadlines } from '../api/calls/deadlines.ts'
import { createHeldBytes } from '../api/calls/held-bytes.ts'
import type { RequestsInFlight } from '../api/calls/requests-in-flight.ts'
import { createDocuments } from '../api/descriptions/documents.ts'
import { withHint } from '../api/errors/error-response.ts'
import { createRequestHints } from '../api/errors/hints.ts'
import { createRefusalLog } from '../api/errors/refusal-log.ts'
import { allRoutes } from '../api/routes/all.ts'
import type { SharedParts } from '../api/shared-parts.ts'
import type { Strangers } from '../api/strangers.ts'
import { type AccessChanges, createOngoingAuthorization } from '../api/streams/ongoing-authorization.ts'
import { createOpenStreams, shutDown } from '../api/streams/open-streams.ts'
import { createStreamMetrics } from '../api/streams/stream-metrics.ts'
import { createAdmission } from '../auth/admission.ts'
import type { Authenticator, ClaimsCheck } from '../auth/authentication.ts'
import { type Clock, settlesWithin } from '../base/clock.ts'
import type { LedgerError } from '../base/errors.ts'
import type { Health } from '../base/health.ts'
import type { Log } from '../base/log.ts'
import type { Metrics } from '../base/metrics.ts'
import type { Random } from '../base/random.ts'
import type { SecondLook } from '../base/second-look.ts'
import { isDevelopment, type Settings, servesExplorer } from '../base/settings.ts'
import type { Tracer } from '../base/tracer.ts'
import { createTurns } from '../base/turns.ts'
import type { Hints } from '../ledger/hints.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { createBodyReader } from './body-reader.ts'
import { createCors } from './cors.ts'
import { createCrossSiteGuard } from './cross-site-guard.ts'
import { createExplorerFiles } from './explorer-files.ts'
import { createHttpMetrics } from './http-metrics.ts'
import type { Handlers } from './node-servers.ts'
import { createOperations, type Handler } from './operations.ts'
import { createPages, type Page } from './pages.ts'
import { notFound, timedOut, wrongMethod } from './response-body.ts'
import { createRouter } from './router.ts'
import { createResponder } from './send-response.ts'
import { asksForWebSocket, pathOf } from './websockets/handshake.ts'
import { createWebSockets } from './websockets/websockets.ts'

/** What serves the requests of a listener. */
export type HttpService = Handlers & {
  readonly shared: SharedParts
  /** Answers pending requests, refuses new ones, and ends within the time given. */
  close(withinMs: number): Promise<void>
  /** Ends the open streams with a refusal; new ones can be opened. */
  endStreams(refusal: LedgerError): void
  /**
   * Another service takes over. Ends the streams with the refusal, soon also the lists that wait, after `withinMs` all
   * other requests that wait, and settles when all requests under way are answered, or after twice the time.
   */
  retire(refusal: LedgerError, withinMs: number): Promise<void>
}

type Parts = {
  readonly settings: Settings
  readonly explainsErrors: boolean
  readonly ownVersion: string
  readonly ledger: Ledger
  /** Adds hints to errors; undefined if the clients are not developers. */
  readonly hints?: Hints | undefined
  readonly authenticate: Authenticator
  /** For rights that another node may have granted; undefined if there can be none. */
  readonly secondLook?: SecondLook | undefined
  /** Whether the reader of a stream, or of a waiting list, may still read it. */
  readonly stillMay: ClaimsCheck
  readonly accessChanges: AccessChanges
  readonly metrics: Metrics
  /** What `GET /metrics` answers. */
  readonly metricsPage: () => Promise<string>
  readonly health: Health
  /** Throws if a request would not succeed now. */
  readonly checkReady: () => Promise<void>
  readonly inFlight: RequestsInFlight
  readonly strangers: Strangers
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly tracer?: Tracer | undefined
}

/** A list that is being read ends within this time; one that waits for updates may wait forever. */
const listsWithinMs = 50

export function createHttpService(parts: Parts): HttpService {
  const { settings, explainsErrors, ownVersion, ledger, authenticate, stillMay, accessChanges } = parts
  const { metricsPage, health, checkReady, inFlight, strangers, clock, random, log, tracer } = parts
  const { limits } = settings
  const { participantId } = ledger.parties
  const participant = participantId.slice(0, participantId.indexOf('::'))
  const admit = createAdmission({ authenticate, participantId, secondLook: parts.secondLook })
  const routes = allRoutes(ownVersion, ledger.development !== undefined)
  const metrics = createHttpMetrics(parts.metrics)
  const streamMetrics = createStreamMetrics(parts.metrics)
  const refusals = createRefusalLog(log, settings.log.causes ?? isDevelopment(settings))
  const hints = parts.hints && createRequestHints({ hints: parts.hints, routes, settings, log })
  const replies = createResponder({ explainsErrors, participant, metrics, refusals, clock, random, log })
  let isClosing = false

  const heldBytes = createHeldBytes(limits)
  const bodies = createBodyReader({ limits, authenticate, heldBytes, clock })
  const turns = createTurns()
  const cors = createCors(settings.http)
  const checkSite = createCrossSiteGuard(settings)
  const decoding = {
    ...{ compatibility: ledger.compatibility, isLenient: settings.lenient },
    ...{ valuesMax: limits.bodyValuesMax, turn: turns.next },
  }
  const authorization = createOngoingAuthorization({ limits, clock, stillMay, accessChanges, log })
  const openStreams = createOpenStreams({ limits, clock, metrics: streamMetrics, authorization })
  const webSockets = createWebSockets({
    ...{ settings, routes, ledger, authenticate, admit, openStreams, strangers, decoding, checkSite },
    ...{ hints, tracer, clock },
    traceOf: replies.traceOf,
    failure: replies.failure,
  })
  const deadlines = createDeadlines<ServerResponse>(clock, limits.requestTimeoutMs, (response, startedMs) => {
    refusals.timedOut(response.req.method!, pathOf(response.req))
    replies.send(response, timedOut, 'timed out', startedMs)
  })

  const router = createRouter<Handler>()
  const operations = createOperations({
    ...{ ledger, authenticate, admit, authorization, openStreams, bodies, decoding, deadlines, replies, hints },
    ...{ limits, clock, aside: inFlight.aside, strangers, tracer },
    isClosing: () => isClosing,
  })
  for (const route of routes) router.add(route.method, route.path, operations.handlerOf(route))
  const pages = createPages({
    documents: createDocuments(routes, ownVersion, ledger, clock),
    explorer: servesExplorer(settings) ? createExplorerFiles() : undefined,
    ...{ authenticate, participantId, metricsPage, health, checkReady, replies, clock },
    isClosing: () => isClosing,
  })
  for (const [path, page] of Object.entries(pages)) {
    if (page !== undefined) router.add('GET', path, answering(path, page))
  }

  function answering(path: string, page: Page): Handler {
    return {
      isReading: false,
      async handle({ request, response, query, params }) {
        const startedMs = clock.elapsedMs()
        replies.send(response, await page(request, query, params), `GET ${path}`, startedMs)
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
      const trace = replies.traceOf(request)
      const answer = replies.failure(error, trace, operation, { hint: hints?.forUnread(error) })
      replies.send(response, answer, operation, clock.elapsedMs())
    } finally {
      inFlight.end()
    }
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
      return replies.send(response, answer, 'unknown path', clock.elapsedMs())
    }
    replies.send(response, withHint(wrongMethod(method, methods), hint), 'wrong method', clock.elapsedMs())
  }

  function hintFor(path: string, methods: readonly string[]): string | undefined {
    return methods.length === 0 ? hints?.forPath(path) : hints?.forMethod(path, methods)
  }

  return {
    shared: {
      ...{ settings, ledger, routes, authenticate, admit, authorization, openStreams, heldBytes, inFlight },
      ...{ hints, refusals, explainsErrors, participant, strangers, health, clock, random, log, tracer },
      isClosing: () => isClosing,
    },
    mayTakeLonger: bodies.mayTakeLonger,
    isUpgrade: (request) => asksForWebSocket(request) && !hasBody(request) && streamPaths.has(pathOf(request)),
    request: (request, response) => void serve(request, response),
    upgrade: (request, socket, head) => void webSockets.accept(request, socket, head),
    async close(withinMs) {
      isClosing = true
      replies.close()
      const closed = webSockets.close(withinMs / 4)
      openStreams.end(shutDown())
      authorization.close()
      await Promise.all([closed, settlesWithin(inFlight.settled(), withinMs, clock)])
      deadlines.close()
    },
    endStreams: openStreams.interrupt,
    async retire(refusal, withinMs) {
      openStreams.end(refusal)
      webSockets.retire(refusal)
      const settled = (ms: number) => settlesWithin(inFlight.settled(), ms, clock)
      if (!(await settled(listsWithinMs))) {
        operations.endCalls(refusal, 'lists')
        if (!(await settled(withinMs))) {
          operations.endCalls(refusal, 'all')
          await settled(withinMs)
        }
      }
      operations.retire(refusal)
      authorization.close()
      deadlines.close()
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
