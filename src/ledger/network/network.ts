// The participants of one process, which share synchronizers and a database. Each is a whole ledger in its own tables; a
// commit of one writes what others see of it in its own transaction (delivery.ts), and tells them once it is on disk.
import { createDeliveries, type Deliveries } from './delivery.ts'
import type { Member } from './member.ts'
import type { PendingParts } from './pending.ts'

export type Network = {
  /** Adds a participant; returns what its commits do for the others. */
  join(member: Member, parts: PendingParts): Deliveries
  members(): readonly Member[]
  /** All participants have joined. */
  complete(): void
  /** Settles when all have joined: what one commits earlier, the others would never hear of. */
  whenComplete(signal: AbortSignal): Promise<void>
  /** Undefined for a participant of another network. */
  memberOf(participantId: string): Member | undefined
}

export function createNetwork(): Network {
  const members = new Map<string, Member>()
  const { promise: completed, resolve: complete } = Promise.withResolvers<void>()
  return {
    complete,
    async whenComplete(signal) {
      const { promise: aborted, resolve: abort } = Promise.withResolvers<void>()
      signal.addEventListener('abort', () => abort(), { once: true })
      if (!signal.aborted) await Promise.race([completed, aborted])
    },
    join(member, parts) {
      members.set(member.participantId, member)
      return createDeliveries(member, () => [...members.values()], parts)
    },
    members: () => [...members.values()],
    memberOf: (participantId) => members.get(participantId),
  }
}
