// Whether a node would take a DAR beside others, found out in a thread of its own.
import { Worker } from 'node:worker_threads'
import { StartError } from '../base/errors.ts'
import { confinedThread } from '../base/thread-sandbox.ts'
import type { DarAccount } from '../lf/upgrading/account.ts'
import type { CheckedFile, DarCheckWanted, FromDarCheckThread } from './dar-check-thread.ts'

/** As for the thread of an upload: expressions nest up to the archive's limits, and types further. */
const stackMb = 64
const heapMb = 2_048

/** The file to check comes first. */
export async function checkAside(files: readonly CheckedFile[]): Promise<DarAccount> {
  const thread = import.meta.url.endsWith('.ts') ? './dar-check-thread.ts' : './dar-check-thread.mjs'
  const worker = new Worker(new URL(thread, import.meta.url), {
    ...confinedThread,
    workerData: { files } satisfies DarCheckWanted,
    resourceLimits: { maxOldGenerationSizeMb: heapMb, stackSizeMb: stackMb },
  })
  try {
    const answer = await new Promise<FromDarCheckThread>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
      worker.once('exit', (code) => reject(new Error(`the thread that checked a DAR ended with ${code}`)))
    })
    if (answer.kind === 'refused') throw new StartError(answer.message)
    return answer.account
  } catch (error) {
    const isMemory = (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY'
    throw isMemory ? new StartError('the DAR takes more memory than a node allows') : error
  } finally {
    await worker.terminate()
  }
}
