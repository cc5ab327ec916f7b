// What is said of updates, parsed. Outlines that many updates share are parsed once, and rows that many streams look at
// are parsed once for all of them.
import type { UpdateRow } from '../../../store/store.ts'
import { metaFromText, type Outlines, type StoredUpdate } from '../../stored-update.ts'

export type UpdateMetas = {
  of(row: Pick<UpdateRow, 'meta'>): StoredUpdate
  /** Parses it for all who come later with the same row; a long one is not there yet. */
  keep(row: { readonly meta: string | null }): void
  /** What was kept. */
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
