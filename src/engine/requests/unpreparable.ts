// Why a transaction cannot be prepared for signing.
import { LedgerError } from '../../base/errors.ts'

export function failedToPrepare(reason: string): LedgerError {
  const text = `The participant failed to prepare the transaction: ${reason}`
  return new LedgerError('FAILED_TO_PREPARE_TRANSACTION', text)
}
