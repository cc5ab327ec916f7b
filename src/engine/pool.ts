// Evaluation in worker threads, seen from the main thread. A request costs it one message each way; what a request does
// can cost at most the thread it runs in.
//
// Requests wait here, not in the threads: a thread has a few in hand to keep it busy, and gives them back once its
// current one turns out to be slow. When slow requests have all threads, the one that began last makes way for those
// that wait, and starts anew when there is room. So whoever asks for little is answered soon, whatever others ask for.
//
// What evaluation needs of the ledger, it asks for while it runs; its thread waits for the answer.
import type { Clock, Timer } from '../base/clock.ts'
import { LedgerError } from '../base/errors.ts'
import type { ViewRequest, ViewResult } from './interface-views.ts'
import { type PackedResult, packRequest, type ServedInterpretation, unpackResult } from './interpretation-messages.ts'
import type { InterpretationRequest, Preferences } from './interpreter.ts'
import { alone, type LedgerAccess, lookUp } from './ledger-access.ts'
import { startThread, type ThreadSettings, type WorkerThread } from './pool-thread.ts'
import { viewsInTurns } from './pool-views.ts'
import { refusalOf } from './refusal.ts'
import { tooMuch } from './steps.ts'
import type { Answer, Asked, FromWorker, NumberedWork, Outcome, Result, Work } from './worker-messages.ts'

export type EnginePoolSettings = ThreadSettings & {
  readonly threads: number
  /** How many may wait for a thread; one more is refused. */
  readonly queueMax: number
  readonly ledger: LedgerAccess
  readonly clock: Clock
}

export type EnginePool = AsyncDisposable & {
  /** For interfaces, and for all requests that follow; replaces what was preferred before. */
  prefer(byName: Preferences): void
  /** Throws a LedgerError for what is refused, and the signal's reason when it is aborted. */
  interpret(request: InterpretationRequest, signal?: AbortSignal): Promise<ServedInterpretation>
  /** In their order. What a single view does wrong is its result; the budgets hold for each. */
  views(requests: readonly ViewRequest[], signal?: AbortSignal): Promise<readonly ViewResult[]>
}

type Task = {
  readonly number: number
  readonly work: NumberedWork
  /** Was stopped once to make way for others. */
  isSlow: boolean
  isSettled: boolean
  resolve(result: Result): void
  reject(error: unknown): void
}

type Thread = WorkerThread & {
  /** The first is running, the others come after it. */
  readonly inHand: Task[]
  /** When the first of them began, and for how long it waited for answers. */
  sinceMs: number
  waitedMs: number
  /** The question it waits for. */
  asking: { readonly asked: number; readonly sinceMs: number } | undefined
  isReady: boolean
  /** What its first request was found to be, until it ends. */
  isBurning: boolean
}

/** So many keep a thread from waiting for the main thread, and let both tell each other several at once. */
const inHandMax = 16
/** What takes longer gives back what waits behind it. */
const patienceMs = 10
/** What takes longer may have to make way. The first run of some code, which compiles it, should not. */
const stopMs = 30
const tickMs = 5
/** A thread watches the time itself, and only what it cannot interrupt is ended with the thread. */
const graceMs = 250
const startsMax = 3
/** Who waits for the ledger hardly burns, and would only have to ask again; but it must not keep a thread for long. */
const waitingShare = 0.1

