// SQLite, through the driver that Node brings. One connection; every commit is on disk (WAL, synchronous = FULL)
// before it is reported.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { StartError } from '../base/errors.ts'
import { createQueue } from '../base/queue.ts'
import { commitOrRollBack, type Database, overwriting, type Param, type Queries, type Row } from './database.ts'

const fileName = 'ledger.sqlite'
const pagesPerStep = 500
/** So much of the file is read without copying; what was read of it counts as memory of the process. */
const mappedBytesMax = 256 * 1024 * 1024

/** Opens the ledger in `folder`, for this process alone. */
export function openSqlite(folder: string): Database {
  try {
    mkdirSync(folder, { recursive: true })
  } catch (error) {
    throw new StartError(`cannot use the data folder ${folder}: ${(error as Error).message}`)
  }
  const lock = takeLock(folder)
  try {
    const db = new DatabaseSync(join(folder, fileName))
    // A file that can shrink has to be made so before it has any tables.
    db.exec('PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    // macOS keeps what is flushed in the drive's own memory unless it is told otherwise; elsewhere this says nothing.
    db.exec(
      'PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON; PRAGMA foreign_keys = ON; PRAGMA cache_size = -16000',
    )
    return databaseOver(db, () => lock.close())
  } catch (error) {
    lock.close()
    throw new StartError(`cannot open the ledger in ${folder}: ${(error as Error).message}`)
  }
}

export function openSqliteInMemory(): Database {
  return databaseOver(new DatabaseSync(':memory:'), () => undefined)
}

/** Reads the ledger in `folder` while a node may be running over it. */
export function openSqliteForReading(folder: string): Database {
  try {
    return databaseOver(new DatabaseSync(join(folder, fileName), { readOnly: true }), () => undefined)
  } catch {
    throw new StartError(`there is no ledger in ${folder}; start a node there first`)
  }
}

/** As SQLite numbers it. */
const incrementalVacuum = 2n

function databaseOver(db: DatabaseSync, onClose: () => void): Database {
  const statements = new Map<string, StatementSync>()
  const names = new WeakMap<StatementSync, readonly string[]>()
  db.exec(`PRAGMA mmap_size = ${mappedBytesMax}`)
  const alone = createQueue() // One connection: a second BEGIN would join the open transaction.
  let inTransaction = false

  function prepared(sql: string): StatementSync {
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
      const values = columns.map((_, index) => `$${index + 1}`).join(', ')
      const statement = prepared(
        `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values})${overwriting(columns, key)}`,
      )
      for (const row of rows) statement.run(...row)
    },
    async delete(table, columns, rows) {
      const conditions = columns.map((column, index) => `${column} = $${index + 1}`)
      const statement = prepared(`DELETE FROM ${table} WHERE ${conditions.join(' AND ')}`)
      for (const row of rows) statement.run(...row)
    },
  }
  const whenFree = <T>(task: () => Promise<T>) => (inTransaction ? alone(task) : task())
  return {
    query: (sql, ...params) => whenFree(() => tx.query(sql, ...params)),
    insert: (table, columns, rows, key) => whenFree(() => tx.insert(table, columns, rows, key)),
    delete: (table, columns, rows) => whenFree(() => tx.delete(table, columns, rows)),
    transaction: (body) =>
      alone(async () => {
        inTransaction = true
        try {
          return await commitOrRollBack(tx, () => body(tx))
        } finally {
          inTransaction = false
        }
      }),
    async script(_tx, sql) {
      // A table without large rows is one tree when it is clustered, and so is one whose key is a row's number.
      db.exec(
        sql.replaceAll('/* clustered */', 'WITHOUT ROWID').replaceAll('BIGINT PRIMARY KEY', 'INTEGER PRIMARY KEY'),
      )
    },
    async reclaim() {
      const [mode] = await alone(() => tx.query('PRAGMA auto_vacuum'))
      const canShrink = mode?.auto_vacuum === incrementalVacuum // One in memory cannot.
      // A little at a time: others have their turn in between.
      while (canShrink) {
        const [row] = await alone(() => tx.query('PRAGMA freelist_count'))
        if (row?.freelist_count === 0n) break
        await alone(async () => db.exec(`PRAGMA incremental_vacuum(${pagesPerStep})`))
        await new Promise<void>((resolve) => setImmediate(resolve))
      }
      await alone(async () => db.exec('PRAGMA wal_checkpoint(TRUNCATE)'))
    },
    [Symbol.asyncDispose]: () =>
      alone(async () => {
        db.close()
        onClose()
      }),
  }
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
    lock = new DatabaseSync(join(folder, 'lock.sqlite'), { timeout: 0 })
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
