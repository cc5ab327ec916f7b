// One window over the updates, newest first: summaries of those that pass the filter. The node looks them through.
import { readSummaries, type SummariesPage, type SummaryFilter } from '../api/update-summaries.ts'
import type { UpdateFormat } from '../api/wire.ts'
import { filtersFor, type Kind } from '../parts/kind-picker.tsx'
import { readers, updateFormat, viewedParty } from '../state/party-view.ts'
import { mayReadAs } from '../state/session.ts'

export const rowsShown = 50

export type Wanted = {
  readonly after: number | undefined
  readonly upTo: number | undefined
  readonly kind: Kind | undefined
  readonly filter: SummaryFilter
}

export async function readWindow({ after, upTo, kind, filter }: Wanted, signal: AbortSignal): Promise<SummariesPage> {
  const format = formatFor(kind, filter)
  if (Object.keys(format).length === 0) return { updates: [], looked: 0, next: null }
  const party = isReadAs(filter.party) ? undefined : filter.party
  return readSummaries({ format, after, upTo, filter: { ...filter, party }, size: rowsShown }, signal)
}

/** The node finds the updates of a party by itself, if the reader may ask for them as that party. */
export function isReadAs(party: string | undefined): party is string {
  return party?.includes('::') === true && viewedParty.value === undefined && mayReadAs(party)
}

function formatFor(kind: Kind | undefined, { party, kind: of }: SummaryFilter): UpdateFormat {
  const format = updateFormat(filtersFor(kind), isReadAs(party) ? [party] : readers.value)
  const { includeTransactions, includeReassignments, includeTopologyEvents } = format
  return {
    ...((of === undefined || of === 'transaction') && { includeTransactions }),
    ...((of === undefined || of === 'reassignment') && { includeReassignments }),
    // A template has nothing to do with the topology.
    ...(kind === undefined && (of === undefined || of === 'topology') && { includeTopologyEvents }),
  } as UpdateFormat
}
