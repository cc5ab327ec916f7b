// One window over the updates, newest first: reads pages until enough updates pass the filter.
import { readLedgerEnd, readUpdates } from '../api/ledger-reads.ts'
import { lastOffset, lookWith } from '../api/time-bounds.ts'
import { compareTimes } from '../api/times.ts'
import { passes, summaryOf, type UpdateFilter, type UpdateSummary } from '../api/update-summary.ts'
import type { UpdateFormat } from '../api/wire.ts'
import { filtersFor, type Kind } from '../parts/kind-picker.tsx'
import { ledgerEpoch } from '../state/ledger.ts'
import { readers, updateFormat, viewedParty } from '../state/party-view.ts'
import { mayReadAs } from '../state/session.ts'

export const rowsShown = 50
const pageSize = 200
/** How many updates are looked through at once for those that pass a filter. */
const lookedThrough = 2_000

export type Window = {
  readonly rows: readonly UpdateSummary[]
  /** Where the next window begins; undefined at the start of the ledger. */
  readonly olderUpTo: number | undefined
  readonly looked: number
}

export type Wanted = {
  readonly upTo: number | undefined
  readonly kind: Kind | undefined
  readonly filter: UpdateFilter
}

export async function readWindow({ upTo, kind, filter }: Wanted, signal: AbortSignal): Promise<Window> {
  const format = formatFor(kind, filter)
  const bounds = await boundsOf(filter, format, signal)
  const range = { after: bounds.after, upTo: smaller(upTo, bounds.upTo), newestFirst: true, format }
  const rows: UpdateSummary[] = []
  const isEmpty = range.upTo !== undefined && range.upTo <= (range.after ?? 0)
  if (isEmpty || Object.keys(format).length === 0) return { rows, looked: 0, olderUpTo: undefined }
  let looked = 0
  let pageToken: string | undefined
  let lowest = 0
  do {
    const page = await readUpdates(
      { ...range, size: isLookedThrough(filter) ? pageSize : rowsShown, pageToken },
      signal,
    )
    const summaries = (page.updates ?? []).map(({ update }) => summaryOf(update))
    looked += summaries.length
    for (const summary of summaries) {
      if (!passes(summary, filter)) continue
      rows.push(summary)
      if (rows.length === rowsShown) return { rows, looked, olderUpTo: olderThan(summary.offset) }
    }
    lowest = page.lowestPageOffsetExclusive
    pageToken = page.nextPageToken ?? undefined
  } while (pageToken !== undefined && looked < lookedThrough)
  return { rows, looked, olderUpTo: pageToken === undefined ? undefined : olderThan(lowest + 1) }
}

const olderThan = (offset: number): number | undefined => (offset <= 1 ? undefined : offset - 1)

const smaller = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)

/** The node finds the updates of a party by itself, if the reader may ask for them as that party. */
export function isReadAs(party: string | undefined): party is string {
  return party?.includes('::') === true && viewedParty.value === undefined && mayReadAs(party)
}

/** The node knows no filter for the rest. */
function isLookedThrough({ party, choice, commandId }: UpdateFilter): boolean {
  return choice !== undefined || commandId !== undefined || (party !== undefined && !isReadAs(party))
}

function formatFor(kind: Kind | undefined, { party, kind: of }: UpdateFilter): UpdateFormat {
  const format = updateFormat(filtersFor(kind), isReadAs(party) ? [party] : readers.value)
  const { includeTransactions, includeReassignments, includeTopologyEvents } = format
  return {
    ...((of === undefined || of === 'transaction') && { includeTransactions }),
    ...((of === undefined || of === 'reassignment') && { includeReassignments }),
    // A template has nothing to do with the topology.
    ...(kind === undefined && (of === undefined || of === 'topology') && { includeTopologyEvents }),
  } as UpdateFormat
}

/** Places of times that have passed, which do not move; a few, as a live list asks for the same again and again. */
const known = new Map<string, number>()
const knownMax = 20

/** Offsets between which the wanted times are. */
async function boundsOf({ from, to }: UpdateFilter, format: UpdateFormat, signal: AbortSignal) {
  if (from === undefined && to === undefined) return { after: undefined, upTo: undefined }
  const end = await readLedgerEnd(signal)
  const lastWhere = async (isBefore: boolean, time: string): Promise<number> => {
    const key = JSON.stringify([isBefore, time, format, ledgerEpoch.peek()])
    const before = known.get(key)
    if (before !== undefined) return before
    const fits = (one: string) => compareTimes(one, time) < (isBefore ? 0 : 1)
    const offset = await lastOffset(fits, end, lookWith(format, signal))
    if (offset >= end) return offset // More may come.
    known.set(key, offset)
    if (known.size > knownMax) known.delete(known.keys().next().value!)
    return offset
  }
  return {
    after: from === undefined ? undefined : await lastWhere(true, from),
    upTo: to === undefined ? undefined : await lastWhere(false, to),
  }
}
