// The thread that looks whether the trees of a SQLite file hold together, while the node starts and runs. Rows carry
// checksums, but a row that a damaged page does not lead to any more is missed by nobody.
//
// SQLite cannot be interrupted within a table, and the process does not end before the thread does: so in a large file
// only the tables that nothing else covers are looked at, those that say where rows are, and not when they are huge.
import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { failureOf } from './sqlite-errors.ts'

export type DamagedTable = { readonly table: string; readonly problem: string }

/** Looked through with all indexes: about 10 ms for each MB. */
const wholeBytesMax = 64 * 1024 * 1024
/** Each of which stands there for each of its parties: about a second. */
const indexedContractsMax = 3_000_000n
const indexTables = ['active_contracts', 'contract_keys', 'update_parties', 'past_contracts']

const { file } = workerData as { readonly file: string }
const db = new DatabaseSync(file, { readOnly: true })

try {
  for (const { name, check } of checksOf()) {
    const problem = problemOf(name, check)
    if (problem !== undefined) parentPort!.postMessage({ table: name, problem } satisfies DamagedTable)
  }
} finally {
  db.close()
}

function checksOf(): { name: string; check: string }[] {
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as { name: string }[]
  if (statSync(file).size <= wholeBytesMax) return tables.map(({ name }) => ({ name, check: 'integrity_check' }))
  const state = db.prepare('SELECT last_contract FROM ledger')
  state.setReadBigInts(true)
  if ((state.get()!.last_contract as bigint) > indexedContractsMax) return []
  return tables.filter(({ name }) => indexTables.includes(name)).map(({ name }) => ({ name, check: 'quick_check' }))
}

/** The first is enough to not trust a table. A disk that cannot be read now says nothing about what is on it. */
function problemOf(table: string, check: string): string | undefined {
  try {
    const rows = db.prepare(`PRAGMA ${check}("${table}")`).all()
    const texts = rows.map((row) => String(row[check]).replaceAll(/\s*\n\s*/g, '; '))
    return texts.find((text) => text !== 'ok' && !isOfDisk(text))
  } catch (error) {
    return failureOf(error)?.kind === 'damage' ? (error as Error).message : undefined
  }
}

/** SQLite names the code of what kept it from reading a page. */
function isOfDisk(text: string): boolean {
  const code = /error code[ =]*(\d+)/.exec(text)?.[1]
  return code !== undefined && failureOf({ errcode: Number(code), message: text })?.kind !== 'damage'
}
