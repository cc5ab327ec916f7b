// The latest updates for the streams that follow the ledger: read once for all of them, with their description parsed once,
// and looked through in memory by each. A party whose streams see nothing of an update asks the database nothing.
import type { Store, UpdateRecord } from '../../store/store.ts'
import { metaFromText, type StoredUpdate } from '../stored-update.ts'
import { createSharedReads } from './shared-reads.ts'
import { readUpdates, type UpdatesRange } from './update-rows.ts'

/** As readUpdates does it, forwards. */
export type RecentUpdates = typeof readUpdates

/** As many as are read in one step elsewhere. */
const rowsMax = 100
const rangesMax = 16
const bytesMax = 1024 * 1024

const parsed = new WeakMap<UpdateRecord, StoredUpdate>()

/** What is said of an update, which the latest ones need not be parsed for again. */
export function metaOf(record: UpdateRecord): StoredUpdate {
  return parsed.get(record) ?? metaFromText(record.meta)
}

export function createRecentUpdates(): RecentUpdates {
  const shared = createSharedReads<readonly UpdateRecord[]>(rangesMax, (rows) => bytesOf(rows) <= bytesMax)

  async function load({ updates }: Store, { after, upTo }: UpdatesRange): Promise<readonly UpdateRecord[]> {
    const rows = await updates.range({ after, upTo, limit: rowsMax, descending: false })
    for (const row of rows) parsed.set(row, metaFromText(row.meta))
    return rows
  }

  return async function* read(parts, search, range) {
    const { after, upTo } = range
    if (upTo - after > BigInt(rowsMax)) {
      yield* readUpdates(parts, search, range)
      return
    }
    const rows = await shared(`${after}:${upTo}`, () => load(parts.store, range))
    yield search.kind === 'everywhere' ? rows : rows.filter((row) => isSeenBy(row, search.parties))
  }
}

function isSeenBy(row: UpdateRecord, parties: ReadonlyMap<string, unknown>): boolean {
  return metaOf(row).parties.some((party) => parties.has(party))
}

function bytesOf(rows: readonly UpdateRecord[]): number {
  return rows.reduce((sum, { body, meta }) => sum + body.length + meta.length, 0)
}
