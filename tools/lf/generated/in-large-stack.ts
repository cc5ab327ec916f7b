// Runs a program in a thread with a large stack, as the node does: recursion in Daml is recursion in JavaScript.
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

/** Calls `run` with the arguments of the process; what it returns is the exit code. */
export async function inLargeStack(url: string, run: (args: readonly string[]) => number): Promise<void> {
  if (!isMainThread) {
    parentPort!.postMessage(run(workerData as string[]))
    return
  }
  const thread = new Worker(new URL(url), { workerData: process.argv.slice(2), resourceLimits: { stackSizeMb: 64 } })
  process.exitCode = await new Promise<number>((resolve, reject) => {
    thread.once('message', resolve)
    thread.once('error', reject)
  })
}
