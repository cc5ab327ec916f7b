// Rows of SQLite as objects. A column holds values of one kind, whatever SQLite would allow: one bit of a row's header on
// disk makes bytes of a text, which has the same checksum and is no text for those who read it.
import type { StatementSync } from 'node:sqlite'
import type { Param, Row } from './database.ts'

/** By the type that a column is declared with; those of expressions and unknown ones are not looked at. */
const kinds: ReadonlyMap<string, 'string' | 'bigint' | 'object'> = new Map([
  ['TEXT', 'string'],
  ['SORTED_TEXT', 'string'],
  ['INTEGER', 'bigint'],
  ['BIGINT', 'bigint'],
  ['BYTEA', 'object'],
])

/** SQLITE_CORRUPT: the same as what SQLite finds itself. */
const corrupt = 11

/** Objects that the driver itself makes are slow to read. */
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
