// The participants of one process, which share synchronizers and a database. Each is a whole ledger in its own tables; a
// commit of one writes what others see of it in its own transaction (delivery.ts), and tells them once it is on disk.
import type { OtherParticipants } from '../commit/other-participants.ts'
import { createDeliveries } from './delivery.ts'
import type { Member } from './member.ts'

export type Network = {
  /** Adds a participant; returns what its commits do for the others. */
  join(member: Member): OtherParticipants
  members(): readonly Member[]
  /** Undefined for a participant of another network. */
  memberOf(participantId: string): Member | undefined
}

export function createNetwork(): Network {
  const members = new Map<string, Member>()
  return {
    join(member) {
      members.set(member.participantId, member)
      return createDeliveries(member, () => [...members.values()])
    },
    members: () => [...members.values()],
    memberOf: (participantId) => members.get(participantId),
  }
}
