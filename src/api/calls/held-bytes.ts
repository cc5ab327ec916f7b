// The memory of large requests, over all transports of the API: they share one limit, and each client has a share of it, so
// that one client cannot keep everybody else waiting.
import { LedgerError } from '../../base/errors.ts'
import type { Limits } from '../../base/settings.ts'

export type HeldBytes = {
  /** Throws if there is no room, or the share of the holder is used up. */
  take(holder: string, bytes: number): void
  give(holder: string, bytes: number): void
}

/** One client may hold at most 1/`shares` of the total. */
const shares = 4

export function createHeldBytes({ bodiesBytesMax, bodyBytesMax, grpcMessageBytesMax }: Limits): HeldBytes {
  const shareMax = Math.max(bodiesBytesMax / shares, bodyBytesMax, grpcMessageBytesMax)
  const heldBy = new Map<string, number>()
  let held = 0
  return {
    take(holder, bytes) {
      const own = (heldBy.get(holder) ?? 0) + bytes
      if (held + bytes > bodiesBytesMax || own > shareMax) throw overloaded()
      held += bytes
      heldBy.set(holder, own)
    },
    give(holder, bytes) {
      held -= bytes
      const rest = (heldBy.get(holder) ?? 0) - bytes
      if (rest <= 0) heldBy.delete(holder)
      else heldBy.set(holder, rest)
    },
  }
}

/** Who holds the bytes of a request: the user, or the address of a caller without one. */
export function holderOf(userId: string | undefined, address: string | undefined): string {
  return userId === undefined ? `address ${address}` : `user ${userId}`
}

function overloaded(): LedgerError {
  return new LedgerError(
    'PARTICIPANT_BACKPRESSURE',
    'The participant holds as many bytes of request bodies as it may (limits.bodiesBytesMax), or as one client may. ' +
      'Try again when requests under way are done.',
  )
}
