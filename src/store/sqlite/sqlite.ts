// SQLite, through Node's own driver. One connection reads and writes; every commit is on disk before it is reported or
// read.
import { statSync } from 'node:fs'
import { link } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { wallClock } from '../../base/clock.ts'
import { StartError } from '../../base/errors.ts'
import { createPace } from '../../base/pace.ts'
import { makePrivateFile, makePrivateFolder } from '../../base/private-files.ts'
import { createQueue } from '../../base/queue.ts'
import type { Database, Param, Queries } from '../core/database.ts'
import { createCondition, type Surroundings } from './condition.ts'
import { copyLedger } from './copy.ts'
import { lookAgain, lookThroughTrees, type TreeReport, type Trees, unwatchedTrees } from './damaged-trees.ts'
import { busyMs, completeRestore, ledgerName, lockName, takeLock, tryDisk } from './data-folder.ts'
import { type CommitLog, type Flushing, noLog, openCommitLog, systemFlushing } from './flushing.ts'
import { closedFiles, holdFile } from './held-files.ts'
import { type FileWatch, watchFiles } from './open-files.ts'
import { rowsOf } from './rows.ts'
import { isShared, openGuarded, removeOtherNames } from './shared-file.ts'
import { change, deletion, insertion } from './statement-texts.ts'
import type { Look } from './suspicion.ts'
import { openUnchanging } from './unchanging-file.ts'
import { createUnsharing, type Unsharing } from './unsharing.ts'

const pagesPerStepMax = 500
/**
 * SQLite's page cache; the system's cache is behind it. A larger one makes commits slower: when a tree with random keys
 * grows, SQLite searches the whole cache at the end of the transaction. The file is not memory-mapped: an unreadable
 * sector would kill the process.
 */
