// Reading packages in a thread, whatever their size: a few hundred bytes may unfold to much work, the code that reads
// them is large, and a thread can run out of memory without harm to the node.
import assert from 'node:assert/strict'
import { LedgerError } from '../../base/errors.ts'
import { darNames } from './dar-refusals.ts'
import type { Archives, AsideParts, ReadDar, UpgradeAnswer, UpgradeQuestion } from './package-tasks.ts'
import { doInPackageThread } from './package-threads.ts'

/** The DAR that is read before its upload comes. */
let ahead: DarAhead | undefined

export type DarAhead = AsyncDisposable & {
  readonly bytes: Uint8Array
  readonly described: Promise<ReadDar>
  /** Rejects with the reason if the DAR is refused. */
  readonly valid: Promise<void>
}

/**
 * Begins to read a DAR that a ledger without packages is about to get, which opens meanwhile. The upload takes the DAR before its
 * types are checked: nothing that is done with it counts until `valid` is fulfilled. The process must not end before it is
 * disposed of: Node aborts if it ends a thread that has begun to unpack.
 */
export function readAhead(bytes: Uint8Array): DarAhead {
  if (ahead === undefined || !isSame(ahead.bytes, bytes)) ahead = beginReading(bytes)
  return ahead
}

function beginReading(bytes: Uint8Array): DarAhead {
  const unpacked = Promise.withResolvers<void>()
  const described = Promise.withResolvers<ReadDar>()
  const task = { kind: 'dar', bytes, fileName: darNames.upload, typeCheck: 'last' } as const
  const valid = outcomeOf(task, (message, answer) => {
    if (message.kind === 'described') described.resolve(message.dar)
    if (message.kind !== 'packages') return
    unpacked.resolve()
    answer({ kind: 'known', known: [] })
  }).then(() => undefined)
  described.promise.catch(() => undefined) // The upload reads it again then.
  valid.catch(described.reject).then(unpacked.resolve)
  return { bytes, described: described.promise, valid, [Symbol.asyncDispose]: () => unpacked.promise }
}

/** Undefined if another DAR was read, if it was refused, or if the ledger knows some of its packages. */
async function takeAhead(bytes: Uint8Array, { knownAmong }: AsideParts): Promise<ReadDar | undefined> {
  if (ahead === undefined || !isSame(ahead.bytes, bytes)) return undefined
  const { described } = ahead
  ahead = undefined
  const dar = await described.catch(() => undefined)
  if (dar === undefined) return undefined
  const known = await knownAmong(dar.map((one) => ('id' in one ? one.id : one.knownId)))
  return known.length === 0 ? dar : undefined
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0
}

/** Throws a LedgerError for anything that is no consistent DAR of valid packages. */
export async function readDarAside(bytes: Uint8Array, parts: AsideParts): Promise<ReadDar> {
  const { knownAmong, onProgress, fileName, isChecking = true } = parts
  const read = isChecking && fileName === darNames.upload ? await takeAhead(bytes, parts) : undefined
  if (read !== undefined) return read
  const typeCheck = isChecking ? 'first' : 'none'
  const outcome = await outcomeOf(
    { kind: 'dar', bytes: new Uint8Array(bytes), fileName, typeCheck },
    async (message, answer) => {
      if (message.kind === 'packages') answer({ kind: 'known', known: await knownAmong(message.ids) })
      else if (message.kind === 'progress') onProgress?.(message.checked, message.of)
    },
  )
  assert(outcome.kind === 'read', 'a thread answers what it was asked')
  return outcome.dar
}

/** Throws a LedgerError if the DAR is refused. */
async function outcomeOf(...task: Parameters<typeof doInPackageThread>): ReturnType<typeof doInPackageThread> {
  try {
    const outcome = await doInPackageThread(...task)
    if (outcome.kind === 'refused') throw new LedgerError(outcome.code, outcome.message, outcome.details)
    return outcome
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
