// Which parties this participant knows. Parties never go away, so those that were found are remembered.
import type { Store } from '../store/store.ts'

export type KnownParties = {
  unknownAmong(parties: Iterable<string>): Promise<string[]>
}

export function createKnownParties(store: Store, entriesMax: number): KnownParties {
  const known = new Set<string>()
  return {
    async unknownAmong(parties) {
      const unknown: string[] = []
      for (const party of parties) {
        if (known.has(party)) continue
        if ((await store.parties.get(party)) === undefined) {
          unknown.push(party)
          continue
        }
        if (known.size >= entriesMax) known.delete(known.values().next().value!)
        known.add(party)
      }
      return unknown
    },
  }
}
