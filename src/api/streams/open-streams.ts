// The open streams of all transports: how many there may be, what ends them, and their metrics.

import type { Claims } from '../../auth/claims.ts'
import type { Clock } from '../../base/clock.ts'
import { LedgerError } from '../../base/errors.ts'
import { streamsPerUserMax } from '../../base/limits.ts'
import type { Count, Metrics } from '../../base/metrics.ts'
import type { Limits } from '../../base/settings.ts'
import { expiry, type OngoingAuthorization } from './ongoing-authorization.ts'

export type StreamFacts = {
  readonly operation: string
  readonly transport: Transport
  readonly claims: Claims
  /** The client's address. */
  readonly address: string | undefined
}

export type OpenStream = Disposable & {
  /** Aborted when the stream must end: with a refusal for the reader as its reason, or because the reader is gone. */
  readonly signal: AbortSignal
  /** The reader is gone. */
  abandon(): void
  /** Called before elements are sent; refuses once the token has expired. */
  count(elements: number): void
}

export type OpenStreams = {
  /** Refuses if there are too many. */
  open(facts: StreamFacts): OpenStream
  /** Ends all streams. */
  interrupt(refusal: LedgerError): void
  /** Ends all streams, and refuses new ones. */
  end(refusal: LedgerError): void
}

type Parts = {
  readonly limits: Limits
  readonly clock: Clock
  readonly metrics: StreamMetrics
  readonly authorization: OngoingAuthorization
}

export function createOpenStreams({ limits, clock, metrics, authorization }: Parts): OpenStreams {
  const streams = new Set<AbortController>()
  const ownMax = streamsPerUserMax(limits)
  const perReader = new Map<string, number>()
  let ended: LedgerError | undefined

  function interrupt(refusal: LedgerError): void {
    for (const controller of streams) controller.abort(refusal)
  }

  return {
    open({ operation, transport, claims, address }) {
      if (ended !== undefined) throw ended
      if (streams.size >= limits.streamsMax) {
        throw tooMany('The number of streams in use', streams.size, limits.streamsMax, operation)
      }
      const reader = readerOf(claims.userId, address)
      const own = perReader.get(reader) ?? 0
      if (own >= ownMax) {
        throw tooMany('The number of streams that this user has in use', own, ownMax, operation)
      }
      perReader.set(reader, own + 1)
      const controller = new AbortController()
      streams.add(controller)
      metrics.streamOpened(operation, transport)
      const watch = authorization.watch(claims, (refusal) => controller.abort(refusal))
      return {
        signal: controller.signal,
        abandon: () => controller.abort(),
        count(elements) {
          const expired = expiry(claims, clock)
          if (expired !== undefined) throw expired
          metrics.elementsSent(operation, transport, elements)
        },
        [Symbol.dispose]() {
          if (!streams.delete(controller)) return
          watch[Symbol.dispose]()
          const rest = perReader.get(reader)! - 1
          if (rest === 0) perReader.delete(reader)
          else perReader.set(reader, rest)
          metrics.streamClosed(operation, transport)
          controller.abort()
        },
      }
    },
    interrupt,
    end(refusal) {
      ended = refusal
      interrupt(refusal)
    },
  }
}

export function shutDown(): LedgerError {
  return new LedgerError('SERVICE_NOT_RUNNING', 'The participant has been shut down.')
}

/** Callers without a user are told apart by address. */
export function readerOf(userId: string | undefined, address: string | undefined): string {
  return userId === undefined ? `address ${address}` : `user ${userId}`
}

function tooMany(what: string, value: number, limit: number, operation: string): LedgerError {
  return new LedgerError(
    'MAXIMUM_NUMBER_OF_STREAMS',
    `${what} (${value}) has reached or exceeded the limit (${limit}). Metrics are available at ${openStreamsMetric}.`,
    {
      context: {
        value: String(value),
        limit: String(limit),
        metricPrefix: openStreamsMetric,
        fullMethodName: operation,
      },
    },
  )
}

/** Also named in messages. */
export const openStreamsMetric = 'tallystick_open_streams'

export type Transport = 'websocket' | 'ndjson' | 'grpc'

export type StreamMetrics = {
  streamOpened(operation: string, transport: Transport): void
  streamClosed(operation: string, transport: Transport): void
  elementsSent(operation: string, transport: Transport, count: number): void
}

type Stream = { open: number; readonly opened: Count; readonly elements: Count }

export function createStreamMetrics(metrics: Metrics): StreamMetrics {
  const labels = ['operation', 'transport']
  const opened = metrics.counter(
    'tallystick_streams_opened_total',
    'Opened streams, by operation and transport',
    labels,
  )
  const elements = metrics.counter(
    'tallystick_stream_elements_total',
    'Elements sent on streams, by operation and transport',
    labels,
  )
  const streams = new Map<string, Stream & { readonly labels: readonly string[] }>()
  metrics.gauge(
    openStreamsMetric,
    'Open streams, by operation and transport',
    () => [...streams.values()].map((stream) => [stream.labels, stream.open] as const),
    labels,
  )

  function streamOf(operation: string, transport: Transport): Stream {
    const key = `${transport} ${operation}`
    let stream = streams.get(key)
    if (stream === undefined) {
      const values = [operation, transport] as const
      stream = { labels: values, open: 0, opened: opened.with(...values), elements: elements.with(...values) }
      streams.set(key, stream)
    }
    return stream
  }

  return {
    streamOpened(operation, transport) {
      const stream = streamOf(operation, transport)
      stream.open += 1
      stream.opened.add()
    },
    streamClosed(operation, transport) {
      streamOf(operation, transport).open -= 1
    },
    elementsSent: (operation, transport, count) => streamOf(operation, transport).elements.add(count),
  }
}
