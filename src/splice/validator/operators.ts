// Who may administer a validator: users of its party that administer its participant, as Splice's AdminAuthExtractor decides.
import type { Validator } from '../founding/parties.ts'
import { type Json, ParticipantRefusal } from '../ledger/participant.ts'

export async function isOperator({ participant, party }: Validator, userId: string): Promise<boolean> {
  const path = `/v2/users/${encodeURIComponent(userId)}`
  try {
    const { user } = await participant.call('GET', path)
    const { rights } = await participant.call('GET', `${path}/rights`)
    const kinds: Json[] = rights.map(({ kind }: Json) => kind)
    const isAdmin = kinds.some((kind) => kind.ParticipantAdmin !== undefined)
    const acts = kinds.some((kind) => kind.CanActAs?.value.party === party)
    return isAdmin && acts && user.primaryParty === party && !user.isDeactivated
  } catch (error) {
    if (error instanceof ParticipantRefusal && error.status < 500) return false
    throw error
  }
}
