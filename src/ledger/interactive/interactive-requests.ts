// What is asked for in each step of an interactive submission, and what is answered.
import type { PreparedTransaction } from '../../lf/codec/prepared-transaction.ts'
import type { SentSignature } from '../signature-validation.ts'
import type { Commands, SubmissionContext } from '../submission/commands.ts'
import type { HashingSchemeVersion } from './hashing-scheme.ts'
import type { PreferredPackages, PreferredRequest } from './preferred-packages.ts'

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
