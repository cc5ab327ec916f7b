// Submissions in two steps, for parties that hold their own keys: a transaction is prepared, signed elsewhere and then
// executed. Mirrors Canton's InteractiveSubmissionService.
import type { Log } from '../../base/log.ts'
import type { Random } from '../../base/random.ts'
import type { SecondLook } from '../../base/second-look.ts'
import type { Limits } from '../../base/settings.ts'
import type { EnginePool } from '../../engine/pool/pool.ts'
import type { Store } from '../../store/core/store.ts'
import type { CommandMetrics } from '../commit/command-metrics.ts'
import type { CommitQueue } from '../commit/commit-queue.ts'
import type { InFlight, Waits } from '../commit/in-flight.ts'
import type { OutcomeListener } from '../commit/outcome.ts'
import type { CommandTracking } from '../inspection/command-tracking.ts'
import type { LedgerTime } from '../model/ledger-time.ts'
import type { Synchronizers } from '../model/synchronizers.ts'
import type { HostVetting } from '../packages/host-vetting.ts'
import type { PackageState } from '../packages/known-packages.ts'
import type { Routing } from '../routing/routing.ts'
import type { Interpretation } from '../submission/interpretation.ts'
import type { Hosting } from '../topology/hosting.ts'
import type { PartyKeyRegister } from '../topology/party-keys.ts'
import { createExecution } from './execution.ts'
import type { ExecuteRequest, InteractiveSubmissions, PrepareRequest } from './interactive-requests.ts'
import { createPreferredPackages } from './preferred-packages.ts'
import { createPreparation } from './preparation.ts'

export type InteractiveListeners = {
  readonly preparations: Pick<OutcomeListener<PrepareRequest>, 'refused'>
  readonly executions: OutcomeListener<ExecuteRequest>
}

type Parts = {
  readonly store: Store
  readonly engine: Pick<EnginePool, 'interpret'>
  readonly interpretation: Interpretation
  readonly commits: CommitQueue
  readonly routing: Routing
  readonly inFlight: InFlight
  readonly waits: Waits
  readonly partyKeys: PartyKeyRegister
  readonly synchronizers: Synchronizers
  readonly hosting: Hosting
  readonly packageState: PackageState
  readonly vettings: HostVetting
  readonly participantId: string
  readonly time: LedgerTime
  readonly limits: Limits
  readonly random: Random
  readonly commandMetrics: CommandMetrics
  readonly tracking: CommandTracking
  readonly log: Log
  /** Undefined if the ledger is this node's alone. */
  readonly secondLook?: SecondLook | undefined
  readonly listeners?: InteractiveListeners | undefined
}

export function createInteractiveSubmissions(parts: Parts): InteractiveSubmissions {
  return {
    prepare: createPreparation({ ...parts, listener: parts.listeners?.preparations }),
    ...createExecution({ ...parts, listener: parts.listeners?.executions }),
    preferredPackages: createPreferredPackages(parts),
  }
}
