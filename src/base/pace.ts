// Splits long work into steps of about equal time. It begins with one item, because an item may be large, and takes
// more per step while that is quick. So steps stay short on a slow disk and with large rows, too.
import type { Clock } from './clock.ts'

export type Pace = {
  /** Runs one step; `run` is given the number of items. */
  step<T>(run: (count: number) => Promise<T>): Promise<T>
}

/** How long one step may occupy a thread that others wait for. */
const usualStepMs = 10

export function createPace(clock: Clock, countMax: number, stepMs = usualStepMs): Pace {
  let count = 1
  return {
    async step(run) {
      const startedMs = clock.elapsedMs()
      try {
        const result = await run(count)
        const tookMs = clock.elapsedMs() - startedMs
        if (tookMs < stepMs / 2) count = Math.min(count * 2, countMax)
        else if (tookMs > stepMs) count = Math.max(1, Math.floor((count * stepMs) / tookMs))
        return result
      } catch (error) {
        count = Math.max(1, Math.floor(count / 2)) // It was perhaps too large for the time that a database allows.
        throw error
      }
    },
  }
}
