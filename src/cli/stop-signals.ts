// Stop signals. The first asks the process to stop, a later one forces it; or each is passed on to a program that the
// process runs. One Ctrl-C may arrive several times: the terminal signals the whole process group, and npm and our
// launcher forward it.
import type { Clock } from '../base/clock.ts'

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
export type StopSignal = (typeof stopSignals)[number]

/** Signals closer together than this count as one. */
const sameRequestMs = 500

type Source = { on(signal: StopSignal, listener: (signal: StopSignal) => void): unknown }

type Parts = {
  readonly process: Source
  readonly clock: Clock
  /** Ends the process at once. */
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

/** Calls the listener at each signal, instead of ending the process. */
export function onStopSignals(process: Source, clock: Clock, listener: (signal: StopSignal) => void): void {
  const lastMs = new Map<StopSignal, number>()
  for (const signal of stopSignals) {
    process.on(signal, () => {
      const nowMs = clock.elapsedMs()
      if (nowMs - (lastMs.get(signal) ?? Number.NEGATIVE_INFINITY) < sameRequestMs) return
      lastMs.set(signal, nowMs)
      listener(signal)
    })
  }
}
