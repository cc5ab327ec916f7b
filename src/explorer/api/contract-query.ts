// Contracts as the node finds them for the explorer: newest first, counted, filtered and sorted by their fields.
import { post } from './client.ts'
import type { ContractsPage, EventFormat } from './wire.ts'

/** A condition on a field; the path has dots: `amount.currency`. Numbers are compared as numbers, all else as text. */
export type FieldFilter = {
  readonly field: string
  readonly test: 'equals' | 'contains' | 'less' | 'greater'
  readonly value: string
}

export type ContractQuery = {
  readonly format: EventFormat
  /** The offset at which they are active; the ledger end if absent. */
  readonly at?: number | undefined
  readonly oldestFirst?: boolean | undefined
  /** Sorts by a field, and by age where it is equal; `descending` has the largest first. Only on development nodes. */
  readonly sortBy?: { readonly field: string; readonly descending: boolean } | undefined
  /** All of them have to hold. Only on development nodes. */
  readonly filters?: readonly FieldFilter[] | undefined
  /** What the fields, ids and parties contain, in upper or lower case. Only on development nodes. */
  readonly text?: string | undefined
  /** Up to 1,000; 50 if absent. */
  readonly size?: number | undefined
  /** The `nextPageToken` of the page before. It stays good for the same query, also after a reload. */
  readonly pageToken?: string | undefined
}

export type Total = {
  readonly count: number
  /** `atLeast`: counting further would cost too much. `about`: the ledger changed while they were counted. */
  readonly is: 'exact' | 'atLeast' | 'about'
}

/** `activeContracts` are as in /v2/state/active-contracts-page. */
export type ContractQueryPage = ContractsPage & {
  /** How many pass the query, on all pages. */
  readonly total: Total
  /** How many contracts were looked through for those that pass. With few rows and a next page: look further there. */
  readonly looked: number
}

export function queryContracts(query: ContractQuery, signal?: AbortSignal): Promise<ContractQueryPage> {
  const { format, at, oldestFirst, sortBy, filters, text, size, pageToken } = query
  const request = {
    eventFormat: format,
    ...(at !== undefined && { activeAtOffset: at }),
    ...(oldestFirst !== undefined && { oldestFirst }),
    ...(sortBy !== undefined && { sortBy }),
    ...(filters !== undefined && { filters }),
    ...(text !== undefined && { text }),
    ...(size !== undefined && { pageSize: size }),
    ...(pageToken !== undefined && { pageToken }),
  }
  return post('/explorer/find/contracts', request, { signal })
}
