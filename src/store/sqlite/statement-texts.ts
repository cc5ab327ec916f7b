// The texts of statements that write rows. They are remembered by their list of columns, which is a constant of its table:
// every commit needs them, and writing one takes as long as running it.
import { overwriting } from '../core/database.ts'

type Columns = readonly string[]

const texts = new WeakMap<Columns, Map<string, string>>()

/** Inserts several rows at once; with `key`, replaces those with the same key. */
export function insertion(table: string, columns: Columns, rows: number, key: string | undefined): string {
  return remembered(columns, `${rows} ${table} ${key}`, () => {
    let last = 0
    const row = () => `(${columns.map(() => `$${++last}`).join(', ')})`
    const values = Array.from({ length: rows }, row).join(', ')
    return `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${values}${overwriting(columns, key)}`
  })
}

/** Sets columns of the row with a key, which is the first value. */
export function change(table: string, key: string, columns: Columns): string {
  return remembered(columns, `= ${table} ${key}`, () => {
    const values = columns.map((column, index) => `${column} = $${index + 2}`)
    return `UPDATE ${table} SET ${values.join(', ')} WHERE ${key} = $1`
  })
}

/** Deletes the rows with given values in these columns. */
export function deletion(table: string, columns: Columns): string {
  return remembered(columns, `- ${table}`, () => {
    const conditions = columns.map((column, index) => `${column} = $${index + 1}`)
    return `DELETE FROM ${table} WHERE ${conditions.join(' AND ')}`
  })
}

function remembered(columns: Columns, name: string, write: () => string): string {
  return texts.getOrInsertComputed(columns, () => new Map<string, string>()).getOrInsertComputed(name, write)
}
