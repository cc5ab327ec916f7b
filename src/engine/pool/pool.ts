// Evaluation in worker threads, seen from the main thread. A request costs the main thread one message each way, and
// can harm at most the thread it runs in.
//
// Requests queue here, not in the threads: a thread holds a few, to keep it busy. scheduling-policy.ts decides which is
// served when and which is preempted; the pool carries that out.
//
// Evaluation asks for what it needs of the ledger while it runs; its thread waits for the answer.
import type { Clock, Timer } from '../../base/clock.ts'
import { LedgerError } from '../../base/errors.ts'
import { tooMuch } from '../failures/steps.ts'
import type { InterpretationRequest, Preferences } from '../interpreter.ts'
import { alone, type LedgerAccess, lookUp } from '../ledger-access.ts'
import type { ViewRequest, ViewResult } from '../requests/interface-views.ts'
import type { ElementsRequest } from '../requests/protobuf-elements.ts'
import { refusalOf } from '../requests/refusal.ts'
import type { PlanValues } from '../requests/value-plans.ts'
import { type PackedResult, packRequest, type ServedInterpretation, unpackResult } from './interpretation-messages.ts'
import type { Answer, Asked, Effort, FromWorker, NumberedWork, Outcome, Result, Work } from './messages.ts'
import type { EngineCounts } from './pool-metrics.ts'
import { createSchedulingPolicy } from './scheduling-policy.ts'
import type { ThreadSettings } from './thread.ts'
import { createThreadSet, type Thread as ThreadOf } from './thread-set.ts'
import { viewsInTurns } from './view-turns.ts'

export type EnginePoolSettings = ThreadSettings & {
  /** Threads for short requests; as many more start for long ones when there are any. */
  readonly threads: number
  /** Maximum number of requests that wait for a thread; one more is refused. */
  readonly queueMax: number
  readonly ledger: LedgerAccess
  readonly clock: Clock
}

/** Evaluation for one ledger. */
export type LedgerEngine = {
  /** For interfaces. Holds for all later requests; replaces earlier preferences. */
  prefer(byName: Preferences): void
  /**
   * Throws a LedgerError for a refusal, and the signal's reason when it is aborted. Clients share the threads: `client`
   * names the caller.
   */
  interpret(request: InterpretationRequest, signal?: AbortSignal, client?: string): Promise<ServedInterpretation>
  /** In the order of the requests. A failed view is a result of its own; the budgets hold for each view. */
  views(requests: readonly ViewRequest[], signal?: AbortSignal): Promise<readonly ViewResult[]>
  /** Elements of answers as protobuf, each in the frame of gRPC. */
  render(request: ElementsRequest, signal?: AbortSignal): Promise<Uint8Array>
  /** How the values of these templates and choices are rendered. */
  plans(names: readonly string[], signal?: AbortSignal): Promise<ReturnType<PlanValues>>
}

export type EnginePool = LedgerEngine &
  AsyncDisposable & {
    counts(): EngineCounts
    /** The same threads, with the packages that they have compiled, for another ledger; until it is disposed. */
    over(ledger: LedgerAccess): LedgerEngine & Disposable
  }

type Task = {
  readonly number: number
  readonly work: NumberedWork
  readonly access: LedgerAccess
  readonly client: string
  /** How often it was preempted. */
  stops: number
  /** Whether a thread ran out of memory with it. */
  hasLostThread: boolean
  isSettled: boolean
  resolve(result: Result): void
  reject(error: unknown): void
  /** Aborts it; undefined if nobody can. */
  readonly abortion: { readonly signal: AbortSignal; onAbort(): void } | undefined
}

type Thread = ThreadOf<Task>

const tickMs = 5
/** A thread watches its own time; one that overruns by this much cannot be interrupted, and is ended. */
const graceMs = 250
/** The number of the ledger in the settings. */
const firstLedger = 0
/** The client name for all readers of views. */
const readers = 'views'

