// A campaign: one kind of attack, how often it runs, and the invariant that must hold throughout.

export type Plan = {
  /** Determines every choice. A failure names the seed that repeats it with `times: 1`. */
  readonly seed: number
  /** How often to attack, in the unit of the campaign. */
  readonly times: number
  /** For `npm test`: attacks are shorter, and longer delays are allowed because the machine is shared. */
  readonly isShort: boolean
  /** Reports progress. */
  say(line: string): void
}

/**
 * `lost`: something that a client was told is no longer true. `leaked`: a client got data it may not see. `delayed`:
 * others waited too long. `broken`: anything else, such as a crash, a 500 or an undeclared error.
 */
export type FailureKind = 'lost' | 'leaked' | 'delayed' | 'broken'

export type Failure = {
  readonly kind: FailureKind
  readonly seed: number
  /** The value of `--times` with which `seed` repeats it. */
  readonly times: number
  readonly what: string
}

export type Outcome = {
  /** Attacks made. */
  readonly times: number
  readonly failures: readonly Failure[]
  /** The longest wait of other clients, minus stalls of the machine; undefined if none was measured. */
  readonly delayMs?: number
  /** Numbers for the report. */
  readonly note?: string
  /** One line for each kind of attack, below the row of the campaign. */
  readonly rows?: readonly string[]
}

export type Campaign = {
  readonly name: string
  /** A description of the attack. */
  readonly attack: string
  /** The invariant, as promised in SECURITY.md. */
  readonly invariant: string
  readonly unit: string
  /** How often in `npm run attack`. */
  readonly full: number
  /** How often in `npm test`; 0 if another test does as much. */
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
