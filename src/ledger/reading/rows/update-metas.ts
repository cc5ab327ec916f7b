// Parsed descriptions of updates. An outline shared by many updates is parsed once, and so is a row shared by many
// streams.

import { metaFromText, type Outlines, type StoredUpdate } from '../../../events/format/stored-update.ts'
import type { UpdateRow } from '../../../store/core/ledger-records.ts'

export type UpdateMetas = {
  of(row: Pick<UpdateRow, 'meta'>): StoredUpdate
  /** Parses the row for later calls with it; a long description is not loaded yet. */
  keep(row: { readonly meta: string | null }): void
  /** What `keep` parsed. */
  kept(row: object): StoredUpdate | undefined
}

export function createUpdateMetas(): UpdateMetas {
  const outlines: Outlines = new Map()
  const parsed = new WeakMap<object, StoredUpdate>()
  return {
    of: (row) => parsed.get(row) ?? metaFromText(row.meta, outlines),
    keep(row) {
      if (row.meta !== null) parsed.set(row, metaFromText(row.meta, outlines))
    },
    kept: (row) => parsed.get(row),
  }
}
