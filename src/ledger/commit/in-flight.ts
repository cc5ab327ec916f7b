// Changes that are not decided yet. A second submission of one of them is refused at once, and so is a second client that
// waits for the outcome of the same submission.
import { type ErrorDetails, LedgerError } from '../../base/errors.ts'
import { shortIdentifier } from '../../base/names.ts'
import type { Limits } from '../../base/settings.ts'
import type { LedgerEnd } from '../model/ledger-end.ts'
import { physicalId } from '../model/synchronizers.ts'
import type { InterpretedCommand } from './commit-item.ts'
import { type Change, changeKeyOf, changeText } from './ids.ts'
import { checkSequencingTime } from './sequencing-time.ts'

export type InFlight = {
  /** Holds until the claim is disposed. Also refuses a command that is known to be too late. */
  claim(item: InterpretedCommand): Disposable
}

/** Submissions whose outcome a client waits for, from their validation on. */
export type Waits = {
  /** Holds until it is disposed; `details` are those of the refusal. */
  track(submission: Change & { readonly submissionId: string }, details?: ErrorDetails): Disposable
}

export function createWaits(): Waits {
  const keys = new Set<string>()
  return {
    track(submission, details) {
      const key = `${submission.submissionId}\0${changeKeyOf(submission)}`
      if (keys.has(key)) {
        const same = 'A submission with the given change ID (user ID, command ID, actAs) and submission ID'
        throw new LedgerError('SUBMISSION_ALREADY_IN_FLIGHT', `${same} is already in flight`, details)
      }
      keys.add(key)
      return { [Symbol.dispose]: () => void keys.delete(key) }
    },
  }
}

type Parts = {
  readonly limits: Pick<Limits, 'submissionsMax'>
  readonly end: LedgerEnd
  readonly participantId: string
}

export function createInFlight({ limits: { submissionsMax }, end, participantId }: Parts): InFlight {
  const submissions = new Map<string, string>()
  return {
    claim(item) {
      const { submissionId, change, synchronizer } = item
      checkSequencingTime(item, participantId, end)
      const changeId = Buffer.from(item.changeId).toString('latin1')
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
