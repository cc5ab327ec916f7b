// Migrates a database to the newest schema. A migration is a file migrations/NNNN-….sql, which makes schema version NNNN
// of the one before; the first makes it of nothing. All missing ones run in one transaction.
import { readdirSync, readFileSync } from 'node:fs'
import { NotYetError, StartError } from '../../base/errors.ts'
import type { Database, Queries } from '../core/database.ts'
import { inTablesOf } from '../core/participant-tables.ts'
import { changedDefinitions, keepDefinitions } from './definitions.ts'

const ownFolder = new URL('./migrations/', import.meta.url)

/** The schema version of this release. */
export const newestSchema = versionOfFile(filesIn(ownFolder).at(-1)!)

/** Returns the version before; 0 for an empty database. */
export async function migrate(database: Database, folder = ownFolder): Promise<bigint> {
  const files = filesIn(folder)
  const newest = versionOfFile(files.at(-1)!)
  return database.transaction(async (tx) => {
    await tx.query('CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)')
    const current = await versionOf(tx)
    checkKnown(current, versionOfFile(files[0]!), newest)
    if (current === newest) {
      if (database.definesInText) await checkDefinitions(tx)
      return current
    }
    await checkNoneOlder(database, tx)
    for (const file of files.filter((each) => versionOfFile(each) > current)) {
      const sql = readFileSync(new URL(file, folder), 'utf8')
      await database.script(tx, sql).catch((error: Error) => {
        const words = `the database says that it has schema version ${current}, and does not take ${file}`
        throw new StartError(`${words}: it is damaged, or other software has changed it (${error.message})`)
      })
    }
    await tx.query('DELETE FROM schema_version')
    await tx.query('INSERT INTO schema_version (version) VALUES ($1)', newest)
    if (database.definesInText) await keepDefinitions(tx, ownNames(database))
    return current
  })
}

function filesIn(folder: URL): string[] {
  return readdirSync(folder).sort()
}

function versionOfFile(name: string): bigint {
  return BigInt(Number.parseInt(name, 10))
}

function checkKnown(current: bigint, oldest: bigint, newest: bigint): void {
  const found = `the database has schema version ${current}`
  if (current > newest)
    throw new StartError(`${found}, and this version of Tallystick knows ${newest}; use a newer one`)
  if (current > 0n && current < oldest) {
    throw new StartError(
      `${found}, from before the first release, which nothing reads any more; start with an empty one`,
    )
  }
}

/** Nodes of an older version would end. A start may wait until they are stopped. */
async function checkNoneOlder({ sharing }: Database, tx: Queries): Promise<void> {
  const older = (await sharing?.olderNodes(tx.query)) ?? []
  if (older.length === 0) return
  const reason = 'because this version migrates the database to a schema that they do not know'
  throw new NotYetError(`nodes of an older version still run: ${older.join(', ')}; stop them first, ${reason}`)
}

async function checkDefinitions(tx: Queries): Promise<void> {
  const [changed] = await changedDefinitions(tx)
  if (changed === undefined) return
  throw new StartError(`the database is damaged, or other software has changed it: ${changed} is not defined as it was`)
}

function ownNames({ tablePrefix = '' }: Database): Set<string> {
  const names = ['schema_version', ...namesMade(/^CREATE (?:UNIQUE )?(?:TABLE|INDEX) (\w+)/gm)]
  return new Set(names.map((name) => tablePrefix + name))
}

/** What the migrations make, in their order. */
function namesMade(statement: RegExp): string[] {
  const scripts = filesIn(ownFolder).map((file) => readFileSync(new URL(file, ownFolder), 'utf8'))
  return scripts.flatMap((sql) => [...sql.matchAll(statement)].map(([, name]) => name!))
}

/** The numbers of the participants that have tables in a PostgreSQL database. */
async function participantsIn(tx: Queries): Promise<number[]> {
  const rows = await tx.query(
    `SELECT substring(c.relname FROM '^p([0-9]+)_')::bigint AS participant FROM pg_class c
      WHERE pg_table_is_visible(c.oid) AND c.relname ~ '^p[0-9]+_schema_version$'`,
  )
  return [...rows.map(({ participant }) => Number(participant)), 1]
}

/** Leaves an empty database behind. Only PostgreSQL's is emptied: a file is deleted. */
export async function dropSchema(database: Database): Promise<void> {
  const tables = [...namesMade(/^CREATE TABLE (\w+)/gm).reverse(), 'schema_version']
  await database.transaction(async (tx) => {
    for (const participant of await participantsIn(tx)) {
      for (const table of tables) await inTablesOf(participant, tx).query(`DROP TABLE IF EXISTS ${table}`)
    }
  })
}

export async function versionOf(queries: Queries): Promise<bigint> {
  const [row] = await queries.query('SELECT version FROM schema_version')
  return (row?.version as bigint | undefined) ?? 0n
}
