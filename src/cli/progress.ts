// Long work shows people that it is under way: a line after a second, and then every ten.
import { type Clock, wallClock } from '../base/clock.ts'

const firstMs = 1_000
const laterMs = 10_000

export async function withProgress<T>(
  what: string,
  { tell }: { tell(text: string): void },
  work: Promise<T>,
  clock: Clock = wallClock,
): Promise<T> {
  const startedMs = clock.elapsedMs()
  const next = (delayMs: number) =>
    clock.after(delayMs, () => {
      tell(`${what}… (${Math.round((clock.elapsedMs() - startedMs) / 1000)} s)`)
      timer = next(laterMs)
    })
  let timer = next(firstMs)
  try {
    return await work
  } finally {
    timer.cancel()
  }
}
