// Reassignments as clients send them, in the ledger's own terms.
import type { SubmissionContext } from '../submission/commands.ts'

/** "" for what the client left open. */
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

/** Contracts that all go from one synchronizer to another for one party. */
export type Move = Pick<ReassignmentCommands, 'submitter' | 'userId' | 'commandId' | 'submissionId'> & {
  readonly contractIds: readonly string[]
  readonly source: string
  readonly target: string
}

/** Whether the caller may read what a party sees. What the caller sees nothing of is not told apart from what is not. */
export type Reads = (party: string) => boolean

export interface Reassignments {
  /** Settles when it is on its way; the outcome is a completion. Undefined stands for commands that are missing. */
  submit(commands: ReassignmentCommands | undefined, context: SubmissionContext, reads: Reads): Promise<void>
  /** Settles with the outcome; one that is rejected throws. */
  submitAndWait(
    commands: ReassignmentCommands | undefined,
    context: SubmissionContext,
    reads: Reads,
  ): Promise<{ readonly updateId: string; readonly completionOffset: bigint }>
  /** Unassigns and assigns. */
  move(move: Move, context: SubmissionContext): Promise<void>
}
