// The ledger end that readers see. Commit publishes a new end once everything up to it is on disk. Waiters are then
// woken in batches: thousands may wait, and other requests need answers meanwhile. Nothing beyond the published end is
// ever shown. It never moves back: what another node has committed and what this node has may be learnt in any order.
import type { Sharing } from '../../store/core/sharing.ts'
import type { Store } from '../../store/core/store.ts'

export type SynchronizerTime = {
  readonly synchronizerId: string
  /** Microseconds since 1970. */
  readonly recordTime: bigint
}

export type End = {
  /** The offset of the last update or completion; 0 when there is none. */
  readonly offset: bigint
  readonly synchronizerTimes: readonly SynchronizerTime[]
}

export type LedgerEnd = {
  current(): End
  /**
   * The end for a request: it includes everything that was committed before, also by other nodes. They are asked unless
   * the known end has reached `offset` already. Whatever else the node remembers is then as they changed it.
   */
  latest(offset?: bigint): End | Promise<End>
  /** Updates up to and including it are pruned; 0 for none. */
  prunedUpTo(): bigint
  publish(end: End): void
  publishPruning(upTo: bigint): void
  /** Settles when the end is beyond `offset`, or when the signal is aborted. */
  moved(offset: bigint, signal: AbortSignal): Promise<void>
}

/** About a millisecond of work. */
const wokenAtOnce = 32

/** `look` has the end published that other nodes have reached; undefined if there can be no others. */
export function createLedgerEnd(start: End, prunedUpTo: bigint, look?: () => Promise<void>): LedgerEnd {
  let end = start
  let pruned = prunedUpTo
  const waiting = new Set<() => void>()
  const due = new Set<() => void>() // Waiters to wake, in the order in which they came.
  let isWaking = false

  function wakeSome(): void {
    let count = 0
    for (const wake of due) {
      wake()
      count += 1
      if (count === wokenAtOnce) break
    }
    isWaking = due.size > 0
    if (isWaking) setImmediate(wakeSome)
  }

  return {
    current: () => end,
    latest(offset) {
      if (look === undefined || (offset !== undefined && offset <= end.offset)) return end
      return look().then(() => end)
    },
    prunedUpTo: () => pruned,
    publish(next) {
      if (next.offset <= end.offset) return
      end = next
      for (const wake of waiting) due.add(wake)
      waiting.clear()
      if (!isWaking) wakeSome()
    },
    publishPruning(upTo) {
      if (upTo > pruned) pruned = upTo
    },
    moved(offset, signal) {
      if (end.offset > offset || signal.aborted) return Promise.resolve()
      return new Promise((resolve) => {
        const wake = () => {
          waiting.delete(wake)
          due.delete(wake)
          signal.removeEventListener('abort', wake)
          resolve()
        }
        waiting.add(wake)
        signal.addEventListener('abort', wake, { once: true })
      })
    },
  }
}

export async function loadEnd(store: Store, sharing?: Sharing): Promise<{ end: LedgerEnd; publishedAt: bigint }> {
  const state = await store.state.get()
  const synchronizers = await store.synchronizers.list()
  const used = synchronizers.filter(({ recordTime }) => recordTime > 0n)
  const synchronizerTimes = used.map(({ id, recordTime }) => ({ synchronizerId: id, recordTime }))
  return {
    end: createLedgerEnd({ offset: state.end, synchronizerTimes }, state.prunedUpTo, sharing?.look),
    publishedAt: state.publishedAt,
  }
}
