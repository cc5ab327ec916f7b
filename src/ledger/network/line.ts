// The line of a participant: what it is given at once, and what waits because the participant is away or has not caught
// up. Of each synchronizer it gets everything in the order of the synchronizer, each once.
import { deserialize, serialize } from 'node:v8'
import type { NewWaitingUpdate, WaitingUpdate } from '../../store/core/ledger-records.ts'
import type { Delivery, Written } from '../commit/other-participants.ts'
import { applyParts, type Part, synchronizerOf } from './application.ts'
import type { Member } from './member.ts'

/** Gives the participant these, or lets them wait behind what waits already. */
export async function give(member: Member, parts: readonly Part[], written: Written): Promise<readonly Delivery[]> {
  const own = written.records.of(member.number)
  const concerned = [...new Set(parts.map(synchronizerOf))]
  const [known, behind] = await Promise.all([own.synchronizers.list(), own.waitingUpdates.behind(concerned)])
  const { presence } = member
  const isAway = presence.isStopped() || presence.delayMs() > 0
  const isOpen = new Map(
    known.map(({ number, isConnected }) => [number, isConnected && !isAway && !behind.has(number)]),
  )
  const { now = [], later = [] } = Object.groupBy(parts, (part) => (isOpen.get(synchronizerOf(part)) ? 'now' : 'later'))
  const deliveries: Delivery[] = []
  if (now.length > 0) deliveries.push(await applyParts(member, now, written))
  if (later.length > 0) {
    await own.waitingUpdates.append(later.map(waitingFrom))
    deliveries.push({ kind: 'waiting', participant: member.number })
  }
  return deliveries
}

export function waitingFrom(part: Part): NewWaitingUpdate {
  const { recordTime } = part
  return { synchronizer: synchronizerOf(part), recordTime, content: contentOf(part), taken: takenBy(part) }
}

/** A later version of Node reads what an earlier one wrote. */
export function contentOf(part: Part): Uint8Array {
  return serialize(part)
}

export function isDecided({ content }: Pick<WaitingUpdate, 'content'>): boolean {
  return content.length > 0
}

export function partFrom(content: Uint8Array): Part {
  return deserialize(content)
}

/** The contracts that it archives or moves, and the reassignment that it completes: no other update may take them. */
function takenBy(part: Part): readonly string[] {
  if (part.kind === 'hosting') return []
  if (part.kind === 'own') return part.accepted === undefined ? [] : takenBy(part.accepted)
  if (part.kind === 'transaction') return part.item.effects.archived
  const contracts = part.item.contracts.map(({ row }) => row.contractId)
  return part.kind === 'assignment' ? [...contracts, part.reassignment.id] : contracts
}
