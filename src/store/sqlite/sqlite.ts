// SQLite, through Node's own driver. One connection reads and writes; every commit is on disk before it is reported or
// read.
import { link } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { wallClock } from '../../base/clock.ts'
import { StartError } from '../../base/errors.ts'
import { makePrivateFolder } from '../../base/private-files.ts'
import { createQueue } from '../../base/queue.ts'
import type { Database } from '../core/database.ts'
import { createCondition, type Surroundings } from './condition.ts'
import { type Connection, connect, openUnchanging } from './connection.ts'
import { copyLedger } from './copy.ts'
import { lookAgain, lookThroughTrees, type TreeReport, type Trees, unwatchedTrees } from './damaged-trees.ts'
import { busyMs, ledgerName, lockName, takeLock, tryDisk } from './data-folder.ts'
import { type CommitLog, type Flushing, noLog, openCommitLog, systemFlushing } from './flushing.ts'
import { closedFiles } from './held-files.ts'
import { type FileWatch, watchFiles } from './open-files.ts'
import { reclaim } from './reclaiming.ts'
import { isShared } from './shared-file.ts'
import { commitOrRollBack, createStatements, isReading, nested, type Statements } from './statements.ts'
import type { Look } from './suspicion.ts'
import { createUnsharing, type Unsharing } from './unsharing.ts'

/** Interval between checks that the files still exist. */
const lookMs = 400

/** The surroundings of a database and the way its log is flushed; tests pass their own. */
export type SqliteParts = Surroundings & {
  readonly flushing: Flushing
  /** Whether a thread checks existing data. */
  readonly looksThrough: boolean
  /** How a file that SQLite called malformed is looked at again. */
  readonly lookAgain: (file: string) => Look
  /** Told why a ledger cannot have a file of its own again. */
  readonly warn: (reason: string) => void
}

const standardParts: SqliteParts = {
  health: { fail: () => undefined, work: () => undefined },
  clock: wallClock,
  abandon: () => void process.kill(process.pid, 'SIGKILL'),
  flushing: systemFlushing,
  looksThrough: false,
  lookAgain,
  warn: () => undefined,
}

/** Opens the ledger in `folder`, for this process alone. */
export function openSqlite(folder: string, overrides: Partial<SqliteParts> = {}): Database {
  try {
    makePrivateFolder(folder)
  } catch (error) {
    throw new StartError(`cannot use the data folder ${folder}: ${(error as Error).message}`)
  }
  const lock = takeLock(folder)
  try {
    const file = join(folder, ledgerName)
    const first = connect(folder)
    const parts = { ...standardParts, ...overrides }
    return databaseOver(first.db, {
      ...parts,
      log: openCommitLog(first.db, file, parts.flushing),
      lookThrough: (report) => (parts.looksThrough && !first.isNew ? lookThroughTrees(file, report) : unwatchedTrees),
      look: () => parts.lookAgain(file),
      tryDisk: () => tryDisk(join(folder, 'probe')),
      lent: undefined,
      ledger: {
        file,
        first,
        connect: (isGuarded) => connect(folder, isGuarded),
        watch: () => watchFiles([file, join(folder, lockName)]),
        unsharing: createUnsharing(folder, parts.warn),
      },
      onClose: () => lock.close(),
    })
  } catch (error) {
    lock.close()
    throw new StartError(`cannot open the ledger in ${folder}: ${(error as Error).message}`)
  }
}

/** Empty, or with the content of another. */
export function openSqliteInMemory(content?: Uint8Array): Database {
  const db = new DatabaseSync(':memory:')
  if (content !== undefined) db.deserialize(content)
  return { ...databaseOver(db, withoutFiles), content: async () => db.serialize() }
}

/** A connection to a database in memory, with an open transaction that all others are inside of. */
export type LentConnection = {
  readonly db: DatabaseSync
  readonly statements: Statements
  /** Instead of closing it. */
  giveBack(): void
}

export function openSqliteOver(lent: LentConnection): Database {
  const { db } = lent
  const database = databaseOver(db, { ...withoutFiles, lent })
  return {
    ...database,
    async content() {
      if (db.isTransaction) await database.query('COMMIT') // SQLite writes only what is committed.
      return db.serialize()
    },
  }
}

/** A file that no node uses. Deleted data is overwritten. */
export function openSqliteFile(file: string): Database {
  const db = new DatabaseSync(file)
  db.exec('PRAGMA secure_delete = ON')
  return databaseOver(db, withoutFiles)
}

