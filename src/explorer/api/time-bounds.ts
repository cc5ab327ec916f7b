// Where in the ledger a time is. The API asks for updates by offset only, and offsets grow with time: so the place of a time
// is found by halving, in some twenty small reads on a ledger of a million updates.
import { ApiError } from './api-error.ts'
import { readUpdates } from './ledger-reads.ts'
import { summaryOf } from './update-summary.ts'
import type { UpdateFormat } from './wire.ts'

export type Place = { readonly offset: number; readonly time: string }

/** The newest update at or before an offset; undefined if there is none to see. */
export type Look = (offset: number) => Promise<Place | undefined>

export function lookWith(format: UpdateFormat, signal: AbortSignal): Look {
  return async (upTo) => {
    if (upTo === 0) return undefined
    try {
      const { updates = [] } = await readUpdates({ upTo, size: 1, newestFirst: true, format }, signal)
      return updates[0] && summaryOf(updates[0].update)
    } catch (error) {
      if (error instanceof ApiError && error.code === 'PARTICIPANT_PRUNED_DATA_ACCESSED') return undefined
      throw error
    }
  }
}

/**
 * The offset up to which all updates have a time that fits, if those that fit come first: that of the last one, or one after
 * it and before the next; 0 if none fits.
 */
export async function lastOffset(fits: (time: string) => boolean, end: number, look: Look): Promise<number> {
  let [before, after] = [0, end + 1]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    const found = await look(middle)
    if (found === undefined || found.offset <= before || fits(found.time)) before = middle
    else after = found.offset
  }
  return before
}
