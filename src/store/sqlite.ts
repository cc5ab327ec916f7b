// SQLite, through the driver that Node brings. One connection reads and writes; every commit is on disk before it is
// reported, and before anybody reads it.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { wallClock } from '../base/clock.ts'
import { StartError } from '../base/errors.ts'
import { createPace } from '../base/pace.ts'
import { makePrivateFile, makePrivateFolder } from '../base/private-files.ts'
import { createQueue } from '../base/queue.ts'
import { commitOrRollBack, type Database, overwriting, type Param, type Queries } from './database.ts'
import { createCondition, type Surroundings } from './sqlite-condition.ts'
import { type FileWatch, watchFiles } from './sqlite-files.ts'
import { lockName, takeLock, tryDisk } from './sqlite-folder.ts'
import { type CommitLog, type Flushing, noLog, openCommitLog, systemFlushing } from './sqlite-log.ts'
import { rowsOf } from './sqlite-rows.ts'
import { lookThroughTrees, type Trees, unwatchedTrees } from './sqlite-trees.ts'

const fileName = 'ledger.sqlite'
const pagesPerStepMax = 500
/** Of pages in memory. The file is not mapped there: a disk that cannot be read would end the process. */
const cacheKibibytes = 64 * 1024
/** While many rows are written, others have their turn after so long; whether it is time is looked at now and then. */
const longTurnMs = 8
const rowsBetweenLooks = 32
/** Between looks at whether the files are still there. */
const lookMs = 400

/** What is around a database, and how its log is flushed; a test puts its own in their place. */
export type SqliteParts = Surroundings & {
  readonly flushing: Flushing
  /** Whether a thread looks through what is there already. */
  readonly looksThrough: boolean
}

const standardParts: SqliteParts = {
  health: { fail: () => undefined, work: () => undefined },
  clock: wallClock,
  abandon: () => void process.kill(process.pid, 'SIGKILL'),
  flushing: systemFlushing,
  looksThrough: false,
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
    const file = join(folder, fileName)
    makePrivateFile(file)
    const isNew = statSync(file).size === 0
    const db = new DatabaseSync(file)
    // A file that can shrink has to be made so before it has any tables.
    db.exec('PRAGMA auto_vacuum = INCREMENTAL')
    const parts = { ...standardParts, ...given }
    const log = openCommitLog(db, file, parts.flushing)
    db.exec('PRAGMA secure_delete = FAST') // A key that is moved out leaves no copy in its page.
    db.exec('PRAGMA cell_size_check = ON') // A page that is damaged is told sooner.
    // No mmap: a sector that cannot be read, or a file that was cut short, would end the process.
    db.exec(`PRAGMA foreign_keys = ON; PRAGMA cache_size = -${cacheKibibytes}`)
    return databaseOver(db, {
      ...parts,
      log,
      files: watchFiles([file, join(folder, lockName)]),
      lookThrough: (onDamage) => (parts.looksThrough && !isNew ? lookThroughTrees(file, onDamage) : unwatchedTrees),
      tryDisk: () => tryDisk(join(folder, 'probe')),
      onClose: () => lock.close(),
    })
  } catch (error) {
    lock.close()
    throw new StartError(`cannot open the ledger in ${folder}: ${(error as Error).message}`)
  }
}

export function openSqliteInMemory(): Database {
  return databaseOver(new DatabaseSync(':memory:'), withoutFiles)
}

/** Reads the ledger in `folder` while a node may be running over it. */
export function openSqliteForReading(folder: string): Database {
  try {
    return databaseOver(new DatabaseSync(join(folder, fileName), { readOnly: true }), withoutFiles)
  } catch {
    throw new StartError(`there is no ledger in ${folder}; start a node there first`)
  }
}

/** As SQLite numbers it. */
const incrementalVacuum = 2n

type Parts = Surroundings & {
  readonly log: CommitLog
  readonly files: FileWatch | undefined
  readonly lookThrough: (onDamage: (detail: string) => void) => Trees
  /** Throws when nothing can be written beside the database. */
  readonly tryDisk: () => void
  readonly onClose: () => void
}

const withoutFiles: Parts = {
  ...standardParts,
  log: noLog,
  files: undefined,
  lookThrough: () => unwatchedTrees,
  tryDisk: () => undefined,
  onClose: () => undefined,
}

