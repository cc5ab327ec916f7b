// The outcome of a command: what its client learns of it, what the log says, and who else hears of it.
import type { Log } from '../../base/log.ts'
import type { Decision } from './commit-item.ts'

export type Acceptance = { readonly updateId: string; readonly completionOffset: bigint }

/** For a client that waits. Throws if the command was rejected. */
export function acceptanceIn(decision: Decision): Acceptance {
  if (decision.kind === 'rejected') throw decision.error
  return { updateId: decision.updateId, completionOffset: decision.offset }
}

/**
 * For a client that does not wait. The rejection is also in a completion, but people look into the log first. Commit
 * decides on ids and times only, so its causes contain no payload.
 */
export function logRejection(outcome: Promise<Decision>, submissionId: string, log: Log): void {
  outcome.then(
    (decision) => {
      if (decision.kind !== 'rejected') return
      const { code, message } = decision.error
      log.info({ code, reason: message.trim(), submissionId, offset: String(decision.offset) }, 'command rejected')
    },
    () => undefined, // The commit queue has logged it.
  )
}

/** A request, and the id under which it was submitted: the client's, or one that the node chose. */
export type Submission<Request> = { readonly request: Request; readonly submissionId: string }

/** Hears what becomes of the requests of one kind. */
export type OutcomeListener<Request> = {
  /** The request was refused before it was enqueued, with the error that its client gets. `at` is in microseconds since 1970. */
  refused(submission: Submission<Request>, error: unknown, at: bigint): void
  enqueued(submission: Submission<Request>, outcome: Promise<Decision>): void
}
