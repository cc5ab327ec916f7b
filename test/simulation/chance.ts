// Choices determined by a seed, the same in every run.
import { createSeededRandom } from '../../src/base/random.ts'

export type Chance = {
  /** From 0 up to, but excluding, `limit`. */
  below(limit: number): number
  /** True in this many of a hundred cases. */
  percent(cases: number): boolean
  pick<T>(among: readonly T[]): T
  /** Some of them, in order; perhaps none. */
  some<T>(among: readonly T[], percent: number): T[]
  weighted<T>(among: readonly (readonly [weight: number, value: T])[]): T
}

export function createChance(seed: string): Chance {
  const random = createSeededRandom(seed)
  const below = (limit: number) => random.bytes(4).readUInt32BE() % limit
  const percent = (cases: number) => below(100) < cases
  return {
    below,
    percent,
    pick: (among) => among[below(among.length)]!,
    some: (among, cases) => among.filter(() => percent(cases)),
    weighted(among) {
      let left = below(among.reduce((sum, [weight]) => sum + weight, 0))
      for (const [weight, value] of among) {
        if (left < weight) return value
        left -= weight
      }
      return among[0]![1]
    },
  }
}
