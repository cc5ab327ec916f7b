// Classifies SQLite failures: the disk or the file system refused (worth a retry once that is over), the data is
// damaged, or neither, which is a bug. Codes: https://www.sqlite.org/rescode.html
import { LedgerError, storeUnavailable } from '../base/errors.ts'

export type Failure = {
  readonly kind: 'disk' | 'damage'
  /** Public. */
  readonly reason: string
  /** For the log. */
  readonly detail: string
}

/** By primary code: the low eight bits of an extended one. */
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

/** Extended codes that say more than their primary one: a file that is too short, and damage found by a file system. */
const damaged: ReadonlySet<number> = new Set([522, 8202, 8458])

/** Our statements fit the migrated schema; if one does not, the schema was changed on disk. */
const ofSchema = /^no such (table|column|collation sequence)|has no column named|^foreign key mismatch/

/** Undefined if it is neither. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof LedgerError) return undefined
  const { errcode, message } = error as { errcode?: unknown; message?: string }
  if (typeof errcode !== 'number') return undefined
  const detail = `${message} (SQLite ${errcode})`
  if (damaged.has(errcode) || (errcode === 1 && ofSchema.test(message ?? ''))) return { ...failures.get(11)!, detail }
  const known = failures.get(errcode & 0xff)
  return known && { ...known, detail }
}

/** By the code of Node's errors. */
const ofFiles: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the disk is full'],
  ['EROFS', 'the disk is read-only'],
  ['EIO', 'the disk does not read or write'],
])

/** For work on files beside the database: a refusal if the disk is the reason, otherwise the error itself. */
export function withoutDisk(error: unknown): unknown {
  const failure = failureOf(error)
  const reason = failure?.kind === 'disk' ? failure.reason : ofFiles.get(String((error as { code?: unknown }).code))
  return reason === undefined ? error : storeUnavailable(reason)
}