export function openEnginePool(settings: EnginePoolSettings): EnginePool {
  const { clock, queueMax, wallClockMs, ledger } = settings
  const waiting: Task[] = []
  /** Those that had to make way. */
  const slow: Task[] = []
  let preferences: Preferences = {}
  let threads: Thread[] = []
  let nextNumber = 0
  let failedStarts = 0
  let broken: Error | undefined
  let tick: Timer | undefined
  let isDispatchingSoon = false
  let isClosed = false

  // ── Threads

  function start(): void {
    const { stackMb, heapMb, stepsMax, scriptLengthMax } = settings
    const worker = startThread(
      { stackMb, heapMb, stepsMax, wallClockMs, ...(scriptLengthMax !== undefined && { scriptLengthMax }) },
      { hear: (message) => hear(thread, message), lose: (reason) => lose(thread, reason) },
    )
    const thread: Thread = {
      ...worker,
      inHand: [],
      sinceMs: 0,
      waitedMs: 0,
      asking: undefined,
      isReady: false,
      isBurning: false,
    }
    threads.push(thread)
    thread.send({ kind: 'prefer', byName: preferences })
  }

  function end(thread: Thread, reason: Error, toTell?: Error): void {
    lose(thread, reason, toTell)
    void thread.terminate()
  }

  /** Fits into 32 bits, and is used again only when nobody remembers it. */
  function newNumber(): number {
    nextNumber = nextNumber === 2 ** 31 - 1 ? 1 : nextNumber + 1
    return nextNumber
  }

  function hear(thread: Thread, message: FromWorker): void {
    if (message.kind === 'question') void answer(thread, message)
    else if (message.kind === 'ready') {
      thread.isReady = true
      failedStarts = 0
      dispatch()
    } else {
      for (const outcome of message.outcomes) endRequest(thread, outcome)
      dispatch()
    }
  }

  function endRequest(thread: Thread, outcome: Outcome): void {
    const index = thread.inHand.findIndex((task) => task.number === outcome.number)
    if (index < 0) return // It was given back, and another thread answers.
    const [task] = thread.inHand.splice(index, 1)
    thread.sinceMs = clock.elapsedMs()
    thread.waitedMs = 0
    thread.asking = undefined
    thread.isBurning = false
    if (outcome.kind === 'stopped' && !task!.isSettled) {
      task!.isSlow = true
      slow.push(task!)
    } else settle(task!, outcome)
  }

  /** What the ledger throws is how the request ends. */
  async function answer(thread: Thread, { number, asked, question }: Asked): Promise<void> {
    const task = thread.inHand.find((other) => other.number === number)
    if (task === undefined || task.isSettled) return thread.answer({ asked, stop: true })
    thread.asking = { asked, sinceMs: clock.elapsedMs() }
    try {
      reply(thread, { asked, found: await lookUp(question, ledger) })
    } catch (error) {
      finish(task, () => task.reject(error))
      reply(thread, { asked, stop: true })
    }
  }

  /** Unless the thread has stopped waiting for it. */
  function reply(thread: Thread, message: Answer): void {
    if (thread.asking?.asked !== message.asked) return
    thread.answer(message)
    thread.waitedMs += clock.elapsedMs() - thread.asking.sinceMs
    thread.asking = undefined
  }

  /** The thread is gone, and with it what it was doing; what it had not begun goes to others. */
  function lose(thread: Thread, reason: Error, toTell = reasonOf(reason)): void {
    if (!threads.includes(thread)) return
    threads = threads.filter((other) => other !== thread)
    thread.asking = undefined
    const [running, ...others] = thread.inHand.splice(0)
    if (running !== undefined) finish(running, () => running.reject(toTell))
    waiting.unshift(...others)
    if (isClosed) return
    if (!thread.isReady) failedStarts += 1
    if (failedStarts < startsMax) start()
    else if (threads.length === 0) giveUp(reason)
    dispatch()
  }

  function giveUp(reason: Error): void {
    broken = new Error('the threads of the engine do not start', { cause: reason })
    rejectWaiting(broken)
  }

  // ── Requests

  function finish(task: Task, tell: () => void): void {
    if (task.isSettled) return
    task.isSettled = true
    tell()
  }

  function rejectWaiting(error: Error): void {
    for (const task of [...waiting.splice(0), ...slow.splice(0)]) finish(task, () => task.reject(error))
  }

  function settle(task: Task, outcome: Outcome): void {
    finish(task, () => {
      if (outcome.kind === 'answer') task.resolve(outcome.result)
      else if (outcome.kind === 'refusal') {
        task.reject(new LedgerError(outcome.code, outcome.message, outcome.details))
      } else task.reject(new Error(outcome.kind === 'bug' ? outcome.stack : 'the engine did not answer'))
    })
  }

  /** Gives what waits to threads: what is not known to be slow first, the rest to threads that have nothing to do. */
  function dispatch(): void {
    const handed = new Map<Thread, Task[]>()
    for (const [queue, most] of [
      [waiting, inHandMax],
      [slow, 1],
    ] as const) {
      for (let task = queue[0]; task !== undefined; task = queue[0]) {
        const thread = task.isSettled ? undefined : freest(most)
        if (thread !== undefined) hand(thread, task, handed)
        else if (!task.isSettled) break
        queue.shift()
      }
    }
    for (const [thread, tasks] of handed) {
      thread.send({ kind: 'work', requests: tasks.map(({ work }) => work) })
    }
    if (tick === undefined && threads.some((thread) => thread.inHand.length > 0)) tick = clock.after(tickMs, watch)
  }

  function hand(thread: Thread, task: Task, handed: Map<Thread, Task[]>): void {
    if (thread.inHand.length === 0) thread.sinceMs = clock.elapsedMs()
    if (task.isSlow) thread.isBurning = true
    thread.inHand.push(task)
    thread.allow(task.number)
    const before = handed.get(thread)
    if (before === undefined) handed.set(thread, [task])
    else before.push(task)
  }

  /** At once when a thread has nothing to do; else together with what comes in the same turn of the event loop. */
  function dispatchSoon(): void {
    if (freest(1) !== undefined) return dispatch()
    if (isDispatchingSoon) return
    isDispatchingSoon = true
    setImmediate(() => {
      isDispatchingSoon = false
      dispatch()
    })
  }

  /** One thread is kept for the time when others burn: more threads than needed only wake and sleep in turns. */
  function freest(most: number): Thread | undefined {
    const usable = threads.filter((thread) => thread.isReady && !thread.isBurning)
    const isQuiet = threads.length > 1 && usable.length === threads.length
    let best: Thread | undefined
    for (const thread of isQuiet ? usable.slice(0, -1) : usable) {
      if (thread.inHand.length < (best?.inHand.length ?? most)) best = thread
    }
    return best
  }

  /** While anything runs: who takes long gives back what waits behind it, and who takes too long is ended. */
  function watch(): void {
    tick = undefined
    const nowMs = clock.elapsedMs()
    for (const thread of threads) {
      const [running] = thread.inHand
      if (running === undefined) continue
      const tookMs = nowMs - thread.sinceMs
      if (tookMs > wallClockMs + graceMs) {
        end(thread, new Error('a thread of the engine took too long'), refusalOf(tooMuch('needs more time')))
      } else if (tookMs > patienceMs) yieldOthers(thread)
    }
    makeWay(nowMs)
    dispatch()
  }

  function yieldOthers(thread: Thread): void {
    thread.isBurning = true
    const others = thread.inHand.splice(1)
    if (others.length === 0) return
    thread.send({ kind: 'drop', numbers: others.map(({ number }) => number) })
    waiting.unshift(...others)
  }

  /** When every thread burns and others wait, the one that began last stops for now; it is known to be slow then. */
  function makeWay(nowMs: number): void {
    const ready = threads.filter((thread) => thread.isReady)
    const hasOthers = waiting.some((task) => !task.isSettled)
    if (!hasOthers || ready.length < 2 || ready.some((thread) => !thread.isBurning)) return
    const [last] = ready
      .filter((thread) => thread.inHand[0]?.isSlow || burntMs(thread, nowMs) > stopMs)
      .sort((a, b) => b.sinceMs - a.sinceMs)
    if (last?.inHand[0] !== undefined) last.stop(last.inHand[0].number)
  }

  function burntMs({ sinceMs, waitedMs, asking }: Thread, nowMs: number): number {
    const idleMs = waitedMs + (asking === undefined ? 0 : nowMs - asking.sinceMs)
    return nowMs - sinceMs - idleMs * (1 - waitingShare)
  }

  function cancel(task: Task, reason: unknown): void {
    finish(task, () => task.reject(reason))
    for (const thread of threads) if (thread.inHand[0] === task) thread.stop(task.number)
  }

  async function submit(work: Work, signal: AbortSignal | undefined): Promise<Result> {
    signal?.throwIfAborted()
    if (broken !== undefined) throw broken
    if (isClosed) throw closed()
    if (waiting.length >= queueMax) {
      throw new LedgerError('PARTICIPANT_BACKPRESSURE', 'The participant is overloaded: too many commands wait')
    }
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    const number = newNumber()
    const task: Task = { number, work: { ...work, number }, isSlow: false, isSettled: false, resolve, reject }
    const onAbort = () => cancel(task, signal?.reason)
    signal?.addEventListener('abort', onAbort, { once: true })
    waiting.push(task)
    dispatchSoon()
    try {
      return await promise
    } finally {
      signal?.removeEventListener('abort', onAbort)
    }
  }

  for (let count = 0; count < settings.threads; count += 1) start()

  return {
    prefer(byName) {
      preferences = byName
      for (const thread of threads) thread.send({ kind: 'prefer', byName })
    },

    async interpret(request, signal) {
      return unpackResult((await submit({ kind: 'interpret', request: packRequest(request) }, signal)) as PackedResult)
    },

    views(requests, signal) {
      return viewsInTurns(requests, async (turn) => {
        const sent = turn.map((request) => ({ ...request, blob: alone(request.blob) }))
        return (await submit({ kind: 'views', requests: sent }, signal)) as readonly ViewResult[]
      })
    },

    async [Symbol.asyncDispose]() {
      isClosed = true
      tick?.cancel()
      const closing = closed()
      const all = threads
      for (const thread of all) lose(thread, closing)
      rejectWaiting(closing)
      await Promise.all(all.map((thread) => thread.terminate()))
    },
  }
}

function reasonOf(error: Error): Error {
  const isMemory = (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY'
  return isMemory ? refusalOf(tooMuch('needs more memory')) : error
}

function closed(): LedgerError {
  return new LedgerError('SERVICE_NOT_RUNNING', 'the engine is closed')
}
