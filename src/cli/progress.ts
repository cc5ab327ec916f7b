// Long work shows people that it is under way: a line after a second, and then every ten.
import { type Clock, wallClock } from '../base/clock.ts'

const firstMs = 1_000
const laterMs = 10_000

/** `what` may say how far it is. */
export async function withProgress<T>(
  what: string | (() => string),
  { showProgress }: { showProgress(text: string): void },
  work: Promise<T>,
  clock: Clock = wallClock,
): Promise<T> {
  const startedMs = clock.elapsedMs()
  const next = (delayMs: number) =>
    clock.after(delayMs, () => {
      const seconds = Math.round((clock.elapsedMs() - startedMs) / 1000)
      showProgress(`${typeof what === 'string' ? what : what()}… (${seconds} s)`)
      timer = next(laterMs)
    })
  let timer = next(firstMs)
  try {
    return await work
  } finally {
    timer.cancel()
  }
}

/** `120 of 600 MB`, once it is known how many there are. */
export function megabytes(done: number, all: number | undefined): string {
  const shown = (bytes: number) => (bytes / 1e6).toFixed(bytes < 10e6 ? 1 : 0)
  return all === undefined ? `${shown(done)} MB` : `${shown(done)} of ${shown(all)} MB`
}
