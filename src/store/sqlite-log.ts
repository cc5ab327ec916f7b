// How commits of SQLite reach the disk. A commit appends to the log beside the database (WAL), and with synchronous =
// NORMAL SQLite leaves it there: it is on disk once the log is flushed, which whoever commits waits for while the main
// thread goes on, unless the disk is quick. A long log is written back into the database by a thread with a connection
// of its own.
import { once } from 'node:events'
import fs from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { wallClock } from '../base/clock.ts'

export type CommitLog = {
  /** Settles once everything that was committed is on disk. */
  flush(): Promise<void>
  /** Whether it is time to write it back. */
  isLong(): boolean
  /** Writes back what was committed until now. When nothing was committed meanwhile, the next commit begins the log anew. */
  writeBack(): Promise<void>
  close(): Promise<void>
}

/** In pages of 4 KB: to read so much again after a crash takes some hundredths of a second. */
const longPages = 4000
/** To hand the flush to another thread, and hear of it, takes about as long. */
const quickMs = 0.4

export function openCommitLog(db: DatabaseSync, file: string): CommitLog {
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0')
  // macOS keeps what is flushed in the drive's own memory unless it is told otherwise; elsewhere this says nothing.
  db.exec('PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON')
  const lengthOf = db.prepare('PRAGMA wal_checkpoint(NOOP)')
  let log: number | undefined
  let flushTookMs = 0
  let thread: Worker | undefined

  function startThread(): Worker {
    const source = import.meta.url.endsWith('.ts') ? './sqlite-checkpoint-thread.ts' : './sqlite-checkpoint-thread.mjs'
    const started = new Worker(new URL(source, import.meta.url), { workerData: { file } })
    started.on('error', () => undefined) // It ends then, and the next one is another.
    started.on('exit', () => {
      if (thread === started) thread = undefined
    })
    return started
  }

  return {
    async flush() {
      log ??= fs.openSync(`${file}-wal`, 'r+')
      const startedMs = wallClock.elapsedMs()
      if (flushTookMs < quickMs) fs.fdatasyncSync(log)
      else await flushAside(log)
      flushTookMs = wallClock.elapsedMs() - startedMs
    },
    isLong: () => Number(lengthOf.get()?.log) > longPages,
    async writeBack() {
      thread ??= startThread()
      const writing = thread
      writing.ref() // The process does not end before it is answered.
      const done = once(writing, 'message')
      writing.postMessage('write back')
      await done.finally(() => writing.unref())
    },
    async close() {
      if (log !== undefined) fs.closeSync(log)
      await thread?.terminate()
    },
  }
}

function flushAside(log: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  fs.fdatasync(log, (error) => (error ? reject(error) : resolve()))
  return promise
}
