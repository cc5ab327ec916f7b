// The latest updates for the streams that follow the ledger: read once for all of them, with their description parsed once,
// and looked through in memory by each. A party whose streams see nothing of an update asks the database nothing.
import type { Store, UpdateRow } from '../../store/store.ts'
import { metaFromText, partiesOf, type StoredUpdate } from '../stored-update.ts'
import { createSharedReads } from './shared-reads.ts'
import { readUpdates, rowsMax, type UpdatesRange } from './update-rows.ts'

/** As readUpdates does it, forwards. */
export type RecentUpdates = typeof readUpdates

const rangesMax = 16
const bytesMax = 1024 * 1024

const parsed = new WeakMap<UpdateRow, StoredUpdate>()

/** What is said of an update, which the latest ones need not be parsed for again. */
export function metaOf(row: UpdateRow): StoredUpdate {
  return parsed.get(row) ?? metaFromText(row.meta)
}

export function createRecentUpdates(): RecentUpdates {
  const shared = createSharedReads<readonly UpdateRow[]>(rangesMax, (rows) => bytesOf(rows) <= bytesMax)

  async function load({ updates }: Store, { after, upTo }: UpdatesRange): Promise<readonly UpdateRow[]> {
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

function isSeenBy(row: UpdateRow, parties: ReadonlyMap<string, unknown>): boolean {
  return partiesOf(metaOf(row)).some((party) => parties.has(party))
}

function bytesOf(rows: readonly UpdateRow[]): number {
  return rows.reduce((sum, { body, meta }) => sum + body.length + meta.length, 0)
}
