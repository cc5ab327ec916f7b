// Prepares a snapshot to take the place of the ledger: as a copy, or as another name of its file, with a copy of the log
// that belongs to it. The result puts it where the next opening finds it.
import fs from 'node:fs'
import { link, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { UnusableSnapshot } from '../../base/errors.ts'
import type { Database } from '../core/database.ts'
import { copyLedger, copyLog, type LogPart } from '../sqlite/copy.ts'
import { logEndings, restoredBaseName, restoredLogName, restoredName, unfinished } from '../sqlite/data-folder.ts'

type Source = {
  readonly folder: string
  readonly base: string
  readonly log: LogPart | undefined
  readonly check: (copy: Database) => Promise<void>
  readonly openFile: (path: string) => Database
  readonly openUnchanging: (path: string) => Database
}

export type Put = () => void

export async function prepareCopy({ folder, base, log, check, openFile }: Source): Promise<Put> {
  const waiting = join(folder, `${restoredName}${unfinished}`)
  await removing(waiting, async () => {
    await copyLedger({ base, log, target: waiting })
    await using copy = openFile(waiting)
    await check(copy)
  })
  flushFile(waiting)
  return () => fs.renameSync(waiting, join(folder, restoredName))
}

/** Undefined if the snapshot must be copied because the check changes it, as a migration does. */
export async function prepareLink({ folder, base, log, check, openUnchanging }: Source): Promise<Put | undefined> {
  const waiting = join(folder, `${restoredBaseName}${unfinished}`)
  const waitingLog = join(folder, `${restoredLogName}${unfinished}`)
  try {
    // SQLite cannot read the log as well: it would take it for the ledger's, if the ledger has the same file. What is
    // checked does not change without a migration.
    await using unchanged = openUnchanging(base)
    await check(unchanged)
  } catch (error) {
    if (error instanceof UnusableSnapshot) throw error
    return undefined
  }
  await removing(waitingLog, async () => {
    if (log !== undefined) await copyLog(log, waitingLog)
    await removing(waiting, () => link(base, waiting)) // Last: with another name, the file is not written to.
  })
  return () => {
    fs.rmSync(join(folder, restoredLogName), { force: true })
    if (log !== undefined) fs.renameSync(waitingLog, join(folder, restoredLogName))
    fs.renameSync(waiting, join(folder, restoredBaseName))
  }
}

/** Removes an older file before the work, and this one if it fails. */
async function removing(file: string, work: () => Promise<void>): Promise<void> {
  const remove = async () => {
    for (const ending of ['', ...logEndings]) await rm(`${file}${ending}`, { force: true })
  }
  await remove()
  try {
    await work()
  } catch (error) {
    await remove()
    throw error
  }
}

function flushFile(path: string): void {
  const file = fs.openSync(path, 'r+')
  try {
    fs.fdatasyncSync(file)
  } finally {
    fs.closeSync(file)
  }
}
