// What a campaign is: one kind of attack, how often it is made, and the invariant that has to hold all the while.

export type Plan = {
  /** Decides every choice. A failure names the seed that repeats it with `times: 1`. */
  readonly seed: number
  /** How often to attack, in the unit of the campaign. */
  readonly times: number
  /** In `npm test`: attacks take less time, and a machine that runs tests is shared, so longer delays are allowed. */
  readonly isShort: boolean
  /** Tells how far it is. */
  say(line: string): void
}

/**
 * `lost`: something a client was told is no longer true. `leaked`: a client got what it may not see. `delayed`: others
 * waited too long. `broken`: everything else, such as a crash, a 500 or an error of an undeclared kind.
 */
export type FailureKind = 'lost' | 'leaked' | 'delayed' | 'broken'

export type Failure = {
  readonly kind: FailureKind
  readonly seed: number
  /** What `--times` has to be so that `seed` repeats it. */
  readonly times: number
  readonly what: string
}

export type Outcome = {
  /** Attacks made. */
  readonly times: number
  readonly failures: readonly Failure[]
  /** The longest that others waited, less what the machine itself made them wait; undefined where nobody watched. */
  readonly delayMs?: number
  /** A figure or two for the report. */
  readonly note?: string
}

export type Campaign = {
  readonly name: string
  /** What is done. */
  readonly attack: string
  /** What has to hold, as SECURITY.md promises it. */
  readonly invariant: string
  readonly unit: string
  /** How often in `npm run attack`. */
  readonly full: number
  /** How often in `npm test`. */
  readonly short: number
  readonly needsPostgres?: true
  run(plan: Plan): Promise<Outcome>
}

export function failureOf(kind: FailureKind, seed: number, error: unknown, times = 1): Failure {
  return { kind, seed, times, what: textOf(error).slice(0, 4_000) }
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const text = error.stack ?? error.message
  return error.cause === undefined ? text : `${text}\ncaused by ${textOf(error.cause)}`
}
