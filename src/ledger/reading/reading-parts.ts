// What the reading side of the ledger is made of.
import type { Clock } from '../../base/clock.ts'
import type { Caches } from '../../base/metrics.ts'
import type { Limits } from '../../base/settings.ts'
import type { Store } from '../../store/store.ts'
import type { LedgerEnd } from '../ledger-end.ts'
import type { Names } from '../names.ts'
import type { PackageContents } from '../packages/package-contents.ts'
import type { ViewRequest, ViewResult } from './requests/queries.ts'

export type ReadingParts = {
  readonly store: Store
  readonly end: LedgerEnd
  readonly names: Names
  readonly contents: () => Promise<PackageContents>
  readonly synchronizerIds: (number: bigint) => string
  readonly views: (requests: readonly ViewRequest[]) => Promise<readonly ViewResult[]>
  /** Whose tokens are ours. */
  readonly participantId: string
  readonly limits: Limits
  readonly clock: Clock
  /** Counts what caches do. */
  readonly caches?: Caches | undefined
}
