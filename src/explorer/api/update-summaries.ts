// Updates in short, as the node summarizes them for lists: what was commanded, by whom, and how much happened.
import { post } from './client.ts'
import type { UpdateFormat } from './wire.ts'

export type SummaryAct = {
  readonly verb: 'create' | 'exercise' | 'archive' | 'assign' | 'unassign' | 'host'
  /** `package-id:Module:Template`, or the party that is hosted. */
  readonly subject: string
  readonly choice?: string
}

export type SummaryRow = {
  readonly kind: 'transaction' | 'reassignment' | 'topology'
  readonly offset: number
  readonly updateId: string
  readonly recordTime: string
  /** Empty unless the reader submitted it. */
  readonly commandId: string
  readonly synchronizerId: string
  /** What was commanded: the first few roots of a transaction. */
  readonly roots: readonly SummaryAct[]
  readonly hasMoreRoots: boolean
  /** How much of it the reader sees. */
  readonly created: number
  readonly archived: number
  readonly exercised: number
  /** The first few templates: `#package:Module:Template`. */
  readonly templates: readonly string[]
  /** Who acts in the roots: controllers, signatories, submitters of a reassignment. The first few. */
  readonly acting: readonly string[]
  /** Who sees it, of those that the reader asked for. The first few, and how many there are. */
  readonly parties: readonly string[]
  readonly partyCount: number
  /** False for an update so large that only its beginning was looked at: counts are then at least these. */
  readonly isWhole: boolean
}

/** Texts are beginnings; times are as in JSON, and included. */
export type SummaryFilter = {
  readonly kind?: SummaryRow['kind'] | undefined
  /** Acts, signs, observes or sees some of it. */
  readonly party?: string | undefined
  readonly choice?: string | undefined
  readonly commandId?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

export type SummariesQuery = {
  readonly format: UpdateFormat
  readonly after?: number | undefined
  readonly upTo?: number | undefined
  readonly oldestFirst?: boolean | undefined
  readonly filter?: SummaryFilter | undefined
  /** Up to 200; 50 if absent. */
  readonly size?: number | undefined
}

export type SummariesPage = {
  readonly updates: readonly SummaryRow[]
  /** How many updates were looked through for those that pass. */
  readonly looked: number
  /** Where to go on: `upTo` of the next page, or `after` if the oldest are first. Null at the end of the list. */
  readonly next: number | null
}

export function readSummaries(query: SummariesQuery, signal?: AbortSignal): Promise<SummariesPage> {
  const { format, after, upTo, oldestFirst, filter, size } = query
  const request = {
    updateFormat: format,
    ...(after !== undefined && { after }),
    ...(upTo !== undefined && { upTo }),
    ...(oldestFirst !== undefined && { oldestFirst }),
    ...(filter !== undefined && { filter }),
    ...(size !== undefined && { pageSize: size }),
  }
  return post('/explorer/find/updates', request, { signal })
}
