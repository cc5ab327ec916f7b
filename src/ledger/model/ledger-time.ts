// Ledger time: the wall clock, possibly ahead of it, or a static time that only an administrator moves. Neither ever goes
// back, so no contract is used before it was created. Nodes that share a ledger follow the clock of its database, and none
// is behind what another has committed.
import type { Clock } from '../../base/clock.ts'
import { invalidArgument, LedgerError } from '../../base/errors.ts'
import { createQueue } from '../../base/queue.ts'
import type { Settings } from '../../base/settings.ts'
import { instantFromText, instantToText } from '../../lf/codec/time-text.ts'
import type { Store } from '../../store/core/store.ts'
import { createWaiting } from './waiting.ts'

export type LedgerTime = {
  /** Whether it stands still until it is set. */
  readonly isStatic: boolean
  /** Microseconds since 1970. */
  now(): bigint
  /** The time for a command that may not run before `minimum`: waits until then. */
  at(minimum: bigint | undefined, signal: AbortSignal): Promise<bigint>
  /** Advances the time; refused unless `current` is the current time. */
  set(current: bigint, next: bigint): Promise<void>
  /** The time is at least this one: something was published then, perhaps by a node with another clock. */
  observe(published: bigint): void
  /** The difference between the clock that all nodes follow and this node's, in microseconds. */
  correct(by: bigint): void
  /** Reads what another node may have set. */
  reload(): Promise<void>
  /** Moves the time forward; a node that follows the wall clock runs ahead of it from then on. */
  moveTo(next: bigint | ((now: bigint) => bigint)): Promise<void>
}

/** As the settings say; not before the time of the last commit. */
export async function loadTime(store: Store, { time, scriptLedger }: Settings, clock: Clock): Promise<LedgerTime> {
  const { publishedAt } = await store.state.get()
  if (time.kind === 'wall') return loadWallTime(store, clock, publishedAt)
  return createStaticTime(store, BigInt(instantFromText(time.start) ?? 0), publishedAt, scriptLedger)
}

/** Timers cannot run arbitrarily long; a waiter checks again after this. */
const longestSleepMs = 60_000

/** How far a node runs ahead of the wall clock, in microseconds. */
const aheadRecord = 'time-ahead'

/** As far ahead of the wall clock as it was moved. */
async function loadWallTime(store: Store, clock: Clock, notBefore: bigint): Promise<LedgerTime> {
  const load = async () => numberIn(await store.node.get(aheadRecord)) ?? 0n
  const keep = (compute: () => bigint) =>
    store.transaction(async ({ node }) => {
      const ahead = compute()
      await node.put(aheadRecord, Buffer.from(String(ahead)))
      return ahead
    })
  return createWallTime(clock, notBefore, { ahead: await load(), load, keep })
}

type Ahead = {
  readonly ahead: bigint
  readonly load: () => Promise<bigint>
  /** Stores what `compute` returns. It is called when no other node can move the time. */
  readonly keep: (compute: () => bigint) => Promise<bigint>
}

export function createWallTime(
  clock: Clock,
  notBefore: bigint,
  { ahead: first, load, keep }: Ahead = { ahead: 0n, load: async () => 0n, keep: async (compute) => compute() },
): LedgerTime {
  let last = notBefore
  let ahead = first
  let correction = 0n
  const waiting = createWaiting()
  const alone = createQueue()

  function now(): bigint {
    const current = BigInt(Math.floor(clock.nowMs())) * 1000n + correction + ahead
    if (current > last) last = current
    return last
  }

  return {
    isStatic: false,
    now,
    observe(published) {
      if (published > last) last = published
    },
    correct(by) {
      correction = by
    },
    async reload() {
      ahead = latest(ahead, await load())
      waiting.wake()
    },
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
        ahead = await keep(() => {
          const current = now()
          return ahead + laterThan(current, typeof wished === 'bigint' ? wished : wished(current)) - current
        })
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

/** 9999-12-31T00:00:00Z: the last day that can be written is left for what is recorded from then on. */
const timeMax = 253_402_214_400_000_000n

function laterThan(current: bigint, next: bigint): bigint {
  if (next < current) {
    const times = `${instantToText(next)} is before the ledger's time, ${instantToText(current)}`
    throw invalidArgument(`${times}. Setting time backwards is not allowed; restore a snapshot instead.`)
  }
  return notTooLate(next)
}

function notTooLate(next: bigint): bigint {
  if (next > timeMax) throw invalidArgument(`the time would be after ${instantToText(timeMax)}`)
  return next
}

const record = 'static-time'

/** Returns undefined for a ledger that never had static time. */
export async function loadStaticTime(store: Store, notBefore: bigint): Promise<LedgerTime | undefined> {
  return (await store.node.get(record)) === undefined ? undefined : createStaticTime(store, 0n, notBefore)
}

/** Starts at `start`, or where time stood when the node stopped. On the ledger of scripts it may go back. */
export async function createStaticTime(
  store: Store,
  start: bigint,
  notBefore: bigint,
  mayGoBack = false,
): Promise<LedgerTime> {
  const stored = numberIn(await store.node.get(record))
  let current = [start, notBefore, stored ?? 0n].reduce(latest)
  if (stored === undefined) await store.node.put(record, Buffer.from(String(current)))
  const waiting = createWaiting()
  const alone = createQueue() // The first of two concurrent calls with the same `current` wins.

  return {
    isStatic: true,
    now: () => current,
    observe: () => undefined, // Whoever published has moved it before.
    correct: () => undefined,
    reload,
    async at(minimum, signal) {
      while (minimum !== undefined && minimum > current) {
        signal.throwIfAborted()
        await waiting.until(signal)
      }
      return current
    },
    set: (believed, next) => alone(() => change(() => checkedMove(believed, next))),
    moveTo: (wished) =>
      alone(() => change(() => laterThan(current, typeof wished === 'bigint' ? wished : wished(current)))),
  }

  async function reload(): Promise<void> {
    current = latest(current, numberIn(await store.node.get(record)) ?? 0n)
    waiting.wake()
  }

  function checkedMove(believed: bigint, next: bigint): bigint {
    if (next < believed && !mayGoBack) {
      const times = `new_time [${instantToText(next)}] is before current_time [${instantToText(believed)}]`
      throw invalidArgument(`${times}. Setting time backwards is not allowed.`)
    }
    if (believed !== current) {
      const times = `Provided: ${instantToText(believed)}. Actual: ${instantToText(current)}`
      throw invalidArgument(`current_time mismatch. ${times}`)
    }
    return notTooLate(next)
  }

  /** Inside the transaction, the current time is also that of other nodes. */
  async function change(nextTime: () => bigint): Promise<void> {
    const next = await store.transaction(async ({ node }) => {
      const chosen = nextTime()
      await node.put(record, Buffer.from(String(chosen)))
      return chosen
    })
    current = next
    waiting.wake()
  }
}

function numberIn(stored: Uint8Array | undefined): bigint | undefined {
  return stored === undefined ? undefined : BigInt(Buffer.from(stored).toString())
}

function latest(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
