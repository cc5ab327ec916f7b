// The other files of a data folder: the lock that keeps other nodes away, and a temporary file that probes whether the
// disk accepts writes.
import fs from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartError } from '../../base/errors.ts'
import { makePrivateFile } from '../../base/private-files.ts'
import { flushFolderNow } from './file-copies.ts'

export const lockName = 'lock.sqlite'
/** A ledger that takes the place of the present one at the next opening. */
export const restoredName = 'restored.sqlite'
export const ledgerName = 'ledger.sqlite'
/** How long to wait for a program that holds the ledger, such as one that makes a backup, or a node that starts or stops. */
export const busyMs = 1000
/** The folder of the snapshots. */
export const shelfName = 'snapshots'
/** The files of a snapshot: one that is whole, or a pair (snapshots/pairs.ts). */
export const wholeEnding = '.sqlite'
export const baseEnding = '.base'
export const changesEnding = '.changes'
/** The end of the name of a file that is being written. */
export const unfinished = '.part'
/** The ledger before a change that is not complete. The next opening returns to it. */
export const wayBackName = 'before-world.sqlite'
/** The same as `restoredName`, with the log that belongs to it beside it. */
export const restoredBaseName = 'restored.base'
export const restoredLogName = 'restored.log'
/** Another name of the ledger, while it is opened (shared-file.ts). */
export const heldName = 'held.sqlite'
export const logEndings = ['-wal', '-shm']
/** Size of the probe. */
const probeBytes = 64 * 1024

/** The operating system releases this lock when the process ends, however it ends. */
export function takeLock(folder: string): DatabaseSync {
  let lock: DatabaseSync
  try {
    const file = join(folder, lockName)
    makePrivateFile(file)
    lock = new DatabaseSync(file, { timeout: 0 })
  } catch {
    throw new StartError(`cannot write to the data folder ${folder}`)
  }
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock.close()
    const isTaken = /locked|busy/.test((error as Error).message)
    throw new StartError(
      isTaken
        ? `another node is already running over ${folder}; stop it, or give this one its own folder with --data`
        : `cannot write to the data folder ${folder}: ${(error as Error).message}`,
    )
  }
}

/** Safe at any moment: what is not done before a crash is done by the next start. */
export function completeRestore(folder: string): void {
  for (const name of [wayBackName, restoredName]) {
    const restored = join(folder, name)
    if (!fs.existsSync(restored)) continue
    // The log of the ledger that goes would be applied to the one that comes.
    for (const ending of logEndings) fs.rmSync(join(folder, `${ledgerName}${ending}`), { force: true })
    fs.renameSync(restored, join(folder, ledgerName))
  }
  completeWithLog(folder)
}

/** The base is removed last, so that each step can be repeated. */
function completeWithLog(folder: string): void {
  const place = (name: string) => join(folder, name)
  if (fs.existsSync(place(restoredBaseName))) {
    for (const ending of logEndings) fs.rmSync(place(`${ledgerName}${ending}`), { force: true })
    if (fs.existsSync(place(restoredLogName))) fs.linkSync(place(restoredLogName), place(`${ledgerName}-wal`))
    flushFolderNow(folder)
    fs.renameSync(place(restoredBaseName), place(ledgerName))
    fs.rmSync(place(restoredBaseName), { force: true }) // Renaming does nothing if both are the same file.
    flushFolderNow(folder)
  }
  fs.rmSync(place(restoredLogName), { force: true })
}

export function removeLedger(folder: string): void {
  for (const ending of [...logEndings, '']) fs.rmSync(join(folder, `${ledgerName}${ending}`), { force: true })
}

/** What a node that was killed has not finished to write. */
export function removeUnfinished(folder: string): void {
  for (const inside of [folder, join(folder, shelfName)]) {
    const names = fs.existsSync(inside) ? fs.readdirSync(inside) : []
    const parts = names.filter((name) => new RegExp(`\\${unfinished}(${logEndings.join('|')})?$`).test(name))
    // Of the two files of a snapshot, the base is added last and removed first.
    const ofNone = names.filter((name) => name.endsWith(changesEnding) && !names.includes(baseOf(name)))
    for (const name of [...parts, ...ofNone]) fs.rmSync(join(inside, name), { force: true })
  }
}

function baseOf(changes: string): string {
  return `${changes.slice(0, -changesEnding.length)}${baseEnding}`
}

export function tryDisk(path: string): void {
  try {
    fs.writeFileSync(path, new Uint8Array(probeBytes), { flush: true })
  } finally {
    fs.rmSync(path, { force: true })
  }
}
