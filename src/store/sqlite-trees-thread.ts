// The thread, or the process, that checks the B-trees of a SQLite file while the node starts and runs. Rows carry
// checksums, but nobody would miss a row that a damaged page no longer leads to.
//
// In a large file only the index tables are checked, which nothing else covers, and not when they are huge. A snapshot
// from elsewhere is checked as a whole.
import { statSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { failureOf } from './sqlite-errors.ts'
import { openUnchanging } from './unchanging-file.ts'

export type LookThrough = {
  readonly file: string
  /** Whether all of it is checked; nobody may change it meanwhile. */
  readonly isWhole: boolean
}

export type DamagedTable = { readonly table: string; readonly problem: string }

/** Checked with all indexes: about 10 ms per MB. */
const wholeBytesMax = 64 * 1024 * 1024
/** Each is indexed for each of its parties: about a second. */
const indexedContractsMax = 3_000_000n
const indexTables = ['active_contracts', 'contract_keys', 'update_parties', 'past_contracts']

if (parentPort !== null) lookThrough(workerData as LookThrough, (found) => parentPort!.postMessage(found))
else {
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL) // Requests come first.
  process.once('message', (asked) => lookThrough(asked as LookThrough, (found) => void process.send!(found)))
}

function lookThrough({ file, isWhole }: LookThrough, tell: (found: DamagedTable) => void): void {
  using db = isWhole ? openUnchanging(file) : new DatabaseSync(file, { readOnly: true })
  for (const { name, check } of checksOf(db, { file, isWhole })) {
    const problem = problemOf(db, name, check)
    if (problem !== undefined) tell({ table: name, problem })
  }
}

function checksOf(db: DatabaseSync, { file, isWhole }: LookThrough): { name: string; check: string }[] {
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as { name: string }[]
  if (isWhole || statSync(file).size <= wholeBytesMax)
    return tables.map(({ name }) => ({ name, check: 'integrity_check' }))
  const state = db.prepare('SELECT last_contract FROM ledger')
  state.setReadBigInts(true)
  if ((state.get()!.last_contract as bigint) > indexedContractsMax) return []
  return tables.filter(({ name }) => indexTables.includes(name)).map(({ name }) => ({ name, check: 'quick_check' }))
}

/** One problem is enough to distrust a table. A read error says nothing about the data. */
function problemOf(db: DatabaseSync, table: string, check: string): string | undefined {
  try {
    const rows = db.prepare(`PRAGMA ${check}("${table}")`).all()
    const texts = rows.map((row) => String(row[check]).replaceAll(/\s*\n\s*/g, '; '))
    return texts.find((text) => text !== 'ok' && !isOfDisk(text))
  } catch (error) {
    return failureOf(error)?.kind === 'damage' ? (error as Error).message : undefined
  }
}

/** SQLite reports the error code that kept it from reading a page. */
function isOfDisk(text: string): boolean {
  const code = /error code[ =]*(\d+)/.exec(text)?.[1]
  return code !== undefined && failureOf({ errcode: Number(code), message: text })?.kind !== 'damage'
}
