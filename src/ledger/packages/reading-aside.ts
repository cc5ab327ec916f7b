// Reading packages in a thread, whatever their size: a few hundred bytes may unfold to much work, the code that reads
// them is large, and a thread can run out of memory without harm to the node.
import assert from 'node:assert/strict'
import { LedgerError } from '../../base/errors.ts'
import { darNames } from './dar-refusals.ts'
import type { Archives, AsideParts, ReadDar, UpgradeAnswer, UpgradeQuestion } from './package-tasks.ts'
import { doInPackageThread } from './package-threads.ts'

/** The DAR that is read before its upload comes. */
let ahead: { readonly bytes: Uint8Array; readonly outcome: ReturnType<typeof doInPackageThread> } | undefined

/**
 * Begins to read a DAR that a ledger without packages is about to get, which opens meanwhile. The process must not end before
 * it is disposed of: Node aborts if it ends a thread that has begun to unpack.
 */
export function readAhead(bytes: Uint8Array): AsyncDisposable {
  const unpacked = Promise.withResolvers<void>()
  const task = { kind: 'dar', bytes, fileName: darNames.upload, isChecking: true } as const
  const outcome = doInPackageThread(task, (message, answer) => {
    if (message.kind !== 'packages') return
    unpacked.resolve()
    answer({ kind: 'known', known: [] })
  })
  const end = (): void => unpacked.resolve()
  outcome.then(end, end) // After a failure, the upload reads it again.
  ahead = { bytes, outcome }
  return { [Symbol.asyncDispose]: () => unpacked.promise }
}

/** Undefined if another DAR was read, if it was refused, or if the ledger knows some of its packages. */
async function takeAhead(bytes: Uint8Array, { knownAmong }: AsideParts): Promise<ReadDar | undefined> {
  if (ahead === undefined || !Buffer.from(ahead.bytes).equals(bytes)) return undefined
  const { outcome } = ahead
  ahead = undefined
  const read = await outcome.catch(() => undefined)
  if (read?.kind !== 'read') return undefined
  const known = await knownAmong(read.dar.map((one) => ('id' in one ? one.id : one.knownId)))
  return known.length === 0 ? read.dar : undefined
}

/** Throws a LedgerError for anything that is no consistent DAR of valid packages. */
export async function readDarAside(bytes: Uint8Array, parts: AsideParts): Promise<ReadDar> {
  const { knownAmong, onProgress, fileName, isChecking = true } = parts
  const read = isChecking && fileName === darNames.upload ? await takeAhead(bytes, parts) : undefined
  if (read !== undefined) return read
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
