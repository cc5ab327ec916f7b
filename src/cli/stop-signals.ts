// Signals that ask a process to stop. The first one asks, a later one insists. One press of Ctrl-C may arrive several
// times: the terminal signals every process of its group, and npm and our own launcher pass on what they got.
import type { Clock } from '../base/clock.ts'

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
export type StopSignal = (typeof stopSignals)[number]

/** Signals that come closer together are one. */
const sameRequestMs = 500

type Parts = {
  readonly process: { on(signal: StopSignal, listener: (signal: StopSignal) => void): unknown }
  readonly clock: Clock
  /** Ends the process without waiting for anything. */
  readonly forceStop: (signal: StopSignal) => void
}

/** Settles at the first signal. */
export function untilAskedToStop({ process, clock, forceStop }: Parts): Promise<StopSignal> {
  const { promise, resolve } = Promise.withResolvers<StopSignal>()
  let askedAtMs: number | undefined
  for (const signal of stopSignals) {
    process.on(signal, () => {
      askedAtMs ??= clock.elapsedMs()
      if (clock.elapsedMs() - askedAtMs >= sameRequestMs) forceStop(signal)
      resolve(signal)
    })
  }
  return promise
}
