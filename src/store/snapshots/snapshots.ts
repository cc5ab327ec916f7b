// Copies of the whole ledger that a development node can return to.
import type { Database } from '../core/database.ts'
import type { ReceivedSnapshot, Snapshot, SnapshotContent } from '../core/store.ts'

export interface SnapshotShelf {
  /** Oldest first. */
  list(): Promise<readonly Snapshot[]>
  has(name: string): boolean
  /** Copies everything committed. Replaces an older copy with this name. */
  take(database: Database, name: string): Promise<void>
  /** False if there is none. */
  delete(name: string): Promise<boolean>
  /**
   * Prepares a copy of the snapshot; undefined if there is none. `check` may change the copy, or refuse it. The result
   * puts it in the place of the ledger, which must be closed, and opens it.
   */
  prepare(name: string, check: (copy: Database) => Promise<void>): Promise<(() => Promise<Database>) | undefined>
  /** The snapshot as a SQLite database; undefined if there is none. */
  read(name: string): Promise<SnapshotContent | undefined>
  /** Changes a snapshot itself. */
  edit(name: string, change: (database: Database) => Promise<void>): Promise<void>
  /** Receives a SQLite database. Throws an UnusableSnapshot if it is not a ledger that this version can open. */
  receive(chunks: AsyncIterable<Uint8Array>): Promise<ReceivedSnapshot>
}

/** A way back to a state of the database. */
export type Undo = {
  /** Called after the database was closed. */
  undo(): Promise<void>
  /** There is no way back any more. */
  keep(): Promise<void>
}

export const nothingToUndo: Undo = { undo: async () => undefined, keep: async () => undefined }
