// An interpreted command that waits to be committed.
import type { LedgerEffects, ServedTransaction } from '../../engine/requests/served-transaction.ts'
import type { Synchronizer } from '../model/synchronizers.ts'
import type { TraceContext } from '../stored-update.ts'
import type { Deduplication } from '../submission/command-validation.ts'
import type { Change } from './change-id.ts'

export type InterpretedCommand = {
  readonly kind: 'transaction'
  readonly userId: string
  readonly commandId: string
  readonly submissionId: string
  readonly actAs: readonly string[]
  readonly workflowId: string
  readonly changeId: Uint8Array
  /** As texts about it name it. */
  readonly change: Change
  readonly deduplication: Deduplication
  readonly traceContext: TraceContext | null
  readonly updateId: string
  /** Microseconds since 1970. */
  readonly ledgerTime: bigint
  readonly synchronizer: Synchronizer
  readonly served: ServedTransaction
  readonly effects: LedgerEffects
  /** For a transaction that external parties have signed. */
  readonly signed?: SignedFacts
}

/** Times are microseconds since 1970. */
export type SignedFacts = {
  /** In hex. */
  readonly hash: string
  readonly transactionUuid: string
  readonly preparationTime: bigint
  /** The largest difference between preparation and record time, in microseconds. */
  readonly preparationTimeTolerance: bigint
  readonly maxRecordTime: bigint | undefined
}
