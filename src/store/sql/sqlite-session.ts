// Asks a SQLite ledger in SQL, beside a running node or without one. The file is opened for reading, and SQLite asks for
// each action of a statement whether it is allowed: reading is.
import { join } from 'node:path'
import { constants, DatabaseSync, type StatementSync } from 'node:sqlite'
import { StartError } from '../../base/errors.ts'
import { unpackBytes } from '../../events/format/unpacking.ts'
import type { Dialect } from '../../events/sql/decoding.ts'
import { busyMs, ledgerName } from '../sqlite/data-folder.ts'
import { choiceNamed, nameMeant, templateNamed, withQueryFunctions } from './query-functions.ts'
import {
  bytesAtOnce,
  type ChooseTables,
  checkSchema,
  type ParticipantTables,
  readsOnly,
  rowsAtOnce,
  type SqlSession,
  sizeOf,
} from './session.ts'
import { viewsIn } from './views.ts'

/** A text after its first lines. */
const after = (text: string, lines: number): string => {
  if (lines === 0) return text
  const before = after(text, lines - 1)
  return `substr(${before}, instr(${before}, char(10)) + 1)`
}

const dialect: Dialect = {
  line(text, number, count) {
    const rest = after(text, number - 1)
    return number === count ? rest : `substr(${rest}, 1, instr(${rest}, char(10)) - 1)`
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
  unpacked: (body) => `unpacked(${body})`,
}

/**
 * What the ledger's index of contract ids holds: digits 3 to 18 as a number (`contractIdKey` of contracts.ts). SQLite puts a
 * constant that is compared with the column into other terms, so `contract_id = '00…'` finds the contract by the index.
 */
const hasItsKey = `c.id_key = (${Array.from({ length: 16 }, (_, index) => {
  return `(instr('123456789abcdef', substr(c.contract_id, ${index + 3}, 1)) << ${60 - 4 * index})`
}).join(' | ')})`

/** Without a contract id in the statement, the condition would only be computed for each row. */
const hasContractId = /contract_id[\s\S]*'00[0-9a-f]{16}|'00[0-9a-f]{16}[\s\S]*contract_id/i

const allowed: ReadonlySet<number> = new Set([
  constants.SQLITE_SELECT,
  constants.SQLITE_READ,
  constants.SQLITE_FUNCTION,
  constants.SQLITE_RECURSIVE,
])
/** SQLite's number for an action that was not allowed. */
const notAllowed = 23

export async function openSqliteSession(folder: string, choose: ChooseTables): Promise<SqlSession> {
  let db: DatabaseSync
  let tables: ParticipantTables
  try {
    db = new DatabaseSync(join(folder, ledgerName), { readOnly: true, timeout: busyMs })
    db.function('unpacked', { deterministic: true }, (body) => unpackBytes(body as Uint8Array))
    checkSchema(BigInt(db.prepare('SELECT version FROM schema_version').get()!.version as number))
    const facts = db.prepare('SELECT value FROM node WHERE name = $name')
    tables = await choose(async ($name) => facts.get({ $name })?.value as Uint8Array | undefined)
  } catch (error) {
    if (error instanceof StartError) throw error
    throw new StartError(`there is no ledger in ${folder}; start a node there first`)
  }

  function createViews(sql: string): void {
    db.setAuthorizer(null)
    const views = viewsIn('main', tables, dialect, hasContractId.test(sql) ? hasItsKey : undefined)
    for (const { name } of views.toReversed()) db.exec(`DROP VIEW IF EXISTS temp.${name}`)
    for (const { name, select } of views) db.exec(`CREATE TEMP VIEW ${name} AS ${select}`)
    db.setAuthorizer((action) => (allowed.has(action) ? constants.SQLITE_OK : constants.SQLITE_DENY))
  }

  /** The functions that look names up, once a statement needs them. */
  function nameNames(): void {
    const { types, interfaces, choices } = namesIn(db, `main.${tables.prefix}`)
    db.function(templateNamed, { deterministic: true }, (given) => {
      const name = nameMeant(String(given), types)
      if (!interfaces.has(name)) return name
      throw new StartError(
        `${name} is an interface, and a ledger in SQLite has no rows for views; ask for its templates`,
      )
    })
    db.function(choiceNamed, { deterministic: true }, (given) => nameMeant(String(given), choices))
  }

  return {
    async run(asked) {
      const { sql, hasCalls } = withQueryFunctions(asked, `main.${tables.prefix}`)
      createViews(sql)
      if (hasCalls) nameNames()
      try {
        const statement = db.prepare(sql)
        if (sql.trim().slice(statement.sourceSQL.trim().length).trim() !== '') {
          throw new StartError('one statement at a time')
        }
        statement.setReadBigInts(true)
        statement.setReturnArrays(true)
        const columns = statement.columns().map(({ name }) => name)
        return { columns, rows: batchesOf(statement) }
      } catch (error) {
        throw told(error)
      }
    },
    async [Symbol.asyncDispose]() {
      db.close()
    },
  }
}

type Defined = {
  readonly interfaces: readonly string[]
  readonly templates: Readonly<Record<string, unknown>>
  readonly choices: Readonly<Record<string, readonly string[]>>
}

/** What the packages of the participant define, with the names of packages instead of their ids. */
function namesIn(db: DatabaseSync, tables: string) {
  const found = db.prepare(
    `SELECT p.name, c.contents FROM ${tables}packages p JOIN ${tables}package_contents c ON c.package_id = p.id`,
  )
  const [types, interfaces, choices] = [new Set<string>(), new Set<string>(), new Set<string>()]
  for (const row of found.iterate() as Iterable<{ name: string; contents: string }>) {
    const defined = JSON.parse(row.contents) as Defined
    for (const type of [...Object.keys(defined.templates), ...defined.interfaces]) types.add(`${row.name}:${type}`)
    for (const type of defined.interfaces) interfaces.add(`${row.name}:${type}`)
    for (const [type, names] of Object.entries(defined.choices)) {
      for (const choice of names) choices.add(`${row.name}:${type}:${choice}`)
    }
  }
  return { types, interfaces, choices }
}

async function* batchesOf(statement: StatementSync): AsyncIterable<readonly (readonly unknown[])[]> {
  try {
    let batch: unknown[][] = []
    let bytes = 0
    for (const row of statement.iterate() as unknown as Iterable<unknown[]>) {
      batch.push(row)
      bytes += sizeOf(row)
      if (batch.length < rowsAtOnce && bytes < bytesAtOnce) continue
      yield batch
      batch = []
      bytes = 0
    }
    yield batch
  } catch (error) {
    throw told(error)
  }
}

function told(error: unknown): StartError {
  if (error instanceof StartError) return error
  const { errcode, message } = error as Error & { errcode?: number }
  if (errcode === notAllowed || /because it is a view$/.test(message)) return readsOnly()
  return new StartError(`the statement failed: ${message}`)
}
