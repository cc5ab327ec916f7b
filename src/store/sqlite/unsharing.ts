// Gives a ledger a file of its own again, when it shares one with a snapshot and its log has become long. The file is
// copied while the ledger is used; then the ledger is closed for a moment, and opened over the copy and a copy of its log.
// A restart completes it, or begins without it.
import fs from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { privateFile } from '../../base/private-files.ts'
import { ledgerName, restoredBaseName, restoredLogName, unfinished } from './data-folder.ts'
import { copyRange, copyWhole } from './file-copies.ts'
import type { CommitLog } from './flushing.ts'

export type Unsharing = {
  /** After a failure, the log must have doubled before it is tried again. */
  mayTry(logBytes: number): boolean
  /** `reopen` closes the ledger after `put`, calls the result of `put`, and opens it again. */
  run(log: CommitLog, reopen: (put: () => Promise<() => void>) => Promise<void>): Promise<void>
  stop(): void
}

/** Left free for the log and for others. */
const reservedBytes = 256 * 1024 * 1024

export function createUnsharing(folder: string, warn: (reason: string) => void): Unsharing {
  const place = (name: string) => join(folder, name)
  const [file, copy, logCopy] = [place(ledgerName), place(`own.base${unfinished}`), place(`own.log${unfinished}`)]
  const stopped = new AbortController()
  let notBeforeBytes = 0

  function removeCopies(): void {
    for (const path of [copy, logCopy]) fs.rmSync(path, { force: true })
  }

  async function copyAndPut(log: CommitLog, reopen: Parameters<Unsharing['run']>[1]): Promise<void> {
    const { size } = fs.statSync(file)
    const { bavail, bsize } = fs.statfsSync(folder)
    if (bavail * bsize < size + reservedBytes) throw new Error(`the disk has no room for a copy of ${size} bytes`)
    await copyWhole(file, copy, stopped.signal)
    await using from = await open(`${file}-wal`)
    await using to = await open(logCopy, 'wx', privateFile)
    let copied = 0
    const copyMore = async () => {
      const end = log.usedBytes() // The log only grows, because nothing checkpoints it.
      await copyRange({ from, to, start: copied, end, at: copied, signal: stopped.signal })
      copied = end
    }
    await copyMore()
    await reopen(async () => {
      await copyMore()
      return () => {
        fs.renameSync(logCopy, place(restoredLogName))
        fs.renameSync(copy, place(restoredBaseName)) // From here on, a start completes it.
      }
    })
  }

  return {
    mayTry: (logBytes) => logBytes >= notBeforeBytes,
    async run(log, reopen) {
      removeCopies()
      try {
        await copyAndPut(log, reopen)
        notBeforeBytes = 0
      } catch (error) {
        removeCopies()
        if (stopped.signal.aborted) throw error
        notBeforeBytes = 2 * log.usedBytes()
        warn((error as Error).message)
        throw error
      }
    },
    stop: () => stopped.abort(),
  }
}
