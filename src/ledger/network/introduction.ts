// Makes the parties of participants known to one another: those that no commit has delivered, because a participant was
// not there, or not on the synchronizer.
import type { ExternalPartyRecord, HostRecord, NodeRecords } from '../../store/core/administration-records.ts'
import type { Records } from '../../store/core/store.ts'
import { learnHosts } from './hosting-delivery.ts'

/** What a participant needs to know of others before any of them commits. */
export type Introduced = {
  readonly participantId: string
  readonly records: Records
  /** Numbers of the synchronizers that it is connected to. */
  readonly connected: ReadonlySet<bigint>
}

/**
 * Makes the parties of one participant known to another, on each synchronizer once: later ones come with commits, so the
 * start of a large network does not read them all again.
 */
export async function introduce(stranger: Introduced, to: Introduced): Promise<void> {
  await introduceItself(stranger, to)
  const told = await toldOf(to.records.node)
  const before = new Set(told[stranger.participantId])
  const missing = [...to.connected].filter((number) => !before.has(String(number)))
  if (missing.length === 0) return
  for await (const { party, hosts, keys } of hostedBy(stranger)) {
    for (const synchronizer of missing) {
      const there = hosts.filter((host) => host.synchronizer === synchronizer).map((host) => ({ ...host, party }))
      if (there.length === 0) continue
      const ofKeys = keys.filter((one) => one.synchronizer === synchronizer)
      await learnHosts(to.participantId, { synchronizer, hosts: there, keys: ofKeys }, to.records)
    }
  }
  const now = { ...told, [stranger.participantId]: [...before, ...missing.map(String)] }
  await to.records.node.put(record, Buffer.from(JSON.stringify(now)))
}

/** A participant's own party is hosted wherever the participant is. */
async function introduceItself({ participantId, connected }: Introduced, to: Introduced): Promise<void> {
  const itself = { party: participantId, participant: participantId, permission: 'submission', threshold: 1 } as const
  for (const synchronizer of connected.intersection(to.connected)) {
    await learnHosts(to.participantId, { synchronizer, hosts: [{ ...itself, synchronizer }], keys: [] }, to.records)
  }
}

export async function hostItself({ participantId, records, connected }: Introduced): Promise<void> {
  const known = await records.parties.synchronizersOf(participantId)
  await records.parties.host(
    participantId,
    [...connected].filter((number) => !known.includes(number)),
  )
}

/** The synchronizers on which it knows the parties of another participant, by the id of that one. */
type Told = Readonly<Record<string, readonly string[]>>

const record = 'introductions'

async function toldOf(records: NodeRecords): Promise<Told> {
  const stored = await records.get(record)
  return stored === undefined ? {} : JSON.parse(Buffer.from(stored).toString())
}

const pageSize = 1000
const pageBytesMax = 16 * 1024 * 1024

type HostedParty = {
  readonly party: string
  readonly hosts: readonly HostRecord[]
  readonly keys: readonly ExternalPartyRecord[]
}

async function* hostedBy({ participantId, records }: Introduced): AsyncGenerator<HostedParty> {
  for (let after = ''; ; ) {
    const page = await records.parties.list('', { after, limit: pageSize, bytesMax: pageBytesMax })
    for (const { party, isLocal } of page.records) {
      if (!isLocal) continue
      const keys = await records.externalParties.of(party)
      const hosts = await records.parties.hostsOf(party)
      const numbers = await records.parties.synchronizersOf(party)
      const alone = numbers
        .filter((number) => !hosts.some(({ synchronizer }) => synchronizer === number))
        .map((synchronizer): HostRecord => {
          const isExternal = keys.some((one) => one.synchronizer === synchronizer)
          const permission = isExternal ? 'confirmation' : 'submission'
          return { synchronizer, participant: participantId, permission, threshold: 1 }
        })
      yield { party, hosts: [...hosts, ...alone], keys }
    }
    if (page.records.length < pageSize && !page.isCut) return
    after = page.records.at(-1)!.party
  }
}
