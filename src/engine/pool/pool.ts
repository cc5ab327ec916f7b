// Evaluation in worker threads, seen from the main thread. A request costs the main thread one message each way, and
// can harm at most the thread it runs in.
//
// Requests queue here, not in the threads: a thread holds a few, to keep it busy. The dispatcher hands them out.
// Evaluation asks for what it needs of the ledger while it runs; its thread waits for the answer.
import type { Clock } from '../../base/clock.ts'
import { LedgerError } from '../../base/errors.ts'
import type { LedgerAccess } from '../ledger-access.ts'
import { createDispatcher } from './dispatcher.ts'
import { createLedgerEngine, type LedgerEngine } from './ledger-engine.ts'
import type { Result, Work } from './messages.ts'
import { createEngineCounters, type EngineCounts } from './pool-metrics.ts'
import { createSchedulingPolicy } from './scheduling-policy.ts'
import { createTask, type NumberedLedger, type Task } from './tasks.ts'
import type { ThreadSettings } from './thread.ts'
import { createThreadEvents } from './thread-events.ts'
import { createThreadSet } from './thread-set.ts'

export type EnginePoolSettings = ThreadSettings & {
  /** Threads for short requests; as many more start for long ones when there are any. */
  readonly threads: number
  /** Maximum number of requests that wait for a thread; one more is refused. */
  readonly queueMax?: number
  readonly ledger: LedgerAccess
  readonly clock: Clock
}

export type EnginePool = LedgerEngine &
  AsyncDisposable & {
    counts(): EngineCounts
    /** The same threads, with the packages that they have compiled, for another ledger; until it is disposed. */
    over(ledger: LedgerAccess): LedgerEngine & Disposable
  }

/** The number of the ledger in the settings. */
const firstLedger = 0

const usualQueueMax = 10_000

export function openEnginePool(settings: EnginePoolSettings): EnginePool {
  const { threads: quickThreads, queueMax = usualQueueMax, ledger, clock, ...threadSettings } = settings
  const { wallClockMs } = threadSettings
  const counters = createEngineCounters()
  const policy = createSchedulingPolicy<Task>({ queueMax })
  const threads = createThreadSet<Task>(threadSettings, clock)
  const dispatcher = createDispatcher({ policy, threads, counters, quickThreads, wallClockMs, clock })
  threads.listen(createThreadEvents({ policy, threads, dispatcher, counters, clock }))
  for (let count = 0; count < quickThreads; count += 1) threads.start('quick')

  let lastLedger = firstLedger

  function submit(ledger: NumberedLedger, work: Work, client: string, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted()
    if (threads.isClosed()) throw closed()
    const broken = threads.broken()
    if (broken !== undefined) throw broken
    const { task, result } = createTask({ work, ledger, client, signal }, dispatcher.cancel)
    dispatcher.submit(task)
    return result
  }

  function engineOf(ledger: NumberedLedger): LedgerEngine {
    return createLedgerEngine({
      prefer: (byName) => threads.prefer(ledger.number, byName),
      submit: (work, client, signal) => submit(ledger, work, client, signal),
    })
  }

  return {
    ...engineOf({ number: firstLedger, access: ledger }),

    over(access) {
      lastLedger += 1
      const number = lastLedger
      return { ...engineOf({ number, access }), [Symbol.dispose]: () => threads.forget(number) }
    },

    counts: () => ({ ...counters.current(), waiting: policy.waiting(), ...threads.counts() }),

    async [Symbol.asyncDispose]() {
      const closing = closed()
      dispatcher.close()
      const ended = threads.close(closing)
      dispatcher.rejectWaiting(closing)
      await ended
    },
  }
}

function closed(): LedgerError {
  return new LedgerError('SERVICE_NOT_RUNNING', 'the engine is closed')
}
