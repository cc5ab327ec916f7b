// The parties that a picker offers.
import { findParties } from '../api/ledger-reads.ts'
import { session } from '../state/session.ts'
import { Party } from './names.tsx'
import type { Option } from './picker.tsx'

const optionsMax = 12

/** An administrator may list all parties; others know those of their rights. */
export async function partyOptions(text: string, signal: AbortSignal): Promise<readonly Option[]> {
  const { isAdmin, isIdentityProviderAdmin, readsAs } = session.peek()
  const known = readsAs === 'any' ? [] : readsAs.filter((party) => party.startsWith(text))
  const found =
    isAdmin || isIdentityProviderAdmin
      ? (await findParties(text, optionsMax, signal)).map(({ party }) => party)
      : known.slice(0, optionsMax)
  return found.map((party) => ({ value: party, words: <Party id={party} isLink={false} /> }))
}
