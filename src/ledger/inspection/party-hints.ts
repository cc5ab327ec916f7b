// Hints about parties that a request names wrongly, or without the right to. A caller that may list parties gets the ids
// of all; others only those that their own rights name.

import { shorten } from '../../base/names.ts'
import { nearest } from '../../base/nearest.ts'
import type { PartyRecords } from '../../store/core/administration-records.ts'
import { didYouMean } from './type-hints.ts'

/** What the caller of a request may see. */
export type HintReader = {
  readonly userId: string | undefined
  /** Whether it may read as a party. */
  reads(party: string): boolean
  /** Whether it may list the parties of the participant. */
  readonly listsParties: boolean
  /** The parties that its rights name. */
  readonly parties: Iterable<string>
}

const partiesShown = 3
const candidatesMax = 200
const pageBytesMax = 256 * 1024

/** `isRight`: the caller lacks a right for it; otherwise the ledger does not know it. */
export async function partyHint(
  written: string,
  isRight: boolean,
  reader: HintReader,
  parties: PartyRecords,
): Promise<string | undefined> {
  const isKnown = reader.listsParties && (await parties.get(written)) !== undefined
  const meant = isKnown ? [] : await partiesMeantBy(written, reader, parties)
  if (meant.length > 0) return `${didYouMean(meant)} a party is named by its whole id`
  if (!written.includes('::')) {
    const none = reader.listsParties ? '; none here begins so, and POST /v2/parties allocates one' : ''
    return `a party is named by its whole id, as in alice::1220...${none}`
  }
  if (isRight) return grantHint(reader.userId)
  return reader.listsParties
    ? 'no such party is hosted here: allocate it with POST /v2/parties, or check which participant hosts it'
    : undefined
}

function grantHint(userId: string | undefined): string {
  const path = `POST /v2/users/${userId === undefined ? 'USER' : encodeURIComponent(userId)}/rights`
  return `an administrator grants the right with ${path}; tallystick token --party PARTY makes a token that has it`
}

/** Those whose id begins so, then those with the same hint, then the one whose hint is nearest. */
async function partiesMeantBy(written: string, reader: HintReader, parties: PartyRecords): Promise<string[]> {
  const hint = shorten(written.split('::')[0]!, 200)
  for (const prefix of [`${hint}::`, ...(written.includes('::') ? [] : [hint])]) {
    const found = (await partiesWith(prefix, partiesShown + 1, reader, parties)).filter((party) => party !== written)
    if (found.length > 0) return found.slice(0, partiesShown)
  }
  const byHint = new Map(
    (await partiesWith('', candidatesMax, reader, parties)).map((party) => [party.split('::')[0]!, party]),
  )
  const found = nearest(hint, [...byHint.keys()])
  return found === undefined ? [] : [byHint.get(found)!]
}

async function partiesWith(
  prefix: string,
  limit: number,
  reader: HintReader,
  parties: PartyRecords,
): Promise<string[]> {
  if (reader.listsParties) {
    const { records } = await parties.list(prefix, { after: '', limit, bytesMax: pageBytesMax })
    return records.map(({ party }) => party)
  }
  return [...reader.parties].filter((party) => party.startsWith(prefix)).slice(0, limit)
}
