// How much one request of the explorer looks through, where no index has what it asks for. What is left is for the next one.

export type Bounds = {
  /** Whether it looks into the fields of contracts at all. */
  readonly looksIntoFields: boolean
  /** Contracts that are looked through for those that pass. */
  readonly contractsLooked: number
  /** Contracts of which a page is sorted: all of them have to be looked at. */
  readonly contractsSorted: number
  /** Updates that are looked through for those that pass. */
  readonly updatesLooked: number
  /** The longest description of an update that is parsed: some milliseconds, for twenty thousand events. */
  readonly descriptionBytes: number
}

const everywhere = { contractsLooked: 100_000, contractsSorted: 250_000, descriptionBytes: 1024 * 1024 }

export const developmentBounds: Bounds = { ...everywhere, looksIntoFields: true, updatesLooked: 20_000 }
export const otherBounds: Bounds = { ...everywhere, looksIntoFields: false, updatesLooked: 2_000 }
