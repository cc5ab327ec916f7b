// A page of a wallet's history, newest first, from the transactions of its party. Nothing is kept between requests: an entry's id
// names its update, so the next page begins there, and a page costs as much as its own transactions.
import type { Json } from '../../ledger/participant.ts'
import type { Entry } from './entries.ts'

export type HistoryLedger = {
  /** Undefined if the party does not see such an update. */
  offsetOf(updateId: string): Promise<number | undefined>
  /** The newest first, from this offset on or from the end. */
  transactions(upTo: number | undefined): AsyncIterable<Json>
}

/** At most this many entries, the first after the one with the given id. Nothing for an id that is not in the history. */
export async function historyPage(
  ledger: HistoryLedger,
  read: (transaction: Json) => readonly Entry[],
  size: number,
  afterId?: string,
): Promise<Entry[]> {
  const upTo = afterId === undefined ? undefined : await ledger.offsetOf(updateIdOf(afterId))
  if (afterId !== undefined && upTo === undefined) return []
  const page: Entry[] = []
  for await (const transaction of ledger.transactions(upTo)) {
    const entries = read(transaction).toReversed()
    if (afterId !== undefined && transaction.offset === upTo) {
      const index = entries.findIndex(({ eventId }) => eventId === afterId)
      if (index < 0) return []
      entries.splice(0, index + 1)
    }
    page.push(...entries.slice(0, size - page.length))
    if (page.length === size) break
  }
  return page
}

/** Event ids are `#update:node`, and may go on after that. */
function updateIdOf(eventId: string): string {
  return eventId.replace(/^#/, '').split(':')[0]!
}
