// The only seam between SQLite and PostgreSQL. Above it, one set of records in SQL that both understand ($1 parameters,
// ON CONFLICT, RETURNING); below it, one driver each and nothing else.
import type { Sharing } from './sharing.ts'

export type Param = string | bigint | Uint8Array | null
export type Row = Record<string, Param>

export interface Queries {
  query(sql: string, ...params: Param[]): Promise<Row[]>
  /** Each row has a value for each column; with `key`, replaces rows with the same key. */
  insert(table: string, columns: readonly string[], rows: readonly (readonly Param[])[], key?: string): Promise<void>
  /** Each row has its key and a value for each column. */
  update(table: string, key: string, columns: readonly string[], rows: readonly (readonly Param[])[]): Promise<void>
  /** Deletes the rows with these values in these columns. */
  delete(table: string, columns: readonly string[], rows: readonly (readonly Param[])[]): Promise<void>
}

/** For metrics. */
export type Measures = {
  sizeBytes(): Promise<number>
  /** The write-ahead log, for a database whose log the node keeps. */
  log?(): LogMeasures
}

export type LogMeasures = {
  readonly bytes: number
  readonly flushes: number
  readonly flushMs: number
  readonly writeBacks: number
  readonly writeBackMs: number
}

export type LogBeginning = { readonly path: string; readonly bytes: number }

export interface Database extends Queries, AsyncDisposable {
  /**
   * Runs `body` with no concurrent writer. If it throws, nothing remains; when it returns, all of it is on disk. If the
   * answer to COMMIT is lost, it waits until the database can be asked. Use only `tx` inside `body`: a query on the
   * database itself would wait for its own transaction.
   */
  transaction<T>(body: (tx: Queries) => Promise<T>): Promise<T>
  /**
   * Runs `body` in a transaction that other writers neither wait for nor are waited for, for work on rows that they do
   * not touch and that may be done twice: if the answer to COMMIT is lost, it throws. Only a database for several
   * writers can.
   */
  beside?<T>(body: (tx: Queries) => Promise<T>): Promise<T>
  /** Returns unused space to the operating system, as far as the database can, until aborted. */
  reclaim(signal?: AbortSignal): Promise<void>
  /** Called when the node stops: ends the wait for the outcome of a transaction. */
  giveUp?(): void
  /** Settles when existing data has been checked for damage; a start waits for it. */
  readonly looked?: Promise<void>
  /** For a node over a database that several nodes may use. */
  readonly sharing?: Sharing
  /** A copy that follows this database and may be behind. */
  readonly replica?: Database
  /** The size of the database and its log, where known. */
  readonly measures?: Measures
  /** Copies everything committed to a new file; writers wait meanwhile. Only a database that is a file can. */
  copyTo?(file: string): Promise<void>
  /**
   * Gives the file of the database another name, from when on it does not change. `keepLog` keeps the beginning of the
   * log, which holds what is committed and not in the file. Only a database that is a file can.
   */
  shareAs?(name: string, keepLog: (log: LogBeginning, queries: Queries) => Promise<void>): Promise<void>
  /** Everything committed, as the bytes of a file. Only a database in memory can. */
  content?(): Promise<Uint8Array>
  /** Before the names of its tables, if they are those of one of several participants. */
  readonly tablePrefix?: string
  /** Whether it believes the text of the statements that made its tables, which damage can change. */
  readonly definesInText?: true
  /** Runs several statements, such as a migration, inside the caller's transaction. */
  script(tx: Queries, sql: string): Promise<void>
}

/** The ON CONFLICT clause that replaces a row with the same key. */
export function overwriting(columns: readonly string[], key: string | undefined): string {
  if (key === undefined) return ''
  const others = columns.filter((column) => column !== key)
  return ` ON CONFLICT (${key}) DO UPDATE SET ${others.map((column) => `${column} = excluded.${column}`).join(', ')}`
}