export function openEnginePool(settings: EnginePoolSettings): EnginePool {
  const { threads: quickThreads, queueMax, ledger, clock, ...threadSettings } = settings
  const { wallClockMs } = settings
  /** Quick ones, as many for long requests, and as many that are stuck. */
  const threadsMax = 3 * quickThreads
  const policy = createSchedulingPolicy<Task>({ queueMax })
  const threads = createThreadSet<Task>(threadSettings, clock, { hear, lose })
  let nextNumber = 0
  let lastLedger = firstLedger
  let tick: Timer | undefined
  let isDispatchingSoon = false
  let isClosed = false
  const requests = new Map<string, number>()
  let busyMs = 0
  let lostThreads = 0
  const effort = { steps: 0, compileMs: 0, compiledCharacters: 0 }

  // ── Threads

  function end(thread: Thread, reason: Error, toTell?: Error): void {
    lose(thread, reason, toTell)
    void thread.terminate()
  }

  /** Fits into 32 bits, and is reused only when its last use is long over. */
  function newNumber(): number {
    nextNumber = nextNumber === 2 ** 31 - 1 ? 1 : nextNumber + 1
    return nextNumber
  }

  function hear(thread: Thread, message: FromWorker): void {
    if (message.kind === 'question') void answer(thread, message)
    else if (message.kind === 'ready') {
      threads.started(thread)
      dispatch()
    } else {
      const tookMs = sinceCharged(thread)
      busyMs += tookMs
      note(message.effort)
      const eachMs = tookMs / message.outcomes.length
      for (const outcome of message.outcomes) endRequest(thread, outcome, eachMs)
      if (thread.lane === 'long' && thread.inHand.length === 0) threads.endWhenIdle(thread)
      dispatch()
    }
  }

  function note({ steps, compileMs, compiledCharacters }: Effort): void {
    effort.steps += steps
    effort.compileMs += compileMs
    effort.compiledCharacters += compiledCharacters
  }

  /** Charges the time since the last charge to the client of the running request. */
  function chargeRunning(thread: Thread): void {
    const [running] = thread.inHand
    if (running === undefined) return
    const tookMs = sinceCharged(thread)
    busyMs += tookMs
    policy.charge(running.client, tookMs)
  }

  function sinceCharged(thread: Thread): number {
    const nowMs = clock.elapsedMs()
    const sinceMs = nowMs - thread.chargedMs
    thread.chargedMs = nowMs
    return sinceMs
  }

  function endRequest(thread: Thread, outcome: Outcome, tookMs: number): void {
    const index = thread.inHand.findIndex((task) => task.number === outcome.number)
    if (index < 0) return // The request was given back, and another thread answers it.
    const [task] = thread.inHand.splice(index, 1)
    const ended = `${task!.work.kind} ${outcome.kind}`
    requests.set(ended, (requests.get(ended) ?? 0) + 1)
    policy.charge(task!.client, tookMs)
    thread.sinceMs = clock.elapsedMs()
    thread.waitedMs = 0
    thread.asking = undefined
    thread.isBurning = false
    thread.stoppingMs = undefined
    if (outcome.kind === 'stopped' && !task!.isSettled) {
      task!.stops += 1
      policy.giveBack([task!])
    } else settle(task!, outcome)
  }

  /** The request fails with what the ledger throws. */
  async function answer(thread: Thread, { number, asked, question }: Asked): Promise<void> {
    const task = thread.inHand.find((other) => other.number === number)
    if (task === undefined || task.isSettled) return thread.answer({ asked, stop: true })
    thread.asking = { asked, sinceMs: clock.elapsedMs() }
    try {
      reply(thread, { asked, found: await lookUp(question, task.access) })
    } catch (error) {
      finish(task, () => task.reject(error))
      reply(thread, { asked, stop: true })
    }
  }

  /** Does nothing if the thread no longer waits for it. */
  function reply(thread: Thread, message: Answer): void {
    if (thread.asking?.asked !== message.asked) return
    thread.answer(message)
    thread.waitedMs += clock.elapsedMs() - thread.asking.sinceMs
    thread.asking = undefined
  }

  /** The thread is gone, and with it its running request; those it had not begun go to other threads. */
  function lose(thread: Thread, reason: Error, toTell = reasonOf(reason)): void {
    if (!threads.remove(thread, reason)) return
    const all = thread.inHand.splice(0)
    // It may not have reported all that it finished; those requests run again.
    const running = all.find(({ number }) => number === thread.running()) ?? all[0]
    if (running !== undefined) policy.noteBurning(running.client, clock.elapsedMs())
    if (running !== undefined && mayRunAgain(running, reason)) {
      running.hasLostThread = true
      running.stops += 1
    } else if (running !== undefined) finish(running, () => running.reject(toTell))
    policy.giveBack(all.filter((task) => !task.isSettled))
    if (isClosed) return
    lostThreads += 1
    const broken = threads.broken()
    if (broken !== undefined) rejectWaiting(broken)
    else if (threads.mayStart() && thread.lane === 'quick') threads.start('quick', running?.client)
    dispatch()
  }

  /** The heap may have been full of what the request before it had left: once more, in a thread for long requests. */
  function mayRunAgain(task: Task, reason: Error): boolean {
    return isOutOfMemory(reason) && !task.hasLostThread && !isClosed
  }

  // ── Requests

  function finish(task: Task, tell: () => void): void {
    if (task.isSettled) return
    task.isSettled = true
    task.abortion?.signal.removeEventListener('abort', task.abortion.onAbort)
    tell()
  }

  function rejectWaiting(error: Error): void {
    for (const task of policy.drain()) finish(task, () => task.reject(error))
  }

  function settle(task: Task, outcome: Outcome): void {
    finish(task, () => {
      if (outcome.kind === 'answer') task.resolve(outcome.result)
      else if (outcome.kind === 'refusal') {
        task.reject(new LedgerError(outcome.code, outcome.message, outcome.details))
      } else task.reject(new Error(outcome.kind === 'bug' ? outcome.stack : 'the engine did not answer'))
    })
  }

  /** Hands waiting requests to threads. */
  function dispatch(): void {
    for (const [state, tasks] of policy.handOut(threads.all(), clock.elapsedMs())) {
      const thread = state as Thread
      if (thread.inHand.length === 0) thread.sinceMs = thread.chargedMs = clock.elapsedMs()
      if (thread.lane === 'long') thread.isBurning = true
      for (const task of tasks) {
        thread.inHand.push(task)
        thread.allow(task.number)
      }
      thread.send({ kind: 'work', requests: tasks.map(({ work }) => work) })
    }
    if (mayStartLong() && policy.wantsLongThread(threads.all())) threads.start('long')
    if (tick === undefined && threads.all().some((thread) => thread.inHand.length > 0))
      tick = clock.after(tickMs, watch)
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
    for (const thread of threads.all()) {
      if (thread.inHand.length === 0) continue
      chargeRunning(thread)
      if (nowMs - thread.sinceMs > wallClockMs + graceMs) {
        end(thread, new Error('a thread of the engine took too long'), refusalOf(tooMuch('needs more time')))
      }
    }
    for (const { inHand } of policy.burning(threads.all(), nowMs)) policy.noteBurning(inHand[0]!.client, nowMs)
    for (const thread of policy.toGiveBack(threads.all(), nowMs)) yieldOthers(thread as Thread)
    for (const thread of policy.toStop(threads.all(), nowMs)) {
      ;(thread as Thread).stoppingMs = nowMs
      ;(thread as Thread).stop(thread.inHand[0]!.number)
    }
    replaceStuck(nowMs)
    dispatch()
  }

  function replaceStuck(nowMs: number): void {
    if (!threads.mayStart() || threads.all().length >= threadsMax) return
    const stuck = policy.toReplace(threads.all(), nowMs) as Thread | undefined
    if (stuck === undefined) return
    stuck.lane = 'long'
    threads.start('quick', stuck.inHand[0]?.client)
  }

  const longThreads = () => threads.all().filter(({ lane }) => lane === 'long').length

  function mayStartLong(): boolean {
    return !isClosed && threads.mayStart() && longThreads() < quickThreads
  }

  function yieldOthers(thread: Thread): void {
    thread.isBurning = true
    const others = thread.inHand.splice(1)
    if (others.length === 0) return
    thread.send({ kind: 'drop', numbers: others.map(({ number }) => number) })
    policy.giveBack(others)
  }

  function cancel(task: Task, reason: unknown): void {
    finish(task, () => task.reject(reason))
    for (const thread of threads.all()) if (thread.inHand[0] === task) thread.stop(task.number)
  }

  type Asking = { readonly ledger: number; readonly access: LedgerAccess }

  /** Throws if it is refused at once. */
  function submit(
    work: Work,
    { ledger, access }: Asking,
    client: string,
    signal: AbortSignal | undefined,
  ): Promise<Result> {
    signal?.throwIfAborted()
    if (isClosed) throw closed()
    const broken = threads.broken()
    if (broken !== undefined) throw broken
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    const number = newNumber()
    const task: Task = {
      number,
      work: { ...work, number, ledger },
      access,
      client,
      stops: 0,
      hasLostThread: false,
      isSettled: false,
      resolve,
      reject,
      abortion: signal && { signal, onAbort: () => cancel(task, signal.reason) },
    }
    if (task.abortion !== undefined) signal!.addEventListener('abort', task.abortion.onAbort, { once: true })
    const refused = policy.add(task)
    if (refused !== undefined) finish(refused, () => refused.reject(overloaded()))
    dispatchSoon()
    return promise
  }

  function engineOf(asking: Asking): LedgerEngine {
    return {
      prefer: (byName) => threads.prefer(asking.ledger, byName),
      async interpret(request, signal, client = '') {
        const work: Work = { kind: 'interpret', request: packRequest(request) }
        return unpackResult((await submit(work, asking, client, signal)) as PackedResult)
      },
      async render(request, signal) {
        return (await submit({ kind: 'render', request }, asking, readers, signal)) as Uint8Array
      },
      async plans(names, signal) {
        return (await submit({ kind: 'plans', names }, asking, readers, signal)) as ReturnType<PlanValues>
      },
      views(requests, signal) {
        return viewsInTurns(requests, async (turn) => {
          const sent = turn.map((request) => ({ ...request, blob: alone(request.blob) }))
          return (await submit({ kind: 'views', requests: sent }, asking, readers, signal)) as readonly ViewResult[]
        })
      },
    }
  }

  for (let count = 0; count < quickThreads; count += 1) threads.start('quick')

  return {
    counts() {
      const all = threads.all()
      return {
        ...effort,
        ...{ busyMs, lostThreads, requests },
        waiting: policy.waiting(),
        inHand: all.reduce((sum, { inHand }) => sum + inHand.length, 0),
        threads: { quick: all.length - longThreads(), long: longThreads() },
      }
    },

    ...engineOf({ ledger: firstLedger, access: ledger }),

    over(access) {
      lastLedger += 1
      const ledger = lastLedger
      return { ...engineOf({ ledger, access }), [Symbol.dispose]: () => threads.forget(ledger) }
    },

    async [Symbol.asyncDispose]() {
      isClosed = true
      tick?.cancel()
      const closing = closed()
      const all = threads.all()
      for (const thread of all) lose(thread, closing)
      rejectWaiting(closing)
      await Promise.all(all.map((thread) => thread.terminate()))
    },
  }
}

function reasonOf(error: Error): Error {
  return isOutOfMemory(error) ? refusalOf(tooMuch('needs more memory')) : error
}

function isOutOfMemory(error: Error): boolean {
  return (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY'
}

function overloaded(): LedgerError {
  return new LedgerError('PARTICIPANT_BACKPRESSURE', 'The participant is overloaded: too many commands wait')
}

function closed(): LedgerError {
  return new LedgerError('SERVICE_NOT_RUNNING', 'the engine is closed')
}
