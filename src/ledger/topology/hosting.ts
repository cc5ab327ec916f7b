// The synchronizers on which this participant hosts each party. Every command asks, so answers are cached until the
// party is hosted somewhere else too.
import type { Store } from '../../store/core/store.ts'

export type Hosting = {
  /** Synchronizer numbers, connected or not; empty for an unknown party. */
  of(party: string): readonly bigint[] | Promise<readonly bigint[]>
  /** Called after a change. */
  forget(party: string): void
  /** Another node has changed parties. */
  forgetAll(): void
}

export function createHosting(store: Store, entriesMax: number): Hosting {
  const known = new Map<string, readonly bigint[]>()
  let changes = 0

  async function load(party: string): Promise<readonly bigint[]> {
    const before = changes
    const numbers = await store.parties.synchronizersOf(party)
    if (numbers.length === 0 || before !== changes) return numbers
    known.set(party, numbers)
    if (known.size > entriesMax) known.delete(known.keys().next().value!)
    return numbers
  }

  return {
    of: (party) => known.get(party) ?? load(party),
    forget(party) {
      changes += 1
      known.delete(party)
    },
    forgetAll() {
      changes += 1
      known.clear()
    },
  }
}
