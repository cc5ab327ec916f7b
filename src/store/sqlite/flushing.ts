// How SQLite commits reach the disk. A commit appends to the write-ahead log. With synchronous = NORMAL SQLite does not
// flush it, so the writer waits for a flush here, off the main thread unless the disk is fast. A thread with its own
// connection checkpoints a long log into the database.
//
// A failed flush must not simply be retried: the system may have dropped what it could not write, and the next flush
// then succeeds without it. So the log is read, compared frame by frame with its checksums, and written again.
import { once } from 'node:events'
import fs from 'node:fs'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { wallClock } from '../../base/clock.ts'
import { writePrivateFile } from '../../base/private-files.ts'
import type { LogMeasures } from '../core/database.ts'
import { type Identity, problemOf } from './open-files.ts'
import { readWal, walFrameHeaderBytes, walHeaderBytes } from './write-ahead-log.ts'

export type CommitLog = {
  /** Settles once everything committed is on disk. */
  flush(): Promise<void>
  /** After a failed flush: settles once everything is on disk. False if the log has lost something. */
  flushAgain(): Promise<boolean>
  /** The problem with the file, if it is not the one being written any more. */
  problem(): string | undefined
  /** Whether it is time for a checkpoint. */
  isLong(): boolean
  /** Checkpoints everything committed so far. If nothing is committed meanwhile, the next commit restarts the log. */
  writeBack(): Promise<void>
  /** Ends the thread that checkpoints; the next checkpoint starts it again. */
  endThread(): Promise<void>
  /** The connection was closed, and this one opened instead. */
  attach(db: DatabaseSync): void
  /** The beginning of the log that holds everything committed and not checkpointed. */
  usedBytes(): number
  /** Writes the log to a new file under its name, after somebody has deleted it. */
  recreate(): void
  close(): Promise<void>
  measures(): LogMeasures
}

/** How files are flushed; a test may make it fail, or record what is on disk. */
export type Flushing = {
  now(log: number): void
  aside(log: number): Promise<void>
  /** Called around a checkpoint. */
  onWriteBack?(moment: 'before' | 'after'): void
  /** A longer log is checkpointed. */
  readonly logPagesMax: number
}

/** Pages of 4 KB. Recovering this many after a crash takes a few hundredths of a second. */
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
  endThread: async () => undefined,
  attach: () => undefined,
  usedBytes: () => 0,
  recreate: () => undefined,
  close: async () => undefined,
  measures: () => noMeasures,
}

/** Handing the flush to another thread takes about as long. */
const quickMs = 0.4

export function openCommitLog(db: DatabaseSync, file: string, flushing: Flushing): CommitLog {
  let { lengthOf, pageBytes } = prepareLog(db, flushing)
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
    const source = import.meta.url.endsWith('.ts') ? './checkpoint-thread.ts' : './checkpoint-thread.mjs'
    const started = new Worker(new URL(source, import.meta.url), { name: 'checkpoints', workerData: { file } })
    started.on('error', () => undefined) // The thread ends; the next checkpoint starts another.
    started.on('exit', () => {
      if (thread === started) thread = undefined
    })
    return started
  }

  async function endThread(): Promise<void> {
    await thread?.terminate()
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
    isLong() {
      // Asking SQLite takes as long as writing a page, and most files are too short anyway.
      if (open !== undefined && fs.fstatSync(open.log).size <= lengthInBytes(flushing.logPagesMax, pageBytes))
        return false
      return Number(lengthOf.get()?.log) > flushing.logPagesMax
    },
    async writeBack() {
      const startedMs = wallClock.elapsedMs()
      thread ??= startThread()
      const writing = thread
      writing.ref() // Keeps the process alive until the answer.
      flushing.onWriteBack?.('before')
      const done = once(writing, 'message')
      writing.postMessage('write back')
      await done.finally(() => writing.unref())
      flushing.onWriteBack?.('after')
      counts.writeBacks += 1
      counts.writeBackMs += wallClock.elapsedMs() - startedMs
    },
    endThread,
    attach(next) {
      if (open !== undefined) fs.closeSync(open.log)
      open = undefined
      ;({ lengthOf, pageBytes } = prepareLog(next, flushing))
    },
    usedBytes() {
      const { log, checkpointed } = lengthOf.get()!
      return log === checkpointed ? 0 : lengthInBytes(Number(log), pageBytes)
    },
    recreate() {
      const bytes = framesIn(opened().log, Number(lengthOf.get()?.log))
      if (bytes !== undefined) writePrivateFile(path, bytes)
    },
    async close() {
      if (open !== undefined) fs.closeSync(open.log)
      await endThread()
    },
    measures: () => ({ ...counts, bytes: Math.max(0, Number(lengthOf.get()?.log)) * logPageBytes }),
  }
}

type Prepared = { readonly lengthOf: StatementSync; readonly pageBytes: number }

function prepareLog(db: DatabaseSync, flushing: Flushing): Prepared {
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0')
  // Without this, macOS leaves flushed data in the drive's cache; elsewhere it has no effect.
  db.exec('PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON')
  const pageBytes = Number(db.prepare('PRAGMA page_size').get()?.page_size)
  db.exec(`PRAGMA journal_size_limit = ${lengthInBytes(flushing.logPagesMax, pageBytes)}`) // When the log restarts.
  return { lengthOf: db.prepare('PRAGMA wal_checkpoint(NOOP)'), pageBytes }
}

function lengthInBytes(frames: number, pageBytes: number): number {
  return walHeaderBytes + frames * (walFrameHeaderBytes + pageBytes)
}

/** The log's header and first frames; undefined if they are not all intact. */
function framesIn(log: number, count: number): Uint8Array | undefined {
  const bytes = new Uint8Array(fs.fstatSync(log).size)
  for (let at = 0; at < bytes.length; ) {
    const read = fs.readSync(log, bytes, at, bytes.length - at, at)
    if (read === 0) return undefined
    at += read
  }
  const wal = readWal(bytes)
  if (wal === undefined || wal.frames.length < count) return undefined
  return bytes.subarray(0, lengthInBytes(count, wal.pageBytes))
}
