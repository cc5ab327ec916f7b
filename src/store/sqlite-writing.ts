// What a thread that writes is told, and how it answers. Steps are done in order; the answer has the rows of the last.
import type { Param, Row } from './database.ts'

export type Step =
  | { readonly kind: 'query'; readonly sql: string; readonly params: readonly Param[] }
  /** A text of several statements. */
  | { readonly kind: 'script'; readonly sql: string }
  /** The same statement for each of the rows. */
  | { readonly kind: 'many'; readonly sql: string; readonly rows: readonly (readonly Param[])[] }

export type WriterAnswer =
  | { readonly kind: 'done'; readonly rows: Row[] }
  | { readonly kind: 'failed'; readonly message: string; readonly code: string | undefined }

/** Commits are on disk when they are reported; macOS needs to be told more than others. */
export const durably =
  'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON; ' +
  'PRAGMA foreign_keys = ON; PRAGMA cache_size = -16000'
