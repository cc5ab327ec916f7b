// The other files of a data folder: the lock that keeps other nodes away, and a temporary file that probes whether the
// disk accepts writes.
import fs from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartError } from '../base/errors.ts'
import { makePrivateFile } from '../base/private-files.ts'

export const lockName = 'lock.sqlite'
/** A ledger that takes the place of the present one at the next opening. */
export const restoredName = 'restored.sqlite'
export const ledgerName = 'ledger.sqlite'
/** The folder of the snapshots. */
export const shelfName = 'snapshots'
/** The end of the name of a file that is being written. */
export const unfinished = '.part'
/** The ledger before a change that is not complete. The next opening returns to it. */
export const wayBackName = 'before-world.sqlite'
const logEndings = ['-wal', '-shm']
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
}

export function removeLedger(folder: string): void {
  for (const ending of [...logEndings, '']) fs.rmSync(join(folder, `${ledgerName}${ending}`), { force: true })
}

/** What a node that was killed has not finished to write. */
export function removeUnfinished(folder: string): void {
  for (const inside of [folder, join(folder, shelfName)]) {
    const names = fs.existsSync(inside) ? fs.readdirSync(inside) : []
    const parts = names.filter((name) => new RegExp(`\\${unfinished}(${logEndings.join('|')})?$`).test(name))
    for (const name of parts) fs.rmSync(join(inside, name), { force: true })
  }
}

export function tryDisk(path: string): void {
  try {
    fs.writeFileSync(path, new Uint8Array(probeBytes), { flush: true })
  } finally {
    fs.rmSync(path, { force: true })
  }
}
