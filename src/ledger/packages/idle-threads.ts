// Threads that have done their task and wait for the next one, for a while. Apart from what starts them, so that a node
// that stops need not load that.
import type { Worker } from 'node:worker_threads'
import { ifStillRunningAfter } from '../../base/clock.ts'

const idleMs = 10_000

/** A thread that has opened large packages keeps their garbage as long as it is there, so it ends sooner. */
const largeIdleMs = 2_000
const largeHeapBytes = 64 * 1024 * 1024

type Idle = { readonly worker: Worker }
let idle: Idle[] = []

/** The thread that was used last, so that the others may end. */
export function takeIdleThread(): Worker | undefined {
  const worker = idle.pop()?.worker
  if (worker === undefined) return undefined
  stopListening(worker)
  worker.ref()
  return worker
}

export const hasIdleThread = (): boolean => idle.length > 0

/** Removes our listeners; Node has others of its own. */
export function stopListening(worker: Worker): void {
  for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event)
}

export function keepThread(worker: Worker): void {
  const entry: Idle = { worker }
  const drop = (): void => {
    idle = idle.filter((other) => other !== entry)
  }
  worker.unref() // A process that has nothing else to do ends.
  for (const event of ['error', 'exit']) worker.on(event, drop)
  const end = (): void => {
    if (!idle.includes(entry)) return
    drop()
    void worker.terminate()
  }
  idle.push(entry)
  ifStillRunningAfter(largeIdleMs, () => {
    if (idle.includes(entry)) void isLarge(worker).then((large) => large && end())
  })
  ifStillRunningAfter(idleMs, end)
}

async function isLarge(worker: Worker): Promise<boolean> {
  const heap = await worker.getHeapStatistics().catch(() => undefined) // It may have ended.
  return heap !== undefined && heap.total_heap_size > largeHeapBytes
}

/** Called when a node with threads of its own stops: a process that exits with threads in it may wait for them. */
export async function endIdleThreads(): Promise<void> {
  const ended = idle
  idle = []
  await Promise.all(ended.map(({ worker }) => worker.terminate()))
}
