// A synchronizer records a transaction until its last sequencing time, and drops it afterwards. Mirrors Canton's
// maxSequencingTime (TransactionProcessingSteps).
import { LedgerError } from '../../base/errors.ts'
import type { LedgerEnd } from '../model/ledger-end.ts'
import { physicalId } from '../model/synchronizers.ts'
import type { InterpretedCommand } from './commit-item.ts'

type Timed = Pick<InterpretedCommand, 'ledgerTime' | 'synchronizer' | 'signed'>

export function lastSequencingTime({ ledgerTime, synchronizer, signed }: Timed): bigint {
  const last = ledgerTime + BigInt(synchronizer.ledgerTimeToleranceMs) * 1000n
  // Since version 35, participants compare the record time with that of a signed transaction.
  const latest = synchronizer.protocolVersion === 34 ? signed?.maxRecordTime : undefined
  return latest !== undefined && latest < last ? latest : last
}

/** Throws if something was recorded after its last sequencing time: the participant knows then, and submits nothing. */
export function checkSequencingTime(item: Timed, participantId: string, end: LedgerEnd): void {
  const { synchronizer } = item
  const known = end.current().synchronizerTimes.find(({ synchronizerId }) => synchronizerId === synchronizer.id)
  if (known === undefined || lastSequencingTime(item) > known.recordTime) return
  const participant = participantId.split('::')[0]!
  throw notSequenced({ participant, physicalSynchronizerId: physicalId(synchronizer) })
}

export function notSequenced(context: Readonly<Record<string, string>>): LedgerError {
  return new LedgerError(
    'NOT_SEQUENCED_TIMEOUT',
    'Transaction was not sequenced within the pre-defined max sequencing time and has therefore timed out',
    { context, foundBy: 'node' },
  )
}
