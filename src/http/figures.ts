// What Prometheus is told: requests by route, open streams, parts that fail, pruning, and the process with its event loop.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Health } from '../base/health.ts'
import { openStreamsMetric } from './metric-names.ts'

/** How a stream reaches its reader. */
export type Transport = 'websocket' | 'ndjson'

export type Figures = {
  /** One answered request; `operation` is a route, never a path with ids in it. */
  observe(operation: string, status: number, durationMs: number): void
  streamOpened(operation: string, transport: Transport): void
  streamClosed(operation: string, transport: Transport): void
  elementsSent(operation: string, transport: Transport, count: number): void
  page(): Promise<{ readonly type: string; readonly body: string }>
  close(): void
}

const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20]

/** What is looked at when somebody asks for the figures: it waits for nothing, so that they are there in an outage. */
export type Watched = {
  readonly health: Health
  readonly pruning: () => { readonly prunedUpTo: bigint; readonly deletedUpTo: bigint; readonly isRunning: boolean }
}

export function createFigures({ health, pruning }: Watched): Figures {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Counter({
    name: 'tallystick_http_requests_total',
    help: 'Requests answered, by operation and status',
    labelNames: ['operation', 'status'],
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'tallystick_http_request_duration_seconds',
    help: 'Time from request to answer, by operation',
    labelNames: ['operation'],
    buckets: secondsBuckets,
    registers: [registry],
  })
  const openStreams = new Gauge({
    name: openStreamsMetric,
    help: 'Streams that are open, by operation and transport',
    labelNames: ['operation', 'transport'],
    registers: [registry],
  })
  const elements = new Counter({
    name: 'tallystick_stream_elements_total',
    help: 'Elements sent on streams, by operation and transport',
    labelNames: ['operation', 'transport'],
    registers: [registry],
  })
  new Gauge({
    name: 'tallystick_part_failing',
    help: '1 while a part of the node cannot do its work, by part',
    labelNames: ['part'],
    registers: [registry],
    collect() {
      for (const { name, state } of health.parts()) this.set({ part: name }, state === 'failing' ? 1 : 0)
    },
  })
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      ...{ name, help, registers: [registry] },
      collect() {
        this.set(value())
      },
    })
  gauge('tallystick_pruning_running', '1 while pruned rows are being deleted or their space is being given back', () =>
    pruning().isRunning ? 1 : 0,
  )
  gauge('tallystick_pruned_offset', 'Nothing up to this offset can be read any more; 0 when everything can', () =>
    Number(pruning().prunedUpTo),
  )
  gauge('tallystick_pruning_deleted_offset', 'Rows are deleted up to this offset', () => Number(pruning().deletedUpTo))
  // Looking labels up costs as much as the rest of an observation, so each pair is kept.
  const counters = new Map<string, ReturnType<typeof requests.labels>[]>()
  const timers = new Map<string, ReturnType<typeof durations.labels>>()

  function counterOf(operation: string, status: number) {
    let byStatus = counters.get(operation)
    if (byStatus === undefined) {
      byStatus = []
      counters.set(operation, byStatus)
    }
    byStatus[status] ??= requests.labels(operation, String(status))
    return byStatus[status]
  }

  function timerOf(operation: string) {
    let timer = timers.get(operation)
    if (timer === undefined) {
      timer = durations.labels(operation)
      timers.set(operation, timer)
    }
    return timer
  }

  return {
    observe(operation, status, durationMs) {
      counterOf(operation, status).inc()
      timerOf(operation).observe(durationMs / 1000)
    },
    streamOpened: (operation, transport) => openStreams.inc({ operation, transport }),
    streamClosed: (operation, transport) => openStreams.dec({ operation, transport }),
    elementsSent: (operation, transport, count) => elements.inc({ operation, transport }, count),
    page: async () => ({ type: registry.contentType, body: await registry.metrics() }),
    close: () => registry.clear(),
  }
}
