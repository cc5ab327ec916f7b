// The offset at which a ledger is read: one that somebody asks for, if the participant still has it, or its end.
import { StartError } from '../base/errors.ts'
import type { LedgerClient } from './ledger-client.ts'

/** `what` is done to the ledger, for the words of a refusal: `forked`. */
export async function offsetToRead(client: LedgerClient, at: number | undefined, what: string): Promise<number> {
  const [{ offset: end }, { participantPrunedUpToInclusive: pruned = 0 }] = await Promise.all([
    client.get<{ offset: number }>('/v2/state/ledger-end'),
    client.get<{ participantPrunedUpToInclusive?: number }>('/v2/state/latest-pruned-offsets'),
  ])
  const offset = at ?? end
  if (offset > end) throw new StartError(`${client.place} ends at offset ${end}; it cannot be ${what} at ${offset}`)
  if (offset >= pruned) return offset
  throw new StartError(
    `${client.place} is pruned up to offset ${pruned}; it can be ${what} there or later, not at ${offset}`,
  )
}
