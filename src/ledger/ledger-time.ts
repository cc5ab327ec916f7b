// Ledger time: the wall clock, or a static time that only an administrator moves. Neither ever goes back, so no
// contract is used before it was created.
import type { Clock } from '../base/clock.ts'
import { invalidArgument, LedgerError } from '../base/errors.ts'
import { createQueue } from '../base/queue.ts'
import { instantToText } from '../lf/codec/time-text.ts'
import type { Store } from '../store/store.ts'

export type LedgerTime = {
  /** Whether it stands still until it is set. */
  readonly isStatic: boolean
  /** Microseconds since 1970. */
  now(): bigint
  /** The time for a command that may not run before `minimum`: waits until then. */
  at(minimum: bigint | undefined, signal: AbortSignal): Promise<bigint>
  /** Advances the time; refused unless `current` is the current time. */
  set(current: bigint, next: bigint): Promise<void>
}

/** Timers cannot run arbitrarily long; a waiter checks again after this. */
const longestSleepMs = 60_000

export function createWallTime(clock: Clock, notBefore: bigint): LedgerTime {
  let last = notBefore

  function now(): bigint {
    const current = BigInt(Math.floor(clock.nowMs())) * 1000n
    if (current > last) last = current
    return last
  }

  return {
    isStatic: false,
    now,
    async at(minimum, signal) {
      for (;;) {
        const current = now()
        if (minimum === undefined || minimum <= current) return current
        signal.throwIfAborted()
        await sleep(Math.ceil(Number(minimum - current) / 1000), signal)
      }
    },
    async set() {
      throw new LedgerError(
        'UNIMPLEMENTED',
        'This node follows the wall clock; start it with --static-time to set the time',
      )
    },
  }

  function sleep(delayMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = clock.after(Math.min(delayMs, longestSleepMs), wake)
      signal.addEventListener('abort', wake, { once: true })
      function wake(): void {
        timer.cancel()
        signal.removeEventListener('abort', wake)
        resolve()
      }
    })
  }
}

const record = 'static-time'

/** Returns undefined for a ledger that never had static time. */
export async function loadStaticTime(store: Store, notBefore: bigint): Promise<LedgerTime | undefined> {
  return (await store.node.get(record)) === undefined ? undefined : createStaticTime(store, 0n, notBefore)
}

/** Starts at `start`, or where time stood when the node stopped. */
export async function createStaticTime(store: Store, start: bigint, notBefore: bigint): Promise<LedgerTime> {
  const stored = await store.node.get(record)
  let current = [start, notBefore, stored === undefined ? 0n : BigInt(Buffer.from(stored).toString())].reduce(latest)
  if (stored === undefined) await store.node.put(record, Buffer.from(String(current)))
  const waiting = new Set<() => void>()
  const alone = createQueue() // The first of two concurrent calls with the same `current` wins.

  return {
    isStatic: true,
    now: () => current,
    async at(minimum, signal) {
      while (minimum !== undefined && minimum > current) {
        signal.throwIfAborted()
        await moved(signal)
      }
      return current
    },
    set: (believed, next) => alone(() => move(believed, next)),
  }

  async function move(believed: bigint, next: bigint): Promise<void> {
    if (next < believed) {
      const times = `new_time [${instantToText(next)}] is before current_time [${instantToText(believed)}]`
      throw invalidArgument(`${times}. Setting time backwards is not allowed.`)
    }
    if (believed !== current) {
      const times = `Provided: ${instantToText(believed)}. Actual: ${instantToText(current)}`
      throw invalidArgument(`current_time mismatch. ${times}`)
    }
    await store.node.put(record, Buffer.from(String(next)))
    current = next
    for (const wake of waiting) wake()
  }

  function moved(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        waiting.delete(wake)
        signal.removeEventListener('abort', wake)
        resolve()
      }
      waiting.add(wake)
      signal.addEventListener('abort', wake, { once: true })
    })
  }
}

function latest(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
