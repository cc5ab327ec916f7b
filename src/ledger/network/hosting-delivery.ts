// What a participant of a network learns about parties: which participants host them, with which permission, and the keys
// of external ones. A party that this participant hosts itself is local here.
import type { ExternalPartyRecord, HostRecord } from '../../store/core/administration-records.ts'
import type { Records } from '../../store/core/store.ts'
import { remote } from './member.ts'

export type Learned = {
  readonly synchronizer: bigint
  readonly hosts: readonly (HostRecord & { readonly party: string })[]
  /** Of external parties. */
  readonly keys: readonly ExternalPartyRecord[]
}

type Learning = Pick<Records, 'parties' | 'externalParties' | 'topology'>

/** Leaves what it knows already as it is. */
export async function learnHosts(participantId: string, learned: Learned, records: Learning): Promise<void> {
  const { synchronizer, keys } = learned
  for (const [party, hosts] of Map.groupBy(learned.hosts, (host) => host.party)) {
    if ((await records.parties.synchronizersOf(party)).includes(synchronizer)) continue
    await keepParty(
      party,
      hosts.some(({ participant }) => participant === participantId),
      records,
    )
    await records.parties.host(party, [synchronizer])
    await records.parties.putHosts(party, hosts)
    await records.topology.deleteProposals(party, synchronizer)
    for (const ofParty of keys) if (ofParty.party === party) await records.externalParties.insert(ofParty)
  }
}

/** As in Canton, the first proposal here made the record that a local party gets now, and each later one changed it. */
async function keepParty(party: string, isLocal: boolean, { parties, topology }: Learning): Promise<void> {
  const existing = await parties.get(party)
  if (existing?.isLocal) return
  const requests = isLocal ? await topology.countRequests(party) : 0n
  const resourceVersion = requests === 0n ? 0n : requests - 1n
  if (existing === undefined) await parties.insert({ ...remote, party, isLocal, resourceVersion })
  else if (isLocal) await parties.update({ ...existing, isLocal, resourceVersion })
}
