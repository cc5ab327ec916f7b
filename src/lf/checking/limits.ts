// Limits on what checking one DAR may cost. Real packages stay far below them (measured on 242 published ones).

export const checkLimits = {
  /** Steps for one DAR: expressions visited, types built, compared, substituted. Published DARs: 700,000. */
  stepsMax: 100_000_000,
  /** Types that exist at one time. Published DARs: 100,000. */
  typesMax: 4_000_000,
  /** Nested parts of a type, however it came about. Published types: 60. */
  typeDepthMax: 8_000,
  /** Nested parts of a kind. Published kinds: 5. */
  kindDepthMax: 1_000,
  /** Characters of an error's text: it may show types and expressions of any size. */
  textMax: 100_000,
} as const

/** Thrown when a limit is reached; `message` completes "validation error: ". */
export class CheckLimitReached extends Error {
  override readonly name = 'CheckLimitReached'
}

/** What is left to spend on one check. */
export type Budget = { steps: number }

export function spend(budget: Budget, steps = 1): void {
  budget.steps -= steps
  if (budget.steps < 0) throw new CheckLimitReached('checking the package takes more steps than this node allows')
}
