// SQLite rows as objects. Columns are checked for one type, which SQLite does not enforce: one flipped bit in a row's
// header turns a text into bytes with the same checksum.
import type { StatementSync } from 'node:sqlite'
import type { Param, Row } from '../core/database.ts'

/** By declared type; expressions and unknown types are not checked. */
const kinds: ReadonlyMap<string, 'string' | 'bigint' | 'object'> = new Map([
  ['TEXT', 'string'],
  ['SORTED_TEXT', 'string'],
  ['INTEGER', 'bigint'],
  ['BIGINT', 'bigint'],
  ['BYTEA', 'object'],
])

/** SQLITE_CORRUPT, as if SQLite had found it itself. */
const corrupt = 11

/** The driver's own row objects are slow to read. */
export function rowsOf(statement: StatementSync): (values: readonly Param[]) => Row {
  const columns = statement.columns()
  const names = columns.map(({ name }) => name)
  const wanted = columns.map(({ type }) => (type === null ? undefined : kinds.get(type)))
  return (values) => {
    const row: Row = {}
    for (let index = 0; index < names.length; index += 1) {
      const value = values[index]!
      const kind = wanted[index]
      if (typeof value !== kind && kind !== undefined && value !== null) throw ofAnotherKind(columns[index]!)
      row[names[index]!] = value
    }
    return row
  }
}

function ofAnotherKind({ table, column }: { readonly table: string | null; readonly column: string | null }): Error {
  return Object.assign(new Error(`a value of ${table}.${column} has another kind`), { errcode: corrupt })
}
