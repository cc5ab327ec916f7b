// Everything that reading remembers, in one place. What is past does not change, so nothing here has to be forgotten but
// for its size, which each bounds by itself.
import type { Caches } from '../../base/metrics.ts'
import type { Limits } from '../../base/settings.ts'
import type { Store } from '../../store/store.ts'
import { type CompiledFormats, createCompiledFormats } from './json/compiled-formats.ts'
import { type ContractViews, createContractViews } from './json/contract-views.ts'
import type { ViewRequest, ViewResult } from './requests/queries.ts'
import { createReadAhead, type ReadAhead } from './rows/read-ahead.ts'
import { createRecentUpdates, type RecentUpdates } from './rows/recent-updates.ts'
import { createUpdateMetas, type UpdateMetas } from './rows/update-metas.ts'

export type ReadingCaches = {
  /** What contracts show as interfaces, up to `interfaceViewBytesMax`. */
  readonly contractViews: ContractViews
  /** What is said of updates, parsed once where many look at it. */
  readonly metas: UpdateMetas
  /** Formats of the latest requests, with what was found out for them. */
  readonly formats: CompiledFormats
  /** The latest updates, read once for all streams that follow the ledger. */
  readonly recent: RecentUpdates
  /** The next page of those who read page after page. */
  readonly readAhead: ReadAhead
}

type Parts = {
  readonly store: Store
  readonly views: (requests: readonly ViewRequest[]) => Promise<readonly ViewResult[]>
  readonly limits: Limits
  /** Counts what they do. */
  readonly counting?: Caches | undefined
}

export function createReadingCaches({ store, views, limits, counting }: Parts): ReadingCaches {
  const contractViews = createContractViews({
    ...{ views, bytesMax: limits.interfaceViewBytesMax },
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
