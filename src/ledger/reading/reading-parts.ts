// The parts that the reading side is built from.
import type { Clock } from '../../base/clock.ts'
import { LedgerError } from '../../base/errors.ts'
import { reconsidered, type SecondLook } from '../../base/second-look.ts'
import type { Limits } from '../../base/settings.ts'
import type { Store } from '../../store/core/store.ts'
import type { LedgerEnd } from '../model/ledger-end.ts'
import type { Names } from '../model/name-numbers.ts'
import type { PackageContents } from '../packages/package-contents.ts'
import type { ReadingCaches } from './caches.ts'

/** Throws what `check` throws about names, unless another node has just added them. */
export type LoadContents = (check?: (contents: PackageContents) => void) => Promise<PackageContents>

export type ReadingParts = {
  readonly store: Store
  readonly end: LedgerEnd
  readonly names: Names
  readonly contents: LoadContents
  readonly synchronizerIds: (number: bigint) => string
  /** Part of page tokens. */
  readonly participantId: string
  readonly limits: Limits
  readonly clock: Clock
  readonly caches: ReadingCaches
}

/** Names that another node has just added are no mistake. */
export function checkedContents(
  load: () => Promise<PackageContents>,
  secondLook: SecondLook | undefined,
): LoadContents {
  return (check) => {
    if (check === undefined) return load()
    const loadAndCheck = async () => {
      const contents = await load()
      check(contents)
      return contents
    }
    return reconsidered(loadAndCheck, (error) => error instanceof LedgerError, secondLook)
  }
}
