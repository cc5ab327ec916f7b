// Group commit: everything that is ready goes into one store transaction, which is on disk before anyone learns of it.
// The next batch gathers while one is written, by this node or another. Users share the bandwidth: a batch takes first
// from those with the fewest bytes so far, and one user's large transactions delay another by at most the one that is
// being written.
import type { Clock } from '../../base/clock.ts'
import { isStoreUnavailable, LedgerError } from '../../base/errors.ts'
import { createFairQueue, createUsage } from '../../base/fair-queue.ts'
import type { Health } from '../../base/health.ts'
import type { Log } from '../../base/log.ts'
import { createMetrics, type Metrics } from '../../base/metrics.ts'
import type { Limits } from '../../base/settings.ts'
import type { Store, TransactionRecords } from '../../store/core/store.ts'
import type { LedgerEnd } from '../model/ledger-end.ts'
import type { LedgerTime } from '../model/ledger-time.ts'
import type { Names } from '../model/name-numbers.ts'
import {
  addWaiting,
  bytesOf,
  isChange,
  sizeOf,
  takeBatch,
  userOf,
  type Waiting,
  type WaitingChange,
  type WaitingItem,
} from './batch.ts'
import { type Committed, commit, commitRejection, decideOne, type Rules } from './commit.ts'
import type { CommitItem, Decision } from './commit-item.ts'
import { createCommitMetrics } from './commit-metrics.ts'
import { commitHosting, type HostingChange } from './hosting-change.ts'
import { LineBusy, type OtherParticipants, type Outcome } from './other-participants.ts'
import { createStoreWriter } from './store-writer.ts'

export type CommitQueue = AsyncDisposable & {
  /** Announces a command until it is enqueued or given up, so that a batch may wait for it briefly. */
  announce(): Disposable
  /** Throws when nothing can be enqueued: the store cannot write, the queue is full, or the node stops. */
  checkOpen(): void
  /** Settles once the decision is on disk and published. */
  enqueue(item: CommitItem): Promise<Decision>
  /** What would be decided if the item were enqueued now. Writes nothing. */
  decide(item: CommitItem): Promise<Decision>
  /**
   * The result of the change, once it is on disk and published. Throws the refusal of the change, and also when the store
   * cannot be reached and nothing was sent to it.
   */
  host<T>(change: HostingChange<T>): Promise<T>
}

type Parts = {
  readonly store: Store
  readonly names: Names
  readonly end: LedgerEnd
  readonly synchronizerId: (number: bigint) => string
  readonly participantId: string
  /** Whether the packages of a command are no longer vetted; asked inside a transaction. */
  readonly vettingProblem?: Rules['vettingProblem']
  /** Undefined for a participant alone. */
  readonly others?: OtherParticipants | undefined
  readonly time: LedgerTime
  readonly clock: Clock
  readonly health: Health
  readonly limits: Pick<Limits, 'commitQueueBytesMax' | 'stopWithinMs'>
  readonly log: Log
  readonly metrics?: Metrics
}

/** Commit at once when this many are waiting; otherwise wait up to `gatherMs` for announced ones. */
const commandsEnough = 32
const gatherMs = 3
/** How long closing waits for a store that does not answer: a part of the time to stop, of which requests have half. */
const closingShare = 0.375

