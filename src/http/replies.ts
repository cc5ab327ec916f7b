// Answers a request: once, counted and logged. An error becomes Canton's refusal, or a bug that only the log explains.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { type Random, randomUuid } from '../base/random.ts'
import { ClientGone } from './body-reader.ts'
import { bugResponse, type Circumstances, type HttpResponse, refusalResponse } from './error-response.ts'
import type { HttpMetrics } from './http-metrics.ts'
import type { RefusalLog } from './refusal-log.ts'
import { timedOut } from './responses.ts'
import { serviceContextOf } from './service-contexts.ts'
import { Trace } from './trace.ts'

export type Replies = {
  /** Does nothing if an answer was sent already, such as a timeout. */
  send(response: ServerResponse, answer: HttpResponse, operation: string, startedMs: number): void
  observe(operation: string, status: number, startedMs: number): void
  failure(error: unknown, trace: Trace, operation: string, circumstances?: Circumstances): HttpResponse
  traceOf(request: Pick<IncomingMessage, 'headers'>): Trace
  /** From now on connections close after their answer. */
  close(): void
}

type Parts = {
  readonly explainsErrors: boolean
  /** The participant's name, for error messages. */
  readonly participant: string
  readonly metrics: HttpMetrics
  readonly refusals: RefusalLog
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

export function createReplies(parts: Parts): Replies {
  const { explainsErrors, participant, metrics, refusals, clock, random, log } = parts
  let isClosing = false

  function observe(operation: string, status: number, startedMs: number): void {
    const durationMs = clock.elapsedMs() - startedMs
    metrics.observe(operation, status, durationMs)
    if (log.isDebug) log.debug({ operation, status, durationMs }, 'request')
  }

  return {
    observe,
    traceOf: ({ headers }) => new Trace(headers, random),

    send(response, { status, type, body, headers }, operation, startedMs) {
      if (response.headersSent) return
      observe(operation, status, startedMs)
      const sent: Record<string, string | number> = { ...headers }
      if (isClosing) sent.connection = 'close'
      if (body.length > 0) sent['content-type'] = type
      // Node omits the body of an answer to HEAD, but its length is sent.
      if (body.length > 0 || status === 200) sent['content-length'] = Buffer.byteLength(body)
      response.writeHead(status, sent)
      response.end(body)
    },

    failure(error, trace, operation, { userId, hint, params = {}, query = {}, body } = {}) {
      const traceId = trace.id
      const service = serviceContextOf(operation, { params, query, body, newUuid: () => randomUuid(random) })
      const setting = { traceId, explains: explainsErrors, participant, service, hint }
      if ((error as Error).name === 'AbortError' || error instanceof ClientGone) {
        log.info({ operation, traceId }, 'a request was abandoned')
        return timedOut // It was sent already, so this one is dropped.
      }
      const refusal = refusalResponse(error, setting)
      if (refusal !== undefined) {
        refusals.refused(error, { operation, status: refusal.status, traceId, userId })
        return refusal
      }
      log.error({ operation, traceId, stack: (error as Error).stack }, 'a request failed')
      return bugResponse(setting)
    },

    close() {
      isClosing = true
    },
  }
}
