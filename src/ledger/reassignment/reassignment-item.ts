// A reassignment that was checked and waits to be committed.
import type { StoredContractRow } from '../../store/store.ts'
import type { TraceContext } from '../stored-update.ts'
import type { Synchronizer } from '../synchronizers.ts'

/** A contract on its way, with the names that its row has numbers for. */
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
  /** It happens here: at the source of an unassignment, at the target of an assignment. */
  readonly synchronizer: Synchronizer
  readonly source: Synchronizer
  readonly target: Synchronizer
  /** Those of one reassignment, in its order. */
  readonly contracts: readonly MovingContract[]
}

export type Unassignment = Reassignment & { readonly kind: 'unassignment' }

export type Assignment = Reassignment & { readonly kind: 'assignment'; readonly reassignmentId: string }

export type ReassignmentItem = Unassignment | Assignment
