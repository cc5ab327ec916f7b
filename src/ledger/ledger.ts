// What the ledger offers to whoever speaks for it.
import type { Limits } from '../base/settings.ts'
import type { IdentityProviders } from './identity-providers.ts'
import type { Packages } from './packages.ts'
import type { Parties } from './parties.ts'
import type { Users } from './users.ts'
import type { VettingService } from './vetting.ts'

export type Ledger = {
  readonly users: Users
  readonly parties: Parties
  readonly identityProviders: IdentityProviders
  readonly packages: Packages
  readonly vetting: VettingService
  readonly limits: Limits
}
