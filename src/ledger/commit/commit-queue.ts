// Group commit: everything that is ready goes into one transaction of the store, and is on disk before anybody hears of
// it. While one batch is written the next one gathers. Users share what is written: a batch takes from those who had the
// fewest bytes so far, and what does not fit beside the others waits, so that one user's large transactions delay another
// by no more than the one that is being written.
import { backoffMs } from '../../base/backoff.ts'
import type { Clock } from '../../base/clock.ts'
import { isStoreUnavailable, LedgerError, storeUnavailable, unavailableReason } from '../../base/errors.ts'
import { createFairQueue, createUsage, type FairQueue, type Usage } from '../../base/fair-queue.ts'
import type { Health } from '../../base/health.ts'
import type { Log } from '../../base/log.ts'
import { createMetrics, type Metrics } from '../../base/metrics.ts'
import type { Limits } from '../../base/settings.ts'
import type { Records, Store } from '../../store/store.ts'
import type { LedgerEnd } from '../ledger-end.ts'
import type { LedgerTime } from '../ledger-time.ts'
import type { Names } from '../names.ts'
import { type Committed, commit, commitRejection } from './commit.ts'
import type { CommitItem, Decision } from './commit-item.ts'
import { createCommitMetrics } from './commit-metrics.ts'

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
  readonly metrics?: Metrics
}

type Waiting = {
  readonly item: CommitItem
  resolve(decision: Decision): void
  reject(error: unknown): void
}

/** What goes into one transaction at most; one that is larger goes alone. */
const commandsMax = 1000
const bytesMax = 1024 * 1024
/** So many are worth a transaction of their own; fewer wait for others that are on their way, but not longer. */
const commandsEnough = 32
const gatherMs = 3
/** How long a queue that closes waits for a store that is away. */
const closeWithinMs = 3_000

export function createCommitQueue(parts: Parts): CommitQueue {
  const { store, names, end, synchronizerId, time, clock, health, limits, log } = parts
  const part = health.part('commits', { stopsCommands: true })
  const usage = createUsage()
  const waiting = createFairQueue<Waiting>(usage)
  let draining: Promise<void> | undefined
  let waitingBytes = 0
  let announced = 0
  let wake: (() => void) | undefined
  let isClosed = false
  const counted = createCommitMetrics(parts.metrics ?? createMetrics(), {
    commands: () => waiting.size,
    bytes: () => waitingBytes,
  })
  /** Nothing is waited for any more. */
  let isGivenUp = false
  let endPause: (() => void) | undefined

  async function drain(): Promise<void> {
    while (waiting.size > 0) {
      await gather()
      const batch = takeBatch(waiting, usage)
      await run(batch)
      waitingBytes -= bytesOf(batch)
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
    return announced === 0 || waiting.size >= commandsEnough
  }

  async function run(batch: readonly Waiting[]): Promise<void> {
    try {
      const items = batch.map(({ item }) => item)
      const startedMs = clock.elapsedMs()
      const { decisions } = await untilWritten((records) => commit(items, records, rules()))
      counted.committed(items.length, bytesOf(batch), clock.elapsedMs() - startedMs)
      for (const [index, { resolve }] of batch.entries()) resolve(decisions[index]!)
    } catch (error) {
      if (isStoreUnavailable(error)) for (const { reject } of batch) reject(error)
      // One that cannot be written must not take the others with it.
      else if (batch.length > 1) for (const one of batch) await run([one])
      else await rejectUnwritable(batch[0]!, error)
    }
  }

  function rules() {
    return { names, now: time.now(), end: end.current().offset }
  }

  /** A bug; the client was told that its command is on its way, so there is a completion all the same. */
  async function rejectUnwritable({ item, resolve, reject }: Waiting, error: unknown): Promise<void> {
    log.error({ submissionId: item.submissionId, stack: (error as Error).stack }, 'a command was not committed')
    const refusal =
      error instanceof LedgerError
        ? error
        : new LedgerError('LEDGER_API_INTERNAL_ERROR', 'The command was not committed')
    try {
      const rejected = await untilWritten((records) => commitRejection(item, refusal, records, rules()))
      resolve(rejected.decisions[0]!)
    } catch {
      reject(error)
    }
  }

  /** Tries until it is known that all of it was written or that it cannot be, however long the store is away. */
  async function untilWritten(write: (records: Records) => Promise<Committed>): Promise<Committed> {
    /** Sent to be written, with no answer: written or not. */
    let inDoubt: Committed | undefined
    let refused: unknown
    for (let failures = 1; ; failures += 1) {
      if (isGivenUp) throw storeUnavailable('the node stops')
      try {
        const committed = await store.transaction(async (records) => {
          // No other writer is beside this transaction, so an earlier attempt is not still under way.
          if (inDoubt !== undefined && (await records.state.get()).end === inDoubt.state.end) return inDoubt
          inDoubt = undefined
          if (refused !== undefined) throw refused
          const attempted = await write(records)
          inDoubt = attempted
          return attempted
        })
        part.work()
        publish(committed)
        return committed
      } catch (error) {
        if (!isStoreUnavailable(error)) {
          if (inDoubt === undefined) {
            part.work() // The store answers; the items are to blame.
            throw error
          }
          refused = error // It is not written, most likely; the next transaction knows.
        }
        part.fail(
          isStoreUnavailable(error) ? unavailableReason(error) : 'the store does not take commits',
          String(error),
        )
        await pause(backoffMs(failures))
      }
    }
  }

  /** Ends early when the queue is given up. */
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

  function publish({ state, recordTimes, names: added }: Committed): void {
    for (const { name, number } of added) names.learn(name, number)
    const times = new Map(end.current().synchronizerTimes.map((time) => [time.synchronizerId, time]))
    for (const [number, recordTime] of recordTimes) {
      const id = synchronizerId(number)
      times.set(id, { synchronizerId: id, recordTime })
    }
    end.publish({ offset: state.end, synchronizerTimes: [...times.values()] })
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
      waiting.push(item.userId, { item, resolve, reject })
      waitingBytes += sizeOf(item)
      draining ??= drain()
      if (isEnough()) wake?.()
      return promise
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      const timer = clock.after(closeWithinMs, () => {
        isGivenUp = true
        store.giveUp()
        endPause?.()
      })
      await draining
      timer.cancel()
    },
  }
}

function takeBatch(waiting: FairQueue<Waiting>, usage: Usage): Waiting[] {
  const batch: Waiting[] = []
  let bytes = 0
  while (batch.length < commandsMax) {
    const next = waiting.peek()
    if (next === undefined) break
    const size = sizeOf(next.item)
    if (batch.length > 0 && bytes + size > bytesMax) break
    waiting.shift()
    usage.charge(next.item.userId, size)
    batch.push(next)
    bytes += size
  }
  return batch
}

function bytesOf(batch: readonly Waiting[]): number {
  return batch.reduce((sum, { item }) => sum + sizeOf(item), 0)
}

function sizeOf(item: CommitItem): number {
  if (item.kind === 'transaction') return item.served.body.length
  return item.contracts.reduce((sum, { row }) => sum + row.event.length, 0)
}
