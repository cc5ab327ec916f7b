// Asks a SQLite ledger in SQL, beside a running node or without one. The file is opened for reading, and SQLite asks for
// each action of a statement whether it is allowed: reading is.
import { join } from 'node:path'
import { constants, DatabaseSync } from 'node:sqlite'
import { StartError } from '../base/errors.ts'
import { checkSchema, readsOnly, type SqlSession } from './sql-session.ts'
import { type Dialect, viewsIn } from './sql-views.ts'
import { ledgerName } from './sqlite-folder.ts'

/** `meta` after its first lines. */
const after = (lines: number): string => {
  if (lines === 0) return 'meta'
  const before = after(lines - 1)
  return `substr(${before}, instr(${before}, char(10)) + 1)`
}

const dialect: Dialect = {
  schema: 'main',
  line(number) {
    const rest = after(number - 1)
    return number === 5 ? rest : `substr(${rest}, 1, instr(${rest}, char(10)) - 1)`
  },
  part: (bytes, start, length) => `CAST(substr(${bytes}, ${start} + 1, ${length}) AS TEXT)`,
  json: (text) => text,
  numberAt: (list, index) => `json_extract(${list}, '$[' || (${index}) || ']')`,
  elements: (list) => `json_each(${list}) element`,
  place: 'element.key',
  listOf: (subquery) => `(SELECT json_group_array(item ORDER BY place) FROM (${subquery}))`,
  text: (value) => value,
  isNumber: (value) => `typeof(${value}) = 'integer'`,
  memberAt: (list, index) => `json_extract(${list}, '$[' || (${index}) || ']')`,
  int: 'INTEGER',
  trueTexts: '1',
}

const allowed: ReadonlySet<number> = new Set([
  constants.SQLITE_SELECT,
  constants.SQLITE_READ,
  constants.SQLITE_FUNCTION,
  constants.SQLITE_RECURSIVE,
])
/** SQLite's number for an action that was not allowed. */
const notAllowed = 23

export function openSqliteSession(folder: string): SqlSession {
  let db: DatabaseSync
  try {
    db = new DatabaseSync(join(folder, ledgerName), { readOnly: true })
    checkSchema(BigInt(db.prepare('SELECT version FROM schema_version').get()!.version as number))
  } catch (error) {
    if (error instanceof StartError) throw error
    throw new StartError(`there is no ledger in ${folder}; start a node there first`)
  }
  for (const { name, select } of viewsIn(dialect)) db.exec(`CREATE TEMP VIEW ${name} AS ${select}`)
  db.setAuthorizer((action) => (allowed.has(action) ? constants.SQLITE_OK : constants.SQLITE_DENY))
  return {
    async run(sql) {
      try {
        const statement = db.prepare(sql)
        if (sql.trim().slice(statement.sourceSQL.trim().length).trim() !== '') {
          throw new StartError('one statement at a time')
        }
        statement.setReadBigInts(true)
        statement.setReturnArrays(true)
        const columns = statement.columns().map(({ name }) => name)
        return { columns, rows: statement.all() as unknown as unknown[][] }
      } catch (error) {
        if (error instanceof StartError) throw error
        const { errcode, message } = error as Error & { errcode?: number }
        if (errcode === notAllowed || /because it is a view$/.test(message)) throw readsOnly()
        throw new StartError(`the statement failed: ${message}`)
      }
    },
    async [Symbol.asyncDispose]() {
      db.close()
    },
  }
}
