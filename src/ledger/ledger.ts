// What the ledger offers to its callers.
import type { Limits, Settings } from '../base/settings.ts'
import type { ExternalParties } from './administration/external-parties.ts'
import type { IdentityProviders } from './administration/identity-providers.ts'
import type { Parties } from './administration/parties.ts'
import type { Users } from './administration/users.ts'
import type { Pruning } from './commit/pruning.ts'
import type { Development } from './development/development.ts'
import type { Finding } from './finding/finding.ts'
import type { CommandInspection } from './inspection/command-status.ts'
import type { InteractiveSubmissions } from './interactive/interactive-requests.ts'
import type { LedgerTime } from './model/ledger-time.ts'
import type { Synchronizers } from './model/synchronizers.ts'
import type { NetworkControl } from './network/control.ts'
import type { Packages } from './packages/packages.ts'
import type { VettingService } from './packages/vetting.ts'
import type { Reading } from './reading/requests/queries.ts'
import type { Reassignments } from './reassignment/reassignment-commands.ts'
import type { Submissions } from './submission/submission.ts'

export type Ledger = Reading & {
  readonly users: Users
  readonly parties: Parties
  readonly externalParties: ExternalParties
  readonly identityProviders: IdentityProviders
  readonly packages: Packages
  readonly vetting: VettingService
  readonly submissions: Submissions
  readonly interactive: InteractiveSubmissions
  readonly reassignments: Reassignments
  readonly synchronizers: Synchronizers
  readonly inspection: CommandInspection
  readonly finding: Finding
  readonly pruning: Pruning
  readonly time: LedgerTime
  /** Undefined for a participant alone. */
  readonly network: NetworkControl | undefined
  /** Undefined unless it is a development node's. */
  readonly development: Development | undefined
  readonly compatibility: Settings['compatibility']
  readonly limits: Limits
}
