// One worker thread as the pool handles it: messages to it, the shared memory that stops it while it runs, and the way
// its questions are answered.
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { confinedThread } from '../../base/thread-sandbox.ts'
import type { InterpreterLimits } from '../interpreter.ts'
import { type Answer, type FromWorker, signals, type ToWorker, type WorkerSettings } from './messages.ts'

export type ThreadSettings = {
  /** Recursion in Daml is recursion in JavaScript: 64 MB hold several hundred thousand calls. */
  readonly stackMb: number
  readonly heapMb: number
  readonly stepsMax: number
  readonly wallClockMs: number
  /** Whether the process may end while the thread is there. */
  readonly isDetached?: boolean
} & InterpreterLimits

export type WorkerThread = {
  send(message: ToWorker): void
  answer(answer: Answer): void
  /** Ends the request if it is running, also while it waits for an answer. */
  stop(number: number): void
  /** The request that is running, or ran last; known even when the thread is gone. */
  running(): number
  terminate(): Promise<number>
}

export type ThreadEvents = { hear(message: FromWorker): void; lose(reason: Error): void }

export function startThread(
  { stackMb, heapMb, isDetached, ...settings }: ThreadSettings,
  events: ThreadEvents,
): WorkerThread {
  const { memory, answers, close, ...reaching } = reachWhileEvaluating()
  const worker = new Worker(
    new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.mjs', import.meta.url),
    {
      name: 'engine',
      workerData: { ...settings, signals: memory, answers } satisfies WorkerSettings,
      transferList: [answers],
      ...confinedThread,
      resourceLimits: { stackSizeMb: stackMb, maxOldGenerationSizeMb: heapMb },
    },
  )
  worker.on('message', events.hear)
  worker.on('error', (error) => {
    events.lose(error as Error)
    void worker.terminate() // A confined thread may not end itself.
  })
  worker.on('exit', (code) => events.lose(new Error(`a thread of the engine ended with ${code}`)))
  if (isDetached) worker.unref()
  return {
    ...reaching,
    send: (message) => worker.postMessage(message),
    terminate() {
      close()
      return worker.terminate()
    },
  }
}

export type Reaching = Pick<WorkerThread, 'answer' | 'stop' | 'running'> & {
  /** These two are for the thread. */
  readonly memory: SharedArrayBuffer
  readonly answers: MessagePort
  close(): void
}

/** The ways to a thread while it evaluates, and takes no messages. */
export function reachWhileEvaluating(): Reaching {
  const memory = new SharedArrayBuffer(signals.count * Int32Array.BYTES_PER_ELEMENT)
  const shared = new Int32Array(memory)
  const { port1: answering, port2: answers } = new MessageChannel()

  function wake(): void {
    Atomics.add(shared, signals.wakeUps, 1)
    Atomics.notify(shared, signals.wakeUps)
  }

  return {
    memory,
    answers,
    answer(answer) {
      answering.postMessage(answer)
      wake()
    },
    stop(number) {
      Atomics.store(shared, signals.toStop, number)
      wake()
    },
    running: () => Atomics.load(shared, signals.running),
    close: () => answering.close(),
  }
}
