// Statements that write rows to PostgreSQL. A column is one parameter, an array in PostgreSQL's binary form: one text
// serves any number of rows, and the server parses no values.
import { overwriting, type Param } from '../core/database.ts'

export type Statement = { readonly text: string; readonly values: readonly Buffer[] }

type Columns = readonly string[]
type Rows = readonly (readonly Param[])[]

const types = {
  bigint: { name: 'bigint', id: 20 },
  string: { name: 'text', id: 25 },
  object: { name: 'bytea', id: 17 },
} as const

type Type = (typeof types)[keyof typeof types]

export function insertion(table: string, columns: Columns, rows: Rows, key: string | undefined): Statement {
  const { list, values, expressions } = listOf(columns, rows)
  const conflict = overwriting(columns, key)
  return {
    text: `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${expressions.join(', ')} FROM ${list}${conflict}`,
    values,
  }
}

/** Sets columns of the rows with the keys, which are the first values. */
export function change(table: string, key: string, columns: Columns, rows: Rows): Statement {
  const { list, values, expressions } = listOf([key, ...columns], rows)
  const set = columns.map((column, index) => `${column} = ${expressions[index + 1]}`).join(', ')
  return { text: `UPDATE ${table} SET ${set} FROM ${list} WHERE ${table}.${key} = ${expressions[0]}`, values }
}

export function deletion(table: string, columns: Columns, rows: Rows): Statement {
  const { list, values, expressions } = listOf(columns, rows)
  const same = columns.map((column, index) => `${table}.${column} = ${expressions[index]}`).join(' AND ')
  return { text: `DELETE FROM ${table} USING ${list} WHERE ${same}`, values }
}

/**
 * The rows as a table `r`, and what stands for each column. One without a value has no type; it is NULL in the text.
 * The planner does not see how long an array from a subquery is and takes it for short, so it looks up each row by its
 * key; for a long one it would read a whole table of up to some hundred thousand rows instead.
 */
function listOf(columns: Columns, rows: Rows) {
  const values: Buffer[] = []
  const arrays: string[] = []
  const names: string[] = []
  const expressions = columns.map((column, index) => {
    const some = rows.find((row) => row[index] !== null)?.[index]
    if (some === undefined || some === null) return 'NULL'
    const type = types[typeof some as keyof typeof types]
    values.push(arrayOf(rows, index, type))
    arrays.push(`(SELECT $${values.length}::${type.name}[])`)
    names.push(column)
    return `r.${column}`
  })
  return { list: `unnest(${arrays.join(', ')}) AS r(${names.join(', ')})`, values, expressions }
}

const headerBytes = 20

/** One column of all rows. */
function arrayOf(rows: Rows, index: number, type: Type): Buffer {
  let bytes = headerBytes + 4 * rows.length
  let hasNull = 0
  for (const row of rows) {
    const value = row[index]!
    if (value === null) hasNull = 1
    else bytes += bytesOf(value)
  }
  const array = Buffer.allocUnsafe(bytes)
  const view = new DataView(array.buffer, array.byteOffset, bytes) // Much faster than a buffer's own methods.
  // The number of dimensions, whether there are nulls, the type, the length and the first index.
  for (const [place, number] of [1, hasNull, type.id, rows.length, 1].entries()) view.setInt32(4 * place, number)
  let at = headerBytes
  for (const row of rows) {
    const value = row[index]!
    const size = value === null ? -1 : bytesOf(value)
    view.setInt32(at, size)
    at += 4
    if (value === null) continue
    if (typeof value === 'bigint') view.setBigInt64(at, value)
    else if (typeof value === 'string') array.write(value, at, 'utf8')
    else array.set(value, at)
    at += size
  }
  return array
}

function bytesOf(value: Exclude<Param, null>): number {
  if (typeof value === 'bigint') return 8
  return typeof value === 'string' ? Buffer.byteLength(value) : value.length
}
