// Migrates a database to the newest schema. A migration is a file migrations/NNNN-….sql, applied once and in order; all
// missing ones run in one transaction, and longer work follows in small ones.
import { readdirSync, readFileSync } from 'node:fs'
import { NotYetError, StartError } from '../base/errors.ts'
import type { Database, Queries } from './database.ts'
import { rewriteOldUpdates } from './old-updates.ts'
import { placeArchives } from './past-contracts.ts'
import { changedDefinitions, keepDefinitions } from './sqlite-definitions.ts'

const folder = new URL('./migrations/', import.meta.url)

/** The schema version of this release. */
export const newestSchema = BigInt(readdirSync(folder).length)

/** Returns the version before; 0 for an empty database. */
export async function migrate(database: Database): Promise<bigint> {
  const files = readdirSync(folder).sort()
  const newest = newestSchema
  const before = await database.transaction(async (tx) => {
    await tx.query('CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)')
    const current = await versionOf(tx)
    if (current > newest) {
      throw new StartError(
        `the database has schema version ${current}, and this version of Tallystick knows ${newest}; use a newer one`,
      )
    }
    if (current === newest) {
      if (database.definesInText) await checkDefinitions(tx)
      return current
    }
    if (current > 0n) await checkNoneOlder(database, tx)
    for (const file of files.slice(Number(current))) {
      const sql = readFileSync(new URL(file, folder), 'utf8')
      await database.script(tx, sql).catch((error: Error) => {
        const words = `the database says that it has schema version ${current}, and does not take ${file}`
        throw new StartError(`${words}: it is damaged, or other software has changed it (${error.message})`)
      })
    }
    await tx.query('DELETE FROM schema_version')
    await tx.query('INSERT INTO schema_version (version) VALUES ($1)', newest)
    if (database.definesInText) await keepDefinitions(tx, ownNames())
    return current
  })
  await placeArchives(database)
  await rewriteOldUpdates(database)
  return before
}

/** Nodes of an older version would end. A start may wait until they are stopped. */
async function checkNoneOlder({ sharing }: Database, tx: Queries): Promise<void> {
  const older = (await sharing?.olderNodes(tx.query)) ?? []
  if (older.length === 0) return
  const reason = 'because this version migrates the database to a schema that they do not know'
  throw new NotYetError(`nodes of an older version still run: ${older.join(', ')}; stop them first, ${reason}`)
}

async function checkDefinitions(tx: Queries): Promise<void> {
  const changed = await changedDefinitions(tx)
  if (changed === undefined) await keepDefinitions(tx, ownNames())
  else if (changed.length > 0) {
    throw new StartError(
      `the database is damaged, or other software has changed it: ${changed[0]} is not defined as it was`,
    )
  }
}

function ownNames(): Set<string> {
  return new Set(['schema_version', ...namesMade(/^CREATE (?:UNIQUE )?(?:TABLE|INDEX) (\w+)/gm)])
}

/** What the migrations make, in their order. */
function namesMade(statement: RegExp): string[] {
  const scripts = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), 'utf8'))
  return scripts.flatMap((sql) => [...sql.matchAll(statement)].map(([, name]) => name!))
}

/** Leaves an empty database behind. */
export async function dropSchema(database: Database): Promise<void> {
  const tables = namesMade(/^CREATE TABLE (\w+)/gm)
  await database.transaction(async (tx) => {
    for (const table of [...tables.reverse(), 'schema_version']) await tx.query(`DROP TABLE IF EXISTS ${table}`)
  })
}

export async function versionOf(queries: Queries): Promise<bigint> {
  const [row] = await queries.query('SELECT version FROM schema_version')
  return (row?.version as bigint | undefined) ?? 0n
}
