// Reading packages in a thread, whatever their size: a few hundred bytes may unfold to much work, the code that reads
// them is large, and a thread can run out of memory without harm to the node.
import assert from 'node:assert/strict'
import { LedgerError } from '../../base/errors.ts'
import type { Archives, AsideParts, ReadDar, UpgradeAnswer, UpgradeQuestion } from './package-tasks.ts'
import { doInPackageThread } from './package-threads.ts'

/** Throws a LedgerError for anything that is no consistent DAR of valid packages. */
export async function readDarAside(
  bytes: Uint8Array,
  { knownAmong, onProgress, fileName, isChecking = true }: AsideParts,
): Promise<ReadDar> {
  const task = { kind: 'dar', bytes: new Uint8Array(bytes), fileName, isChecking } as const
  try {
    const outcome = await doInPackageThread(task, async (message, answer) => {
      if (message.kind === 'packages') answer({ kind: 'known', known: await knownAmong(message.ids) })
      else if (message.kind === 'progress') onProgress?.(message.checked, message.of)
    })
    if (outcome.kind === 'refused') throw new LedgerError(outcome.code, outcome.message, outcome.details)
    assert(outcome.kind === 'read', 'a thread answers what it was asked')
    return outcome.dar
  } catch (error) {
    const isMemory = (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY'
    throw isMemory ? new LedgerError('ZIP_BOMB', 'Dar zip file seems to be a zip bomb.') : error
  }
}

/** What the checks of lineages need to know. Asks for the archives that the thread has not decoded. */
export async function answerAside(
  question: UpgradeQuestion,
  archivesOf: (ids: readonly string[]) => Promise<Archives>,
): Promise<UpgradeAnswer> {
  const outcome = await doInPackageThread({ kind: 'upgrades', question }, async (message, answer) => {
    if (message.kind === 'wanted') answer({ kind: 'archives', archives: await archivesOf(message.ids) })
  })
  assert(outcome.kind === 'answer', 'a thread answers what it was asked')
  return outcome.answer
}
