// Metrics of the gRPC service: calls by method and status.
import { type Count, type Metrics, type Observations, secondsBuckets } from '../base/metrics.ts'

export type GrpcMetrics = {
  /** One answered call; `path` is that of a method. */
  observe(path: string, code: number, durationMs: number): void
}

export function createGrpcMetrics(metrics: Metrics): GrpcMetrics {
  const calls = metrics.counter('tallystick_grpc_requests_total', 'gRPC calls answered, by method and status code', [
    'method',
    'code',
  ])
  const durations = metrics.histogram(
    'tallystick_grpc_request_duration_seconds',
    'Time from call to answer, or to the end of its stream, by gRPC method',
    secondsBuckets,
    ['method'],
  )
  const counts = new Map<string, Count[]>()
  const timers = new Map<string, Observations>()

  return {
    observe(path, code, durationMs) {
      let byCode = counts.get(path)
      if (byCode === undefined) {
        byCode = []
        counts.set(path, byCode)
      }
      byCode[code] ??= calls.with(path.slice(1), String(code))
      byCode[code].add()
      let timer = timers.get(path)
      if (timer === undefined) {
        timer = durations.with(path.slice(1))
        timers.set(path, timer)
      }
      timer.observe(durationMs / 1000)
    },
  }
}
