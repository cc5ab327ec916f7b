// What the checks of lineages need to know of the packages themselves. Small packages are read at once, large ones in a
// thread of their own, so that nothing else waits.
import { Worker } from 'node:worker_threads'
import { confinedThread } from '../../base/confinement.ts'
import { decodeArchive } from '../../lf/archive/archive.ts'
import { upgradeProblem } from '../../lf/upgrading/check-upgrade.ts'
import type { NamedVersion } from '../../lf/upgrading/compare-types.ts'

export type UpgradeQuestion = {
  /** By package id. */
  readonly archives: ReadonlyMap<string, Uint8Array>
  /** All known packages. */
  readonly names: ReadonlyMap<string, NamedVersion>
  readonly pairs: readonly (readonly [past: string, present: string])[]
  /** Ids of packages whose references are wanted. */
  readonly described: readonly string[]
}

export type UpgradeAnswer = {
  /** For each pair the problem, or undefined. */
  readonly problems: readonly (string | undefined)[]
  readonly dependencies: ReadonlyMap<string, readonly string[]>
}

/** Below this size, reading takes less than starting a thread. */
const asideBytes = 200_000
const heapMb = 2_048

export function answerTo({ archives, names, pairs, described }: UpgradeQuestion): UpgradeAnswer {
  const decoded = new Map([...archives].map(([id, bytes]) => [id, decodeArchive(bytes)]))
  const find = (id: string) => names.get(id)
  return {
    problems: pairs.map(([past, present]) => {
      return upgradeProblem(decoded.get(past)!.package, decoded.get(present)!.package, find)
    }),
    dependencies: new Map(described.map((id) => [id, [...decoded.get(id)!.checkBodies()]])),
  }
}

export async function answerAside(question: UpgradeQuestion): Promise<UpgradeAnswer> {
  const bytes = question.archives.values().reduce((sum, { length }) => sum + length, 0)
  if (bytes < asideBytes) return answerTo(question)
  const file = import.meta.url.endsWith('.ts') ? './upgrade-thread.ts' : './upgrade-thread.mjs'
  const worker = new Worker(new URL(file, import.meta.url), {
    ...confinedThread,
    workerData: question,
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  })
  try {
    return await new Promise<UpgradeAnswer>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
      worker.once('exit', (code) => reject(new Error(`the thread that checked upgrades ended with ${code}`)))
    })
  } finally {
    await worker.terminate()
  }
}
