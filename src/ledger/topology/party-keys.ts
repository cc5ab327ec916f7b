// The signing keys of external parties, per synchronizer. Every command asks, so keys and their absence are cached:
// keys do not change, and an allocation clears the entry.

import type { ExternalPartyRecord } from '../../store/core/administration-records.ts'
import type { Store } from '../../store/core/store.ts'
import { type SigningKeySpec, type SigningPublicKey, signingKeyFromStore } from '../keys/signing-keys.ts'

export type PartyKeys = {
  readonly keys: readonly SigningPublicKey[]
  /** The number of keys that must sign. */
  readonly threshold: number
}

/** By synchronizer number; empty for an unknown party and for one that the participant signs for. */
export type KeysBySynchronizer = ReadonlyMap<bigint, PartyKeys>

export type PartyKeyRegister = ReturnType<typeof createPartyKeys>

const noKeys: KeysBySynchronizer = new Map()

export function createPartyKeys(store: Store, entriesMax: number) {
  const known = new Map<string, KeysBySynchronizer>()
  let allocations = 0 // What was read before an allocation must not be cached after it.
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
    /** Called after the party is allocated. */
    forget(party: string): void {
      allocations += 1
      known.delete(party)
    },
    /** Another node has changed parties. */
    forgetAll(): void {
      allocations += 1
      known.clear()
    },
  }
}

function keysFrom({ keys, threshold }: ExternalPartyRecord): PartyKeys {
  return {
    keys: keys.map(({ keySpec, keyData }) => signingKeyFromStore(keySpec as SigningKeySpec, keyData)),
    threshold,
  }
}
