// The definitions of tables and indexes. SQLite keeps them as text and believes them at each opening: with one letter of
// PRIMARY KEY changed, a table still opens, but its rows seem to have no number. So the ledger keeps their checksums.
import { storedDataDamaged } from '../../base/errors.ts'
import { checksumOf } from '../core/checksum.ts'
import type { Queries } from '../core/database.ts'
import { nodeRecords } from '../records/node-records.ts'

const record = 'definitions'

/** Other software may have tables and indexes in the file, too. */
export async function keepDefinitions(queries: Queries, names: ReadonlySet<string>): Promise<void> {
  const sums = [...(await sumsIn(queries))].filter(([name]) => names.has(name))
  const text = JSON.stringify(Object.fromEntries(sums))
  await nodeRecords(queries, storedDataDamaged).put(record, Buffer.from(text))
}

/** The names of those that are not as they were kept. */
export async function changedDefinitions(queries: Queries): Promise<string[]> {
  const kept = await nodeRecords(queries, storedDataDamaged).get(record)
  if (kept === undefined) throw storedDataDamaged('there are no checksums of the definitions of tables')
  const present = await sumsIn(queries)
  const sums: Record<string, string> = JSON.parse(Buffer.from(kept).toString())
  return Object.keys(sums).filter((name) => present.get(name) !== sums[name])
}

async function sumsIn(queries: Queries): Promise<Map<string, string>> {
  const rows = await queries.query('SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL')
  return new Map(rows.map(({ name, sql }) => [name as string, String(checksumOf(0n, sql))]))
}
