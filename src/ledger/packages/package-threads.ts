// The threads that read packages, so that nothing else waits, and so that one that runs out of memory does no harm
// to the node. A thread stays for a while after its task: a new one would take longer to start and to warm up than most
// packages take to read.
import { Worker } from 'node:worker_threads'
import { compiledThread } from '../../base/thread-code.ts'
import { confinedThread } from '../../base/thread-sandbox.ts'
import { hasIdleThread, keepThread, stopListening, takeIdleThread } from './idle-threads.ts'
import type { Final, FromPackageThread, OnTheWay, ToPackageThread } from './package-tasks.ts'

/** Hears what the thread says before it is done; an error ends the task. */
type Hear = (message: OnTheWay, answer: (message: ToPackageThread) => void) => void | Promise<void>

const heapMb = 2_048
/** Expressions nest up to the archive's limits, and types further. */
const stackMb = 64
/** Each may use its thread's whole heap, and a processor for seconds. */
const threadsMax = 2

const waiting: (() => void)[] = []
let busy = 0

/** Does the task in a thread, when one is free. Rejects if the thread ends before it is done. */
export async function doInPackageThread(task: ToPackageThread, hear: Hear = () => {}): Promise<Final> {
  if (busy === threadsMax) await new Promise<void>((resolve) => waiting.push(resolve))
  else busy += 1
  const worker = takeIdleThread() ?? startThread()
  let isDone = false
  try {
    return await new Promise<Final>((resolve, reject) => {
      const answer = (message: ToPackageThread): void => worker.postMessage(message)
      worker.on('message', (message: FromPackageThread) => {
        if (isFinal(message)) {
          isDone = true
          resolve(message)
        } else Promise.try(hear, message, answer).catch(reject)
      })
      worker.once('error', reject)
      worker.once('exit', (code) => reject(new Error(`the thread that reads packages ended with ${code}`)))
      answer(task)
    })
  } finally {
    stopListening(worker)
    if (isDone) keepThread(worker)
    else await worker.terminate()
    const next = waiting.shift()
    if (next === undefined) busy -= 1
    else next()
  }
}

/** Starts a thread for a task that is about to come, unless there is one. */
export function expectTask(): void {
  if (busy === 0 && !hasIdleThread()) keepThread(startThread())
}

function startThread(): Worker {
  const file = new URL(
    import.meta.url.endsWith('.ts') ? './package-thread.ts' : './package-thread.mjs',
    import.meta.url,
  )
  return new Worker(file, {
    workerData: { compiled: compiledThread(file) },
    ...confinedThread,
    resourceLimits: { maxOldGenerationSizeMb: heapMb, stackSizeMb: stackMb },
  })
}

const kindsOnTheWay: readonly FromPackageThread['kind'][] = ['packages', 'wanted', 'progress', 'described']

function isFinal(message: FromPackageThread): message is Final {
  return !kindsOnTheWay.includes(message.kind)
}
