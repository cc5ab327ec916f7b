// Changes that are not decided yet. A second submission of one of them is refused at once.
import { LedgerError } from '../../base/errors.ts'
import type { Limits } from '../../base/settings.ts'

export type InFlight = {
  /** Holds until the claim is disposed. */
  claim(changeId: string, submissionId: string, change: string, synchronizerId: string): Disposable
}

export function createInFlight({ submissionsMax }: Limits): InFlight {
  const submissions = new Map<string, string>()
  return {
    claim(changeId, submissionId, change, synchronizerId) {
      const existing = submissions.get(changeId)
      if (existing !== undefined) {
        throw new LedgerError('SUBMISSION_ALREADY_IN_FLIGHT', 'The submission is already in-flight', {
          context: {
            changeId: change,
            existingSubmissionId: existing,
            existingSubmissionSynchronizerId: synchronizerId,
          },
        })
      }
      if (submissions.size >= submissionsMax) {
        throw new LedgerError(
          'PARTICIPANT_BACKPRESSURE',
          `The participant is overloaded: Maximum number of in-flight requests reached (${submissionsMax})`,
        )
      }
      submissions.set(changeId, submissionId)
      return { [Symbol.dispose]: () => void submissions.delete(changeId) }
    },
  }
}
