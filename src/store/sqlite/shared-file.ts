// A ledger whose file is also that of a snapshot, under another name. The file must not change then: what is committed
// stays in the write-ahead log, and nothing checkpoints it.
//
// SQLite would do so when the last connection is closed, also by the garbage collector or the end of a thread. It does not
// if the file is no longer where it was opened (SQLITE_FCNTL_HAS_MOVED). So the connection is opened under other names of
// the ledger's three files, which are removed once SQLite has opened them. Other processes find all three under the
// ordinary names, and see the same commits.
import fs from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makePrivateFile } from '../../base/private-files.ts'
import { busyMs, heldName, ledgerName, logEndings } from './data-folder.ts'

/** Whether the file has another name. */
export function isShared(file: string): boolean {
  return process.platform !== 'win32' && fs.statSync(file).nlink > 1
}

/** A connection that never changes the file by itself. */
export function openGuarded(folder: string): DatabaseSync {
  removeOtherNames(folder)
  const endings = ['', ...logEndings]
  for (const ending of endings) {
    makePrivateFile(join(folder, `${ledgerName}${ending}`))
    fs.linkSync(join(folder, `${ledgerName}${ending}`), join(folder, `${heldName}${ending}`))
  }
  try {
    const db = new DatabaseSync(join(folder, heldName), { timeout: busyMs })
    db.prepare('SELECT count(*) FROM sqlite_schema').get() // Opens the log and its index.
    return db
  } finally {
    removeOtherNames(folder)
  }
}

/** A node that was killed may have left them. */
export function removeOtherNames(folder: string): void {
  for (const ending of ['', ...logEndings]) fs.rmSync(join(folder, `${heldName}${ending}`), { force: true })
}
