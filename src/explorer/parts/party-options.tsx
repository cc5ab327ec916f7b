// The parties that a picker or the search offers.
import { findParties } from '../api/ledger-reads.ts'
import { searchPlaces } from '../api/place-search.ts'
import { rangeIn } from '../api/ranking.ts'
import { eventFormat, maySee } from '../state/party-view.ts'
import { session } from '../state/session.ts'
import { Marked } from './name-options.tsx'
import { hintOf, Party, shortId } from './names.tsx'
import type { Option } from './picker.tsx'

const optionsMax = 12

/** Those that begin with the text, or else those that contain it. */
export async function partyOptions(text: string, signal: AbortSignal): Promise<readonly Option[]> {
  const wanted = text.trim()
  const begin = await partiesFrom(wanted, signal)
  const found = begin.length > 0 || wanted === '' ? begin : await partiesWith(wanted, signal)
  return found.map((party) => partyOption(party, wanted))
}

/** An administrator may list all parties; others know those of their rights. */
async function partiesFrom(text: string, signal: AbortSignal): Promise<readonly string[]> {
  const { isAdmin, isIdentityProviderAdmin, readsAs } = session.peek()
  if (isAdmin || isIdentityProviderAdmin) {
    return (await findParties(text, optionsMax, signal)).map(({ party }) => party)
  }
  return readsAs === 'any' ? [] : readsAs.filter((party) => party.startsWith(text)).slice(0, optionsMax)
}

async function partiesWith(text: string, signal: AbortSignal): Promise<readonly string[]> {
  if (!maySee.peek()) return []
  const places = await searchPlaces({ text, format: eventFormat() }, signal)
  return places.flatMap((place) => (place.kind === 'party' ? [place.party] : []))
}

export function partyOption(party: string, text: string): Option {
  const hint = hintOf(party)
  const range = text === '' ? undefined : rangeIn(hint, text.slice(0, hint.length))
  return {
    value: party,
    words: (
      <span class="name-words">
        <Party id={party} isLink={false}>
          <Marked text={hint} ranges={range && [range]} />
        </Party>
        <span class="faint mono">{shortId(party.slice(hint.length + 2))}</span>
      </span>
    ),
  }
}
