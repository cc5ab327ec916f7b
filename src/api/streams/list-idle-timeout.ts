// The silence that ends a list: a time in which a stream waits for new elements and none comes. Reading those that
// exist does not count, however slow the store is; otherwise a busy node would answer with a part of them.
import type { Clock, Timer } from '../../base/clock.ts'

export type Silence = {
  /** The stream has nothing left to read. */
  begin(): void
  /** Waits for the next elements; undefined after the silence, or once the signal is aborted. */
  unlessOver<T>(next: Promise<T>, signal: AbortSignal): Promise<T | undefined>
}

/** Without a time, silence never ends the list. */
export function createSilence(lengthMs: number | undefined, clock: Clock): Silence {
  let timer: Timer | undefined
  let end = () => {}

  return {
    begin() {
      if (lengthMs !== undefined) timer ??= clock.after(lengthMs, () => end())
    },

    async unlessOver(next, signal) {
      const over = Promise.withResolvers<undefined>()
      end = () => over.resolve(undefined)
      signal.addEventListener('abort', end, { once: true })
      if (signal.aborted) end()
      try {
        return await Promise.race([next, over.promise])
      } finally {
        timer?.cancel()
        timer = undefined
        signal.removeEventListener('abort', end)
      }
    },
  }
}