export function createCommitQueue(parts: Parts): CommitQueue {
  const { store, names, end, synchronizerId, participantId, vettingProblem, others } = parts
  const { time, clock, health, limits, log } = parts
  const writer = createStoreWriter({ store, clock, part: health.part('commits', { stopsCommands: true }) })
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

  async function drain(): Promise<void> {
    await undefined // The first command is announced until its caller goes on; nobody waits for itself.
    while (waiting.size > 0) {
      if (!isEnough()) await gather()
      const batch = takeBatch(waiting, usage)
      if (isChange(batch)) await runChange(batch[0])
      else await run(batch, (items) => addWaiting(items, waiting, usage))
      waitingBytes -= bytesOf(batch)
    }
    draining = undefined
  }

  /** Waits briefly for announced commands. */
  async function gather(): Promise<void> {
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

  /** `addMore` is called once nobody else can write: until then, the batch of a node that waits for others grows. */
  async function run(batch: WaitingItem[], addMore?: (batch: WaitingItem[]) => void): Promise<void> {
    try {
      const startedMs = clock.elapsedMs()
      const attempt = (records: TransactionRecords) => {
        addMore?.(batch)
        const items = batch.map(({ item }) => item)
        return commit(items, records, rules())
      }
      const onWritten = (committed: Committed) => {
        for (const held of committed.held ?? []) others!.follow(held, keeping(batch, held.item))
        publish(committed)
      }
      const { decisions } = await writer.write(attempt, onWritten)
      counted.committed(batch.length, bytesOf(batch), clock.elapsedMs() - startedMs)
      for (const [index, { resolve }] of batch.entries()) {
        const decision = decisions[index]
        if (decision !== undefined) resolve(decision)
      }
    } catch (error) {
      if (isStoreUnavailable(error)) for (const { reject } of batch) reject(error)
      // One command that cannot be written must not fail the others.
      else if (batch.length > 1) for (const one of batch) await run([one])
      else await rejectUnwritable(batch[0]!, error)
    }
  }

  /** An item that is published later counts as waiting until then. */
  function keeping(batch: readonly WaitingItem[], item: CommitItem): Outcome {
    const one = batch.find((candidate) => candidate.item === item)!
    const bytes = sizeOf(one)
    waitingBytes += bytes
    return {
      resolve(decision) {
        waitingBytes -= bytes
        one.resolve(decision)
      },
      reject(error) {
        waitingBytes -= bytes
        one.reject(error)
      },
    }
  }

  async function runChange(one: WaitingChange): Promise<void> {
    const { change, resolve, reject } = one
    try {
      const attempt = (records: TransactionRecords) => commitHosting(change, records, { ...rules(), synchronizerId })
      const onWritten = (committed: Committed) => {
        change.written()
        publish(committed)
      }
      const { result } = await writer.write(attempt, onWritten, { isPatient: false })
      resolve(result)
    } catch (error) {
      if (error instanceof LineBusy) others!.whenGiven(() => (isClosed ? reject(shutDown()) : wait(one)))
      else reject(error)
    }
  }

  function rules() {
    return { names, participantId, vettingProblem, others, now: time.now(), end: end.current().offset }
  }

  /** A bug. The client was told that its command was accepted for processing, so it still gets a completion. */
  async function rejectUnwritable({ item, resolve, reject }: WaitingItem, error: unknown): Promise<void> {
    log.error({ submissionId: item.submissionId, stack: (error as Error).stack }, 'a command was not committed')
    const refusal =
      error instanceof LedgerError
        ? error
        : new LedgerError('LEDGER_API_INTERNAL_ERROR', 'The command was not committed')
    try {
      const attempt = (records: TransactionRecords) => commitRejection(item, refusal, records, rules())
      const rejected = await writer.write(attempt, publish)
      resolve(rejected.decisions[0]!)
    } catch {
      reject(error)
    }
  }

  function publish({ state, recordTimes, names: added, deliveries = [] }: Committed): void {
    for (const { name, number } of added) names.learn(name, number)
    const times = [...recordTimes].map(([number, recordTime]) => ({
      synchronizerId: synchronizerId(number),
      recordTime,
    }))
    time.observe(state.publishedAt)
    end.publish({ offset: state.end, synchronizerTimes: times }) // Nothing, after a change that needed no update.
    others?.publish(deliveries)
  }

  function checkOpen(): void {
    if (isClosed) throw shutDown()
    health.checkCommands()
    if (waitingBytes < limits.commitQueueBytesMax) return
    throw new LedgerError(
      'PARTICIPANT_BACKPRESSURE',
      `The participant is overloaded: ${limits.commitQueueBytesMax} bytes of transactions wait to be written`,
    )
  }

  function wait(one: Waiting): void {
    waiting.push(userOf(one), one)
    waitingBytes += sizeOf(one)
    draining ??= drain()
    if (isEnough()) wake?.()
  }

  return {
    decide: (item) => store.transaction((records) => decideOne(item, records, rules())),
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
      wait({ kind: 'item', item, resolve, reject })
      return promise
    },
    async host<T>(change: HostingChange<T>) {
      checkOpen()
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      wait({ kind: 'change', change, resolve: (result) => resolve(result as T), reject })
      return promise
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      const timer = clock.after(closingShare * limits.stopWithinMs, writer.giveUp)
      await draining
      timer.cancel()
    },
  }
}

export function shutDown(): LedgerError {
  return new LedgerError('SERVICE_NOT_RUNNING', 'The participant has been shut down.')
}
