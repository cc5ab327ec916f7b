// Who has to confirm a command or a reassignment, and who of them is away. A party confirms if enough of the participants
// that host it do. Mirrors Canton's ConfirmationRequest: the parties are the signatories and controllers of all nodes. A
// reassignment is confirmed by the signatories, on participants that take part in both of its halves
// (ReassigningParticipantsComputation).
import { informeesOf } from '../../engine/requests/served-transaction.ts'
import { signatoriesIn } from '../../events/format/event-pieces.ts'
import type { HostRecord } from '../../store/core/administration-records.ts'
import type { TransactionRecords } from '../../store/core/store.ts'
import type { CommitItem, ReassignmentItem } from '../commit/commit-item.ts'
import type { MissingParty } from '../commit/other-participants.ts'
import { isOn, type Member } from './member.ts'

/** How many of its participants confirm for a party: each of its hosts says so. */
const thresholdOf = ([first]: readonly HostRecord[]): number => first?.threshold ?? 1

export function confirmersOf(item: CommitItem): readonly string[] {
  if (item.kind !== 'transaction') return signatoriesIn(item.contracts[0]!.row)
  const informees = informeesOf(item)
  return [...new Set(item.effects.views.flatMap(([confirmers]) => confirmers))].map((number) => informees[number]!)
}

/** The participants that may confirm for a party; empty if only this one hosts it. */
async function confirmingHosts(
  self: Member,
  party: string,
  item: CommitItem,
  records: TransactionRecords,
): Promise<readonly HostRecord[]> {
  const { number } = item.synchronizer
  const hosts = (await self.hosting.hosts(party, records)).filter(
    ({ synchronizer, permission }) => synchronizer === number && permission !== 'observation',
  )
  if (item.kind === 'transaction' || hosts.length === 0) return hosts
  const reassigning = await reassigningParticipants(self, item, records)
  return hosts.filter(({ participant }) => reassigning.has(participant))
}

/** Those that host a stakeholder on both synchronizers. */
async function reassigningParticipants(
  self: Member,
  { contracts, source, target }: ReassignmentItem,
  records: TransactionRecords,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const party of contracts[0]!.stakeholders) {
    const hosts = await self.hosting.hosts(party, records)
    const on = (number: bigint) =>
      new Set(hosts.filter(({ synchronizer }) => synchronizer === number).map(({ participant }) => participant))
    for (const participant of on(source.number).intersection(on(target.number))) found.add(participant)
    if (hosts.length === 0) found.add(self.participantId)
  }
  return found
}

/** Whether it confirms what was sequenced so long ago. */
function confirms({ presence }: Member, synchronizer: bigint, agoMs: number): boolean {
  return presence.isReachable(synchronizer) && presence.delayMs() <= agoMs
}

/** The confirming parties without enough participants that confirm at once. */
export async function missingOf(
  self: Member,
  others: readonly Member[],
  item: CommitItem,
  records: TransactionRecords,
): Promise<readonly MissingParty[]> {
  const { number } = item.synchronizer
  const away = others.filter((member) => isOn(member, number) && !confirms(member, number, 0))
  if (away.length === 0) return []
  const isAway = new Set(away.map(({ participantId }) => participantId))
  const missing: MissingParty[] = []
  for (const party of confirmersOf(item)) {
    const hosts = await confirmingHosts(self, party, item, records)
    const threshold = thresholdOf(hosts)
    const participants = hosts.map(({ participant }) => participant)
    const present = participants.filter((participant) => !isAway.has(participant))
    if (hosts.length > 0 && present.length < threshold) missing.push({ party, participants, threshold })
  }
  return missing
}

/** Those that participants still do not confirm. */
export function stillMissing(
  missing: readonly MissingParty[],
  self: Member,
  others: readonly Member[],
  synchronizer: bigint,
  waitedMs: number,
): readonly MissingParty[] {
  const confirming = new Set(
    others.filter((member) => confirms(member, synchronizer, waitedMs)).map((member) => member.participantId),
  )
  confirming.add(self.participantId)
  return missing.filter(({ participants, threshold }) => {
    return participants.filter((participant) => confirming.has(participant)).length < threshold
  })
}

/** The confirming parties on this participant, with its own party, which confirms what was submitted here. */
export async function confirmersOn(
  self: Member,
  item: CommitItem,
  records: TransactionRecords,
): Promise<readonly string[]> {
  const here = [self.participantId]
  for (const party of confirmersOf(item)) {
    const hosts = await confirmingHosts(self, party, item, records)
    const isHere = hosts.length === 0 || hosts.some(({ participant }) => participant === self.participantId)
    if (isHere) here.push(party)
  }
  return here
}