const cacheKibibytes = 8 * 1024
/** A long write yields to other work after this time, which is checked every few rows. */
const longTurnMs = 8
const rowsBetweenLooks = 32
/** Rows of few columns are inserted several at a time, which takes half the time; wider ones gain nothing. */
const narrowColumnsMax = 5
const narrowRows = 8
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
export function openSqlite(folder: string, given: Partial<SqliteParts> = {}): Database {
  try {
    makePrivateFolder(folder)
  } catch (error) {
    throw new StartError(`cannot use the data folder ${folder}: ${(error as Error).message}`)
  }
  const lock = takeLock(folder)
  try {
    const file = join(folder, ledgerName)
    const first = connect(folder)
    const parts = { ...standardParts, ...given }
    return databaseOver(first.db, {
      ...parts,
      log: openCommitLog(first.db, file, parts.flushing),
      lookThrough: (report) => (parts.looksThrough && !first.isNew ? lookThroughTrees(file, report) : unwatchedTrees),
      look: () => parts.lookAgain(file),
      tryDisk: () => tryDisk(join(folder, 'probe')),
      ledger: {
        ...{ file, first, connect: (isGuarded) => connect(folder, isGuarded) },
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

type Connection = {
  readonly db: DatabaseSync
  readonly isNew: boolean
  /** Whether it leaves the file as it is when it is closed. */
  readonly isGuarded: boolean
  /** Called when it is closed. */
  readonly release: () => void
}

function connect(folder: string, mustGuard = false): Connection {
  const file = join(folder, ledgerName)
  completeRestore(folder)
  removeOtherNames(folder)
  makePrivateFile(file)
  const isNew = statSync(file).size === 0
  const isGuarded = mustGuard || isShared(file)
  const db = isGuarded ? openGuarded(folder) : new DatabaseSync(file)
  // First of all: a commit on this connection, such as that of a pragma, would otherwise checkpoint a long log, also into
  // a file that must not change.
  db.exec('PRAGMA wal_autocheckpoint = 0')
  if (isNew) db.exec('PRAGMA auto_vacuum = INCREMENTAL') // Has no effect once there is a table, but would be a commit.
  db.exec(`PRAGMA busy_timeout = ${busyMs}`)
  db.exec('PRAGMA secure_delete = FAST') // A key that is moved out leaves no copy in its page.
  db.exec('PRAGMA cell_size_check = ON') // Detects a damaged page sooner.
  // No mmap: an unreadable sector or a truncated file would kill the process.
  db.exec(`PRAGMA foreign_keys = ON; PRAGMA cache_size = -${cacheKibibytes}`)
  return { db, isNew, isGuarded, release: holdFile(file) }
}

/** Empty, or with the content of another. */
export function openSqliteInMemory(content?: Uint8Array): Database {
  const db = new DatabaseSync(':memory:')
  if (content !== undefined) db.deserialize(content)
  return { ...databaseOver(db, withoutFiles), content: async () => db.serialize() }
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

/** SQLite's number for the mode. */
const incrementalVacuum = 2n

type Parts = Surroundings & {
  readonly log: CommitLog
  /** Undefined if it is not this process that writes it. */
  readonly ledger: Ledger | undefined
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
  lookThrough: () => unwatchedTrees,
  look: undefined,
  tryDisk: () => undefined,
  onClose: () => undefined,
}

function databaseOver(first: DatabaseSync, parts: Parts): Database {
  const { log, ledger, clock } = parts
  let db = first
  let connection = ledger?.first
  let files = ledger?.watch()
  const statements = new Map<string, StatementSync>()
  const readers = new WeakMap<StatementSync, ReturnType<typeof rowsOf>>()
  const alone = createQueue() // One connection: a second BEGIN would join the open transaction.
  const condition = createCondition({ ...parts, probe, onWhole })
  const trees = parts.lookThrough(condition)
  let isWriting = false
  let writingBack: Promise<void> | undefined
  let looking = files && clock.after(lookMs, look)

  function prepared(sql: string): StatementSync {
    trees.check(sql)
    let statement = statements.get(sql)
    if (statement === undefined) {
      statement = db.prepare(dialectOf(sql))
      statement.setReadBigInts(true)
      statement.setReturnArrays(true)
      statements.set(sql, statement)
    }
    return statement
  }

  function readerOf(statement: StatementSync): ReturnType<typeof rowsOf> {
    let reader = readers.get(statement)
    if (reader === undefined) {
      reader = rowsOf(statement)
      readers.set(statement, reader)
    }
    return reader
  }

  const tx: Queries = {
    async query(sql, ...params) {
      const statement = prepared(sql)
      const rows = statement.all(...params) as unknown as Param[][]
      return rows.length === 0 ? [] : rows.map(readerOf(statement))
    },
    async insert(table, columns, rows, key) {
      const count = columns.length <= narrowColumnsMax ? narrowRows : 1
      const rest = rows.length % count
      const together = rows.slice(0, rows.length - rest)
      const statement = (atOnce: number) => prepared(insertion(table, columns, atOnce, key))
      if (together.length > 0) await runEach(statement(count), inGroups(together, count))
      if (rest > 0) await runEach(statement(rest), inGroups(rows.slice(-rest), rest))
    },
    async update(table, key, columns, rows) {
      if (rows.length > 0) await runEach(prepared(change(table, key, columns)), rows)
    },
    async delete(table, columns, rows) {
      if (rows.length > 0) await runEach(prepared(deletion(table, columns)), rows)
    },
  }

  /** Since when rows have been written without yielding. */
  let turnMs = clock.elapsedMs()

  /** Yields to requests that need no database while many rows are written. */
  async function runEach(statement: StatementSync, rows: readonly (readonly Param[])[]): Promise<void> {
    for (let index = 0; index < rows.length; index += 1) {
      statement.run(...rows[index]!)
      if (index % rowsBetweenLooks !== rowsBetweenLooks - 1 || clock.elapsedMs() - turnMs < longTurnMs) continue
      await new Promise<void>((resolve) => setImmediate(resolve))
      turnMs = clock.elapsedMs()
    }
  }

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

  /** Nobody reads meanwhile, because this does not wait for anything after `put`. */
  async function reopen(put: () => Promise<() => void>, isGuarded = false): Promise<void> {
    condition.checkWriting()
    await log.endThread()
    const rename = await put()
    statements.clear()
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
    if (db.isOpen) db.close()
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
    transaction: (body) => durably(() => commitOrRollBack(tx, () => body(tx))),
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
    async reclaim(signal) {
      const [mode] = await whenFree(() => tx.query('PRAGMA auto_vacuum'))
      if (mode?.auto_vacuum !== incrementalVacuum) return // A database in memory cannot shrink.
      const pace = createPace(clock, pagesPerStepMax)
      // In small steps: other work runs in between, and a long log is checkpointed.
      while (!signal?.aborted) {
        const [row] = await whenFree(() => tx.query('PRAGMA freelist_count'))
        if (row?.freelist_count === 0n) break
        await durably(() => pace.step(async (pages) => db.exec(`PRAGMA incremental_vacuum(${pages})`)))
        await writingBack // Back-pressure: otherwise the log would grow to the size of the moved pages.
        await new Promise<void>((resolve) => setImmediate(resolve))
      }
      if (signal?.aborted) return
      await writingBack
      await durably(async () => {
        if (isFixed()) return
        await log.writeBack() // In the thread; here only an empty log is left to truncate.
        db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      })
    },
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

/** The values of `count` rows after each other. */
function inGroups(rows: readonly (readonly Param[])[], count: number): readonly (readonly Param[])[] {
  if (count === 1) return rows
  return Array.from({ length: rows.length / count }, (_, group) =>
    rows.slice(group * count, (group + 1) * count).flat(),
  )
}

function isReading(sql: string): boolean {
  return /^\s*(SELECT|WITH|PRAGMA)\b/i.test(sql)
}

/**
 * `+ 0` because SQLite plans by the value of a bare LIMIT parameter and would prepare the statement each time. Parameters
 * that are used once and in order get no numbers: with them, the driver looks up each by name.
 */
function dialectOf(sql: string): string {
  const isInOrder = [...sql.matchAll(/\$(\d+)/g)].every(([, number], index) => Number(number) === index + 1)
  return sql
    .replaceAll(/\$(\d+)/g, isInOrder ? '?' : '?$1')
    .replaceAll(/LIMIT (\?\d*)/g, 'LIMIT $1 + 0')
    .replaceAll(/convert_from\((\w+), 'UTF8'\)/g, 'CAST($1 AS TEXT)')
}

async function commitOrRollBack<T>(tx: Queries, body: () => Promise<T>): Promise<T> {
  await tx.query('BEGIN IMMEDIATE') // Only its beginning waits for a program that holds the file.
  try {
    const result = await body()
    await tx.query('COMMIT')
    return result
  } catch (error) {
    await tx.query('ROLLBACK').catch(() => undefined) // SQLite may have rolled back by itself.
    throw error
  }
}
