// Evaluation in worker threads, seen from the main thread. A request costs it one message each way; what a request does
// can cost at most the thread it runs in.
//
// Requests wait here, not in the threads: a thread has a few in hand to keep it busy, and gives them back once its
// current one turns out to be slow. When slow requests have all threads, the one that began last makes way for those
// that wait, and starts anew when there is room. So whoever asks for little is answered soon, whatever others ask for.
import { Worker } from 'node:worker_threads'
import type { Clock, Timer } from '../base/clock.ts'
import { LedgerError } from '../base/errors.ts'
import type { Interpretation, InterpretationRequest } from './interpreter.ts'
import { refusalOf } from './refusal.ts'
import { tooMuch } from './steps.ts'
import type { FromWorker, ToWorker, WorkerSettings } from './worker-messages.ts'

export type EnginePoolSettings = {
  readonly threads: number
  /** Recursion in Daml is recursion in JavaScript: 64 MB hold several hundred thousand calls. */
  readonly stackMb: number
  readonly heapMb: number
  readonly stepsMax: number
  readonly wallClockMs: number
  /** How many may wait for a thread; one more is refused. */
  readonly queueMax: number
  readonly clock: Clock
}

export type EnginePool = AsyncDisposable & {
  /** Adds packages, given as their dalfs, in every thread. Requests made after it see them. */
  load(packages: readonly { readonly bytes: Uint8Array }[]): Promise<void>
  /** Throws a LedgerError for what is refused, and the signal's reason when it is aborted. */
  interpret(request: InterpretationRequest, signal?: AbortSignal): Promise<Interpretation>
}

type Task = {
  readonly number: number
  readonly request: InterpretationRequest
  /** Was stopped once to make way for others. */
  isSlow: boolean
  isSettled: boolean
  resolve(interpretation: Interpretation): void
  reject(error: unknown): void
}

type Thread = {
  readonly worker: Worker
  readonly toStop: Int32Array
  /** The first is running, the others come after it. */
  readonly inHand: Task[]
  /** When the first of them began. */
  sinceMs: number
  /** Has all packages. */
  isReady: boolean
  /** What its first request was found to be, until it ends. */
  isBurning: boolean
  readonly loads: Map<number, { resolve(): void; reject(error: unknown): void }>
}

/** So many keep a thread from waiting for the main thread. */
const inHandMax = 4
/** What takes longer gives back what waits behind it. */
const patienceMs = 10
/** What takes longer may have to make way. The first run of some code, which compiles it, should not. */
const stopMs = 30
const tickMs = 5
/** A thread watches the time itself, and only what it cannot interrupt is ended with the thread. */
const graceMs = 250
const startsMax = 3
/** The number of no request. */
const nobody = 0

