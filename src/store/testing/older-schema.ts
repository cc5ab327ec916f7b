// Databases with the schema of an older version.
import { readdirSync, readFileSync } from 'node:fs'
import type { Database } from '../database.ts'

/** As an older node left it. */
export async function migrateTo(database: Database, version: number): Promise<void> {
  const folder = new URL('../migrations/', import.meta.url)
  await database.transaction(async (tx) => {
    for (const file of readdirSync(folder).sort().slice(0, version)) {
      await database.script(tx, readFileSync(new URL(file, folder), 'utf8'))
    }
    await tx.query('CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)')
    await tx.query('INSERT INTO schema_version VALUES ($1)', BigInt(version))
  })
}
