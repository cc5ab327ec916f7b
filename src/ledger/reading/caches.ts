// All caches of the reading side, in one place. The past does not change, so entries are never invalidated; each cache
// bounds its own size.
import type { Caches } from '../../base/metrics.ts'
import type { Store } from '../../store/core/store.ts'
import { type CompiledFormats, createCompiledFormats } from './json/compiled-formats.ts'
import { type ContractViews, createContractViews } from './json/contract-views.ts'
import type { ViewRequest, ViewResult } from './requests/queries.ts'
import { createReadAhead, type ReadAhead } from './rows/read-ahead.ts'
import { createRecentUpdates, type RecentUpdates } from './rows/recent-updates.ts'
import { createUpdateMetas, type UpdateMetas } from './rows/update-metas.ts'

const viewBytesMax = 16 * 1024 * 1024

export type ReadingCaches = {
  /** Interface views of contracts, up to `viewBytesMax`. */
  readonly contractViews: ContractViews
  /** Parsed descriptions of updates. */
  readonly metas: UpdateMetas
  /** Compiled formats of recent requests. */
  readonly formats: CompiledFormats
  /** The latest updates, read once for all streams that follow the ledger. */
  readonly recent: RecentUpdates
  /** The next page for clients that read page after page. */
  readonly readAhead: ReadAhead
}

type Parts = {
  readonly store: Store
  readonly views: (requests: readonly ViewRequest[]) => Promise<readonly ViewResult[]>
  /** Counts hits and misses. */
  readonly counting?: Caches | undefined
}

export function createReadingCaches({ store, views, counting }: Parts): ReadingCaches {
  const contractViews = createContractViews({
    views,
    bytesMax: viewBytesMax,
    counting: counting?.counting('interface views'),
  })
  const metas = createUpdateMetas()
  return {
    contractViews,
    metas,
    formats: createCompiledFormats({ store, contractViews, metas }, counting?.counting('compiled formats')),
    recent: createRecentUpdates(metas, counting?.counting('recent updates')),
    readAhead: createReadAhead(),
  }
}
