// Changes that are not decided yet. A second submission of one of them is refused at once.
import { LedgerError } from '../../base/errors.ts'
import { shortIdentifier } from '../../base/names.ts'
import type { Limits } from '../../base/settings.ts'
import { physicalId, type Synchronizer } from '../synchronizers.ts'
import { type Change, changeText } from './change-id.ts'

export type InFlight = {
  /** Holds until the claim is disposed. */
  claim(changeId: string, submissionId: string, change: Change, synchronizer: Synchronizer): Disposable
}

export function createInFlight({ submissionsMax }: Limits): InFlight {
  const submissions = new Map<string, string>()
  return {
    claim(changeId, submissionId, change, synchronizer) {
      const existing = submissions.get(changeId)
      if (existing !== undefined) {
        throw new LedgerError('SUBMISSION_ALREADY_IN_FLIGHT', 'The submission is already in-flight', {
          context: {
            changeId: changeText(change),
            existingSubmissionId: `Some(${existing})`,
            existingSubmissionSynchronizerId: shortIdentifier(synchronizer.id),
            physicalSynchronizerId: physicalId(synchronizer),
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
