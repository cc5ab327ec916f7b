// How an error names the participant that rejects a request, and the synchronizer where it does.
import { LedgerError } from '../../base/errors.ts'
import { physicalId, type Synchronizer } from '../model/synchronizers.ts'
import type { Confirming } from './known-state.ts'

/** This participant, which confirms all that it submits for its own party, and the others that it confirms for. */
export function ownConfirming(participantId: string, confirmers: readonly string[]): Confirming {
  return { participantId, parties: [...new Set([participantId, ...confirmers])] }
}

/** Canton says which participant rejects, and for which of its parties. */
export function reportedBy(
  participantId: string,
  synchronizer: Synchronizer,
  by: Confirming,
  { code, message, details }: LedgerError,
): LedgerError {
  const reporter = {
    reported_by_participant_id: `PAR::${by.participantId}`,
    confirming_parties: by.parties.join(', '),
  }
  const context = { ...details.context, ...reporter, ...placeOf(participantId, synchronizer) }
  return new LedgerError(code, message, { ...details, context, foundBy: 'node' })
}

/** The participant and the synchronizer, as Canton's errors name them. */
export function placeOf(participantId: string, synchronizer: Synchronizer) {
  return { participant: participantId.split('::')[0]!, psid: physicalId(synchronizer) }
}
