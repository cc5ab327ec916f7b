// Opens the ledgers of all participants over one database: of one that is alone, or of a network.
import { StartError } from '../base/errors.ts'
import { logWith } from '../base/log.ts'
import { createCaches, labelledMetrics } from '../base/metrics.ts'
import { randomAbout } from '../base/random.ts'
import { readIdentity } from '../ledger/model/identity.ts'
import { hostItself, introduce } from '../ledger/network/introduction.ts'
import { createNetwork, type Network } from '../ledger/network/network.ts'
import type { NodeRecords } from '../store/core/administration-records.ts'
import type { Database } from '../store/core/database.ts'
import { tablesOfParticipant } from '../store/core/participant-tables.ts'
import { createStore } from '../store/records/create-store.ts'
import { migrate } from '../store/schema/migrate.ts'
import type { Instruments } from './instruments.ts'
import type { Place } from './ledger-parts.ts'
import type { LedgerService } from './ledger-service.ts'
import type { ParticipantSettings } from './participants.ts'
import type { Services } from './replaceable-ledger.ts'

export type Participants = readonly [ParticipantSettings, ...ParticipantSettings[]]

type OpenService = (
  participant: ParticipantSettings,
  tables: Tables,
  place: Place | undefined,
) => Promise<LedgerService>

/** The tables of one participant, of the newest schema. */
type Tables = { readonly database: Database; readonly isNew: boolean }

/** Where a participant listens; undefined while it does not. */
type UrlOf = (participant: ParticipantSettings) => string | undefined

/** In the order of the settings. */
export async function openServices(
  participants: Participants,
  database: Database,
  urlOf: UrlOf,
  openService: OpenService,
): Promise<Services> {
  const firstTables = await migrated(database)
  const numbers = await numberParticipants(participants, database)
  if (participants.length === 1) return [await openService(participants[0], firstTables, undefined)]
  await using opened = new AsyncDisposableStack()
  const network = createNetwork()
  const byNumber = new Map<number, LedgerService>()
  for (const participant of participants.toSorted((a, b) => numbers.get(a)! - numbers.get(b)!)) {
    const number = numbers.get(participant)!
    const place = {
      network,
      number,
      name: participant.name,
      connected: participant.synchronizers,
      url: () => urlOf(participant),
      first: byNumber.get(1)?.ledger,
    }
    const tables = number === 1 ? firstTables : await migrated(tablesOfParticipant(database, number))
    byNumber.set(number, opened.use(await openService(participant, tables, place)))
  }
  await introduceAll(network, database)
  network.complete()
  // A participant that is connected later learns then who is there.
  for (const { synchronizers } of network.members()) synchronizers.onConnect(() => introduceAll(network, database))
  await keepNames(participants, numbers, byNumber.get(1)!.records)
  opened.move()
  return participants.map((participant) => byNumber.get(numbers.get(participant)!)!) as [LedgerService]
}

async function migrated(database: Database): Promise<Tables> {
  const versionBefore = await migrate(database)
  return { database, isNew: versionBefore === 0n }
}

/** What the first participant's ledger says about the network: the names of its participants, in the order of their numbers. */
const record = 'network'

/** A participant keeps the number with which it joined. Refuses settings that lack a participant of the ledger. */
async function numberParticipants(
  participants: Participants,
  database: Database,
): Promise<ReadonlyMap<ParticipantSettings, number>> {
  const known = await namesIn(database, participants)
  const missing = known.find((name) => !participants.some((participant) => participant.name === name))
  if (missing !== undefined) {
    throw new StartError(
      `the ledger has the participant ${missing}, which the settings do not name; add it to network.participants`,
    )
  }
  const joining = participants.filter(({ name }) => !known.includes(name)).map(({ name }) => name)
  const names = [...known, ...joining]
  return new Map(participants.map((participant) => [participant, names.indexOf(participant.name) + 1]))
}

/** Empty for a new ledger. */
async function namesIn(database: Database, participants: Participants): Promise<readonly string[]> {
  const { node } = createStore(database)
  const names = await participantNames(node)
  // A participant alone may be called otherwise in the settings: its name counts only at its first start.
  if (names.length > 0 || participants.length === 1) return names
  const identity = await readIdentity({ node })
  return identity === undefined ? [] : [identity.participantId.split('::')[0]!]
}

/** By number, as the ledger of the first participant says; empty for a participant alone. */
export async function participantNames(records: Pick<NodeRecords, 'get'>): Promise<readonly string[]> {
  const stored = await records.get(record)
  return stored === undefined ? [] : JSON.parse(Buffer.from(stored).toString())
}

async function keepNames(
  participants: Participants,
  numbers: ReadonlyMap<ParticipantSettings, number>,
  records: NodeRecords,
): Promise<void> {
  const names = participants.toSorted((a, b) => numbers.get(a)! - numbers.get(b)!).map(({ name }) => name)
  await records.put(record, Buffer.from(JSON.stringify(names)))
}

/** In one transaction: a participant knows the parties of all others, or the start begins again. */
async function introduceAll(network: Network, database: Database): Promise<void> {
  await createStore(database).transaction(async (records) => {
    const introduced = network.members().map(({ number, participantId, synchronizers }) => {
      const connected = new Set(synchronizers.list().map((one) => one.number))
      return { participantId, records: records.of(number), connected }
    })
    for (const one of introduced) await hostItself(one)
    for (const one of introduced) for (const other of introduced) if (one !== other) await introduce(one, other)
  })
  for (const { hosting, partyKeys } of network.members()) {
    hosting.forgetAll()
    partyKeys.forgetAll()
  }
}

/** Those of a participant: in a network, its metrics and its lines in the log carry its name. */
export function instrumentsOf(
  instruments: Instruments,
  { number, name }: ParticipantSettings,
  { length }: Participants,
): Instruments {
  if (length === 1) return instruments
  const { random } = instruments
  const metrics = labelledMetrics(instruments.metrics, 'participant', name)
  return {
    ...instruments,
    metrics,
    caches: createCaches(metrics),
    log: logWith(instruments.log, { participant: name }),
    random: number === 1 ? random : randomAbout(random, () => `participant ${name}`),
  }
}
