// The items that wait to be committed, interpreted commands and reassignments, and how each was decided.
import type { LedgerError } from '../../base/errors.ts'
import type { LedgerEffects } from '../../engine/requests/served-transaction.ts'
import type { TraceContext } from '../../events/format/stored-update.ts'
import type { ProjectedContract } from '../../events/format/transaction-projection.ts'
import type { ServedTransaction } from '../../events/format/transaction-writing.ts'
import type { ContractState, StoredContractRow } from '../../store/core/contract-records.ts'
import type { ReassignmentRecord } from '../../store/core/ledger-records.ts'
import type { Synchronizer } from '../model/synchronizers.ts'
import type { PackageNeed } from '../packages/host-vetting.ts'
import type { Change } from './ids.ts'

export type CommitItem = InterpretedCommand | ReassignmentItem

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
  readonly effects: LedgerEffects & { readonly created: readonly ProjectedContract[] }
  /** What participants need to have vetted. Undefined outside a network. */
  readonly needs?: readonly PackageNeed[] | undefined
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

/** How far back an accepted submission of the same change counts: a period in microseconds, or an offset. */
export type Deduplication =
  | { readonly kind: 'duration'; readonly micros: bigint }
  | { readonly kind: 'offset'; readonly offset: bigint }

/** A contract that moves, with the names for the numbers in its row. */
export type MovingContract = {
  readonly row: StoredContractRow
  /** In the order of the row. */
  readonly stakeholders: readonly string[]
  /** `#package-name:Module:Entity`. */
  readonly template: string
}

type Reassignment = {
  readonly userId: string
  readonly commandId: string
  readonly submissionId: string
  readonly workflowId: string
  readonly submitter: string
  /** It was submitted at another participant. */
  readonly isDelivered?: true
  /** This participant sees only this half: it hosts no stakeholder on the other synchronizer. */
  readonly isHalf?: boolean
  readonly traceContext: TraceContext | null
  readonly updateId: string
  /** Where it happens: the source of an unassignment, the target of an assignment. */
  readonly synchronizer: Synchronizer
  readonly source: Synchronizer
  readonly target: Synchronizer
  /** The contracts of one reassignment, in its order. */
  readonly contracts: readonly MovingContract[]
}

export type Unassignment = Reassignment & { readonly kind: 'unassignment' }

export type Assignment = Reassignment & { readonly kind: 'assignment'; readonly reassignmentId: string }

export type ReassignmentItem = Unassignment | Assignment

/** `deduplicationOffset` is the start of the deduplication period in the completion; a reassignment has none. */
export type Decision =
  | {
      readonly kind: 'accepted'
      readonly offset: bigint
      readonly updateId: string
      readonly deduplicationOffset: bigint | undefined
    }
  | {
      readonly kind: 'rejected'
      readonly offset: bigint
      readonly error: LedgerError
      readonly deduplicationOffset: bigint | undefined
    }

type Decided = { readonly decision: Decision; readonly recordTime: bigint }

export type Rejected = Decided & { readonly kind: 'rejected'; readonly item: CommitItem }

export type AcceptedTransaction = Decided & {
  readonly kind: 'transaction'
  readonly item: InterpretedCommand
  /** Contracts of earlier transactions that it archives. */
  readonly archived: readonly ContractState[]
}

/** `reassignment` is its state afterwards. */
export type AcceptedUnassignment = Decided & {
  readonly kind: 'unassignment'
  readonly item: Unassignment
  readonly reassignment: ReassignmentRecord
}

export type AcceptedAssignment = Decided & {
  readonly kind: 'assignment'
  readonly item: Assignment
  readonly reassignment: ReassignmentRecord
}

export type AcceptedReassignment = AcceptedUnassignment | AcceptedAssignment

export type Accepted = AcceptedTransaction | AcceptedReassignment

export type DecidedItem = Accepted | Rejected
