// The thread, or the process, that checks the B-trees of a SQLite file while the node starts and runs. Rows carry
// checksums, but nobody would miss a row that a damaged page no longer leads to.
//
// In a large file only the index tables are checked, which nothing else covers, and not when they are huge. A snapshot
// from elsewhere is checked as a whole, and so is a file that SQLite called malformed.
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { openUnchanging } from './connection.ts'
import { failureOf } from './errors.ts'
import type { Verdict } from './suspicion.ts'

export type LookThrough = {
  readonly file: string
  /**
   * `start`: what there is time for. `unchanging`: all of a file that nobody changes meanwhile. `suspected`: all of it, for
   * a verdict; only in a process of its own, because closing a file releases the locks that SQLite has on it.
   */
  readonly manner: 'start' | 'unchanging' | 'suspected'
}

export type Finding = {
  readonly table: string
  readonly problem: string
  /** `either`: SQLite reports malformed data and unreadable data alike. */
  readonly cause: 'data' | 'disk' | 'either'
}

/** Checked with all indexes: about 10 ms per MB. */
const wholeBytesMax = 64 * 1024 * 1024
/** Each is indexed for each of its parties: about a second. */
const indexedContractsMax = 3_000_000n
const pieceBytes = 1024 * 1024
const indexTables = ['active_contracts', 'contract_keys', 'update_parties', 'past_contracts']

if (parentPort !== null) lookThrough(workerData as LookThrough, (found) => parentPort!.postMessage(found))
else {
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL) // Requests come first.
  process.once('message', (request: LookThrough) => {
    if (request.manner === 'suspected') process.send!(verdictOn(request.file))
    else lookThrough(request, (found) => void process.send!(found))
  })
}

function lookThrough({ file, manner }: LookThrough, tell: (found: Finding) => void): void {
  using db = manner === 'unchanging' ? openUnchanging(file) : new DatabaseSync(file, { readOnly: true })
  for (const { name, check } of checksOf(db, { file, manner })) {
    const found = problemOf(db, name, check)
    if (found !== undefined) tell({ table: name, ...found })
  }
}

function checksOf(db: DatabaseSync, { file, manner }: LookThrough): { name: string; check: string }[] {
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as { name: string }[]
  if (manner !== 'start' || statSync(file).size <= wholeBytesMax)
    return tables.map(({ name }) => ({ name, check: 'integrity_check' }))
  const state = db.prepare('SELECT last_contract FROM ledger')
  state.setReadBigInts(true)
  if ((state.get()!.last_contract as bigint) > indexedContractsMax) return []
  return tables.filter(({ name }) => indexTables.includes(name)).map(({ name }) => ({ name, check: 'quick_check' }))
}

/** One problem is enough to distrust a table. */
function problemOf(db: DatabaseSync, table: string, check: string): Omit<Finding, 'table'> | undefined {
  try {
    const rows = db.prepare(`PRAGMA ${check}("${table}")`).all()
    const texts = rows.map((row) => String(row[check]).replaceAll(/\s*\n\s*/g, '; ')).filter((text) => text !== 'ok')
    const [problem] = texts
    if (problem === undefined) return undefined
    const ofData = texts.find((text) => !isOfDisk(text))
    return ofData === undefined ? { problem, cause: 'disk' } : { problem: ofData, cause: 'data' }
  } catch (error) {
    return { problem: (error as Error).message, cause: causes[failureOf(error)?.kind ?? 'disk'] }
  }
}

const causes = { disk: 'disk', suspicion: 'either', damage: 'data' } as const

/** SQLite reports the error code that kept it from reading a page. */
function isOfDisk(text: string): boolean {
  const code = /error code[ =]*(\d+)/.exec(text)?.[1]
  return code !== undefined && failureOf({ errcode: Number(code), message: text })?.kind === 'disk'
}

/** A problem counts if every byte can be read and another look finds a problem again. */
function verdictOn(file: string): Verdict {
  try {
    readAll(file)
    if (firstProblem(file) === undefined) return { kind: 'whole' }
    readAll(file)
    const problem = firstProblem(file)
    return problem === undefined ? { kind: 'whole' } : { kind: 'damaged', problem }
  } catch (error) {
    return { kind: 'unreadable', problem: (error as Error).message }
  }
}

/** Throws if the disk is the reason. */
function firstProblem(file: string): string | undefined {
  let first: string | undefined
  try {
    lookThrough({ file, manner: 'suspected' }, ({ table, problem, cause }) => {
      if (cause === 'disk') throw new Error(problem)
      first ??= `the table ${table}: ${problem}`
    })
  } catch (error) {
    if (failureOf(error)?.kind !== 'suspicion') throw error
    first ??= (error as Error).message // Its tables are not even known.
  }
  return first
}

/** The file and its log, in pieces. */
function readAll(file: string): void {
  const piece = new Uint8Array(pieceBytes)
  for (const path of [file, `${file}-wal`]) {
    if (!existsSync(path)) continue
    const descriptor = openSync(path, 'r')
    try {
      for (;;) if (readSync(descriptor, piece, 0, pieceBytes, null) === 0) break
    } finally {
      closeSync(descriptor)
    }
  }
}
