// Replaces errors of a closed database. A request may still run when another ledger takes over; its client gets a refusal
// that it can act on.
import { LedgerError } from '../../base/errors.ts'
import { DecodeError } from '../wire/decode.ts'

/** The client disconnected before its request was complete, so no answer is sent. */
export class ClientGone extends Error {}

/** `retired` is the refusal for everybody since another ledger took over. */
export function orRetired(error: unknown, retired: LedgerError | undefined): unknown {
  if (retired === undefined || error instanceof DecodeError || error instanceof ClientGone) return error
  if ((error as Error).name === 'AbortError') return error
  return error instanceof LedgerError && error.code !== 'SERVICE_NOT_RUNNING' ? error : retired
}
