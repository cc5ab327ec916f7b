// A validated reassignment that waits to be committed.
import type { StoredContractRow } from '../../store/core/store.ts'
import type { Synchronizer } from '../model/synchronizers.ts'
import type { TraceContext } from '../stored-update.ts'

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
