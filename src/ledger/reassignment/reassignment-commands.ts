// Reassignments as clients send them, in the ledger's own terms.
import type { SubmissionContext } from '../model/commands.ts'

/** "" means unspecified. */
export type ReassignmentCommand =
  | { readonly kind: 'unassign'; readonly contractId: string; readonly source: string; readonly target: string }
  | { readonly kind: 'assign'; readonly reassignmentId: string; readonly source: string; readonly target: string }
  | { readonly kind: 'none' }

export type ReassignmentCommands = {
  readonly commands: readonly ReassignmentCommand[]
  readonly submitter: string
  readonly userId: string
  readonly commandId: string
  readonly submissionId: string
  readonly workflowId: string
}

/** Contracts that move from one synchronizer to another for one party. */
export type Move = Pick<ReassignmentCommands, 'submitter' | 'userId' | 'commandId' | 'submissionId'> & {
  readonly contractIds: readonly string[]
  readonly source: string
  readonly target: string
}

/** Whether the caller may read as a party. Invisible contracts look like missing ones. */
export type Reads = (party: string) => boolean

export interface Reassignments {
  /** Settles when it is enqueued; the outcome is a completion. `commands` is undefined if the request has none. */
  submit(commands: ReassignmentCommands | undefined, context: SubmissionContext, reads: Reads): Promise<void>
  /** Settles with the outcome; throws if it is rejected. */
  submitAndWait(
    commands: ReassignmentCommands | undefined,
    context: SubmissionContext,
    reads: Reads,
  ): Promise<{ readonly updateId: string; readonly completionOffset: bigint }>
  /** Unassigns, then assigns. */
  move(move: Move, context: SubmissionContext): Promise<void>
}
