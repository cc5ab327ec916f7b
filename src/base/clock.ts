// Time and timers, passed in as a parameter so that a test can use its own clock.

export type Timer = { cancel(): void }

export type Clock = {
  /** Milliseconds since 1970, as a token's `exp` counts them (in seconds). */
  nowMs(): number
  /** Milliseconds on a monotonic clock, for measuring. */
  elapsedMs(): number
  after(delayMs: number, action: () => void): Timer
}

export const wallClock: Clock = {
  nowMs: () => Date.now(),
  elapsedMs: () => performance.now(),
  after(delayMs, action) {
    const timer = setTimeout(action, delayMs)
    return { cancel: () => clearTimeout(timer) }
  },
}

/** Runs `action` if the process is still running then; does not keep it alive. */
export function ifStillRunningAfter(delayMs: number, action: () => void): void {
  setTimeout(action, delayMs).unref()
}

/** Whether `work` settles in time. An error in time is thrown; a later one is dropped. */
export async function settlesWithin(work: Promise<unknown>, withinMs: number, clock: Clock): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>()
  const timer = clock.after(withinMs, () => resolve(false))
  work.catch(() => undefined)
  return Promise.race([work.then(() => true), late]).finally(() => timer.cancel())
}

/** A clock that only moves when told to. */
export function createTestClock(startMs: number): Clock & { advance(byMs: number): void } {
  let nowMs = startMs
  let pending: { atMs: number; action: () => void }[] = []
  return {
    nowMs: () => nowMs,
    elapsedMs: () => nowMs,
    after(delayMs, action) {
      const entry = { atMs: nowMs + delayMs, action }
      pending.push(entry)
      return {
        cancel() {
          pending = pending.filter((other) => other !== entry)
        },
      }
    },
    advance(byMs) {
      const untilMs = nowMs + byMs
      for (;;) {
        const next = pending.filter((entry) => entry.atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0]
        if (next === undefined) break
        pending = pending.filter((entry) => entry !== next)
        nowMs = Math.max(nowMs, next.atMs)
        next.action()
      }
      nowMs = untilMs
    },
  }
}
