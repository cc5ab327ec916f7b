// What waits to be committed, and how it was decided.
import type { LedgerError } from '../../base/errors.ts'
import type { ContractState, ReassignmentRecord } from '../../store/core/store.ts'
import type { InterpretedCommand } from './interpreted-command.ts'
import type { Assignment, ReassignmentItem, Unassignment } from './reassignment-item.ts'

export type CommitItem = InterpretedCommand | ReassignmentItem

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

type Judgement = { readonly decision: Decision; readonly recordTime: bigint }

export type Rejected = Judgement & { readonly kind: 'rejected'; readonly item: CommitItem }

export type AcceptedTransaction = Judgement & {
  readonly kind: 'transaction'
  readonly item: InterpretedCommand
  /** Contracts of earlier transactions that it archives. */
  readonly archived: readonly ContractState[]
}

/** `reassignment` is its state afterwards. */
export type AcceptedUnassignment = Judgement & {
  readonly kind: 'unassignment'
  readonly item: Unassignment
  readonly reassignment: ReassignmentRecord
}

export type AcceptedAssignment = Judgement & {
  readonly kind: 'assignment'
  readonly item: Assignment
  readonly reassignment: ReassignmentRecord
}

export type AcceptedReassignment = AcceptedUnassignment | AcceptedAssignment

export type Accepted = AcceptedTransaction | AcceptedReassignment

export type Judged = Accepted | Rejected
