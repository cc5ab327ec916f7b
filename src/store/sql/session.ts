// A session that asks a ledger in SQL and cannot change it.
import { StartError } from '../../base/errors.ts'
import { newestSchema } from '../schema/migrate.ts'

export type SqlResult = {
  readonly columns: readonly string[]
  /** In batches, read as they are wanted. Values are as the database has them: texts, numbers, bytes, null. */
  readonly rows: AsyncIterable<readonly (readonly unknown[])[]>
}

export type SqlSession = AsyncDisposable & {
  /** One statement, until the next one. Throws a StartError for everything that is wrong with it. */
  run(sql: string): Promise<SqlResult>
}

/** The tables of a participant: what they have before their names, and whether it is one of several. */
export type ParticipantTables = { readonly prefix: string; readonly isInNetwork: boolean }

/** Chooses the participant that is asked. `fact` reads what the ledger of the first participant knows. */
export type ChooseTables = (fact: (name: string) => Promise<Uint8Array | undefined>) => Promise<ParticipantTables>

export function checkSchema(version: bigint): void {
  if (version === newestSchema) return
  throw new StartError(
    'the ledger has the schema of another version of Tallystick; start a node of this version on it first',
  )
}

export function readsOnly(): StartError {
  return new StartError('the statement is refused: tallystick sql only reads, with SELECT or WITH')
}

/** A batch ends at one of these, so that a large result needs little memory. */
export const rowsAtOnce = 500
export const bytesAtOnce = 2 ** 20

export function sizeOf(row: readonly unknown[]): number {
  let bytes = 0
  for (const cell of row) bytes += typeof cell === 'string' || cell instanceof Uint8Array ? cell.length : 8
  return bytes
}
