// The other files of a data folder: the lock that keeps other nodes away, and a temporary file that probes whether the
// disk accepts writes.
import fs from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartError } from '../base/errors.ts'
import { makePrivateFile } from '../base/private-files.ts'

export const lockName = 'lock.sqlite'
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

export function tryDisk(path: string): void {
  try {
    fs.writeFileSync(path, new Uint8Array(probeBytes), { flush: true })
  } finally {
    fs.rmSync(path, { force: true })
  }
}
