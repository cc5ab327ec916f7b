// Repeats what fails for a passing reason, for a bounded time.
import { backoffMs } from '../base/backoff.ts'
import type { Clock } from '../base/clock.ts'

export type Retrying = {
  readonly clock: Clock
  /** No attempt begins later than this after the first. */
  readonly withinMs: number
  readonly isPassing: (error: unknown) => boolean
  /** Called once, at the first failure that is worth another attempt. */
  readonly onWait: (error: unknown) => void
}

/** The result of the first attempt that succeeds, or the error of the last one. */
export async function retry<T>(attempt: () => Promise<T>, persistence: Retrying): Promise<T> {
  const { clock, withinMs, isPassing, onWait } = persistence
  const untilMs = clock.elapsedMs() + withinMs
  for (let failures = 1; ; failures += 1) {
    try {
      return await attempt()
    } catch (error) {
      const pauseMs = backoffMs(failures)
      if (!isPassing(error) || clock.elapsedMs() + pauseMs > untilMs) throw error
      if (failures === 1) onWait(error)
      await new Promise<void>((resolve) => clock.after(pauseMs, resolve))
    }
  }
}
