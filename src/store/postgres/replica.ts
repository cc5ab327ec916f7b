// Reads updates and completions from a replica of the database, up to the offset that it has replayed; all else, and
// whatever the replica lacks or fails to answer, comes from the database itself. Rows up to an offset do not change, so
// it does not matter which of the two a page comes from. Active contracts do change: a list of them takes several
// queries, which have to see one state.
import type { Clock, Timer } from '../../base/clock.ts'
import { isStoreUnavailable } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { Metrics } from '../../base/metrics.ts'
import type { OffsetRange } from '../core/ledger-records.ts'
import type { Store } from '../core/store.ts'

export type ReplicaReads = Disposable & {
  /** The store to read from. */
  readonly store: Store
  /** The offset up to which the replica is read; undefined while it is not. */
  replayed(): bigint | undefined
  readonly counts: { replica: number; primary: number }
}

type Parts = {
  readonly store: Store
  readonly replica: Store
  /** Whether the replica has the same ledger. */
  readonly isSame: (replica: Store) => Promise<boolean>
  /** Time between two looks at what it has replayed. */
  readonly lookMs: number
  readonly clock: Clock
  readonly log: Log
}

/** Of a node without a replica, there is nothing to measure. */
export function measureReplica(metrics: Metrics, reads: ReplicaReads | undefined, end: () => bigint): void {
  metrics.gauge('tallystick_replica_lag_offsets', 'Offsets that the replica has not replayed', () => {
    const replayed = reads?.replayed()
    return replayed === undefined ? undefined : Math.max(0, Number(end() - replayed))
  })
  metrics.gauge('tallystick_replica_in_use', '1 while the replica is read, 0 while it cannot be', () =>
    reads === undefined ? undefined : Number(reads.replayed() !== undefined),
  )
  metrics.total(
    'tallystick_replica_reads_total',
    'Reads of updates and completions, by the database that answered: replica or primary',
    () => reads && Object.entries(reads.counts).map(([by, count]) => [[by], count] as const),
    ['by'],
  )
}

export function readFromReplica({ store, replica, isSame, lookMs, clock, log }: Parts): ReplicaReads {
  const counts = { replica: 0, primary: 0 }
  let replayed: bigint | undefined
  let isKnown = false
  let reported: string | undefined
  let timer: Timer | undefined
  let isClosed = false

  async function look(): Promise<void> {
    try {
      isKnown ||= await isSame(replica)
      const { end } = await replica.state.get()
      replayed = isKnown ? end : undefined
      tell(isKnown ? 'it is read' : 'it has another ledger')
    } catch (error) {
      drop(error)
    }
    if (!isClosed) timer = clock.after(lookMs, () => void look())
  }

  function drop(error: unknown): void {
    replayed = undefined
    tell((error as Error).message)
  }

  function tell(state: string): void {
    if (state === reported || isClosed) return
    reported = state
    log.info({ state }, 'the replica of the database')
  }

  /** Undefined if the replica does not have it. */
  async function fromReplica<T>(read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read()
    } catch (error) {
      if (isStoreUnavailable(error)) drop(error)
      return undefined
    }
  }

  async function either<T>(ofReplica: T | undefined, ofPrimary: () => Promise<T>): Promise<T> {
    if (ofReplica === undefined) counts.primary += 1
    else counts.replica += 1
    return ofReplica ?? ofPrimary()
  }

  /** `isWhole` tells whether the answer to a shortened range is that to the whole one. */
  async function inRange<T>(
    range: OffsetRange,
    read: (from: Store, range: OffsetRange) => Promise<T>,
    isWhole: (result: T) => boolean,
  ): Promise<T> {
    let found: T | undefined
    if (replayed !== undefined && range.upTo <= replayed) found = await fromReplica(() => read(replica, range))
    else if (replayed !== undefined && range.after < replayed && !range.descending) {
      const upTo = replayed
      const shortened = await fromReplica(() => read(replica, { ...range, upTo }))
      if (shortened !== undefined && isWhole(shortened)) found = shortened
    }
    return either(found, () => read(store, range))
  }

  const inPages = <T>(range: OffsetRange, read: (from: Store, range: OffsetRange) => Promise<T[]>) =>
    inRange(range, read, (rows) => rows.length === range.limit)

  async function at<T>(offsets: readonly bigint[], read: (from: Store) => Promise<T[]>): Promise<T[]> {
    const isThere = replayed !== undefined && offsets.every((offset) => offset <= replayed!)
    const found = isThere ? await fromReplica(() => read(replica)) : undefined
    return either(found?.length === offsets.length ? found : undefined, () => read(store))
  }

  void look()
  return {
    counts,
    replayed: () => replayed,
    store: {
      ...store,
      updates: {
        ...store.updates,
        range: (range) => inPages(range, (from, some) => from.updates.range(some)),
        rangeSeenBy: (party, range) => inPages(range, (from, some) => from.updates.rangeSeenBy(party, some)),
        seenBy: (party, range) => inPages(range, (from, some) => from.updates.seenBy(party, some)),
        metas: (range) => inPages(range, (from, some) => from.updates.metas(some)),
        at: (offsets) => at(offsets, (from) => from.updates.at(offsets)),
        whole: (offsets) => at(offsets, (from) => from.updates.whole(offsets)),
      },
      completions: {
        ...store.completions,
        range: (userId, range) =>
          inRange(
            range,
            (from, some) => from.completions.range(userId, some),
            ({ hasMore }) => hasMore,
          ),
      },
    },
    [Symbol.dispose]() {
      isClosed = true
      timer?.cancel()
    },
  }
}
