// Timeouts of requests. One timer serves all of them: a timer for each would cost a fifth of the throughput of a plain
// read.
import type { Clock, Timer } from '../../base/clock.ts'

export type Deadlines<Request extends object> = {
  start(request: Request, startedMs: number): void
  end(request: Request): void
  close(): void
}

const sweepMs = 1_000

export function createDeadlines<Request extends object>(
  clock: Clock,
  timeoutMs: number,
  onLate: (request: Request, startedMs: number) => void,
): Deadlines<Request> {
  const inFlight = new Map<Request, number>() // Oldest first, because a Map keeps the order of insertion.
  let timer: Timer | undefined

  function watch(): void {
    if (timer !== undefined || inFlight.size === 0) return
    timer = clock.after(Math.min(timeoutMs, sweepMs), () => {
      timer = undefined
      for (const [request, startedMs] of inFlight) {
        if (clock.elapsedMs() - startedMs < timeoutMs) break
        inFlight.delete(request)
        onLate(request, startedMs)
      }
      watch()
    })
  }

  return {
    start(request, startedMs) {
      inFlight.set(request, startedMs)
      watch()
    },
    end: (request) => inFlight.delete(request),
    close: () => timer?.cancel(),
  }
}
