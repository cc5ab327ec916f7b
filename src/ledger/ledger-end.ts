// Where the ledger ends for its readers. Commit publishes a new end once everything up to it is on disk; whoever waits
// for more is woken then, some at a time: thousands may wait, and others want to be answered meanwhile. Nothing beyond
// the published end is ever shown.

export type SynchronizerTime = {
  readonly synchronizerId: string
  /** Microseconds since 1970. */
  readonly recordTime: bigint
}

export type End = {
  /** Of the last update or completion; 0 when there is none. */
  readonly offset: bigint
  readonly synchronizerTimes: readonly SynchronizerTime[]
}

export type LedgerEnd = {
  current(): End
  /** Up to and with it, updates are gone; 0 when nothing is. */
  prunedUpTo(): bigint
  publish(end: End): void
  publishPruning(upTo: bigint): void
  /** Settles when there is something after `offset`, or when the signal is aborted. */
  moved(offset: bigint, signal: AbortSignal): Promise<void>
}

/** About a millisecond's work. */
const wokenAtOnce = 32

export function createLedgerEnd(start: End, prunedUpTo: bigint): LedgerEnd {
  let end = start
  let pruned = prunedUpTo
  const waiting = new Set<() => void>()
  const due = new Set<() => void>() // Those that shall wake, in the order in which they came.
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
    prunedUpTo: () => pruned,
    publish(next) {
      end = next
      for (const wake of waiting) due.add(wake)
      waiting.clear()
      if (!isWaking) wakeSome()
    },
    publishPruning(upTo) {
      pruned = upTo
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
