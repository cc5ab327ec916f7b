// Ledger time: the wall clock, possibly ahead of it, or a static time that only an administrator moves. Neither ever goes
// back, so no contract is used before it was created.
import type { Clock } from '../base/clock.ts'
import { invalidArgument, LedgerError } from '../base/errors.ts'
import { createQueue } from '../base/queue.ts'
import type { Settings } from '../base/settings.ts'
import { createWaiting } from '../base/waiting.ts'
import { instantFromText, instantToText } from '../lf/codec/time-text.ts'
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
  /** Moves the time forward; a node that follows the wall clock runs ahead of it from then on. */
  moveTo(next: bigint | ((now: bigint) => bigint)): Promise<void>
}

/** As the settings say; not before the time of the last commit. */
export async function loadTime(store: Store, { time }: Settings, clock: Clock): Promise<LedgerTime> {
  const { publishedAt } = await store.state.get()
  if (time.kind === 'wall') return loadWallTime(store, clock, publishedAt)
  return createStaticTime(store, BigInt(instantFromText(time.start) ?? 0), publishedAt)
}

/** Timers cannot run arbitrarily long; a waiter checks again after this. */
const longestSleepMs = 60_000

/** How far a node runs ahead of the wall clock, in microseconds. */
const aheadRecord = 'time-ahead'

/** As far ahead of the wall clock as it was moved. */
async function loadWallTime(store: Store, clock: Clock, notBefore: bigint): Promise<LedgerTime> {
  const stored = await store.node.get(aheadRecord)
  const keep = (ahead: bigint) => store.node.put(aheadRecord, Buffer.from(String(ahead)))
  return createWallTime(clock, notBefore, {
    ahead: stored === undefined ? 0n : BigInt(Buffer.from(stored).toString()),
    keep,
  })
}

type Ahead = { readonly ahead: bigint; readonly keep: (ahead: bigint) => Promise<void> }

export function createWallTime(
  clock: Clock,
  notBefore: bigint,
  { ahead: first, keep }: Ahead = { ahead: 0n, keep: async () => undefined },
): LedgerTime {
  let last = notBefore
  let ahead = first
  const waiting = createWaiting()
  const alone = createQueue()

  function now(): bigint {
    const current = BigInt(Math.floor(clock.nowMs())) * 1000n + ahead
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
    moveTo: (wished) =>
      alone(async () => {
        const current = now()
        const next = laterThan(current, typeof wished === 'bigint' ? wished : wished(current))
        await keep(ahead + next - current)
        ahead += next - current
        waiting.wake()
      }),
  }

  async function sleep(delayMs: number, signal: AbortSignal): Promise<void> {
    const enough = new AbortController()
    const timer = clock.after(Math.min(delayMs, longestSleepMs), () => enough.abort())
    await waiting.until(AbortSignal.any([signal, enough.signal]))
    timer.cancel()
  }
}

/** The last time that can be written. */
const timeMax = 253_402_300_799_999_999n

function laterThan(current: bigint, next: bigint): bigint {
  if (next < current) {
    const times = `${instantToText(next)} is before the ledger's time, ${instantToText(current)}`
    throw invalidArgument(`${times}. Setting time backwards is not allowed; restore a snapshot instead.`)
  }
  if (next > timeMax) throw invalidArgument(`the time would be after ${instantToText(timeMax)}`)
  return next
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
  const waiting = createWaiting()
  const alone = createQueue() // The first of two concurrent calls with the same `current` wins.

  return {
    isStatic: true,
    now: () => current,
    async at(minimum, signal) {
      while (minimum !== undefined && minimum > current) {
        signal.throwIfAborted()
        await waiting.until(signal)
      }
      return current
    },
    set: (believed, next) => alone(() => move(believed, next)),
    moveTo: (wished) => alone(() => put(laterThan(current, typeof wished === 'bigint' ? wished : wished(current)))),
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
    await put(next)
  }

  async function put(next: bigint): Promise<void> {
    await store.node.put(record, Buffer.from(String(next)))
    current = next
    waiting.wake()
  }
}

function latest(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
