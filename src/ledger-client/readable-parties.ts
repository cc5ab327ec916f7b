// Which parties a token may read as, and whether a participant hosts the parties that somebody named.
import { StartError } from '../base/errors.ts'
import { type LedgerClient, LedgerRefusal } from './ledger-client.ts'

type Rights = {
  readonly rights?: readonly {
    readonly kind: {
      readonly CanReadAs?: { readonly value: { readonly party: string } }
      readonly CanActAs?: { readonly value: { readonly party: string } }
      readonly CanReadAsAnyParty?: object
    }
  }[]
}

/** Undefined for any party, if the user may read as any; otherwise those of the user's rights. */
export async function readableParties(ledger: LedgerClient): Promise<readonly string[] | undefined> {
  const { rights = [], userId } = await rightsOf(ledger)
  if (userId === undefined || rights.some(({ kind }) => kind.CanReadAsAnyParty !== undefined)) return undefined
  const parties = rights.flatMap(({ kind }) => (kind.CanReadAs ?? kind.CanActAs)?.value.party ?? [])
  if (parties.length > 0) return [...new Set(parties)].sort()
  throw new StartError(
    `user ${userId} of the token may read as no party; grant it CanReadAsAnyParty, or CanReadAs for the parties that matter`,
  )
}

/** A ledger without authorization knows no user: everything may be read. */
async function rightsOf(ledger: LedgerClient): Promise<Rights & { readonly userId: string | undefined }> {
  try {
    const { user } = await ledger.get<{ user: { id: string } }>('/v2/authenticated-user')
    const rights = await ledger.get<Rights>(`/v2/users/${encodeURIComponent(user.id)}/rights`)
    return { ...rights, userId: user.id }
  } catch (error) {
    if (error instanceof LedgerRefusal && error.status !== 401) return { userId: undefined }
    throw error
  }
}

/** Parties that somebody named are hosted here, as far as the user may know. */
export async function checkHosted(parties: readonly string[], ledger: LedgerClient): Promise<void> {
  for (const party of parties) {
    const details = await ledger
      .get<{ partyDetails: readonly { party: string; isLocal?: boolean }[] }>(
        `/v2/parties/${encodeURIComponent(party)}`,
      )
      .catch((error) => {
        if (error instanceof LedgerRefusal && error.status === 403) return undefined
        if (error instanceof LedgerRefusal && error.status !== 401) return { partyDetails: [] }
        throw error
      })
    if (details === undefined || details.partyDetails.some((one) => one.party === party && one.isLocal !== false))
      continue
    throw new StartError(`party ${party} is not hosted by the participant at ${ledger.place}; name one that hosts it`)
  }
}
