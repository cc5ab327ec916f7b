// A session that asks a ledger in SQL and cannot change it.
import { StartError } from '../base/errors.ts'
import { newestSchema } from './migrate.ts'

export type SqlResult = {
  readonly columns: readonly string[]
  /** Values as the database has them: texts, numbers, bytes, null. */
  readonly rows: readonly (readonly unknown[])[]
}

export type SqlSession = AsyncDisposable & {
  /** One statement. Throws a StartError for everything that is wrong with it. */
  run(sql: string): Promise<SqlResult>
}

export function checkSchema(version: bigint): void {
  if (version === newestSchema) return
  throw new StartError(
    'the ledger has the schema of another version of Tallystick; start a node of this version on it first',
  )
}

export function readsOnly(): StartError {
  return new StartError('the statement is refused: tallystick sql only reads, with SELECT or WITH')
}
