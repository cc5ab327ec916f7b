// Who may use a validator: its operators are users of its party that administer its participant, as Splice's AdminAuthExtractor
// decides; a wallet belongs to users that may act as its party, as its UserWalletAuthExtractor decides.
import type { Validator } from '../founding/parties.ts'
import { type Json, type Participant, ParticipantRefusal } from '../ledger/participant.ts'

export async function isOperator({ participant, party }: Validator, userId: string): Promise<boolean> {
  const found = await userWithRights(participant, userId)
  if (found === undefined) return false
  const isAdmin = found.rights.some((kind) => kind.ParticipantAdmin !== undefined)
  return isAdmin && found.user.primaryParty === party && acts(found, party)
}

export type UserWithRights = { readonly user: Json; readonly rights: readonly Json[] }

/** Whether the user is active, and may act as the party. */
export function acts({ user, rights }: UserWithRights, party: string): boolean {
  return !user.isDeactivated && rights.some((kind) => kind.CanActAs?.value.party === party)
}

/** Undefined if there is no such user. */
export async function userWithRights(participant: Participant, userId: string): Promise<UserWithRights | undefined> {
  const path = `/v2/users/${encodeURIComponent(userId)}`
  try {
    const { user } = await participant.call('GET', path)
    const { rights } = await participant.call('GET', `${path}/rights`)
    return { user, rights: rights.map(({ kind }: Json) => kind) }
  } catch (error) {
    if (error instanceof ParticipantRefusal && error.status < 500) return undefined
    throw error
  }
}
