// Copies of the whole ledger that a development node can return to.
import type { Database } from './database.ts'
import type { Snapshot } from './store.ts'

export interface SnapshotShelf {
  /** Oldest first. */
  list(): Promise<readonly Snapshot[]>
  /** Copies everything committed. Replaces an older copy with this name. */
  take(database: Database, name: string): Promise<void>
  /** False if there is none. */
  delete(name: string): Promise<boolean>
  /**
   * Prepares a copy of the snapshot; undefined if there is none. The result puts it in the place of the ledger, which
   * must be closed, and opens it.
   */
  prepare(name: string): Promise<(() => Promise<Database>) | undefined>
  /** The snapshot as the bytes of a SQLite database; undefined if there is none. */
  read(name: string): Promise<Uint8Array | undefined>
  /** Changes a snapshot itself. */
  edit(name: string, change: (database: Database) => Promise<void>): Promise<void>
  /** Adds a snapshot from such bytes. Throws if they are not a ledger. */
  add(name: string, bytes: Uint8Array): Promise<void>
}

/** A way back to a state of the database. */
export type Undo = {
  /** Called after the database was closed. */
  undo(): Promise<void>
  /** There is no way back any more. */
  keep(): Promise<void>
}

export const nothingToUndo: Undo = { undo: async () => undefined, keep: async () => undefined }
