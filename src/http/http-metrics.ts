// Metrics of the HTTP service: requests by operation.
import { type Count, type Metrics, type Observations, secondsBuckets } from '../base/metrics.ts'

export type HttpMetrics = {
  /** One answered request; `operation` is a route, never a path with ids in it. */
  observe(operation: string, status: number, durationMs: number): void
}

export function createHttpMetrics(metrics: Metrics): HttpMetrics {
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

  return {
    observe(operation, status, durationMs) {
      countOf(operation, status).add()
      timerOf(operation).observe(durationMs / 1000)
    },
  }
}
