// `tallystick check`: whether all stored data is undamaged and fits together. It only reads, table by table in bounded
// batches, and names every row that is damaged or has no counterpart.

import { changedDefinitions } from '../schema/definitions.ts'
import { attempt, type IntegrityParts } from './parts.ts'
import { checkRelations } from './relations.ts'
import { checkRows } from './rows.ts'

export async function checkIntegrity(parts: IntegrityParts, kind: 'sqlite' | 'postgres'): Promise<void> {
  if (kind === 'sqlite') await checkFile(parts)
  await checkRows(parts)
  await checkRelations(parts)
}

/** SQLite's own check: pages, trees, indexes, references. PostgreSQL has data_checksums and amcheck for that. */
async function checkFile({ queries, problem }: IntegrityParts): Promise<void> {
  await attempt('the definitions of tables', problem, async () => {
    for (const name of await changedDefinitions(queries)) problem(`the definition of ${name} is not what was written`)
  })
  await attempt('the file', problem, async () => {
    for (const row of await queries.query('PRAGMA integrity_check')) {
      const text = String(row.integrity_check)
      if (text !== 'ok') problem(`the file: ${text.replaceAll('\n', '; ')}`)
    }
    for (const row of await queries.query('PRAGMA foreign_key_check')) {
      problem(`the table ${row.table}: row ${row.rowid} refers to a row of ${row.parent} that is not there`)
    }
  })
}
