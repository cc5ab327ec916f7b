// What the ledger offers to whoever speaks for it.
import type { Limits, Settings } from '../base/settings.ts'
import type { Submissions } from './commands.ts'
import type { IdentityProviders } from './identity-providers.ts'
import type { LedgerTime } from './ledger-time.ts'
import type { Packages } from './packages.ts'
import type { Parties } from './parties.ts'
import type { Pruning } from './pruning.ts'
import type { Reading } from './reading.ts'
import type { Users } from './users.ts'
import type { VettingService } from './vetting.ts'

export type Ledger = Reading & {
  readonly users: Users
  readonly parties: Parties
  readonly identityProviders: IdentityProviders
  readonly packages: Packages
  readonly vetting: VettingService
  readonly submissions: Submissions
  readonly pruning: Pruning
  readonly time: LedgerTime
  readonly compatibility: Settings['compatibility']
  readonly limits: Limits
}
