// Long work in steps of about the same time: begins with one piece, because a piece may be large, and takes more at a time
// for as long as that is quick. So a step is short on a slow disk and with large rows, too.
import type { Clock } from './clock.ts'

export type Pace = {
  /** Runs a step of as many pieces as it is told. */
  step<T>(run: (count: number) => Promise<T>): Promise<T>
}

/** What one step may take of a thread that others wait for. */
const stepMs = 10

export function createPace(clock: Clock, countMax: number): Pace {
  let count = 1
  return {
    async step(run) {
      const startedMs = clock.elapsedMs()
      const result = await run(count)
      const tookMs = clock.elapsedMs() - startedMs
      if (tookMs < stepMs / 2) count = Math.min(count * 2, countMax)
      else if (tookMs > stepMs) count = Math.max(1, Math.floor((count * stepMs) / tookMs))
      return result
    },
  }
}
