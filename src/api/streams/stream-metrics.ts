// Metrics of streams, by operation and transport.
import type { Count, Metrics } from '../../base/metrics.ts'

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
