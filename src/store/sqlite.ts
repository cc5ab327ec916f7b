// SQLite, through the driver that Node brings. One connection reads and writes; every commit is on disk before it is
// reported, and before anybody reads it.
import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { wallClock } from '../base/clock.ts'
import { StartError } from '../base/errors.ts'
import { createPace } from '../base/pace.ts'
import { makePrivateFile, makePrivateFolder } from '../base/private-files.ts'
import { createQueue } from '../base/queue.ts'
import { commitOrRollBack, type Database, overwriting, type Param, type Queries, type Row } from './database.ts'
import { type CommitLog, openCommitLog } from './sqlite-log.ts'

const fileName = 'ledger.sqlite'
const pagesPerStepMax = 500
/** So much of the file is read in place instead of being copied. It counts as memory that the system can take back. */
const mappedBytes = 256 * 1024 * 1024

/** Opens the ledger in `folder`, for this process alone. */
export function openSqlite(folder: string): Database {
  try {
    makePrivateFolder(folder)
  } catch (error) {
    throw new StartError(`cannot use the data folder ${folder}: ${(error as Error).message}`)
  }
  const lock = takeLock(folder)
  try {
    const file = join(folder, fileName)
    makePrivateFile(file)
    const db = new DatabaseSync(file)
    // A file that can shrink has to be made so before it has any tables.
    db.exec('PRAGMA auto_vacuum = INCREMENTAL')
    const log = openCommitLog(db, file)
    db.exec('PRAGMA secure_delete = FAST') // A key that is moved out leaves no copy in its page.
    db.exec(`PRAGMA foreign_keys = ON; PRAGMA cache_size = -16000; PRAGMA mmap_size = ${mappedBytes}`)
    return databaseOver(db, log, () => lock.close())
  } catch (error) {
    lock.close()
    throw new StartError(`cannot open the ledger in ${folder}: ${(error as Error).message}`)
  }
}

export function openSqliteInMemory(): Database {
  return databaseOver(new DatabaseSync(':memory:'), noLog, () => undefined)
}

/** Reads the ledger in `folder` while a node may be running over it. */
export function openSqliteForReading(folder: string): Database {
  try {
    return databaseOver(new DatabaseSync(join(folder, fileName), { readOnly: true }), noLog, () => undefined)
  } catch {
    throw new StartError(`there is no ledger in ${folder}; start a node there first`)
  }
}

/** As SQLite numbers it. */
const incrementalVacuum = 2n

/** Of what nobody writes, or is lost with the process anyway. */
const noLog: CommitLog = {
  flush: async () => undefined,
  isLong: () => false,
  writeBack: async () => undefined,
  close: async () => undefined,
}

function databaseOver(db: DatabaseSync, log: CommitLog, onClose: () => void): Database {
  const statements = new Map<string, StatementSync>()
  const names = new WeakMap<StatementSync, readonly string[]>()
  const alone = createQueue() // One connection: a second BEGIN would join the open transaction.
  let isWriting = false
  let writingBack: Promise<void> | undefined
  let broken: Error | undefined

  function prepared(sql: string): StatementSync {
    if (broken !== undefined) throw broken
    let statement = statements.get(sql)
    if (statement === undefined) {
      statement = db.prepare(dialectOf(sql))
      statement.setReadBigInts(true)
      statement.setReturnArrays(true)
      statements.set(sql, statement)
    }
    return statement
  }

  /** Objects that the driver itself makes are slow to read. */
  function namedBy(statement: StatementSync): (values: Param[]) => Row {
    let list = names.get(statement)
    if (list === undefined) {
      list = statement.columns().map(({ name }) => name)
      names.set(statement, list)
    }
    const columns = list
    return (values) => {
      const row: Row = {}
      for (let index = 0; index < columns.length; index += 1) row[columns[index]!] = values[index]!
      return row
    }
  }

  const tx: Queries = {
    async query(sql, ...params) {
      const statement = prepared(sql)
      const rows = statement.all(...params) as unknown as Param[][]
      return rows.length === 0 ? [] : rows.map(namedBy(statement))
    },
    async insert(table, columns, rows, key) {
      if (rows.length === 0) return
      const values = columns.map((_, index) => `$${index + 1}`).join(', ')
      const statement = prepared(
        `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values})${overwriting(columns, key)}`,
      )
      for (const row of rows) statement.run(...row)
    },
    async delete(table, columns, rows) {
      if (rows.length === 0) return
      const conditions = columns.map((column, index) => `${column} = $${index + 1}`)
      const statement = prepared(`DELETE FROM ${table} WHERE ${conditions.join(' AND ')}`)
      for (const row of rows) statement.run(...row)
    },
  }
  const whenFree = <T>(task: () => Promise<T>) => (isWriting ? alone(task) : task())

  /** With nobody beside it until it is on disk. */
  const durably = <T>(task: () => Promise<T>) =>
    alone(async () => {
      isWriting = true
      try {
        const result = await task()
        await log.flush().catch(giveUp)
        if (log.isLong()) writingBack ??= writeBack()
        return result
      } finally {
        isWriting = false
      }
    })

  /** What is on disk now, and what is not, only a new start can tell. */
  function giveUp(error: Error): never {
    broken = new Error(`the disk did not take what was committed, start the node again: ${error.message}`)
    throw broken
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
    async script(_tx, sql) {
      // A table without large rows is one tree when it is clustered, and so is one whose key is a row's number.
      db.exec(
        sql.replaceAll('/* clustered */', 'WITHOUT ROWID').replaceAll('BIGINT PRIMARY KEY', 'INTEGER PRIMARY KEY'),
      )
    },
    async reclaim(signal) {
      const [mode] = await alone(() => tx.query('PRAGMA auto_vacuum'))
      const canShrink = mode?.auto_vacuum === incrementalVacuum // One in memory cannot.
      const pace = createPace(wallClock, pagesPerStepMax)
      // A little at a time: others have their turn in between, and the log is written back whenever it is long.
      while (canShrink && !signal?.aborted) {
        const [row] = await alone(() => tx.query('PRAGMA freelist_count'))
        if (row?.freelist_count === 0n) break
        await durably(() => pace.step(async (pages) => db.exec(`PRAGMA incremental_vacuum(${pages})`)))
        await writingBack // Not faster than the disk takes it, or the log would grow to the size of what moves.
        await new Promise<void>((resolve) => setImmediate(resolve))
      }
      if (!canShrink || signal?.aborted) return
      await writingBack
      await alone(async () => {
        await log.writeBack() // By the thread: what is left for this one is to cut off an empty log.
        db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      })
    },
    async [Symbol.asyncDispose]() {
      await writingBack
      await alone(async () => {
        await log.close()
        db.close()
        onClose()
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

/** The operating system gives this lock back when the process ends, however it ends. */
function takeLock(folder: string): DatabaseSync {
  let lock: DatabaseSync
  try {
    const file = join(folder, 'lock.sqlite')
    makePrivateFile(file)
    lock = new DatabaseSync(file, { timeout: 0 })
  } catch {
    throw new StartError(`cannot write to the data folder ${folder}`)
  }
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock.close()
    const isTaken = /locked|busy/.test((error as Error).message)
    throw new StartError(
      isTaken
        ? `another node is already running over ${folder}; stop it, or give this one its own folder with --data`
        : `cannot write to the data folder ${folder}: ${(error as Error).message}`,
    )
  }
}
