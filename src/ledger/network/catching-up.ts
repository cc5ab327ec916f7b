// Gives a participant what waits for it, as soon as it is there again: a batch at a time, so that others commit in
// between, and each batch in one transaction with the note that it does not wait any more.
import { once } from 'node:events'
import type { Clock } from '../../base/clock.ts'
import type { Health } from '../../base/health.ts'
import type { WaitingUpdate } from '../../store/core/ledger-records.ts'
import type { Store, TransactionRecords } from '../../store/core/store.ts'
import type { Given } from '../commit/other-participants.ts'
import { type LoopTurn, startLoop } from '../model/background-loop.ts'
import type { LedgerTime } from '../model/ledger-time.ts'
import { applyParts } from './application.ts'
import { partFrom } from './line.ts'
import type { Member } from './member.ts'

type Parts = {
  readonly store: Store
  readonly time: LedgerTime
  readonly clock: Clock
  readonly health: Health
  readonly member: Member
}

/** Of one transaction. */
const updatesMax = 200
const bytesMax = 1024 * 1024

/** `disturb` says that something waits that may be given. */
export function startCatchingUp({ store, time, clock, health, member }: Parts): AsyncDisposable & { disturb(): void } {
  const { synchronizers, presence } = member
  let disturbed = new AbortController()
  const disturb = () => disturbed.abort()
  presence.onChange(disturb)

  async function run({ signal, works }: LoopTurn): Promise<void> {
    while (!signal.aborted) {
      disturbed = new AbortController()
      let hasMore = false
      for (const { number } of presence.isStopped() ? [] : synchronizers.list()) {
        const given = await store.transaction((records) => giveSome(number, records))
        if (given === undefined) continue
        hasMore = true
        member.publish(given)
      }
      works()
      if (!hasMore) await wait(signal)
    }
  }

  async function giveSome(synchronizer: bigint, records: TransactionRecords): Promise<Given | undefined> {
    const { waitingUpdates, synchronizers: stored } = records
    const isConnected = (await stored.list()).some(({ number, isConnected }) => number === synchronizer && isConnected)
    if (!isConnected) return undefined
    const waiting = await waitingUpdates.next(synchronizer, { limit: updatesMax, bytesMax })
    const due = firstDue(waiting)
    if (due.length === 0) return undefined
    const parts = due.map(({ content }) => partFrom(content))
    const given = await applyParts(member, parts, { records, publishedAt: time.now() })
    await waitingUpdates.delete(due.map(({ number }) => number))
    return given
  }

  /** Nothing passes an update that is not decided, or that is delayed. */
  function firstDue(waiting: readonly WaitingUpdate[]): readonly WaitingUpdate[] {
    const delay = BigInt(presence.delayMs()) * 1000n
    const now = time.now()
    const first = waiting.findIndex(({ content, recordTime }) => content.length === 0 || recordTime + delay > now)
    const stopper = waiting[first]
    if (stopper !== undefined && stopper.content.length > 0) wakeAt(stopper.recordTime + delay - now)
    return first < 0 ? waiting : waiting.slice(0, first)
  }

  let timer = clock.after(0, () => undefined)
  function wakeAt(micros: bigint): void {
    timer.cancel()
    timer = clock.after(Number(micros / 1000n) + 1, disturb)
  }

  async function wait(stopped: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([stopped, disturbed.signal])
    if (!signal.aborted) await once(signal, 'abort')
  }

  const loop = startLoop({ name: 'catching-up', health, clock }, run)
  return {
    disturb,
    async [Symbol.asyncDispose]() {
      timer.cancel()
      await loop[Symbol.asyncDispose]()
    },
  }
}
