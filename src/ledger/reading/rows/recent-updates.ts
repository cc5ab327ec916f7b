// The latest updates for streams at the ledger end: read and parsed once for all of them, and filtered in memory by
// each. A stream that sees nothing of an update causes no query.
import type { CacheCounting } from '../../../base/metrics.ts'
import { partiesOf } from '../../../events/format/stored-update.ts'
import type { SizedUpdate, UpdateRow } from '../../../store/core/ledger-records.ts'
import type { Store } from '../../../store/core/store.ts'
import { inBatches } from '../reader.ts'
import { createSharedReads } from './shared-reads.ts'
import type { UpdateMetas } from './update-metas.ts'
import { readUpdates, rowsMax, type UpdatesRange, wholeUpdates } from './update-rows.ts'

/** Like readUpdates, ascending only. */
export type RecentUpdates = typeof readUpdates

const rangesMax = 16
const bytesMax = 1024 * 1024

export function createRecentUpdates(metas: UpdateMetas, counting?: CacheCounting): RecentUpdates {
  const shared = createSharedReads<readonly SizedUpdate[]>(rangesMax, (rows) => bytesOf(rows) <= bytesMax, counting)
  /** Streams that wake together share the load of large rows, which are not cached. */
  const sharedLarge = createSharedReads<readonly UpdateRow[]>(rangesMax, () => false)

  async function load({ updates }: Store, { after, upTo }: UpdatesRange): Promise<readonly SizedUpdate[]> {
    const rows = await updates.range({ after, upTo, limit: rowsMax, descending: false })
    for (const row of rows) metas.keep(row)
    return rows
  }

  return async function* read(parts, search, range, reader) {
    const { after, upTo } = range
    const { updates } = parts.store
    if (upTo - after > BigInt(rowsMax)) {
      yield* readUpdates(parts, search, range, reader)
      return
    }
    const rows = await shared(`${after}:${upTo}`, () => load(parts.store, range))
    const seen = search.kind === 'everywhere' ? rows : rows.filter((row) => maySee(row, search.parties, metas))
    const loadLarge = (offsets: readonly bigint[]) => sharedLarge(offsets.join(), () => updates.whole(offsets))
    if (seen.length === 0) yield []
    yield* inBatches(seen, (some) => wholeUpdates(some, loadLarge), reader)
  }
}

/** True for a long description, which is not loaded yet. */
function maySee(row: SizedUpdate, parties: ReadonlyMap<string, unknown>, metas: UpdateMetas): boolean {
  const meta = metas.kept(row)
  return meta === undefined || partiesOf(meta).some((party) => parties.has(party))
}

/** The bytes that were read, and will be unpacked. */
function bytesOf(rows: readonly SizedUpdate[]): number {
  return rows.reduce((sum, { body, meta, bytes }) => sum + (body === null ? (meta?.length ?? 0) : Number(bytes)), 0)
}
