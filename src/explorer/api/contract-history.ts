// The history of one contract, gathered from the updates of its template: created, used, moved, archived.
import { readUpdates } from './ledger-reads.ts'
import type { Update, UpdateFormat } from './wire.ts'

export type HistoryEntry = {
  readonly offset: number
  readonly time: string
  readonly what: 'created' | 'used' | 'archived' | 'unassigned' | 'assigned'
  /** Of a use or an archival. */
  readonly choice?: string
  readonly actors?: readonly string[]
  /** Of a move. */
  readonly source?: string
  readonly target?: string
}

export type History = {
  readonly entries: readonly HistoryEntry[]
  /** Everything up to this offset was read. */
  readonly readUpTo: number
}

const pageSize = 200

/**
 * Continues a history up to an offset, by at most `updatesMax` updates. If nothing is known, it begins with the first update
 * that the participant still has.
 */
export async function continueHistory(
  contractId: string,
  known: History | undefined,
  range: { readonly to: number; readonly updatesMax: number },
  format: UpdateFormat,
  signal: AbortSignal,
): Promise<History> {
  if (known !== undefined && known.readUpTo >= range.to) return known
  const entries = [...(known?.entries ?? [])]
  let pageToken: string | undefined
  let looked = 0
  do {
    const query = { after: known?.readUpTo, upTo: range.to, size: pageSize, newestFirst: false, format, pageToken }
    const page = await readUpdates(query, signal)
    const updates = page.updates ?? []
    for (const { update } of updates) entries.push(...entriesIn(update, contractId))
    looked += updates.length
    pageToken = page.nextPageToken ?? undefined
    if (pageToken !== undefined && looked >= range.updatesMax) {
      return { entries, readUpTo: page.highestPageOffsetInclusive }
    }
  } while (pageToken !== undefined)
  return { entries, readUpTo: range.to }
}

/** What an update did to the contract. */
export function entriesIn(update: Update, contractId: string): HistoryEntry[] {
  if ('Transaction' in update) {
    const { offset, recordTime: time, events } = update.Transaction.value
    return events.flatMap((event): HistoryEntry[] => {
      if ('CreatedEvent' in event) {
        return event.CreatedEvent.contractId === contractId ? [{ offset, time, what: 'created' }] : []
      }
      if ('ArchivedEvent' in event) {
        return event.ArchivedEvent.contractId === contractId ? [{ offset, time, what: 'archived' }] : []
      }
      const { choice, actingParties: actors, consuming } = event.ExercisedEvent
      if (event.ExercisedEvent.contractId !== contractId) return []
      return [{ offset, time, what: consuming ? 'archived' : 'used', choice, actors }]
    })
  }
  if (!('Reassignment' in update)) return []
  const { offset, recordTime: time, events } = update.Reassignment.value
  return events.flatMap((event): HistoryEntry[] => {
    if ('JsAssignmentEvent' in event) {
      const { createdEvent, source, target } = event.JsAssignmentEvent
      return createdEvent.contractId === contractId ? [{ offset, time, what: 'assigned', source, target }] : []
    }
    const { contractId: moved, source, target } = event.JsUnassignedEvent.value
    return moved === contractId ? [{ offset, time, what: 'unassigned', source, target }] : []
  })
}