function databaseOver(db: DatabaseSync, parts: Parts): Database {
  const { log, files, clock } = parts
  const statements = new Map<string, StatementSync>()
  const readers = new WeakMap<StatementSync, ReturnType<typeof rowsOf>>()
  const alone = createQueue() // One connection: a second BEGIN would join the open transaction.
  const condition = createCondition({ ...parts, probe })
  const trees = parts.lookThrough(condition.damaged)
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
      if (rows.length === 0) return
      const values = columns.map((_, index) => `$${index + 1}`).join(', ')
      const statement = prepared(
        `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values})${overwriting(columns, key)}`,
      )
      await runEach(statement, rows)
    },
    async delete(table, columns, rows) {
      if (rows.length === 0) return
      const conditions = columns.map((column, index) => `${column} = $${index + 1}`)
      const statement = prepared(`DELETE FROM ${table} WHERE ${conditions.join(' AND ')}`)
      await runEach(statement, rows)
    },
  }

  /** Since when rows have been written without a break. */
  let turnMs = clock.elapsedMs()

  /** Many rows take their time: requests that need no database have their turn in between. */
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

  /** With nobody beside it until it is on disk. */
  async function durably<T>(task: () => Promise<T>): Promise<T> {
    condition.checkWriting() // Not after waiting: a flush that fails holds the queue.
    return alone(async () => {
      isWriting = true
      try {
        condition.checkWriting()
        const result = await task()
        await condition.settle()
        const problem = log.problem()
        if (problem !== undefined) throw lose(problem)
        if (log.isLong()) writingBack ??= writeBack()
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

  function look(): void {
    const problem = log.problem() ?? files?.problem()
    if (problem === undefined) looking = clock.after(lookMs, look)
    else lose(problem)
  }

  function lose(problem: string): Error {
    if (!condition.isLost()) void alone(async () => rescue())
    return condition.lose(problem)
  }

  /** A log that was deleted can still be written back while it is open, and nothing of it is lost. */
  function rescue(): void {
    if (files?.problem() !== undefined) return
    try {
      db.exec('PRAGMA wal_checkpoint(FULL)')
    } catch {
      // It was worth trying.
    }
  }

  /** First beside other writers, then what they added meanwhile, so that the log can begin anew. */
  async function writeBack(): Promise<void> {
    try {
      await log.writeBack()
      await alone(() => log.writeBack())
    } catch {
      // The log stays as it is, and the next commit tries again.
    } finally {
      writingBack = undefined
    }
  }

  return {
    query: (sql, ...params) => (isReading(sql) ? whenFree : durably)(() => tx.query(sql, ...params)),
    insert: (table, columns, rows, key) => durably(() => tx.insert(table, columns, rows, key)),
    delete: (table, columns, rows) => durably(() => tx.delete(table, columns, rows)),
    transaction: (body) => durably(() => commitOrRollBack(tx, () => body(tx))),
    giveUp: () => condition.giveUp(),
    looked: trees.looked,
    measures: {
      async sizeBytes() {
        const value = (name: string) => Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0])
        return value('page_count') * value('page_size')
      },
      log: log.measures,
    },
    async script(_tx, sql) {
      // A table without large rows is one tree when it is clustered, and so is one whose key is a row's number.
      db.exec(
        sql.replaceAll('/* clustered */', 'WITHOUT ROWID').replaceAll('BIGINT PRIMARY KEY', 'INTEGER PRIMARY KEY'),
      )
    },
    async reclaim(signal) {
      const [mode] = await whenFree(() => tx.query('PRAGMA auto_vacuum'))
      if (mode?.auto_vacuum !== incrementalVacuum) return // One in memory cannot shrink.
      const pace = createPace(clock, pagesPerStepMax)
      // A little at a time: others have their turn in between, and the log is written back whenever it is long.
      while (!signal?.aborted) {
        const [row] = await whenFree(() => tx.query('PRAGMA freelist_count'))
        if (row?.freelist_count === 0n) break
        await durably(() => pace.step(async (pages) => db.exec(`PRAGMA incremental_vacuum(${pages})`)))
        await writingBack // Not faster than the disk takes it, or the log would grow to the size of what moves.
        await new Promise<void>((resolve) => setImmediate(resolve))
      }
      if (signal?.aborted) return
      await writingBack
      await durably(async () => {
        await log.writeBack() // By the thread: what is left for this one is to cut off an empty log.
        db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      })
    },
    async [Symbol.asyncDispose]() {
      looking?.cancel()
      condition.giveUp()
      await writingBack
      await alone(async () => {
        await condition.close()
        await Promise.all([log.close(), trees.close()])
        db.close()
        parts.onClose()
      })
    },
  }
}

function isReading(sql: string): boolean {
  return /^\s*(SELECT|WITH|PRAGMA)\b/i.test(sql)
}

/** A limit that stands alone would have the statement prepared anew each time: its value is part of SQLite's planning. */
function dialectOf(sql: string): string {
  return sql
    .replaceAll(/\$(\d)/g, '?$1')
    .replaceAll(/LIMIT (\?\d+)/g, 'LIMIT $1 + 0')
    .replaceAll(/convert_from\((\w+), 'UTF8'\)/g, 'CAST($1 AS TEXT)')
}
