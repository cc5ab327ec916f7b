// Statements as SQLite takes them.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { overwriting } from './database.ts'

/** Each statement is prepared once. */
export function createStatements(db: DatabaseSync): (sql: string) => StatementSync {
  const statements = new Map<string, StatementSync>()
  return (sql) => {
    let statement = statements.get(sql)
    if (statement === undefined) {
      statement = db.prepare(sql.replaceAll(/\$(\d)/g, '?$1'))
      statement.setReadBigInts(true)
      statements.set(sql, statement)
    }
    return statement
  }
}

export function isReading(sql: string): boolean {
  return /^\s*SELECT\b/i.test(sql)
}

export function insertInto(table: string, columns: readonly string[], key: string | undefined): string {
  const values = columns.map((_, index) => `$${index + 1}`).join(', ')
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values})${overwriting(columns, key)}`
}

export function deleteFrom(table: string, columns: readonly string[]): string {
  const conditions = columns.map((column, index) => `${column} = $${index + 1}`)
  return `DELETE FROM ${table} WHERE ${conditions.join(' AND ')}`
}
