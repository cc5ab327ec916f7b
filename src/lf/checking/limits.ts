// Limits on the cost of checking one DAR, the budget that counts its steps, and a writer that keeps the texts of errors
// within their limit. Real packages stay far below the limits (measured on 242 published ones).

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

/** The steps that one check may still take. */
export type Budget = { steps: number }

export function spend(budget: Budget, steps = 1): void {
  budget.steps -= steps
  if (budget.steps < 0) throw new CheckLimitReached('checking the package takes more steps than this node allows')
}

/** A type may refer to one of its parts many times, so its text may be far larger than the package. */
export type TextWriter = { write(part: string): void }

class TextIsFull extends Error {}

/** The text, cut with `…` where it would be longer than allowed. */
export function textOf(write: (to: TextWriter) => void): string {
  const parts: string[] = []
  let length = 0
  const to = {
    write(part: string) {
      parts.push(part)
      length += part.length
      if (length > checkLimits.textMax) throw new TextIsFull()
    },
  }
  try {
    write(to)
  } catch (error) {
    if (!(error instanceof TextIsFull)) throw error
    return `${parts.join('').slice(0, checkLimits.textMax)}…`
  }
  return parts.join('')
}

/** Writes the items with a separator between them. */
export function separated<T>(to: TextWriter, items: Iterable<T>, separator: string, write: (item: T) => void): void {
  let isFirst = true
  for (const item of items) {
    if (!isFirst) to.write(separator)
    isFirst = false
    write(item)
  }
}
