// How commits of SQLite reach the disk. A commit appends to the log beside the database (WAL), and with synchronous =
// NORMAL SQLite leaves it there: it is on disk once the log is flushed, which whoever commits waits for while the main
// thread goes on, unless the disk is quick. A long log is written back into the database by a thread with a connection
// of its own.
//
// A flush that failed must not simply be tried again: the system may have dropped what it could not write, and the next
// flush then succeeds without it. So the log is read, compared frame by frame with its checksums, and written again.
import { once } from 'node:events'
import fs from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { wallClock } from '../base/clock.ts'
import type { LogMeasures } from './database.ts'
import { type Identity, problemOf } from './sqlite-files.ts'
import { readWal, walFrameHeaderBytes, walHeaderBytes } from './sqlite-wal.ts'

export type CommitLog = {
  /** Settles once everything that was committed is on disk. */
  flush(): Promise<void>
  /** After a flush that failed: settles once everything is on disk after all. False when the log has lost something. */
  flushAgain(): Promise<boolean>
  /** What is wrong with the file, if it is not the one that is written to any more. */
  problem(): string | undefined
  /** Whether it is time to write it back. */
  isLong(): boolean
  /** Writes back what was committed until now. When nothing was committed meanwhile, the next commit begins the log anew. */
  writeBack(): Promise<void>
  close(): Promise<void>
  measures(): LogMeasures
}

/** How files are flushed; a test may have it fail, or note what is on disk. */
export type Flushing = {
  now(log: number): void
  aside(log: number): Promise<void>
  /** Around writing pages back into the database. */
  onWriteBack?(moment: 'before' | 'after'): void
  /** A log with more pages is written back. */
  readonly logPagesMax: number
}

/** Of 4 KB: to read so many again after a crash takes some hundredths of a second. */
const logPagesMax = 4000
const logPageBytes = 4096

export const systemFlushing: Flushing = {
  now: (log) => fs.fdatasyncSync(log),
  aside(log) {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    fs.fdatasync(log, (error) => (error ? reject(error) : resolve()))
    return promise
  },
  logPagesMax,
}

const noMeasures: LogMeasures = { bytes: 0, flushes: 0, flushMs: 0, writeBacks: 0, writeBackMs: 0 }

/** For read-only and in-memory databases: nothing to flush. */
export const noLog: CommitLog = {
  flush: async () => undefined,
  flushAgain: async () => true,
  problem: () => undefined,
  isLong: () => false,
  writeBack: async () => undefined,
  close: async () => undefined,
  measures: () => noMeasures,
}

/** To hand the flush to another thread, and hear of it, takes about as long. */
const quickMs = 0.4

export function openCommitLog(db: DatabaseSync, file: string, flushing: Flushing): CommitLog {
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0')
  // macOS keeps what is flushed in the drive's own memory unless it is told otherwise; elsewhere this says nothing.
  db.exec('PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON')
  const lengthOf = db.prepare('PRAGMA wal_checkpoint(NOOP)')
  const path = `${file}-wal`
  let open: { readonly log: number; readonly identity: Identity } | undefined
  let flushTookMs = 0
  let thread: Worker | undefined
  const counts = { flushes: 0, flushMs: 0, writeBacks: 0, writeBackMs: 0 }

  function opened(): { readonly log: number; readonly identity: Identity } {
    if (open === undefined) {
      const log = fs.openSync(path, 'r+')
      open = { log, identity: fs.fstatSync(log) }
    }
    return open
  }

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
      const { log } = opened()
      const startedMs = wallClock.elapsedMs()
      if (flushTookMs < quickMs) flushing.now(log)
      else await flushing.aside(log)
      flushTookMs = wallClock.elapsedMs() - startedMs
      counts.flushes += 1
      counts.flushMs += flushTookMs
    },
    async flushAgain() {
      const { log } = opened()
      const bytes = framesIn(log, Number(lengthOf.get()?.log))
      if (bytes === undefined) return false
      for (let at = 0; at < bytes.length; ) at += fs.writeSync(log, bytes, at, bytes.length - at, at)
      await flushing.aside(log)
      return true
    },
    problem: () => open && problemOf(path, open.identity),
    isLong: () => Number(lengthOf.get()?.log) > flushing.logPagesMax,
    async writeBack() {
      const startedMs = wallClock.elapsedMs()
      thread ??= startThread()
      const writing = thread
      writing.ref() // The process does not end before it is answered.
      flushing.onWriteBack?.('before')
      const done = once(writing, 'message')
      writing.postMessage('write back')
      await done.finally(() => writing.unref())
      flushing.onWriteBack?.('after')
      counts.writeBacks += 1
      counts.writeBackMs += wallClock.elapsedMs() - startedMs
    },
    async close() {
      if (open !== undefined) fs.closeSync(open.log)
      await thread?.terminate()
    },
    measures: () => ({ ...counts, bytes: Math.max(0, Number(lengthOf.get()?.log)) * logPageBytes }),
  }
}

/** The first frames of the log with its header; undefined when they are not all there as they were written. */
function framesIn(log: number, count: number): Uint8Array | undefined {
  const bytes = new Uint8Array(fs.fstatSync(log).size)
  for (let at = 0; at < bytes.length; ) {
    const read = fs.readSync(log, bytes, at, bytes.length - at, at)
    if (read === 0) return undefined
    at += read
  }
  const wal = readWal(bytes)
  if (wal === undefined || wal.frames.length < count) return undefined
  return bytes.subarray(0, walHeaderBytes + count * (walFrameHeaderBytes + wal.pageBytes))
}
