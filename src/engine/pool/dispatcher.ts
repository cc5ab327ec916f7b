// Hands requests to threads and watches the threads while they work. scheduling-policy.ts decides which request is
// served when and which is preempted; the dispatcher carries that out.
import type { Clock, Timer } from '../../base/clock.ts'
import { LedgerError } from '../../base/errors.ts'
import { tooMuch } from '../failures/steps.ts'
import { refusalOf } from '../requests/refusal.ts'
import { noRequest } from './messages.ts'
import type { EngineCounters } from './pool-metrics.ts'
import type { SchedulingPolicy } from './scheduling-policy.ts'
import { rejectTask, type Task } from './tasks.ts'
import { strayNumber, type Thread as ThreadOf, type ThreadSet, takeUnchargedMs } from './thread-set.ts'

type Thread = ThreadOf<Task>

export type Dispatcher = {
  submit(task: Task): void
  cancel(task: Task, reason: unknown): void
  /** Hands waiting requests to threads. */
  dispatch(): void
  /** Nothing that waits will be served. */
  rejectWaiting(error: Error): void
  close(): void
}

type Parts = {
  readonly policy: SchedulingPolicy<Task>
  readonly threads: ThreadSet<Task>
  readonly counters: EngineCounters
  /** Threads for short requests; there are as many for long ones, and as many may be stuck. */
  readonly quickThreads: number
  readonly wallClockMs: number
  readonly clock: Clock
}

const tickMs = 5
/** A thread watches its own time; one that overruns by this much cannot be interrupted, and is ended. */
const graceMs = 250

export function createDispatcher({ policy, threads, counters, quickThreads, wallClockMs, clock }: Parts): Dispatcher {
  let tick: Timer | undefined
  let isDispatchingSoon = false
  const nextNumber = createNumbers()

  function dispatch(): void {
    for (const [thread, tasks] of policy.handOut(threads.all(), clock.elapsedMs())) handOver(thread as Thread, tasks)
    if (mayStartLong() && policy.wantsLongThread(threads.all())) threads.start('long')
    if (tick === undefined && threads.all().some((thread) => thread.inHand.length > 0))
      tick = clock.after(tickMs, watch)
  }

  function handOver(thread: Thread, tasks: readonly Task[]): void {
    if (thread.inHand.length === 0) thread.sinceMs = thread.chargedMs = clock.elapsedMs()
    if (thread.lane === 'long') thread.isBurning = true
    for (const task of tasks) task.number = nextNumber()
    thread.inHand.push(...tasks)
    thread.send({ kind: 'work', requests: tasks.map(({ work, number }) => ({ ...work, number })) })
  }

  /** At once when a thread is idle; otherwise batched with what arrives in the same turn of the event loop. */
  function dispatchSoon(): void {
    if (policy.isIdle(threads.all())) return dispatch()
    if (isDispatchingSoon) return
    isDispatchingSoon = true
    setImmediate(() => {
      isDispatchingSoon = false
      dispatch()
    })
  }

  /** Repeats while anything runs: a slow request gives back those behind it, and one that exceeds its time is ended. */
  function watch(): void {
    tick = undefined
    const nowMs = clock.elapsedMs()
    for (const thread of threads.all()) watchTime(thread, nowMs)
    for (const { inHand } of policy.burning(threads.all(), nowMs)) policy.noteBurning(inHand[0]!.client, nowMs)
    for (const thread of policy.toGiveBack(threads.all(), nowMs)) giveBackOthers(thread as Thread)
    for (const thread of policy.toStop(threads.all(), nowMs) as readonly Thread[]) {
      thread.stoppingMs = nowMs
      thread.stop(thread.inHand[0]!.number)
    }
    for (const thread of threads.all()) stopStray(thread)
    replaceStuck(nowMs)
    dispatch()
  }

  /** Charges the running request's client, and ends a thread that is far beyond the time limit of a request. */
  function watchTime(thread: Thread, nowMs: number): void {
    const [running] = thread.inHand
    if (running === undefined) return
    const tookMs = takeUnchargedMs(thread, nowMs)
    counters.noteBusy(tookMs)
    policy.charge(running.client, tookMs)
    if (nowMs - thread.sinceMs <= wallClockMs + graceMs) return
    threads.end(thread, new Error('a thread of the engine took too long'), refusalOf(tooMuch('needs more time')))
  }

  function giveBackOthers(thread: Thread): void {
    thread.isBurning = true
    const others = thread.inHand.splice(1)
    if (others.length === 0) return
    thread.send({ kind: 'drop', numbers: others.map(({ number }) => number) })
    policy.giveBack(others)
  }

  /** Nobody waits for it here, and it would hold up the requests that the thread gets after it. */
  function stopStray(thread: Thread): void {
    const number = strayNumber(thread)
    if (number !== undefined) thread.stop(number)
  }

  function replaceStuck(nowMs: number): void {
    if (!threads.mayStart() || threads.all().length >= 3 * quickThreads) return
    const stuck = policy.toReplace(threads.all(), nowMs) as Thread | undefined
    if (stuck === undefined) return
    stuck.lane = 'long'
    threads.start('quick', stuck.inHand[0]?.client)
  }

  function mayStartLong(): boolean {
    return threads.mayStart() && threads.all().filter(({ lane }) => lane === 'long').length < quickThreads
  }

  return {
    submit(task) {
      const refused = policy.add(task)
      if (refused !== undefined) rejectTask(refused, overloaded())
      dispatchSoon()
    },
    cancel(task, reason) {
      rejectTask(task, reason)
      for (const thread of threads.all()) if (thread.inHand[0] === task) thread.stop(task.number)
    },
    dispatch,
    rejectWaiting(error) {
      for (const task of policy.drain()) rejectTask(task, error)
    },
    close: () => tick?.cancel(),
  }
}

/** Numbers of requests fit into 32 bits; one is reused only when its last use is long over. */
function createNumbers(): () => number {
  let last = noRequest
  return () => {
    last = last === 2 ** 31 - 1 ? noRequest + 1 : last + 1
    return last
  }
}

function overloaded(): LedgerError {
  return new LedgerError('PARTICIPANT_BACKPRESSURE', 'The participant is overloaded: too many commands wait')
}
