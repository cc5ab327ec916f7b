// What the reference says about random upgrades (test/support/lf/upgrade-mutants.ts): one digest for each, in the order of
// the seed, first in order and then reversed. Made by tools/lf/upgrades/compare-upgrades.ts --record.
import { createHash } from 'node:crypto'

export const recordedUpgrades = { seed: 15, count: 1500 } as const

/** Short, because a thousand texts would be large; the program that recorded them shows them in full. */
export function verdictDigest(problem: string | undefined): string {
  return problem === undefined ? '--------' : createHash('sha256').update(problem).digest('hex').slice(0, 8)
}