/** A file that does not change. */
export function openSqliteUnchanging(file: string): Database {
  return databaseOver(openUnchanging(file), withoutFiles)
}

/** Reads the ledger in `folder`, even while a node runs over it. */
export function openSqliteForReading(folder: string): Database {
  try {
    return databaseOver(new DatabaseSync(join(folder, ledgerName), { readOnly: true, timeout: busyMs }), withoutFiles)
  } catch {
    throw new StartError(`there is no ledger in ${folder}; start a node there first`)
  }
}

type Parts = Surroundings & {
  readonly log: CommitLog
  /** Undefined if it is not this process that writes it. */
  readonly ledger: Ledger | undefined
  /** Undefined if the connection is the database's own. */
  readonly lent: LentConnection | undefined
  readonly lookThrough: (report: TreeReport) => Trees
  /** Undefined if there is no file to look at. */
  readonly look: (() => Look) | undefined
  /** Throws if nothing can be written beside the database. */
  readonly tryDisk: () => void
  readonly onClose: () => void
}

type Ledger = {
  readonly file: string
  readonly first: Connection
  connect(isGuarded?: boolean): Connection
  watch(): FileWatch
  readonly unsharing: Unsharing
}

const withoutFiles: Parts = {
  ...standardParts,
  log: noLog,
  ledger: undefined,
  lent: undefined,
  lookThrough: () => unwatchedTrees,
  look: undefined,
  tryDisk: () => undefined,
  onClose: () => undefined,
}

