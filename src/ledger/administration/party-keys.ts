// Who signs for which external party, and where. Asked for every command, so both answers are remembered: keys do not
// change, and whoever allocates a party tells.
import { type SigningKeySpec, type SigningPublicKey, signingKeyFromStore } from '../../base/signing-keys.ts'
import type { ExternalPartyRecord, Store } from '../../store/store.ts'

export type PartyKeys = {
  readonly keys: readonly SigningPublicKey[]
  /** How many of the keys have to sign. */
  readonly threshold: number
}

/** By the number of the synchronizer; empty for a party that the participant acts for, and for one nobody knows. */
export type KeysBySynchronizer = ReadonlyMap<bigint, PartyKeys>

export type PartyKeyRegister = ReturnType<typeof createPartyKeys>

const noKeys: KeysBySynchronizer = new Map()

export function createPartyKeys(store: Store, entriesMax: number) {
  const known = new Map<string, KeysBySynchronizer>()
  let allocations = 0 // What was read before an allocation must not be remembered after it.
  return {
    of(party: string): KeysBySynchronizer | Promise<KeysBySynchronizer> {
      const remembered = known.get(party)
      if (remembered !== undefined) return remembered
      const started = allocations
      return store.externalParties.of(party).then((records) => {
        const keys = records.length === 0 ? noKeys : new Map(records.map((one) => [one.synchronizer, keysFrom(one)]))
        if (started !== allocations) return keys
        known.set(party, keys)
        if (known.size > entriesMax) known.delete(known.keys().next().value!)
        return keys
      })
    },
    /** The party was allocated. */
    forget(party: string): void {
      allocations += 1
      known.delete(party)
    },
  }
}

function keysFrom({ keys, threshold }: ExternalPartyRecord): PartyKeys {
  return {
    keys: keys.map(({ keySpec, keyData }) => signingKeyFromStore(keySpec as SigningKeySpec, keyData)),
    threshold,
  }
}
