// What the explorer finds besides what the API reads: contracts in another order, updates in short, places and names.
import type { ReadingParts } from '../reading/reading-parts.ts'
import type { Bounds } from './bounds.ts'
import { createContractCounts } from './contract-counts.ts'
import { createFindContracts, type FindContracts } from './contract-query.ts'
import { createLooking } from './looking.ts'
import { createFindPlaces, type FindPlaces } from './places.ts'
import { createSummaries, type Summaries } from './update-summaries.ts'

export type Finding = {
  /** The whole response. */
  readonly contracts: FindContracts
  readonly updates: Summaries['page']
  readonly places: FindPlaces
}

type Parts = {
  readonly reading: ReadingParts
  readonly bounds: Bounds
  /** Whether the participant belongs to a network. */
  readonly isInNetwork: boolean
}

export function createFinding({ reading, bounds, isInNetwork }: Parts): Finding {
  const looking = createLooking()
  const counts = createContractCounts({ ...reading, isInNetwork })
  const summaries = createSummaries({ reading, looking, bounds })
  return {
    contracts: createFindContracts({ reading, counts, looking, bounds }),
    updates: summaries.page,
    places: createFindPlaces({ reading, summaries, looking, bounds }),
  }
}
