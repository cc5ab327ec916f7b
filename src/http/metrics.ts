// Prometheus figures: requests by route, and the process with its event loop.
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'

export type Metrics = {
  /** One answered request; `operation` is a route, never a path with ids in it. */
  observe(operation: string, status: number, durationMs: number): void
  readonly contentType: string
  text(): Promise<string>
  close(): void
}

const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20]

export function createMetrics(): Metrics {
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
  return {
    observe(operation, status, durationMs) {
      requests.inc({ operation, status })
      durations.observe({ operation }, durationMs / 1000)
    },
    contentType: registry.contentType,
    text: () => registry.metrics(),
    close: () => registry.clear(),
  }
}
