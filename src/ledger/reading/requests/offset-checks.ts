// Checks that the offsets of a request are in range. Mirrors Canton's ParticipantOffsetValidator and QueryValidRange.
import { LedgerError } from '../../../base/errors.ts'

export function checkNonNegative(offset: bigint, field: string): void {
  if (offset >= 0n) return
  const rule = `the offset in ${field} field has to be a non-negative integer (>=0)`
  throw new LedgerError('NEGATIVE_OFFSET', `Offset ${offset} in ${field} is a negative integer: ${rule}`)
}

export function checkPositive(offset: bigint, field: string, rule = 'a positive integer (>0)'): void {
  if (offset > 0n) return
  const text = `Offset ${offset} in ${field} is not a positive integer: the offset has to be ${rule}`
  throw new LedgerError('NON_POSITIVE_OFFSET', text)
}

export function checkNotAfterEnd(offset: bigint, ledgerEnd: bigint, what: string): void {
  if (offset <= ledgerEnd) return
  throw new LedgerError('OFFSET_AFTER_LEDGER_END', `${what} offset (${offset}) is after ledger end (${ledgerEnd})`)
}

/** `words` begin the message: "Transactions request from 1 to 9 precedes". */
export function checkNotPruned(beginExclusive: bigint, prunedUpTo: bigint, words: string): void {
  if (beginExclusive >= prunedUpTo) return
  throw new LedgerError('PARTICIPANT_PRUNED_DATA_ACCESSED', `${words} pruned offset ${prunedUpTo}`, {
    context: { earliest_offset: String(prunedUpTo) },
  })
}
