// Parties that hold their keys themselves, outside of this participant.
import type { PartyKeyRegister, PartyKeys } from './party-keys.ts'

export type ExternalParties = ReturnType<typeof createExternalParties>

type Parts = { readonly partyKeys: PartyKeyRegister }

export function createExternalParties({ partyKeys }: Parts) {
  return {
    /** Who signs for the party, and how many of them must; undefined unless it is an external party. */
    async signingKeysOf(party: string): Promise<PartyKeys | undefined> {
      return partyKeys.of(party)
    },
  }
}
