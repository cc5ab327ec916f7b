// The threads that read large packages, so that nothing else waits, and so that one that runs out of memory does no harm
// to the node. A thread stays for a while after its task: a new one would take longer to start and to warm up than most
// packages take to read.
import { Worker } from 'node:worker_threads'
import { ifStillRunningAfter } from '../../base/clock.ts'
import { confinedThread } from '../../base/confinement.ts'
import type { FromPackageThread, ToPackageThread } from './package-tasks.ts'

type FinalMessage = Exclude<FromPackageThread, { kind: 'packages' | 'progress' }>

/** Hears what the thread says before it is done; an error ends the task. */
type Hear = (message: FromPackageThread, answer: (message: ToPackageThread) => void) => void | Promise<void>

const heapMb = 2_048
/** Expressions nest up to the archive's limits, and types further. */
const stackMb = 64
/** Each may use its thread's whole heap, and a processor for seconds. */
const threadsMax = 2
const idleMs = 10_000

const idle: Worker[] = []
const waiting: (() => void)[] = []
let busy = 0

/** Does the task in a thread, when one is free. Rejects if the thread ends before it is done. */
export async function doInPackageThread(task: ToPackageThread, hear: Hear = () => {}): Promise<FinalMessage> {
  if (busy === threadsMax) await new Promise<void>((resolve) => waiting.push(resolve))
  else busy += 1
  const worker = idle.pop() ?? startThread()
  worker.ref()
  let isDone = false
  try {
    return await new Promise<FinalMessage>((resolve, reject) => {
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
    for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event)
    if (isDone) keep(worker)
    else await worker.terminate()
    const next = waiting.shift()
    if (next === undefined) busy -= 1
    else next()
  }
}

function startThread(): Worker {
  const file = import.meta.url.endsWith('.ts') ? './package-thread.ts' : './package-thread.mjs'
  return new Worker(new URL(file, import.meta.url), {
    ...confinedThread,
    resourceLimits: { maxOldGenerationSizeMb: heapMb, stackSizeMb: stackMb },
  })
}

/** The thread that was used last is used first, so that the others may end. */
function keep(worker: Worker): void {
  worker.unref() // The node does not wait for it when it stops.
  for (const event of ['error', 'exit']) worker.on(event, () => drop(worker))
  idle.push(worker)
  const task = (tasks.get(worker) ?? 0) + 1
  tasks.set(worker, task)
  ifStillRunningAfter(idleMs, () => {
    if (tasks.get(worker) === task && drop(worker)) void worker.terminate()
  })
}

/** How many tasks a thread has done. */
const tasks = new WeakMap<Worker, number>()

/** Whether it was idle. */
function drop(worker: Worker): boolean {
  const place = idle.indexOf(worker)
  if (place >= 0) idle.splice(place, 1)
  return place >= 0
}

function isFinal(message: FromPackageThread): message is FinalMessage {
  return message.kind !== 'packages' && message.kind !== 'progress'
}