function databaseOver(first: DatabaseSync, parts: Parts): Database {
  const { log, ledger, lent, clock } = parts
  let db = first
  let connection = ledger?.first
  let files = ledger?.watch()
  const { queries: tx, clear } =
    lent?.statements ?? createStatements({ connected: () => db, check: (sql) => trees.check(sql), clock })
  const alone = createQueue() // One connection: a second BEGIN would join the open transaction.
  const condition = createCondition({ ...parts, probe, onWhole })
  const trees = parts.lookThrough(condition)
  let isWriting = false
  let writingBack: Promise<void> | undefined
  let looking = files && clock.after(lookMs, look)

  async function whenFree<T>(task: () => Promise<T>): Promise<T> {
    try {
      condition.check()
      return await (isWriting ? alone(() => free(task)) : task())
    } catch (error) {
      throw condition.told(error)
    }
  }

  /** Runs the task alone until its commit is on disk. */
  async function durably<T>(task: () => Promise<T>): Promise<T> {
    condition.checkWriting() // Before queueing, too: a failed flush holds the queue.
    return alone(async () => {
      isWriting = true
      try {
        condition.checkWriting()
        const result = await task()
        await condition.settle()
        const problem = log.problem()
        if (problem !== undefined) throw lose(problem)
        if (log.isLong() && (ledger?.unsharing.mayTry(log.usedBytes()) || !isFixed())) writingBack ??= writeBack()
        return result
      } catch (error) {
        throw condition.told(error)
      } finally {
        isWriting = false
      }
    })
  }

  function free<T>(task: () => Promise<T>): Promise<T> {
    condition.check()
    return task()
  }

  async function probe(): Promise<void> {
    parts.tryDisk()
    await durably(async () => db.exec('PRAGMA user_version = 0'))
  }

  /** Pages in memory may be those that SQLite called malformed. */
  function onWhole(): void {
    db.exec('PRAGMA shrink_memory')
    trees.trust()
  }

  function look(): void {
    const problem = log.problem() ?? files?.problem()
    if (problem === undefined) looking = clock.after(lookMs, look)
    else lose(problem)
  }

  function lose(problem: string): Error {
    if (!condition.isLost()) void alone(async () => rescue())
    return condition.lose(problem)
  }

  /** A deleted log can still be checkpointed while it is open, and nothing of it is lost. */
  function rescue(): void {
    if (files?.problem() !== undefined) return
    try {
      if (isFixed()) log.recreate()
      else db.exec('PRAGMA wal_checkpoint(FULL)')
    } catch {
      // Nothing else can be done.
    }
  }

  /** Whether the file must not change, because it is also that of a snapshot. */
  function isFixed(): boolean {
    return connection?.isGuarded === true && isShared(ledger!.file)
  }

  /** First beside writers, then alone for what they added meanwhile, so that the log can restart. */
  async function writeBack(): Promise<void> {
    try {
      if (isFixed()) await ledger!.unsharing.run(log, (put) => alone(async () => reopen(put)))
      await log.writeBack()
      await alone(() => log.writeBack())
    } catch {
      // The log stays; the next commit tries again.
    } finally {
      writingBack = undefined
    }
  }

  /** Alone, while the file does not change. What is committed is in the file, or in the log if the file is fixed. */
  async function still<T>(task: () => Promise<T>): Promise<T> {
    for (;;) {
      const done = await alone(async () => {
        condition.checkWriting()
        const fixed = isFixed() // Then it is being copied at most.
        if (!fixed && writingBack !== undefined) return undefined
        if (!fixed) await emptyLog()
        return { result: await task() }
      })
      if (done !== undefined) return done.result
      await writingBack
    }
  }

  /** Not all of it if another process reads. */
  async function emptyLog(): Promise<void> {
    if (log.isLong()) await log.writeBack() // In its thread.
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  }

  /** Returns the log's space to the file system. */
  async function truncate(): Promise<void> {
    if (isFixed()) return
    await log.writeBack() // In the thread; here only an empty log is left to truncate.
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  }

  /** Nobody reads meanwhile, because this does not wait for anything after `put`. */
  async function reopen(put: () => Promise<() => void>, isGuarded = false): Promise<void> {
    condition.checkWriting()
    await log.endThread()
    const rename = await put()
    clear()
    try {
      disconnect()
      rename()
      connection = ledger!.connect(isGuarded)
      db = connection.db
      log.attach(db)
      files = ledger!.watch()
    } catch (error) {
      throw condition.lose(`the ledger could not be opened again: ${(error as Error).message}`)
    }
  }

  function disconnect(): void {
    if (lent !== undefined) lent.giveBack()
    else if (db.isOpen) db.close()
    connection?.release()
    connection = undefined
  }

  /** Readers go on, because the file itself does not change meanwhile. */
  function copyTo(file: string, target: string): Promise<void> {
    return still(() => copyLedger({ base: file, log: { path: `${file}-wal`, bytes: log.usedBytes() }, target }))
  }

  const shareAs: Database['shareAs'] = (name, keepLog) =>
    still(async () => {
      const { file } = ledger!
      await log.endThread() // Its connection would change the file when it is closed.
      if (!connection!.isGuarded) await reopen(async () => () => undefined, true)
      await link(file, name)
      await keepLog({ path: `${file}-wal`, bytes: log.usedBytes() }, tx)
    })

  return {
    query: (sql, ...params) => (isReading(sql) ? whenFree : durably)(() => tx.query(sql, ...params)),
    insert: (table, columns, rows, key) => durably(() => tx.insert(table, columns, rows, key)),
    update: (table, key, columns, rows) => durably(() => tx.update(table, key, columns, rows)),
    delete: (table, columns, rows) => durably(() => tx.delete(table, columns, rows)),
    transaction: (body) => durably(() => commitOrRollBack(tx, () => body(tx), lent && nested)),
    giveUp: () => condition.giveUp(),
    looked: trees.looked,
    definesInText: true,
    measures: {
      async sizeBytes() {
        const value = (name: string) => Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0])
        return value('page_count') * value('page_size')
      },
      log: log.measures,
    },
    ...(ledger !== undefined && { copyTo: (target) => copyTo(ledger.file, target), shareAs }),
    async script(_tx, sql) {
      // Without large rows, a clustered table is a single tree, and so is one whose key is the row id.
      db.exec(
        sql.replaceAll('/* clustered */', 'WITHOUT ROWID').replaceAll('BIGINT PRIMARY KEY', 'INTEGER PRIMARY KEY'),
      )
    },
    reclaim: (signal) =>
      reclaim(
        {
          queries: tx,
          whenFree,
          durably,
          clock,
          writtenBack: async () => writingBack,
          exec: (sql) => db.exec(sql),
          truncate,
        },
        signal,
      ),
    async [Symbol.asyncDispose]() {
      looking?.cancel()
      condition.giveUp()
      ledger?.unsharing.stop()
      await writingBack
      await alone(async () => {
        await condition.close()
        await Promise.all([log.close(), trees.close()])
        if (connection?.isGuarded && db.isOpen && !isFixed()) db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
        disconnect()
        await closedFiles()
        parts.onClose()
      })
    },
  }
}
