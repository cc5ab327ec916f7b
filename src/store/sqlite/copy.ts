// A copy of a ledger in one file: the file, and what its write-ahead log holds beyond it.
import fs from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { privateFile } from '../../base/private-files.ts'
import type { LogBeginning } from '../core/database.ts'
import { unfinished } from './data-folder.ts'
import { clone, copyRange, copyWhole, quickCopyIn } from './file-copies.ts'

/** A log, or where it is in a file. */
export type LogPart = LogBeginning & { readonly start?: number }

type Parts = { readonly base: string; readonly log: LogPart | undefined; readonly target: string }

/** Nobody may change the two meanwhile. The copy is on disk when this settles. */
export async function copyLedger({ base, log, target }: Parts): Promise<void> {
  if ((await quickCopyIn(dirname(base), unfinished)) === 'clone') await clone(base, target)
  else await copyWhole(base, target)
  if (log !== undefined && log.bytes > 0) {
    await copyLog(log, `${target}-wal`)
    writeLogBack(target)
  }
  await using copy = await open(target, 'r+')
  await copy.datasync()
}

/** On disk when this settles. */
export async function copyLog({ path, bytes, start = 0 }: LogPart, to: string): Promise<void> {
  await using from = await open(path)
  await using target = await open(to, 'wx', privateFile)
  await copyRange({ from, to: target, start, end: start + bytes, at: 0 })
}

/** SQLite does it when the last connection is closed. */
function writeLogBack(file: string): void {
  {
    using db = new DatabaseSync(file)
    db.prepare('SELECT count(*) FROM sqlite_schema').get()
  }
  if (fs.existsSync(`${file}-wal`)) throw new Error('the log of a copy could not be written back')
}
