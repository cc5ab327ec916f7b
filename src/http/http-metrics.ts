// Metrics of the HTTP service: requests by operation, and streams.
import type { Health } from '../base/health.ts'
import { type Count, type Metrics, type Observations, secondsBuckets } from '../base/metrics.ts'
import { openStreamsMetric } from './metric-names.ts'

/** The transport of a stream. */
export type Transport = 'websocket' | 'ndjson' | 'grpc'

export type HttpMetrics = {
  /** One answered request; `operation` is a route, never a path with ids in it. */
  observe(operation: string, status: number, durationMs: number): void
  streamOpened(operation: string, transport: Transport): void
  streamClosed(operation: string, transport: Transport): void
  elementsSent(operation: string, transport: Transport, count: number): void
}

type Stream = { open: number; readonly opened: Count; readonly elements: Count }

export function createHttpMetrics(metrics: Metrics, health: Health): HttpMetrics {
  metrics.gauge(
    'tallystick_part_failing',
    '1 while a part of the node is failing, by part',
    () => health.parts().map(({ name, state }) => [[name], state === 'failing' ? 1 : 0] as const),
    ['part'],
  )
  const requests = metrics.counter('tallystick_http_requests_total', 'Requests answered, by operation and status', [
    'operation',
    'status',
  ])
  const durations = metrics.histogram(
    'tallystick_http_request_duration_seconds',
    'Time from request to answer, by operation',
    secondsBuckets,
    ['operation'],
  )
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
  // Looking up labels costs as much as the rest of an observation, so each pair is cached.
  const counts = new Map<string, Count[]>()
  const timers = new Map<string, Observations>()

  function countOf(operation: string, status: number): Count {
    let byStatus = counts.get(operation)
    if (byStatus === undefined) {
      byStatus = []
      counts.set(operation, byStatus)
    }
    byStatus[status] ??= requests.with(operation, String(status))
    return byStatus[status]
  }

  function timerOf(operation: string): Observations {
    let timer = timers.get(operation)
    if (timer === undefined) {
      timer = durations.with(operation)
      timers.set(operation, timer)
    }
    return timer
  }

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
    observe(operation, status, durationMs) {
      countOf(operation, status).add()
      timerOf(operation).observe(durationMs / 1000)
    },
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
