// Replays recordings in a thread with a large stack, as the node does: recursion in Daml is recursion in JavaScript.
import { fileURLToPath } from 'node:url'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import type { Replay } from './recorded-values.ts'

/** `ahead`: submissions, with everything compiled before the first one. */
export type Kind = 'evaluations' | 'submissions' | 'ahead'

export function replay(kind: Kind, file: string): Promise<Replay[]> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(fileURLToPath(import.meta.url), {
      workerData: { kind, file },
      resourceLimits: { stackSizeMb: 64 },
    })
    thread.once('message', resolve)
    thread.once('error', reject)
  })
}

if (!isMainThread && workerData?.kind !== undefined) {
  const { kind, file } = workerData as { kind: Kind; file: string }
  if (kind === 'evaluations') {
    const { replayEvaluations } = await import('./replay-evaluations.ts')
    parentPort!.postMessage(replayEvaluations(file))
  } else {
    const { replaySubmissions } = await import('./replay-submissions.ts')
    parentPort!.postMessage(replaySubmissions(file, kind === 'ahead'))
  }
}
