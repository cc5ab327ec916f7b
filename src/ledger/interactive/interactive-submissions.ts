// Submissions in two steps, for parties that hold their own keys: a transaction is prepared, signed elsewhere, and then
// executed. Mirrors Canton's InteractiveSubmissionService.
import type { Random } from '../../base/random.ts'
import type { Limits } from '../../base/settings.ts'
import type { EnginePool } from '../../engine/pool.ts'
import type { PreparedTransaction } from '../../lf/codec/prepared-transaction.ts'
import type { Store } from '../../store/store.ts'
import type { Hosting } from '../administration/hosting.ts'
import type { PartyKeyRegister } from '../administration/party-keys.ts'
import type { CommitQueue } from '../commit/commit-queue.ts'
import type { LedgerEnd } from '../ledger-end.ts'
import type { LedgerTime } from '../ledger-time.ts'
import type { PackageState } from '../packages/known-packages.ts'
import type { Routing } from '../routing/routing.ts'
import type { SentSignature } from '../signature-validation.ts'
import type { Commands, SubmissionContext } from '../submission/commands.ts'
import type { InFlight } from '../submission/in-flight.ts'
import type { Interpretation } from '../submission/interpretation.ts'
import type { Synchronizers } from '../synchronizers.ts'
import { createExecution } from './execution.ts'
import { createPreferredPackages, type PreferredPackages, type PreferredRequest } from './preferred-packages.ts'
import { createPreparation } from './preparation.ts'

export type HashingSchemeVersion =
  | 'HASHING_SCHEME_VERSION_UNSPECIFIED'
  | 'HASHING_SCHEME_VERSION_V2'
  | 'HASHING_SCHEME_VERSION_V3'

export type PrepareRequest = Omit<Commands, 'workflowId' | 'submissionId' | 'deduplicationPeriod'> & {
  readonly hashingSchemeVersion: HashingSchemeVersion
  readonly verboseHashing: boolean
  /** Microseconds since 1970. */
  readonly maxRecordTime: bigint | undefined
  /** Undefined where no estimate is wanted. */
  readonly expectedSignatures: readonly SentSignature['signingAlgorithmSpec'][] | undefined
}

export type PreparedSubmission = {
  readonly preparedTransaction: Uint8Array
  readonly preparedTransactionHash: Uint8Array
  readonly hashingSchemeVersion: HashingSchemeVersion
  readonly hashingDetails: string | undefined
  /** When traffic was found to cost nothing, in microseconds since 1970. */
  readonly estimatedAt: bigint | undefined
}

export type ExecuteRequest = Pick<
  Commands,
  'userId' | 'submissionId' | 'deduplicationPeriod' | 'minLedgerTimeAbs' | 'minLedgerTimeRel'
> & {
  /** As it came, and what it says. */
  readonly bytes: Uint8Array
  readonly prepared: PreparedTransaction
  readonly partySignatures: readonly { readonly party: string; readonly signatures: readonly SentSignature[] }[]
  readonly hashingSchemeVersion: HashingSchemeVersion
}

export interface InteractiveSubmissions {
  /** Records nothing. */
  prepare(request: PrepareRequest, context: SubmissionContext): Promise<PreparedSubmission>
  /** Settles when the transaction is on its way; the outcome is a completion. */
  execute(request: ExecuteRequest, context: SubmissionContext): Promise<void>
  /** Settles with the outcome; a rejected transaction throws. */
  executeAndWait(
    request: ExecuteRequest,
    context: SubmissionContext,
  ): Promise<{ readonly updateId: string; readonly completionOffset: bigint }>
  preferredPackages(request: PreferredRequest): Promise<PreferredPackages>
}

type Parts = {
  readonly store: Store
  readonly engine: Pick<EnginePool, 'interpret'>
  readonly interpretation: Interpretation
  readonly commits: CommitQueue
  readonly routing: Routing
  readonly inFlight: InFlight
  readonly end: LedgerEnd
  readonly partyKeys: PartyKeyRegister
  readonly synchronizers: Synchronizers
  readonly hosting: Hosting
  readonly packageState: PackageState
  readonly participantId: string
  readonly time: LedgerTime
  readonly limits: Limits
  readonly random: Random
}

export function createInteractiveSubmissions(parts: Parts): InteractiveSubmissions {
  return {
    prepare: createPreparation(parts),
    ...createExecution(parts),
    preferredPackages: createPreferredPackages(parts),
  }
}
