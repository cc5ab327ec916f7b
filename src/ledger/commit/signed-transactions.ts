// Extra checks for transactions signed by external parties: each is recorded while it is fresh, and only once. Mirrors
// Canton's TimeValidator and MediatorEventDeduplicator.
import { hash } from 'node:crypto'
import { LedgerError } from '../../base/errors.ts'
import { instantToText } from '../../lf/codec/time-text.ts'
import { shownDuration } from '../model/duration-text.ts'
import type { SignedFacts } from './commit-item.ts'

export function signedTimeProblem(signed: SignedFacts, recordTime: bigint): LedgerError | undefined {
  const { preparationTime, preparationTimeTolerance: tolerance, maxRecordTime } = signed
  const difference = preparationTime > recordTime ? preparationTime - recordTime : recordTime - preparationTime
  if (difference > tolerance) {
    const times = `preparationTime=${instantToText(preparationTime)}, recordTime=${instantToText(recordTime)}`
    return new LedgerError(
      'LOCAL_VERDICT_PREPARATION_TIME_OUT_OF_BOUND',
      'Rejected transaction as delta of the preparation time and the record time exceed the time tolerance ' +
        `${times}, maxDelta=${shownDuration(tolerance)}`,
    )
  }
  if (maxRecordTime === undefined || recordTime <= maxRecordTime) return undefined
  const times = `recordTime=${instantToText(recordTime)}, maxRecordTime=${instantToText(maxRecordTime)}`
  return new LedgerError(
    'LOCAL_VERDICT_MAX_RECORD_TIME_EXCEEDED',
    `Rejected transaction as record time exceeds the maximum record time: ${times}`,
  )
}

const purpose = 'signed transaction\0'

/** Recorded like a change id, so that stolen signatures cannot execute the transaction again as another command. */
export function signedChangeOf({ transactionUuid }: SignedFacts): Uint8Array {
  return hash('sha256', purpose + transactionUuid, 'buffer')
}

/** `recordedAt` is when it was. Until the end of the window a participant could record it again. */
export function alreadyExecuted({ transactionUuid, preparationTimeTolerance }: SignedFacts, recordedAt: bigint) {
  const until = instantToText(recordedAt + 2n * preparationTimeTolerance)
  return new LedgerError(
    'DUPLICATE_CONFIRMATION_REQUEST_UUID',
    `The request UUID (${transactionUuid}) is a duplicate of a previous request with an identical UUID. ` +
      `It cannot be re-used until ${until}.`,
    { context: { uuid: transactionUuid, expireAfter: until }, untraced: true },
  )
}
