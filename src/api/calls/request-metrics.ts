// Metrics of a transport: how many requests it answered, by operation and status, and how long they took.
import { type Count, type Metrics, type Observations, secondsBuckets } from '../../base/metrics.ts'

export type RequestMetrics = {
  /** One answered request; `operation` is a route or a method, never a path with ids in it. */
  observe(operation: string, status: number, durationMs: number): void
}

export function createHttpMetrics(metrics: Metrics): RequestMetrics {
  return createRequestMetrics(
    metrics.counter('tallystick_http_requests_total', 'Requests answered, by operation and status', [
      'operation',
      'status',
    ]),
    metrics.histogram(
      'tallystick_http_request_duration_seconds',
      'Time from request to answer, by operation',
      secondsBuckets,
      ['operation'],
    ),
  )
}

export function createGrpcMetrics(metrics: Metrics): RequestMetrics {
  return createRequestMetrics(
    metrics.counter('tallystick_grpc_requests_total', 'gRPC calls answered, by method and status code', [
      'method',
      'code',
    ]),
    metrics.histogram(
      'tallystick_grpc_request_duration_seconds',
      'Time from call to answer, or to the end of its stream, by gRPC method',
      secondsBuckets,
      ['method'],
    ),
    (path) => path.slice(1),
  )
}

type Counter = ReturnType<Metrics['counter']>
type Histogram = ReturnType<Metrics['histogram']>
type OfOperation = { readonly counts: Count[]; readonly timer: Observations }

/** Looking up labels costs as much as the rest of an observation, so each pair is cached. */
function createRequestMetrics(
  requests: Counter,
  durations: Histogram,
  labelOf = (operation: string) => operation,
): RequestMetrics {
  const operations = new Map<string, OfOperation>()
  return {
    observe(operation, status, durationMs) {
      let known = operations.get(operation)
      if (known === undefined) {
        known = { counts: [], timer: durations.with(labelOf(operation)) }
        operations.set(operation, known)
      }
      known.counts[status] ??= requests.with(labelOf(operation), String(status))
      known.counts[status].add()
      known.timer.observe(durationMs / 1000)
    },
  }
}
