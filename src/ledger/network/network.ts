// The participants of one process, which share synchronizers and a database. Each is a whole ledger in its own tables; a
// commit of one writes what others see of it in its own transaction (delivery.ts), and tells them once it is on disk.
import { createDeliveries, type Deliveries } from './delivery.ts'
import type { Member } from './member.ts'
import type { PendingParts } from './pending.ts'

export type Network = {
  /** Adds a participant; returns what its commits do for the others. */
  join(member: Member, parts: PendingParts): Deliveries
  members(): readonly Member[]
  /** Undefined for a participant of another network. */
  memberOf(participantId: string): Member | undefined
}

export function createNetwork(): Network {
  const members = new Map<string, Member>()
  return {
    join(member, parts) {
      members.set(member.participantId, member)
      return createDeliveries(member, () => [...members.values()], parts)
    },
    members: () => [...members.values()],
    memberOf: (participantId) => members.get(participantId),
  }
}
