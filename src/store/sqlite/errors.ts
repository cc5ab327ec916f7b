// Classifies SQLite failures: the disk or the file system refused (worth a retry once that is over), the data is
// damaged, or neither, which is a bug. Codes: https://www.sqlite.org/rescode.html
import { LedgerError, storeUnavailable } from '../../base/errors.ts'

export type Failure = {
  /** `suspicion`: SQLite reports unreadable data (EIO) as malformed, so it may be either. */
  readonly kind: 'disk' | 'suspicion' | 'damage'
  /** Public. */
  readonly reason: string
  /** For the log. */
  readonly detail: string
}

export const unreadReason = 'the disk does not read or write'
export const damagedReason = 'the database is damaged'
export const suspectedReason = 'the disk does not read, or the database is damaged: the file is being checked'

/** By primary code: the low eight bits of an extended one. */
const failures: ReadonlyMap<number, Omit<Failure, 'detail'>> = new Map([
  [3, { kind: 'disk', reason: 'the disk refuses access' }],
  [5, { kind: 'disk', reason: 'the database is locked' }],
  [6, { kind: 'disk', reason: 'the database is locked' }],
  [8, { kind: 'disk', reason: 'the disk is read-only' }],
  [10, { kind: 'disk', reason: unreadReason }],
  [11, { kind: 'suspicion', reason: suspectedReason }],
  [13, { kind: 'disk', reason: 'the disk is full' }],
  [14, { kind: 'disk', reason: 'a file of the database cannot be opened' }],
  [15, { kind: 'disk', reason: 'the database is locked' }],
  [26, { kind: 'suspicion', reason: suspectedReason }],
])

/** Extended codes that say more than their primary one: which rows do not fit each other, or what a checksum found. */
const damaged: ReadonlySet<number> = new Set([267, 523, 779, 8202])
/** A file that is too short, also for a moment. */
const shortRead = 522

/** Our statements fit the migrated schema; if one does not, the schema was changed on disk. */
const ofSchema = /^no such (table|column|collation sequence)|has no column named|^foreign key mismatch/

/** Undefined if it is neither. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof LedgerError) return undefined
  const { errcode, message } = error as { errcode?: unknown; message?: string }
  if (typeof errcode !== 'number') return undefined
  const detail = `${message} (SQLite ${errcode})`
  if (damaged.has(errcode) || (errcode === 1 && ofSchema.test(message ?? '')))
    return { kind: 'damage', reason: damagedReason, detail }
  const known = failures.get(errcode === shortRead ? 11 : errcode & 0xff)
  return known && { ...known, detail }
}

/** By the code of Node's errors. */
const ofFiles: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the disk is full'],
  ['EROFS', 'the disk is read-only'],
  ['EIO', unreadReason],
])

/** For work on files beside the database: a refusal if the disk is the reason, otherwise the error itself. */
export function withoutDisk(error: unknown): unknown {
  const failure = failureOf(error)
  const reason = failure?.kind === 'disk' ? failure.reason : ofFiles.get(String((error as { code?: unknown }).code))
  return reason === undefined ? error : storeUnavailable(reason)
}
