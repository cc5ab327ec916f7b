// What commands take of a ledger in SQLite, by table and index.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ledgerName } from '../src/store/sqlite/data-folder.ts'

/** The tables that grow with every command. */
const tables = [
  ...['updates', 'update_parties', 'contracts', 'archives', 'active_contracts', 'past_contracts', 'contract_keys'],
  ...['completions', 'accepted_changes'],
]

/** Bytes of pages per command, by tree. */
export function bytesPerCommand(folder: string, commands: number): Map<string, number> {
  using db = new DatabaseSync(join(folder, ledgerName), { readOnly: true })
  const sizes = db
    .prepare(
      `SELECT s.name AS name, sum(d.pgsize) AS bytes FROM dbstat d JOIN sqlite_schema s ON s.name = d.name
        WHERE s.tbl_name IN (${tables.map((name) => `'${name}'`).join(', ')}) GROUP BY 1 ORDER BY 2 DESC`,
    )
    .all()
  return new Map(sizes.map(({ name, bytes }) => [String(name), Number(bytes) / commands]))
}
