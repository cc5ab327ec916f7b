// Group commit: everything that is ready goes into one transaction of the store, and is on disk before anybody hears of
// it. While one batch is written the next one gathers.
import type { Clock } from '../../base/clock.ts'
import { isStoreUnavailable, LedgerError } from '../../base/errors.ts'
import type { Health } from '../../base/health.ts'
import type { Log } from '../../base/log.ts'
import type { Limits } from '../../base/settings.ts'
import type { Store } from '../../store/store.ts'
import type { LedgerEnd } from '../ledger-end.ts'
import type { LedgerTime } from '../ledger-time.ts'
import type { Names } from '../names.ts'
import { type Committed, commit } from './commit.ts'
import type { CommitItem, Decision } from './commit-item.ts'

export type CommitQueue = AsyncDisposable & {
  /** Says that a command is on its way, until it is enqueued or given up: a batch may wait for it a little. */
  announce(): Disposable
  /** Throws when nothing can be enqueued now: the store cannot write, too much is waiting, or the node stops. */
  checkOpen(): void
  /** Settles once the decision is on disk and published. */
  enqueue(item: CommitItem): Promise<Decision>
}

type Parts = {
  readonly store: Store
  readonly names: Names
  readonly end: LedgerEnd
  /** By number. */
  readonly synchronizerId: (number: bigint) => string
  readonly time: LedgerTime
  readonly clock: Clock
  readonly health: Health
  readonly limits: Pick<Limits, 'commitQueueBytesMax'>
  readonly log: Log
}

type Waiting = {
  readonly item: CommitItem
  resolve(decision: Decision): void
  reject(error: unknown): void
}

/** What goes into one transaction at most. */
const commandsMax = 1000
const bytesMax = 16 * 1024 * 1024
/** So many are worth a transaction of their own; fewer wait for others that are on their way, but not longer. */
const commandsEnough = 32
const gatherMs = 3
/** Between attempts while the database does not answer. */
const retryMs = 200

export function createCommitQueue(parts: Parts): CommitQueue {
  const { store, names, end, synchronizerId, time, clock, health, limits, log } = parts
  const part = health.part('commits', { stopsCommands: true })
  const waiting: Waiting[] = []
  let draining: Promise<void> | undefined
  let waitingBytes = 0
  let announced = 0
  let wake: (() => void) | undefined
  let isClosed = false

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      await gather()
      const batch = takeBatch(waiting)
      await run(batch)
      waitingBytes -= batch.reduce((sum, { item }) => sum + sizeOf(item), 0)
    }
    draining = undefined
  }

  /** What is on its way may come along. */
  async function gather(): Promise<void> {
    if (isEnough()) return
    await new Promise<void>((resolve) => {
      const timer = clock.after(gatherMs, () => wake?.())
      wake = () => {
        timer.cancel()
        wake = undefined
        resolve()
      }
    })
  }

  function isEnough(): boolean {
    return announced === 0 || waiting.length >= commandsEnough
  }

  async function run(batch: readonly Waiting[]): Promise<void> {
    try {
      const { decisions } = await commitAll(batch.map(({ item }) => item))
      for (const [index, { resolve }] of batch.entries()) resolve(decisions[index]!)
    } catch (error) {
      // One that cannot be written must not take the others with it.
      if (batch.length > 1) for (const one of batch) await run([one])
      else fail(batch[0]!, error)
    }
  }

  async function commitAll(batch: readonly CommitItem[]): Promise<Committed> {
    let attempted: Committed | undefined
    for (;;) {
      try {
        attempted = undefined
        const committed = await store.transaction(async (records) => {
          attempted = await commit(batch, records, { names, now: time.now() })
          return attempted
        })
        part.work()
        publish(committed)
        return committed
      } catch (error) {
        if (!isStoreUnavailable(error) || isClosed) throw error
        part.fail('the store does not take commits', (error as Error).message)
        await new Promise<void>((resolve) => clock.after(retryMs, resolve))
        // The connection may have broken after the database had committed.
        if (attempted !== undefined && (await wasCommitted(attempted))) {
          part.work()
          publish(attempted)
          return attempted
        }
      }
    }
  }

  async function wasCommitted({ state }: Committed): Promise<boolean> {
    try {
      return (await store.state.get()).end === state.end
    } catch {
      return false
    }
  }

  function publish({ state, recordTimes, names: added }: Committed): void {
    for (const { name, number } of added) names.learn(name, number)
    const times = new Map(end.current().synchronizerTimes.map((time) => [time.synchronizerId, time]))
    for (const [number, recordTime] of recordTimes) {
      const id = synchronizerId(number)
      times.set(id, { synchronizerId: id, recordTime })
    }
    end.publish({ offset: state.end, synchronizerTimes: [...times.values()] })
  }

  function fail({ item, reject }: Waiting, error: unknown): void {
    if (!(error instanceof LedgerError)) {
      log.error({ submissionId: item.submissionId, stack: (error as Error).stack }, 'a command was not committed')
    }
    reject(error)
  }

  function checkOpen(): void {
    if (isClosed) throw new LedgerError('SERVICE_NOT_RUNNING', 'The participant has been shut down.')
    health.checkCommands()
    if (waitingBytes < limits.commitQueueBytesMax) return
    throw new LedgerError(
      'PARTICIPANT_BACKPRESSURE',
      `The participant is overloaded: ${limits.commitQueueBytesMax} bytes of transactions wait to be written`,
    )
  }

  return {
    announce() {
      announced += 1
      let isOver = false
      return {
        [Symbol.dispose]() {
          if (isOver) return
          isOver = true
          announced -= 1
          if (isEnough()) wake?.()
        },
      }
    },
    checkOpen,
    enqueue(item) {
      checkOpen()
      const { promise, resolve, reject } = Promise.withResolvers<Decision>()
      waiting.push({ item, resolve, reject })
      waitingBytes += sizeOf(item)
      draining ??= drain()
      if (isEnough()) wake?.()
      return promise
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      await draining
    },
  }
}

function takeBatch(waiting: Waiting[]): Waiting[] {
  let count = 0
  let bytes = 0
  while (count < Math.min(waiting.length, commandsMax) && bytes < bytesMax) {
    bytes += sizeOf(waiting[count]!.item)
    count += 1
  }
  return waiting.splice(0, count)
}

function sizeOf(item: CommitItem): number {
  if (item.kind === 'transaction') return item.served.body.length
  return item.contracts.reduce((sum, { row }) => sum + row.event.length, 0)
}
