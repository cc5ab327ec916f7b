// Writes to the store until the result is known: waits while the store is unreachable, and finds out whether a write that
// got no answer is there.
import { backoffMs } from '../../base/backoff.ts'
import type { Clock } from '../../base/clock.ts'
import { isStoreUnavailable, storeUnavailable, unavailableReason } from '../../base/errors.ts'
import type { HealthPart } from '../../base/health.ts'
import type { Store, TransactionRecords } from '../../store/core/store.ts'
import type { Committed } from './commit.ts'

export type StoreWriter = {
  /**
   * Retries until the write is known to have succeeded or failed for good, however long the store is unreachable.
   * `onWritten` is called once it is on disk.
   */
  write<T extends Committed>(
    attempt: (records: TransactionRecords) => Promise<T>,
    onWritten: (committed: T) => void,
    options?: WriteOptions,
  ): Promise<T>
  /** Ends all retries. */
  giveUp(): void
}

/** Without patience, a write fails if nothing could be sent at the first attempt: nobody was promised an outcome. */
type WriteOptions = { readonly isPatient: boolean }

type Parts = { readonly store: Store; readonly clock: Clock; readonly part: HealthPart }

export function createStoreWriter({ store, clock, part }: Parts): StoreWriter {
  let isGivenUp = false
  let endPause: (() => void) | undefined

  async function write<T extends Committed>(
    attempt: (records: TransactionRecords) => Promise<T>,
    onWritten: (committed: T) => void,
    { isPatient }: WriteOptions = { isPatient: true },
  ): Promise<T> {
    /** Sent without an answer: it may have been written or not. */
    let inDoubt: T | undefined
    let refused: unknown
    for (let failures = 1; ; failures += 1) {
      if (isGivenUp) throw storeUnavailable('the node stops')
      try {
        const committed = await store.transaction(async (records) => {
          // Transactions do not overlap, so an earlier attempt is not still running.
          // A shared store finds out itself.
          if (!store.isShared && inDoubt !== undefined && (await inDoubt.isIn(records))) return inDoubt
          inDoubt = undefined
          if (refused !== undefined) throw refused
          const attempted = await attempt(records)
          inDoubt = attempted
          return attempted
        })
        part.work()
        onWritten(committed)
        return committed
      } catch (error) {
        if (!isStoreUnavailable(error)) {
          if (inDoubt === undefined) {
            part.work() // The store answers; the fault is in the items.
            throw error
          }
          refused = error // Probably not written; the next transaction finds out.
        } else if (!isPatient && failures === 1 && inDoubt === undefined) throw error
        const reason = isStoreUnavailable(error) ? unavailableReason(error) : 'the store does not take commits'
        part.fail(reason, String(error))
        await pause(backoffMs(failures))
      }
    }
  }

  /** Ends early when the writer gives up. */
  async function pause(delayMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = clock.after(delayMs, resolve)
      endPause = () => {
        timer.cancel()
        resolve()
      }
    })
    endPause = undefined
  }

  return {
    write,
    giveUp() {
      isGivenUp = true
      store.giveUp()
      endPause?.()
    },
  }
}
