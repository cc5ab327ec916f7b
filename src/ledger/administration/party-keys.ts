// Who signs for which external party. Asked for every command, so both answers are remembered: keys do not change, and
// whoever allocates a party tells.
import { type SigningKeySpec, type SigningPublicKey, signingKeyFromStore } from '../../base/signing-keys.ts'
import type { ExternalPartyRecord, Store } from '../../store/store.ts'

export type PartyKeys = {
  readonly keys: readonly SigningPublicKey[]
  /** How many of the keys have to sign. */
  readonly threshold: number
}

export type PartyKeyRegister = ReturnType<typeof createPartyKeys>

export function createPartyKeys(store: Store, entriesMax: number) {
  const known = new Map<string, PartyKeys | undefined>()
  let allocations = 0 // What was read before an allocation must not be remembered after it.
  return {
    /** Undefined for a party that the participant acts for, and for one that nobody knows. */
    of(party: string): PartyKeys | undefined | Promise<PartyKeys | undefined> {
      if (known.has(party)) return known.get(party)
      const started = allocations
      return store.externalParties.get(party).then((record) => {
        const keys = record && partyKeysFrom(record)
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

function partyKeysFrom({ keys, threshold }: ExternalPartyRecord): PartyKeys {
  return {
    keys: keys.map(({ keySpec, keyData }) => signingKeyFromStore(keySpec as SigningKeySpec, keyData)),
    threshold,
  }
}
