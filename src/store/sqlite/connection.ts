// Connections to the file of a ledger, and to files that nobody changes.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { makePrivateFile } from '../../base/private-files.ts'
import { busyMs, completeRestore, ledgerName } from './data-folder.ts'
import { holdFile } from './held-files.ts'
import { isShared, openGuarded, removeOtherNames } from './shared-file.ts'

/**
 * SQLite's page cache; the system's cache is behind it. A larger one makes commits slower: when a tree with random keys
 * grows, SQLite searches the whole cache at the end of the transaction. The file is not memory-mapped: an unreadable
 * sector would kill the process.
 */
const cacheKibibytes = 8 * 1024

export type Connection = {
  readonly db: DatabaseSync
  readonly isNew: boolean
  /** Whether it leaves the file as it is when it is closed. */
  readonly isGuarded: boolean
  /** Called when it is closed. */
  readonly release: () => void
}

/** To the ledger in `folder`, once a restore that was interrupted is complete. */
export function connect(folder: string, mustGuard = false): Connection {
  const file = join(folder, ledgerName)
  completeRestore(folder)
  removeOtherNames(folder)
  makePrivateFile(file)
  const isNew = statSync(file).size === 0
  const isGuarded = mustGuard || isShared(file)
  const db = isGuarded ? openGuarded(folder) : new DatabaseSync(file, { timeout: busyMs })
  // First of all: a commit on this connection, such as that of a pragma, would otherwise checkpoint a long log, also into
  // a file that must not change.
  db.exec('PRAGMA wal_autocheckpoint = 0')
  if (isNew) db.exec('PRAGMA auto_vacuum = INCREMENTAL') // Has no effect once there is a table, but would be a commit.
  db.exec('PRAGMA secure_delete = FAST') // A key that is moved out leaves no copy in its page.
  db.exec('PRAGMA cell_size_check = ON') // Detects a damaged page sooner.
  // No mmap: an unreadable sector or a truncated file would kill the process.
  db.exec(`PRAGMA foreign_keys = ON; PRAGMA cache_size = -${cacheKibibytes}`)
  return { db, isNew, isGuarded, release: holdFile(file) }
}

/**
 * Opens a file that nobody changes, such as a snapshot. SQLite then puts nothing beside it; otherwise a reader would leave
 * an empty log there.
 */
export function openUnchanging(file: string): DatabaseSync {
  const url = pathToFileURL(file)
  url.searchParams.set('immutable', '1')
  return new DatabaseSync(url, { readOnly: true })
}
