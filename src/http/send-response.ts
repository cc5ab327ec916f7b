// Answers a request: once, counted and logged. An error becomes Canton's refusal, or a bug that only the log explains.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { RequestMetrics } from '../api/calls/request-metrics.ts'
import { Trace } from '../api/calls/trace.ts'
import { bugResponse, type HttpResponse, refusalResponse } from '../api/errors/error-response.ts'
import type { Circumstances, ErrorForm, Failures } from '../api/errors/failures.ts'
import { ClientGone } from '../api/pipeline.ts'
import type { StreamedResponse } from '../api/route.ts'
import { type Clock, settlesWithin } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Random } from '../base/random.ts'
import { bytesType, timedOut } from './response-body.ts'

export type Responder = {
  /** Does nothing if an answer was sent already, such as a timeout. */
  send(response: ServerResponse, answer: HttpResponse, operation: string, startedMs: number): void
  /** Settles when all is sent, or the client is gone. */
  stream(response: ServerResponse, answer: StreamedResponse, operation: string, startedMs: number): Promise<void>
  observe(operation: string, status: number, startedMs: number): void
  /** What the client gets for an error, which is logged. */
  failure(error: unknown, circumstances: Circumstances): HttpResponse
  traceOf(request: Pick<IncomingMessage, 'headers'>): Trace
  /** From now on connections close after their answer. */
  close(): void
}

type Parts = {
  readonly failures: Failures
  readonly metrics: RequestMetrics
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** A client that stops reading for so long must not keep the file open. */
const stalledMs = 20_000

export function createResponder({ failures, metrics, clock, random, log }: Parts): Responder {
  let isClosing = false

  function observe(operation: string, status: number, startedMs: number): void {
    const durationMs = clock.elapsedMs() - startedMs
    metrics.observe(operation, status, durationMs)
    if (log.isDebug) log.debug({ operation, status, durationMs }, 'request')
  }

  async function sendAll(response: ServerResponse, stream: Readable): Promise<void> {
    for await (const chunk of stream) {
      const isGoingOn = response.write(chunk) || (await settlesWithin(drained(response), stalledMs, clock))
      if (!isGoingOn || response.destroyed) throw new Error('the client does not read it')
    }
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

    async stream(response, { stream, bytes }, operation, startedMs) {
      observe(operation, 200, startedMs)
      response.writeHead(200, { 'content-type': bytesType, 'content-length': bytes })
      try {
        if (response.req.method === 'HEAD') stream.destroy()
        else await sendAll(response, stream)
        response.end()
      } catch (error) {
        response.destroy()
        log.info({ operation, reason: (error as Error).message }, 'an answer was not sent to its end')
      }
    },

    failure(error, circumstances) {
      if (isAbandoned(error)) {
        const { operation, trace } = circumstances
        log.info({ operation, traceId: trace.id }, 'a request was abandoned')
        return timedOut // It was sent already, so this one is dropped.
      }
      return failures.explain(error, circumstances, httpErrors)
    },

    close() {
      isClosing = true
    },
  }
}

/** Settles when there is room for more, or the client is gone. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      response.off('drain', end).off('close', end)
      resolve()
    }
    response.on('drain', end).on('close', end)
  })
}

const httpErrors: ErrorForm<HttpResponse> = {
  refusal: refusalResponse,
  bug: bugResponse,
  statusOf: ({ status }) => status,
}

const isAbandoned = (error: unknown) => (error as Error).name === 'AbortError' || error instanceof ClientGone

/** Sends the answer and closes the connection. */
export function answerOn(socket: Socket, { status, type, body, headers = {} }: HttpResponse): void {
  const head = [
    `HTTP/1.1 ${status} Refused`, // Importing the status texts from node:http would load all of fetch at start.
    `Content-Type: ${type}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  socket.destroySoon() // A client that does not close its side must not keep ours open.
}
