// Classifies PostgreSQL failures. One table: failures of the connection or the server are waited out, failures of a
// statement are the caller's. The texts are for clients and `/readyz`; addresses and names stay in the log.
import pg from 'pg'
import { LedgerError, storeUnavailable } from '../../base/errors.ts'

/** The database answers but is unfit for use; the message is public. */
export class DatabaseUnfit extends Error {}

/** The transaction cannot be committed, and the connection is not the cause. */
export class NotCommitted extends Error {}

/**
 * `wait`: the database recovers by itself. `operator`: it recovers once somebody acts; it is waited for, too, because
 * the client did nothing wrong.
 */
type Meaning = { readonly kind: 'wait' | 'operator'; readonly words: string }

/** By SQLSTATE or its class, the longest match first; others concern the statement. */
const states: readonly (readonly [start: string, kind: Meaning['kind'], words: string])[] = [
  ['25006', 'wait', 'the database is read-only'], // A standby, or a primary demoted by a failover.
  ['25P03', 'wait', 'the database gave up on a transaction'],
  ['25P04', 'wait', 'the database gave up on a transaction'],
  ['40001', 'wait', 'the transaction has to be repeated'],
  ['40P01', 'wait', 'the transaction has to be repeated'],
  ['42501', 'operator', 'the database does not permit it'],
  ['53100', 'operator', 'the disk of the database is full'],
  ['53200', 'wait', 'the database is out of memory'],
  ['53300', 'wait', 'the database has too many connections'],
  ['55000', 'wait', 'the database takes no connections'],
  ['55P03', 'wait', 'the database is busy'],
  ['57014', 'wait', 'the database took too long'],
  ['08', 'wait', 'the connection to the database broke'],
  ['28', 'operator', 'the database refuses this node'],
  ['3D', 'operator', 'the database does not exist'],
  ['53', 'wait', 'the database has not enough resources'],
  ['57', 'wait', 'the database is shutting down or starting'],
  ['58', 'operator', 'the database has trouble with its files'],
  ['F0', 'operator', 'the database is not configured properly'],
  ['XX', 'operator', 'the database is damaged'],
]

/** By socket error code. */
const sockets = new Map<string, string>([
  ['ECONNREFUSED', 'the database refuses connections'],
  ['ECONNRESET', 'the connection to the database broke'],
  ['ECONNABORTED', 'the connection to the database broke'],
  ['EPIPE', 'the connection to the database broke'],
  ['ETIMEDOUT', 'the database cannot be reached'],
  ['EHOSTUNREACH', 'the database cannot be reached'],
  ['EHOSTDOWN', 'the database cannot be reached'],
  ['ENETUNREACH', 'the database cannot be reached'],
  ['ENETDOWN', 'the database cannot be reached'],
  ['EADDRNOTAVAIL', 'the database cannot be reached'],
  ['ENOTFOUND', 'the name of the database host is not known'],
  ['EAI_AGAIN', 'the name of the database host is not known'],
  ['EMFILE', 'the node has too many open files'],
  ['ENFILE', 'the machine has too many open files'],
])

/** Undefined for a failure of the statement itself, or a bug. */
export function meaningOf(error: unknown): Meaning | undefined {
  if (error instanceof DatabaseUnfit) return { kind: 'operator', words: error.message }
  if (error instanceof pg.DatabaseError) {
    const state = error.code ?? ''
    const row = states.find(([start]) => state.startsWith(start))
    return row && { kind: row[1], words: row[2] }
  }
  if ([LedgerError, NotCommitted, TypeError, RangeError].some((kind) => error instanceof kind)) return undefined
  // Errors of the driver itself have no code: a timeout, or a lost connection.
  const words = sockets.get((error as { code?: string }).code ?? '') ?? driverWords((error as Error).message)
  return { kind: 'wait', words }
}

/** Whether a start that fails with it may succeed a moment later. A standby may be promoted. */
export function isPassing(error: unknown): boolean {
  return error instanceof DatabaseUnfit || meaningOf(error)?.kind === 'wait'
}

function driverWords(message: string): string {
  return /time-?d?out|timed out/i.test(message)
    ? 'the database does not answer'
    : 'the connection to the database broke'
}

/** Turns failures of the connection or the server, but not of a statement, into errors that a client may retry. */
export async function refusing<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    const meaning = meaningOf(error)
    throw meaning === undefined ? error : storeUnavailable(meaning.words)
  }
}

/** For the log and for the operator who starts a node. */
export function reasonOf(error: unknown): string {
  const { message, code } = error as Error & { code?: string }
  return message || code || String(error)
}
