// Repeats an attack in rounds, each with its own seed, some in parallel.
import { type Failure, type FailureKind, failureOf, type Outcome, type Plan } from './campaign.ts'

export type RoundOptions = {
  /** Attacks per round. */
  readonly timesPerRound?: number
  /** Rounds in parallel. */
  readonly sideBySide?: number
  /** What a failed assertion of this attack means. */
  readonly failureKind?: FailureKind
}

/** A round returns how many attacks it made, or throws. */
export async function runRounds(
  { seed, times, say }: Plan,
  round: (seed: number, times: number) => Promise<number>,
  { timesPerRound = 1, sideBySide = 1, failureKind = 'broken' }: RoundOptions = {},
): Promise<Outcome> {
  const failures: Failure[] = []
  let made = 0
  let begun = 0
  async function work(): Promise<void> {
    while (begun < times) {
      const roundSeed = seed + Math.floor(begun / timesPerRound)
      const count = Math.min(timesPerRound, times - begun)
      begun += count
      try {
        const done = await round(roundSeed, count) // Other rounds add to `made` meanwhile.
        made += done
      } catch (error) {
        failures.push(failureOf(failureKind, roundSeed, error, count))
      }
      say(`${made} of ${times}, ${failures.length} failures`)
    }
  }
  await Promise.all(Array.from({ length: sideBySide }, work))
  return { times: made, failures }
}
