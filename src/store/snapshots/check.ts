// Whether a file, or a database in memory, is a ledger that this version can open. People carry snapshots from one
// machine to another, so a file may be anything.
import type { DatabaseSync } from 'node:sqlite'
import { UnusableSnapshot } from '../../base/errors.ts'
import { newestSchema } from '../schema/migrate.ts'
import { failureOf } from '../sqlite/errors.ts'

/** The header of a SQLite file: https://sqlite.org/fileformat.html#the_database_header */
export const headerBytes = 100
const magic = 'SQLite format 3\0'
const pageSizeAt = 16
const pagesAt = 28

/** SQLite itself reads what is missing as zeros. */
export function checkHeader(header: Buffer, bytes: number): void {
  if (header.length < headerBytes || header.toString('latin1', 0, magic.length) !== magic) throw notASnapshot()
  const pageSize = header.readUInt16BE(pageSizeAt)
  const wanted = (pageSize === 1 ? 65_536 : pageSize) * header.readUInt32BE(pagesAt)
  if (bytes !== wanted) throw damaged(`it has ${bytes} bytes, and should have ${wanted}`)
}

/** The end of the ledger in the database, which is closed. Throws an UnusableSnapshot. */
export function endOf(open: () => DatabaseSync): bigint {
  try {
    using db = open()
    const tables = db.prepare("SELECT name FROM sqlite_schema WHERE name IN ('schema_version', 'ledger')").all()
    if (tables.length < 2) {
      throw new UnusableSnapshot('it is a database, but not the ledger of a node')
    }
    const { version } = db.prepare('SELECT version FROM schema_version').get()!
    if (BigInt(version as number) > newestSchema) throw new UnusableSnapshot('a newer version of Tallystick wrote it')
    const state = db.prepare('SELECT ledger_end FROM ledger')
    state.setReadBigInts(true)
    return state.get()!.ledger_end as bigint
  } catch (error) {
    throw inWords(error)
  }
}

/** Errors that are not about the content stay as they are. */
function inWords(error: unknown): Error {
  const kind = failureOf(error)?.kind
  return kind === 'damage' || kind === 'suspicion' ? damaged((error as Error).message) : (error as Error)
}

function notASnapshot(): UnusableSnapshot {
  return new UnusableSnapshot('it is not a snapshot')
}

export function damaged(problem: string): UnusableSnapshot {
  return new UnusableSnapshot(`it is damaged or incomplete: ${problem}`)
}
