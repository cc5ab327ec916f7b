// Founding, with an OIDC issuer: the users that its tokens name. They may do what LocalNet's own users of the participant may.
import { oidcUsersOf } from '../profile/realms.ts'
import type { LocalNetwork } from './founding.ts'
import { createUserOf, exists, type Validator } from './parties.ts'
import { installWallet } from './wallets.ts'

/** Looks at each start, because a ledger that was founded without an issuer may get one. */
export async function foundOidcUsers({ validators, dso, release }: LocalNetwork): Promise<void> {
  for (const validator of validators) {
    const users = oidcUsersOf(validator.profile.name)
    if (users === undefined) continue
    await foundUser(validator, users.operator, true)
    await foundUser(validator, users.wallet, false)
    if (release !== undefined) await installWallet(validator, dso, { userName: users.wallet, party: validator.party })
  }
}

async function foundUser({ participant, party }: Validator, id: string, isAdministrator: boolean): Promise<void> {
  if (!(await exists(participant, `/v2/users/${id}`))) await createUserOf(participant, id, party)
  if (!isAdministrator) return
  const rights = [{ kind: { ParticipantAdmin: { value: {} } } }]
  await participant.call('POST', `/v2/users/${id}/rights`, { userId: id, identityProviderId: '', rights })
}
