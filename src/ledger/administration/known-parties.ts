// Whether a party is known, asked for every command. A party that is known stays so, and is remembered.
import type { Store } from '../../store/store.ts'

export type IsKnownParty = (party: string) => boolean | Promise<boolean>

export function createKnownParties(store: Store, entriesMax: number): IsKnownParty {
  const known = new Set<string>()
  return (party) => {
    if (known.has(party)) return true
    return store.parties.get(party).then((record) => {
      if (record === undefined) return false
      known.add(party)
      if (known.size > entriesMax) known.delete(known.values().next().value!)
      return true
    })
  }
}
