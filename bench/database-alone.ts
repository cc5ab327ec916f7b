// What SQLite alone can do with our commands: the rows that a ledger has of them, written into another by a thread that
// does nothing else, durably and in transactions of as many commands as a node under load commits at once.
import fs from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { migrate } from '../src/store/migrate.ts'
import { openSqlite } from '../src/store/sqlite.ts'
import { temporaryFolder } from './processes.ts'

const commandsPerCommit = 16
/** As the node does it. */
const longLogPages = 4000

/** What is written for a command, by the offset of the command. */
const tables = {
  updates: 'SELECT update_offset, updates.* FROM updates',
  update_parties: 'SELECT update_offset, update_parties.* FROM update_parties',
  contracts: 'SELECT created_offset, contracts.* FROM contracts',
  archives: 'SELECT archived_offset, archives.* FROM archives',
  active_contracts: 'SELECT created_offset, a.* FROM active_contracts a JOIN contracts ON number = contract',
  completions: 'SELECT completion_offset, completions.* FROM completions',
  accepted_changes: 'SELECT completion_offset, accepted_changes.* FROM accepted_changes',
}

/** Commands per second. */
export async function databaseAlone(ledgerFolder: string): Promise<number> {
  using folder = temporaryFolder()
  {
    await using made = openSqlite(folder.path)
    await migrate(made)
  }
  using from = new DatabaseSync(join(ledgerFolder, 'ledger.sqlite'), { readOnly: true })
  const file = join(folder.path, 'ledger.sqlite')
  using into = new DatabaseSync(file)
  into.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = -16000')
  into.exec('PRAGMA mmap_size = 268435456; BEGIN; COMMIT')
  const writers = Object.entries(tables).map(([table, select]) => writerInto(into, table, rowsByOffset(from, select)))
  const offsets = [...rowsByOffset(from, 'SELECT update_offset FROM updates ORDER BY update_offset').keys()]
  const logLength = into.prepare('PRAGMA wal_checkpoint(NOOP)')
  const log = fs.openSync(`${file}-wal`, 'r+')
  const startedMs = performance.now()
  for (let first = 0; first < offsets.length; first += commandsPerCommit) {
    into.exec('BEGIN')
    for (const write of writers) {
      for (const offset of offsets.slice(first, first + commandsPerCommit)) write(offset)
    }
    into.exec('COMMIT')
    fs.fdatasyncSync(log)
    if (Number(logLength.get()?.log) > longLogPages) into.exec('PRAGMA wal_checkpoint(RESTART)')
  }
  const tookMs = performance.now() - startedMs
  fs.closeSync(log)
  return (offsets.length / tookMs) * 1000
}

type Rows = ReadonlyMap<bigint, readonly SQLInputValue[][]>

function rowsByOffset(from: DatabaseSync, select: string): Rows {
  const statement = from.prepare(select)
  statement.setReturnArrays(true)
  statement.setReadBigInts(true)
  const rows = new Map<bigint, SQLInputValue[][]>()
  for (const [offset, ...row] of statement.all() as unknown as [bigint, ...SQLInputValue[]][]) {
    const others = rows.get(offset)
    if (others === undefined) rows.set(offset, [row])
    else others.push(row)
  }
  return rows
}

function writerInto(into: DatabaseSync, table: string, rows: Rows): (offset: bigint) => void {
  const [[first]] = [...rows.values()] as [[SQLInputValue[]]]
  const insert = into.prepare(`INSERT INTO ${table} VALUES (${first.map(() => '?').join(', ')})`)
  return (offset) => {
    for (const row of rows.get(offset) ?? []) insert.run(...row)
  }
}
