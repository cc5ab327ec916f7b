// What the ledger offers to whoever speaks for it.
import type { Limits, Settings } from '../base/settings.ts'
import type { Submissions } from './commands.ts'
import type { IdentityProviders } from './identity-providers.ts'
import type { Packages } from './packages.ts'
import type { Parties } from './parties.ts'
import type { Reading } from './reading.ts'
import type { Users } from './users.ts'

export type Ledger = Reading & {
  readonly users: Users
  readonly parties: Parties
  readonly identityProviders: IdentityProviders
  readonly packages: Packages
  readonly submissions: Submissions
  readonly compatibility: Settings['compatibility']
  readonly limits: Limits
}
