// Makes the parties of participants known to one another when a network starts: those that no commit has delivered.
import type { HostRecord } from '../../store/core/administration-records.ts'
import type { Records } from '../../store/core/store.ts'
import { remote } from './member.ts'

/** What a participant needs to know of others before any of them commits. */
export type Introduced = {
  readonly participantId: string
  readonly records: Records
  /** Numbers of the synchronizers that it is connected to. */
  readonly connected: ReadonlySet<bigint>
}

/**
 * Makes the parties of one participant known to another that does not know them: the participants' own parties, and
 * those of before this participant was there.
 */
export async function introduce(stranger: Introduced, { records, connected }: Introduced): Promise<void> {
  for (const { party, hosts: everywhere } of await hostedBy(stranger)) {
    const hosts = everywhere.filter(({ synchronizer }) => connected.has(synchronizer))
    if (hosts.length === 0) continue
    if ((await records.parties.get(party)) === undefined) {
      await records.parties.insert({ ...remote, party })
    }
    const known = await records.parties.synchronizersOf(party)
    const missing = [...new Set(hosts.map(({ synchronizer }) => synchronizer))].filter((one) => !known.includes(one))
    if (missing.length === 0) continue
    await records.parties.host(party, missing)
    await records.parties.putHosts(
      party,
      hosts.filter(({ synchronizer }) => missing.includes(synchronizer)),
    )
  }
}

const pageSize = 1000
const pageBytesMax = 16 * 1024 * 1024

async function hostedBy({ participantId, records }: Introduced) {
  const parties: { readonly party: string; readonly hosts: readonly HostRecord[] }[] = []
  for (let after = ''; ; ) {
    const page = await records.parties.list('', { after, limit: pageSize, bytesMax: pageBytesMax })
    for (const { party, isLocal } of page.records) {
      if (!isLocal) continue
      const hosts = await records.parties.hostsOf(party)
      const numbers = await records.parties.synchronizersOf(party)
      const keys = new Set((await records.externalParties.of(party)).map(({ synchronizer }) => synchronizer))
      const alone = numbers.map((synchronizer): HostRecord => {
        return {
          synchronizer,
          participant: participantId,
          permission: keys.has(synchronizer) ? 'confirmation' : 'submission',
        }
      })
      parties.push({ party, hosts: hosts.length > 0 ? hosts : alone })
    }
    if (page.records.length < pageSize && !page.isCut) return parties
    after = page.records.at(-1)!.party
  }
}
