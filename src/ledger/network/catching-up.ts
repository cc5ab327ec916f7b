// Gives a participant what waits for it, as soon as it is there again: a batch at a time, so that others commit in
// between, and each batch in one transaction with the note that it does not wait any more.
import { once } from 'node:events'
import type { Clock, Timer } from '../../base/clock.ts'
import type { Health } from '../../base/health.ts'
import type { Limits } from '../../base/settings.ts'
import type { WaitingUpdate } from '../../store/core/ledger-records.ts'
import type { Store, TransactionRecords } from '../../store/core/store.ts'
import type { Given } from '../commit/other-participants.ts'
import { type LoopTurn, startLoop } from '../model/background-loop.ts'
import type { LedgerTime } from '../model/ledger-time.ts'
import { applyInTurn } from './application.ts'
import { isDecided, partFrom } from './line.ts'
import type { Member, Sequenced } from './member.ts'

type Parts = {
  readonly store: Store
  readonly time: LedgerTime
  readonly clock: Clock
  readonly health: Health
  readonly limits: Pick<Limits, 'confirmationMs'>
  readonly member: Member
}

/** A batch that was given, and what of it the participant submitted itself. */
type Batch = { readonly given: Given; readonly own: readonly (Sequenced & { readonly offset: bigint })[] }

/** Of one transaction. */
const updatesMax = 200
const bytesMax = 1024 * 1024

/** `disturb` says that something waits that may be given. */
export function startCatchingUp(parts: Parts): AsyncDisposable & { disturb(): void } {
  const { store, time, clock, health, limits, member } = parts
  const { synchronizers, presence } = member
  let disturbed = new AbortController()
  const disturb = () => disturbed.abort()
  presence.onChange(disturb)
  let isFirst = true
  /** By synchronizer. */
  const timers = new Map<bigint, Timer>()
  /** When what waits was first seen, by synchronizer. */
  const seenMs = new Map<bigint, ReadonlyMap<string, number>>()

  async function run({ signal, works }: LoopTurn): Promise<void> {
    if (isFirst && !store.isShared) await store.transaction(dropUndecided)
    isFirst = false
    while (!signal.aborted) {
      disturbed = new AbortController()
      let hasMore = false
      for (const { number } of presence.isStopped() ? [] : synchronizers.list()) {
        const batch = await store.transaction((records) => giveSome(number, records))
        if (batch === undefined) continue
        hasMore = true
        member.publish(batch.given)
        for (const { offset, ...sequenced } of batch.own) member.settle(sequenced, offset)
      }
      works()
      if (!hasMore) await wait(signal)
    }
  }

  /** Whoever submitted them learnt nothing, and will not: the process is gone. */
  async function dropUndecided({ waitingUpdates }: TransactionRecords): Promise<void> {
    await waitingUpdates.delete(await waitingUpdates.undecided())
  }

  async function giveSome(synchronizer: bigint, records: TransactionRecords): Promise<Batch | undefined> {
    const { waitingUpdates, synchronizers: stored } = records
    const waiting = await waitingUpdates.next(synchronizer, { limit: updatesMax, bytesMax })
    if (waiting.length === 0) return undefined
    const isConnected = (await stored.list()).some(({ number, isConnected }) => number === synchronizer && isConnected)
    const due = isConnected ? firstDue(synchronizer, waiting) : []
    if (due.length === 0) return undefined
    await waitingUpdates.delete(due.map(({ number }) => number))
    const decided = due.filter(isDecided).map(({ content }) => partFrom(content))
    const given = await applyInTurn(member, decided, { records, publishedAt: time.now() })
    const before = given.state.end - BigInt(decided.length)
    const own = decided.flatMap(({ kind, recordTime }, index) =>
      kind === 'own' ? [{ synchronizer, recordTime, offset: before + BigInt(index) + 1n }] : [],
    )
    return { given, own }
  }

  /** Nothing passes an update that is not decided or is delayed; one that nobody decides is left from a process that is gone. */
  function firstDue(synchronizer: bigint, waiting: readonly WaitingUpdate[]): readonly WaitingUpdate[] {
    const nowMs = clock.elapsedMs()
    const before = seenMs.get(synchronizer)
    const now = new Map(waiting.map((update) => [keyOf(update), before?.get(keyOf(update)) ?? nowMs]))
    seenMs.set(synchronizer, now)
    const dueMs = (update: WaitingUpdate) => {
      const waitMs = isDecided(update) ? presence.delayMs() : 2 * limits.confirmationMs
      return now.get(keyOf(update))! + waitMs
    }
    const due = waiting.map(dueMs)
    const first = due.findIndex((ms) => ms > nowMs)
    const passing = first < 0 ? waiting : waiting.slice(0, first)
    timers.get(synchronizer)?.cancel()
    if (first >= 0) timers.set(synchronizer, clock.after(due[first]! - nowMs, disturb))
    return passing
  }

  /** Of a shared store, what a node left that is gone is found by looking. */
  async function wait(stopped: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([stopped, disturbed.signal])
    if (signal.aborted) return
    const next = store.isShared ? clock.after(limits.confirmationMs, disturb) : undefined
    await once(signal, 'abort')
    next?.cancel()
  }

  const loop = startLoop({ name: 'catching-up', health, clock }, run)
  return {
    disturb,
    async [Symbol.asyncDispose]() {
      for (const timer of timers.values()) timer.cancel()
      await loop[Symbol.asyncDispose]()
    },
  }
}

/** Numbers are used again. */
const keyOf = ({ number, recordTime }: WaitingUpdate): string => `${number} ${recordTime}`
