// Requests and responses of the two steps of an interactive submission, and the hashing scheme that they name.
import { invalidField } from '../../base/errors.ts'
import type { HashingScheme } from '../../lf/codec/prepared-hash-input.ts'
import type { PreparedTransaction } from '../../lf/codec/prepared-transaction.ts'
import type { SentSignature } from '../keys/signatures.ts'
import type { Commands, SubmissionContext } from '../model/commands.ts'
import type { PreferredPackages, PreferredRequest } from './preferred-packages.ts'

export type HashingSchemeVersion =
  | 'HASHING_SCHEME_VERSION_UNSPECIFIED'
  | 'HASHING_SCHEME_VERSION_V2'
  | 'HASHING_SCHEME_VERSION_V3'

export type PrepareRequest = Omit<Commands, 'workflowId' | 'submissionId' | 'deduplicationPeriod'> & {
  readonly hashingSchemeVersion: HashingSchemeVersion
  readonly verboseHashing: boolean
  /** Microseconds since 1970. */
  readonly maxRecordTime: bigint | undefined
  /** Undefined when no cost estimate is wanted. */
  readonly expectedSignatures: readonly SentSignature['signingAlgorithmSpec'][] | undefined
}

export type PreparedSubmission = {
  readonly preparedTransaction: Uint8Array
  readonly preparedTransactionHash: Uint8Array
  readonly hashingSchemeVersion: HashingSchemeVersion
  readonly hashingDetails: string | undefined
  /** When the traffic cost was estimated (always zero), in microseconds since 1970. */
  readonly estimatedAt: bigint | undefined
}

export type ExecuteRequest = Pick<
  Commands,
  'userId' | 'submissionId' | 'deduplicationPeriod' | 'minLedgerTimeAbs' | 'minLedgerTimeRel'
> & {
  /** As received, and decoded. */
  readonly bytes: Uint8Array
  readonly prepared: PreparedTransaction
  readonly partySignatures: readonly { readonly party: string; readonly signatures: readonly SentSignature[] }[]
  readonly hashingSchemeVersion: HashingSchemeVersion
}

export interface InteractiveSubmissions {
  /** Records nothing. */
  prepare(request: PrepareRequest, context: SubmissionContext): Promise<PreparedSubmission>
  /** Settles when the transaction is enqueued; the outcome is a completion. */
  execute(request: ExecuteRequest, context: SubmissionContext): Promise<void>
  /** Settles with the outcome; a rejected transaction throws. */
  executeAndWait(
    request: ExecuteRequest,
    context: SubmissionContext,
  ): Promise<{ readonly updateId: string; readonly completionOffset: bigint }>
  preferredPackages(request: PreferredRequest): Promise<PreferredPackages>
}

export function validateScheme(version: HashingSchemeVersion): HashingScheme {
  if (version === 'HASHING_SCHEME_VERSION_V2') return 'V2'
  if (version === 'HASHING_SCHEME_VERSION_V3') return 'V3'
  throw invalidField('hashing_scheme_version', 'Unspecified version')
}
