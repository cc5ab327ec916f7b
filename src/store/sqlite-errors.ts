// What a failure of SQLite means: the disk or the file system refused (worth a retry once that is over), what was read is
// damaged, or neither, which is a fault of ours. Codes: https://www.sqlite.org/rescode.html
import { LedgerError } from '../base/errors.ts'

export type Failure = {
  readonly kind: 'disk' | 'damage'
  /** For anybody to read. */
  readonly reason: string
  /** For the log. */
  readonly detail: string
}

/** By primary code: the last eight bits of an extended one. */
const failures: ReadonlyMap<number, Omit<Failure, 'detail'>> = new Map([
  [3, { kind: 'disk', reason: 'the disk refuses access' }],
  [5, { kind: 'disk', reason: 'the database is locked' }],
  [6, { kind: 'disk', reason: 'the database is locked' }],
  [8, { kind: 'disk', reason: 'the disk is read-only' }],
  [10, { kind: 'disk', reason: 'the disk does not read or write' }],
  [11, { kind: 'damage', reason: 'the database is damaged' }],
  [13, { kind: 'disk', reason: 'the disk is full' }],
  [14, { kind: 'disk', reason: 'a file of the database cannot be opened' }],
  [15, { kind: 'disk', reason: 'the database is locked' }],
  [26, { kind: 'damage', reason: 'the database is damaged' }],
])

/** Extended codes that say more than their primary one: a file that is too short, and what a file system found itself. */
const damaged: ReadonlySet<number> = new Set([522, 8202, 8458])

/** Statements are ours and fit the schema that migrations made: one that does not has a schema that was changed on disk. */
const ofSchema = /^no such (table|column|collation sequence)|has no column named|^foreign key mismatch/

/** Undefined for what is neither. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof LedgerError) return undefined
  const { errcode, message } = error as { errcode?: unknown; message?: string }
  if (typeof errcode !== 'number') return undefined
  const detail = `${message} (SQLite ${errcode})`
  if (damaged.has(errcode) || (errcode === 1 && ofSchema.test(message ?? ''))) return { ...failures.get(11)!, detail }
  const known = failures.get(errcode & 0xff)
  return known && { ...known, detail }
}
