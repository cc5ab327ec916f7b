// On which synchronizers this participant hosts each party, asked for every command. What is found is remembered until
// the party is hosted somewhere else too.
import type { Store } from '../../store/store.ts'

export type Hosting = {
  /** Their numbers, whether the node is connected to them or not; none for a party that is not known. */
  of(party: string): readonly bigint[] | Promise<readonly bigint[]>
  /** Something was changed. */
  forget(party: string): void
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
  }
}
