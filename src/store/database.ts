// The only seam between SQLite and PostgreSQL. Above it, one set of records in the SQL both speak ($1 parameters,
// ON CONFLICT, RETURNING); below it, one driver each and nothing else.

export type Param = string | bigint | Uint8Array | null
export type Row = Record<string, Param>

export interface Queries {
  query(sql: string, ...params: Param[]): Promise<Row[]>
  /** Adds rows, each with a value for each column; with `key`, instead of those that have the same there. */
  insert(table: string, columns: readonly string[], rows: readonly (readonly Param[])[], key?: string): Promise<void>
  /** Deletes the rows that have these values in these columns. */
  delete(table: string, columns: readonly string[], rows: readonly (readonly Param[])[]): Promise<void>
}

/** Of a database, for metrics. */
export type Measures = {
  sizeBytes(): Promise<number>
  /** What was committed and is not yet written back; for a database that keeps such a log itself. */
  log?(): LogMeasures
}

export type LogMeasures = {
  readonly bytes: number
  readonly flushes: number
  readonly flushMs: number
  readonly writeBacks: number
  readonly writeBackMs: number
}

export interface Database extends Queries, AsyncDisposable {
  /**
   * Runs `body` with no other writer beside it; nothing of it remains when it throws, and all of it is on disk when
   * it returns. Where the answer is lost, that takes as long as the database is away. Inside `body` use only `tx`: a
   * query on the database itself would wait for its own end.
   */
  transaction<T>(body: (tx: Queries) => Promise<T>): Promise<T>
  /** Gives space that is not needed any more back to the operating system, as far as the database can, until aborted. */
  reclaim(signal?: AbortSignal): Promise<void>
  /** The node stops: what became of a transaction is not waited for any longer. */
  giveUp?(): void
  /** What was there when it was opened is looked through for damage; a start waits for this. */
  readonly looked?: Promise<void>
  /** What is known of its size and its log, where there is something to know. */
  readonly measures?: Measures
  /** Runs a text of several statements, such as a migration, inside a transaction of the caller's. */
  script(tx: Queries, sql: string): Promise<void>
}

/** What an INSERT does about a row that has the same key. */
export function overwriting(columns: readonly string[], key: string | undefined): string {
  if (key === undefined) return ''
  const others = columns.filter((column) => column !== key)
  return ` ON CONFLICT (${key}) DO UPDATE SET ${others.map((column) => `${column} = excluded.${column}`).join(', ')}`
}

export async function commitOrRollBack<T>(tx: Queries, body: () => Promise<T>): Promise<T> {
  await tx.query('BEGIN')
  try {
    const result = await body()
    await tx.query('COMMIT')
    return result
  } catch (error) {
    await tx.query('ROLLBACK').catch(() => undefined) // A connection that is gone has rolled back by itself.
    throw error
  }
}
