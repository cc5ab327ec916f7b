// The pool's threads: starts them, keeps their state, and ends them, also when they have been idle for a while.
import type { Clock, Timer } from '../../base/clock.ts'
import type { Preferences } from '../interpreter.ts'
import { type FromWorker, noRequest } from './messages.ts'
import type { EngineCounts } from './pool-metrics.ts'
import type { Lane, ThreadState } from './scheduling-policy.ts'
import { startThread, type ThreadSettings, type WorkerThread } from './thread.ts'

export type Thread<Task> = WorkerThread & {
  -readonly [Key in keyof ThreadState<Task>]: ThreadState<Task>[Key]
} & {
  readonly inHand: Task[]
  /** The question whose answer it waits for. */
  asking: { readonly questionNumber: number; readonly sinceMs: number } | undefined
  /** The number of the last request that it ended. */
  endedNumber: number
  /** The time up to which its work was charged to clients. */
  chargedMs: number
  /** Ends it when it has been idle for a while. */
  ending: Timer | undefined
}

export type ThreadSet<Task> = {
  /** Called once, before the first thread starts. */
  listen(events: ThreadSetEvents<Task>): void
  all(): readonly Thread<Task>[]
  counts(): Pick<EngineCounts, 'inHand' | 'threads'>
  /** Why no more can be started. */
  broken(): Error | undefined
  /** Does nothing if there are enough; `costBy` is the client that cost the thread that this one replaces. */
  start(lane: Lane, costBy?: string): void
  mayStart(): boolean
  started(thread: Thread<Task>): void
  /** Returns whether it was there: a thread is lost once. */
  remove(thread: Thread<Task>, reason: Error): boolean
  endWhenIdle(thread: Thread<Task>): void
  /** Ends a thread that cannot be interrupted; its request fails with the refusal. */
  end(thread: Thread<Task>, reason: Error, refusal: Error): void
  prefer(ledger: number, byName: Preferences): void
  /** The ledger is closed. */
  forget(ledger: number): void
  isClosed(): boolean
  /** No thread starts from now on, and all are lost. Settles when they have ended. */
  close(reason: Error): Promise<void>
}

export type ThreadSetEvents<Task> = {
  hear(thread: Thread<Task>, message: FromWorker): void
  /** `refusal` is for the running request, if it should not get the reason itself. */
  lose(thread: Thread<Task>, reason: Error, refusal?: Error): void
}

const startsMax = 3
/** A thread for long requests ends after being idle for this long, to free its memory. */
const idleMs = 60_000

/** Milliseconds since the thread's time was last charged; from now on they count as charged. */
export function takeUnchargedMs(thread: Pick<Thread<unknown>, 'chargedMs'>, nowMs: number): number {
  const sinceMs = nowMs - thread.chargedMs
  thread.chargedMs = nowMs
  return sinceMs
}

/** A thread may begin a request before it hears that the request was given back: that number, while it runs. */
export function strayNumber(
  thread: Pick<Thread<{ number: number }>, 'running' | 'endedNumber' | 'inHand'>,
): number | undefined {
  const number = thread.running()
  const isKnown = number === thread.endedNumber || thread.inHand.some((task) => task.number === number)
  return isKnown ? undefined : number
}

export function createThreadSet<Task extends { readonly number: number }>(
  settings: ThreadSettings,
  clock: Clock,
  startWorker = startThread,
): ThreadSet<Task> {
  let events: ThreadSetEvents<Task>
  let threads: Thread<Task>[] = []
  /** By the number of their ledger. */
  const preferences = new Map<number, Preferences>()
  /** Consecutive ones. */
  let failedStarts = 0
  let broken: Error | undefined
  let isClosed = false

  return {
    listen(handlers) {
      events = handlers
    },
    all: () => threads,
    counts() {
      const long = threads.filter(({ lane }) => lane === 'long').length
      return {
        inHand: threads.reduce((sum, { inHand }) => sum + inHand.length, 0),
        threads: { quick: threads.length - long, long },
      }
    },
    broken: () => broken,
    mayStart: () => !isClosed && failedStarts < startsMax,

    start(lane, costBy) {
      const worker = startWorker(settings, {
        hear: (message) => events.hear(thread, message),
        lose: (reason) => events.lose(thread, reason),
      })
      const thread: Thread<Task> = {
        ...worker,
        lane,
        inHand: [],
        sinceMs: 0,
        waitedMs: 0,
        chargedMs: 0,
        endedNumber: noRequest,
        asking: undefined,
        isReady: false,
        costBy,
        isBurning: false,
        stoppingMs: undefined,
        ending: undefined,
      }
      threads.push(thread)
      for (const [ledger, byName] of preferences) thread.send({ kind: 'prefer', ledger, byName })
    },

    started(thread) {
      thread.isReady = true
      failedStarts = 0
    },

    remove(thread, reason) {
      if (!threads.includes(thread)) return false
      threads = threads.filter((other) => other !== thread)
      thread.asking = undefined
      thread.ending?.cancel()
      if (!thread.isReady) failedStarts += 1
      if (failedStarts >= startsMax && threads.length === 0) {
        broken = new Error('the threads of the engine do not start', { cause: reason })
      }
      return true
    },

    endWhenIdle(thread) {
      thread.ending?.cancel()
      thread.ending = clock.after(idleMs, () => {
        if (thread.inHand.length > 0 || !threads.includes(thread)) return
        threads = threads.filter((other) => other !== thread)
        void thread.terminate()
      })
    },

    end(thread, reason, refusal) {
      events.lose(thread, reason, refusal)
      void thread.terminate()
    },

    prefer(ledger, byName) {
      preferences.set(ledger, byName)
      for (const thread of threads) thread.send({ kind: 'prefer', ledger, byName })
    },

    forget(ledger) {
      if (!preferences.delete(ledger)) return
      for (const thread of threads) thread.send({ kind: 'forget', ledger })
    },

    isClosed: () => isClosed,

    async close(reason) {
      isClosed = true
      const all = threads
      for (const thread of all) events.lose(thread, reason)
      await Promise.all(all.map((thread) => thread.terminate()))
    },
  }
}