export function openEnginePool(settings: EnginePoolSettings): EnginePool {
  const { clock, queueMax, wallClockMs } = settings
  const dalfs: Uint8Array[] = []
  const waiting: Task[] = []
  /** Those that had to make way. */
  const slow: Task[] = []
  let threads: Thread[] = []
  let nextNumber = 0
  let failedStarts = 0
  let broken: Error | undefined
  let tick: Timer | undefined
  let isClosed = false

  // ── Threads

  function start(): void {
    const stop = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
    const worker = new Worker(
      new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url),
      {
        workerData: { stepsMax: settings.stepsMax, wallClockMs, stop } satisfies WorkerSettings,
        resourceLimits: { stackSizeMb: settings.stackMb, maxOldGenerationSizeMb: settings.heapMb },
      },
    )
    const thread: Thread = {
      worker,
      toStop: new Int32Array(stop),
      inHand: [],
      sinceMs: 0,
      isReady: false,
      isBurning: false,
      loads: new Map(),
    }
    threads.push(thread)
    worker.on('message', (message: FromWorker) => hear(thread, message))
    worker.on('error', (error) => lose(thread, error as Error))
    worker.on('exit', (code) => lose(thread, new Error(`a thread of the engine ended with ${code}`)))
    sendPackages(thread, dalfs).then(
      () => {
        thread.isReady = true
        failedStarts = 0
        dispatch()
      },
      (error) => end(thread, error),
    )
  }

  function end(thread: Thread, reason: Error, toTell?: Error): void {
    lose(thread, reason, toTell)
    void thread.worker.terminate()
  }

  /** Fits into 32 bits, and is used again only when nobody remembers it. */
  function newNumber(): number {
    nextNumber = nextNumber === 2 ** 31 - 1 ? 1 : nextNumber + 1
    return nextNumber
  }

  function send(thread: Thread, message: ToWorker): void {
    thread.worker.postMessage(message)
  }

  function sendPackages(thread: Thread, packages: readonly Uint8Array[]): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const number = newNumber()
    thread.loads.set(number, { resolve, reject })
    send(thread, { kind: 'load', number, dalfs: packages })
    return promise
  }

  function hear(thread: Thread, message: FromWorker): void {
    const { number } = message
    const load = thread.loads.get(number)
    if (load !== undefined) {
      thread.loads.delete(number)
      if (message.kind === 'bug') load.reject(new Error(message.stack))
      else load.resolve()
      return
    }
    const index = thread.inHand.findIndex((task) => task.number === number)
    if (index < 0) return // It was given back, and another thread answers.
    const [task] = thread.inHand.splice(index, 1)
    thread.sinceMs = clock.elapsedMs()
    thread.isBurning = false
    if (message.kind === 'stopped' && !task!.isSettled) {
      task!.isSlow = true
      slow.push(task!)
    } else settle(task!, message)
    dispatch()
  }

  /** The thread is gone, and with it what it was doing; what it had not begun goes to others. */
  function lose(thread: Thread, reason: Error, toTell = reasonOf(reason)): void {
    if (!threads.includes(thread)) return
    threads = threads.filter((other) => other !== thread)
    for (const { reject } of thread.loads.values()) reject(reason)
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

  function settle(task: Task, message: FromWorker): void {
    finish(task, () => {
      if (message.kind === 'answer') task.resolve(message.interpretation)
      else if (message.kind === 'refusal') {
        task.reject(new LedgerError(message.code, message.message, message.details))
      } else task.reject(new Error(message.kind === 'bug' ? message.stack : 'the engine did not answer'))
    })
  }

  /** Gives what waits to threads: what is not known to be slow first, the rest to threads that have nothing to do. */
  function dispatch(): void {
    for (const [queue, most] of [
      [waiting, inHandMax],
      [slow, 1],
    ] as const) {
      for (let task = queue[0]; task !== undefined; task = queue[0]) {
        const thread = task.isSettled ? undefined : freest(most)
        if (thread !== undefined) hand(thread, task)
        else if (!task.isSettled) break
        queue.shift()
      }
    }
    if (tick === undefined && threads.some((thread) => thread.inHand.length > 0)) tick = clock.after(tickMs, watch)
  }

  function hand(thread: Thread, task: Task): void {
    if (thread.inHand.length === 0) thread.sinceMs = clock.elapsedMs()
    if (task.isSlow) thread.isBurning = true
    thread.inHand.push(task)
    Atomics.compareExchange(thread.toStop, 0, task.number, nobody) // It may have been stopped here before.
    send(thread, { kind: 'interpret', number: task.number, request: task.request })
  }

  function freest(most: number): Thread | undefined {
    let best: Thread | undefined
    for (const thread of threads) {
      if (!thread.isReady || thread.isBurning || thread.inHand.length >= (best?.inHand.length ?? most)) continue
      best = thread
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
    send(thread, { kind: 'drop', numbers: others.map(({ number }) => number) })
    waiting.unshift(...others)
  }

  /** When every thread burns and others wait, the one that began last stops for now; it is known to be slow then. */
  function makeWay(nowMs: number): void {
    const ready = threads.filter((thread) => thread.isReady)
    const hasOthers = waiting.some((task) => !task.isSettled)
    if (!hasOthers || ready.length < 2 || ready.some((thread) => !thread.isBurning)) return
    const [last] = ready
      .filter(({ inHand, sinceMs }) => inHand[0]?.isSlow || nowMs - sinceMs > stopMs)
      .sort((a, b) => b.sinceMs - a.sinceMs)
    if (last?.inHand[0] !== undefined) Atomics.store(last.toStop, 0, last.inHand[0].number)
  }

  function cancel(task: Task, reason: unknown): void {
    finish(task, () => task.reject(reason))
    for (const { inHand, toStop } of threads) if (inHand[0] === task) Atomics.store(toStop, 0, task.number)
  }

  for (let count = 0; count < settings.threads; count += 1) start()

  return {
    async load(packages) {
      const added: Uint8Array[] = packages.map(({ bytes }) => bytes.slice()) // A view of more would be copied with all of it.
      const loads = threads.map((thread) => sendPackages(thread, added))
      dalfs.push(...added)
      try {
        // One that has them proves that they can be had; the others get them before any request that follows.
        await Promise.any(loads)
      } catch (error) {
        dalfs.splice(0, dalfs.length, ...dalfs.filter((dalf) => !added.includes(dalf)))
        throw (error as AggregateError).errors[0]
      }
    },

    async interpret(request, signal) {
      signal?.throwIfAborted()
      if (broken !== undefined) throw broken
      if (isClosed) throw new Error('the engine is closed')
      if (waiting.length >= queueMax) {
        throw new LedgerError('PARTICIPANT_BACKPRESSURE', 'The participant is overloaded: too many commands wait')
      }
      const { promise, resolve, reject } = Promise.withResolvers<Interpretation>()
      const task: Task = { number: newNumber(), request, isSlow: false, isSettled: false, resolve, reject }
      const onAbort = () => cancel(task, signal?.reason)
      signal?.addEventListener('abort', onAbort, { once: true })
      waiting.push(task)
      dispatch()
      try {
        return await promise
      } finally {
        signal?.removeEventListener('abort', onAbort)
      }
    },

    async [Symbol.asyncDispose]() {
      isClosed = true
      tick?.cancel()
      const closing = new Error('the engine is closed')
      const all = threads
      for (const thread of all) lose(thread, closing)
      rejectWaiting(closing)
      await Promise.all(all.map(({ worker }) => worker.terminate()))
    },
  }
}

function reasonOf(error: Error): Error {
  const isMemory = (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY'
  return isMemory ? refusalOf(tooMuch('needs more memory')) : error
}
