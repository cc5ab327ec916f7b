// Statements of one connection: they are prepared once, in the dialect of SQLite, and rows are written in groups.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Clock } from '../../base/clock.ts'
import { overwriting, type Param, type Queries } from '../core/database.ts'
import { rowsOf } from './rows.ts'

/** A long write yields to other work after this time, which is checked every few rows. */
const longTurnMs = 8
const rowsBetweenLooks = 32
/** Rows of few columns are inserted several at a time, which takes half the time; wider ones gain nothing. */
const narrowColumnsMax = 5
const narrowRows = 8

export type Statements = {
  readonly queries: Queries
  /** Forgets what was prepared on a connection that is closed. */
  clear(): void
}

type Parts = {
  /** The connection of the moment. */
  readonly connected: () => DatabaseSync
  /** Throws if the statement reads a damaged tree. */
  readonly check: (sql: string) => void
  readonly clock: Clock
}

export function createStatements({ connected, check, clock }: Parts): Statements {
  const statements = new Map<string, StatementSync>()
  const readers = new WeakMap<StatementSync, ReturnType<typeof rowsOf>>()

  function prepared(sql: string): StatementSync {
    check(sql)
    let statement = statements.get(sql)
    if (statement === undefined) {
      statement = connected().prepare(dialectOf(sql))
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

  const queries: Queries = {
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

  return { queries, clear: () => statements.clear() }
}

/** The values of `count` rows after each other. */
function inGroups(rows: readonly (readonly Param[])[], count: number): readonly (readonly Param[])[] {
  if (count === 1) return rows
  return Array.from({ length: rows.length / count }, (_, group) =>
    rows.slice(group * count, (group + 1) * count).flat(),
  )
}

export async function commitOrRollBack<T>(tx: Queries, body: () => Promise<T>, words = outermost): Promise<T> {
  await tx.query(words.begin)
  try {
    const result = await body()
    await tx.query(words.commit)
    return result
  } catch (error) {
    // SQLite may have rolled back by itself.
    for (const each of words.rollBack) await tx.query(each).catch(() => undefined)
    throw error
  }
}

/** How a transaction is written. Only the beginning of one waits for a program that holds the file. */
const outermost = { begin: 'BEGIN IMMEDIATE', commit: 'COMMIT', rollBack: ['ROLLBACK'] }
/** Inside of another. */
export const nested: typeof outermost = {
  begin: 'SAVEPOINT body',
  commit: 'RELEASE body',
  rollBack: ['ROLLBACK TO body', 'RELEASE body'],
}

export function isReading(sql: string): boolean {
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

type Columns = readonly string[]

/**
 * The texts of statements that write rows. They are remembered by their list of columns, which is a constant of its table:
 * every commit needs them, and writing one takes as long as running it.
 */
const texts = new WeakMap<Columns, Map<string, string>>()

/** Inserts several rows at once; with `key`, replaces those with the same key. */
function insertion(table: string, columns: Columns, rows: number, key: string | undefined): string {
  return remembered(columns, `${rows} ${table} ${key}`, () => {
    let last = 0
    const row = () => `(${columns.map(() => `$${++last}`).join(', ')})`
    const values = Array.from({ length: rows }, row).join(', ')
    return `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${values}${overwriting(columns, key)}`
  })
}

/** Sets columns of the row with a key, which is the first value. */
function change(table: string, key: string, columns: Columns): string {
  return remembered(columns, `= ${table} ${key}`, () => {
    const values = columns.map((column, index) => `${column} = $${index + 2}`)
    return `UPDATE ${table} SET ${values.join(', ')} WHERE ${key} = $1`
  })
}

/** Deletes the rows with given values in these columns. */
function deletion(table: string, columns: Columns): string {
  return remembered(columns, `- ${table}`, () => {
    const conditions = columns.map((column, index) => `${column} = $${index + 1}`)
    return `DELETE FROM ${table} WHERE ${conditions.join(' AND ')}`
  })
}

function remembered(columns: Columns, name: string, write: () => string): string {
  return texts.getOrInsertComputed(columns, () => new Map<string, string>()).getOrInsertComputed(name, write)
}
