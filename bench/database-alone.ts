// The throughput of the database alone: a process that does nothing else copies the rows of a ledger into another one
// through the node's store, in transactions as large as those of a node under load.
import type { Database, Param } from '../src/store/core/database.ts'
import { migrate } from '../src/store/schema/migrate.ts'
import { openSqlite, openSqliteForReading } from '../src/store/sqlite/sqlite.ts'
import { temporaryFolder } from './processes.ts'

const commandsPerCommit = 16

/** The rows written for a command, each with its offset. */
const tables = {
  updates: 'SELECT update_offset AS command, updates.* FROM updates',
  update_parties: 'SELECT update_offset AS command, update_parties.* FROM update_parties',
  contracts: 'SELECT created_offset AS command, contracts.* FROM contracts',
  archives: 'SELECT archived_offset AS command, archives.* FROM archives',
  active_contracts: 'SELECT created_offset AS command, a.* FROM active_contracts a JOIN contracts ON number = contract',
  completions: 'SELECT completion_offset AS command, completions.* FROM completions',
  accepted_changes: 'SELECT completion_offset AS command, accepted_changes.* FROM accepted_changes',
}

type Table = {
  readonly name: string
  readonly columns: readonly string[]
  readonly rows: ReadonlyMap<bigint, readonly Param[][]>
}

/** Commands per second. */
export async function databaseAlone(ledgerFolder: string): Promise<number> {
  using folder = temporaryFolder()
  await using from = openSqliteForReading(ledgerFolder)
  await using into = openSqlite(folder.path)
  await migrate(into)
  const read = await Promise.all(Object.entries(tables).map(([name, select]) => tableOf(from, name, select)))
  const commands = [...read[0]!.rows.keys()].sort((a, b) => Number(a - b))
  const startedMs = performance.now()
  for (let first = 0; first < commands.length; first += commandsPerCommit) {
    const some = commands.slice(first, first + commandsPerCommit)
    await into.transaction(async (tx) => {
      for (const { name, columns, rows } of read) {
        await tx.insert(
          name,
          columns,
          some.flatMap((command) => rows.get(command) ?? []),
        )
      }
    })
  }
  return (commands.length / (performance.now() - startedMs)) * 1000
}

async function tableOf(from: Database, name: string, select: string): Promise<Table> {
  const rows = new Map<bigint, Param[][]>()
  let columns: readonly string[] = []
  for (const { command, ...row } of await from.query(select)) {
    columns = Object.keys(row)
    const others = rows.get(command as bigint)
    if (others === undefined) rows.set(command as bigint, [Object.values(row)])
    else others.push(Object.values(row))
  }
  return { name, columns, rows }
}
