// A script's thread as the main thread handles it. A script that takes too long, or too much memory, ends with its thread.
import { Worker } from 'node:worker_threads'
import type { Clock, Timer } from '../base/clock.ts'
import { compiledThread } from '../base/thread-code.ts'
import { confinedThread } from '../base/thread-sandbox.ts'
import type { Counts, Point } from '../engine/compile/coverage.ts'
import { reachWhileEvaluating } from '../engine/pool/thread.ts'
import type { Frame } from './failures.ts'
import type {
  Dalfs,
  FromScriptThread,
  ScriptOrder,
  ScriptOutcome,
  ScriptThreadSettings,
  ToScriptThread,
} from './messages.ts'
import type { Call } from './participants.ts'
import { createEvaluations, type EvaluatingThread } from './script-engine.ts'

/** It evaluates only if it was opened for that. */
export type ScriptThread = AsyncDisposable &
  EvaluatingThread & {
    /** Gives it the packages, if it was opened without them. */
    load(dalfs: Dalfs): void
    /** One script at a time. */
    run(order: ScriptOrder, surroundings: RunSurroundings): Promise<ScriptOutcome>
    /** All points of the covered packages. Throws if it takes more memory than a script may. */
    survey(): Promise<readonly Point[]>
    /** False once a script has ended the thread. */
    isAlive(): boolean
  }

export type RunSurroundings = {
  readonly call: Call
  /** Settles when the participants answer. The script begins before, and its time-out counts from then. */
  readonly ready?: Promise<unknown>
  onTrace(text: string): void
  /** Gets what covered code counted. */
  readonly onCounts?: ((counts: Counts) => void) | undefined
  readonly timeOutMs: number
}

type ThreadLimits = {
  /** Recursion in Daml is recursion in JavaScript. */
  readonly stackMb: number
  readonly heapMb: number
  readonly stepsMax: number
  readonly transactionBytesMax?: number
}

type Purpose = {
  /** Packages whose code counts what it comes to. */
  readonly covered?: readonly string[] | undefined
  /** Whether it also evaluates the commands of the script's ledger. */
  readonly evaluatesCommands?: boolean
}

type Running = {
  readonly surroundings: RunSurroundings
  readonly ended: PromiseWithResolvers<ScriptOutcome>
  begin(): void
  /** The last question, for scripts that do not end. */
  question: string | undefined
  frames: readonly Frame[]
}

/** The packages may come later: a thread takes time to start. */
export function openScriptThread(
  dalfs: Dalfs | undefined,
  { stackMb, heapMb, stepsMax, transactionBytesMax }: ThreadLimits,
  clock: Clock,
  { covered, evaluatesCommands = false }: Purpose = {},
): ScriptThread {
  const { memory, answers, answer, close } = reachWhileEvaluating()
  const commands = evaluatesCommands ? { signals: memory, answers, transactionBytesMax } : undefined
  const file = new URL(import.meta.url.endsWith('.ts') ? './script-thread.ts' : './script-thread.mjs', import.meta.url)
  const settings: ScriptThreadSettings = { stepsMax, covered, commands }
  const worker = new Worker(file, {
    name: 'script',
    workerData: { ...settings, compiled: compiledThread(file) },
    transferList: evaluatesCommands ? [answers] : [],
    ...confinedThread,
    resourceLimits: { stackSizeMb: stackMb, maxOldGenerationSizeMb: heapMb },
  })
  let isAlive = true
  let running: Running | undefined
  let surveying: PromiseWithResolvers<readonly Point[]> | undefined

  const send = (message: ToScriptThread) => worker.postMessage(message)
  const load = (dalfs: Dalfs) => send({ kind: 'packages', dalfs })
  if (dalfs !== undefined) load(dalfs)
  const tell: ScriptThread['tell'] = (message) => send({ kind: 'evaluation', message })
  const evaluations = createEvaluations({ send: tell, answer })

  function end(message: string): void {
    isAlive = false
    close()
    evaluations.end()
    surveying?.reject(new Error(message))
    const { question, frames = [] } = running ?? {}
    const last = question === undefined ? '' : `; its last question was ${question.split(' ')[0]}`
    const place = { question: undefined, frames, definition: undefined, location: undefined, context: {} }
    running?.ended.resolve({ kind: 'failed', failure: { message: `${message}${last}`, ...place } })
  }

  function hear(message: FromScriptThread): void {
    if (message.kind === 'surveyed') return surveying?.resolve(message.points)
    if (message.kind === 'evaluation') return evaluations.hear(message.message)
    if (running === undefined) return
    switch (message.kind) {
      case 'begun':
        void whenReady(running)
        return
      case 'call': {
        const { number } = message
        running.surroundings.call(message.request).then(
          (answer) => send({ kind: 'answer', number, answer }),
          (error: Error) => send({ kind: 'no-answer', number, reason: error.message }),
        )
        return
      }
      case 'traces':
        message.texts.forEach(running.surroundings.onTrace)
        return
      case 'counts':
        running.surroundings.onCounts?.(message.counts)
        return
      case 'question':
        running.question = message.question
        running.frames = message.frames
        return
      case 'ended':
        running.ended.resolve(message.outcome)
    }
  }

  async function whenReady(present: Running): Promise<void> {
    const isReady = await present.surroundings.ready?.then(
      () => true,
      () => false,
    )
    if (isReady !== false && running === present) present.begin()
  }

  worker.on('message', hear)
  worker.on('error', (error: Error & { code?: string }) => {
    const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    end(isMemory ? `the script needs more than ${heapMb} MB of memory` : `the script's thread ended: ${error.message}`)
    void worker.terminate()
  })
  worker.on('exit', () => end("the script's thread ended"))

  return {
    load,
    isAlive: () => isAlive,
    tell,
    evaluate: evaluations.evaluate,
    survey() {
      surveying = Promise.withResolvers()
      send({ kind: 'survey' })
      return surveying.promise
    },
    async run(order, surroundings) {
      let timer: Timer | undefined
      const present: Running = {
        surroundings,
        ended: Promise.withResolvers(),
        begin() {
          timer = clock.after(surroundings.timeOutMs, () => {
            end(`the script has not ended after ${surroundings.timeOutMs / 1000} s`)
            void worker.terminate()
          })
        },
        question: undefined,
        frames: [],
      }
      running = present
      try {
        send({ kind: 'run', order })
        return await present.ended.promise
      } finally {
        timer?.cancel()
        running = undefined
      }
    },
    async [Symbol.asyncDispose]() {
      isAlive = false
      await worker.terminate()
    },
  }
}
