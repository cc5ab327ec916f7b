// The synchronizers that order this ledger. They live inside the node: new ones in the settings are created, each with
// its own key, and an administrator connects and disconnects them. Mirrors what Canton's SynchronizerConnectionsManager
// reports of them.
import { type ErrorSubject, LedgerError, StartError } from '../../base/errors.ts'
import { shortIdentifier } from '../../base/names.ts'
import { newestProtocolVersion, type ProtocolVersion } from '../../base/protocol-version.ts'
import { type Random, randomAbout } from '../../base/random.ts'
import { mayBeUnnamed, type Settings, synchronizersOf } from '../../base/settings.ts'
import type { SynchronizerRecord } from '../../store/core/administration-records.ts'
import type { Records, Store } from '../../store/core/store.ts'
import { keyFromSeed, publicIdentityOf } from '../keys/participant-key.ts'

export type Synchronizer = {
  /** Its number in rows of the store. */
  readonly number: bigint
  /** `name::fingerprint`. */
  readonly id: string
  readonly alias: string
  /** The highest is preferred. */
  readonly priority: number
  readonly protocolVersion: ProtocolVersion
  readonly assignmentExclusivityMs: number
  readonly ledgerTimeToleranceMs: number
}

export type Synchronizers = {
  /** The connected ones, the preferred first. */
  list(): readonly Synchronizer[]
  /** Connected or not, by number. */
  all(): readonly (Synchronizer & { readonly isConnected: boolean })[]
  /** Those that a request without a name means; undefined if there are several, and it has to name one. */
  unnamed(): readonly Synchronizer[] | undefined
  /** Undefined unless the node is connected to it. */
  byId(id: string): Synchronizer | undefined
  /** Connected or not; it must be in the store. */
  byNumber(number: bigint): Synchronizer
  /** Connected or not; refuses an unknown alias. */
  byAlias(alias: string): Synchronizer
  setConnected(alias: string, isConnected: boolean): Promise<void>
  /** Reads what another node may have connected, disconnected or added. */
  reload(): Promise<void>
  /** Called after each connect and disconnect. */
  onChange(listener: () => void): void
  /** Called after each connect of this node, which waits for it. */
  onConnect(listener: () => Promise<void>): void
}

/** Stands for the synchronizer of contracts in transit. */
export const inTransit = 0n

type Physical = Pick<Synchronizer, 'id' | 'protocolVersion'>

/** The protocol version and the serial of the synchronizer within it. */
const physicalSuffix = ({ protocolVersion }: Physical): string => `${protocolVersion}-0`

/** As messages show it. */
export function physicalId(synchronizer: Physical): string {
  return `${shortIdentifier(synchronizer.id)}::${physicalSuffix(synchronizer)}`
}

/** In full, as administrators see it. */
export function fullPhysicalId(synchronizer: Physical): string {
  return `${synchronizer.id}::${physicalSuffix(synchronizer)}`
}

/** As signed bytes contain it: they name the protocol version since there is more than one. */
export function signedId(synchronizer: Physical): string {
  return synchronizer.protocolVersion === 34 ? synchronizer.id : fullPhysicalId(synchronizer)
}

/** What a participant of a network takes over. */
export type SharedSynchronizers = {
  /** The numbers and ids that they have for other participants, by alias. */
  readonly known: ReadonlyMap<string, Pick<SynchronizerRecord, 'number' | 'id'>>
  /** Aliases of those that a new participant is connected to; undefined for all. */
  readonly connected: ReadonlySet<string> | undefined
}

/** Loads the stored ones; creates and stores new ones from the settings. */
export async function loadSynchronizers(
  store: Store,
  random: Random,
  settings: Settings,
  network?: SharedSynchronizers,
): Promise<Synchronizers> {
  const wanted = synchronizersOf(settings)
  const twice = wanted.find(({ alias }, index) => wanted.findIndex((other) => other.alias === alias) !== index)
  if (twice !== undefined) throw new StartError(`two synchronizers are called ${twice.alias}; give each its own alias`)
  const missingFrom = (known: readonly SynchronizerRecord[]) =>
    wanted.filter(({ alias }) => !known.some((record) => record.alias === alias))
  const known = await store.synchronizers.list()
  if (missingFrom(known).length === 0) return createSynchronizers(known, store, settings)
  return store.transaction(async (records) => {
    const before = await records.synchronizers.list()
    for (const [index, { alias, idName = alias }] of missingFrom(before).entries()) {
      const created = newSynchronizer(BigInt(before.length + index + 1), alias, idName, random)
      const isConnected = network?.connected?.has(alias) ?? true
      await records.synchronizers.insert({ ...created, ...network?.known.get(alias), isConnected, recordTime: 0n })
    }
    await records.dars.doubtVetting() // Nothing is vetted there yet.
    return createSynchronizers(await records.synchronizers.list(), store, settings)
  })
}

function newSynchronizer(number: bigint, alias: string, idName: string, random: Random): SynchronizerRecord {
  const { namespace } = publicIdentityOf(keyFromSeed(randomAbout(random, () => `synchronizer ${alias}`).bytes(32))) // It signs nothing: the key is dropped.
  return { number, id: `${idName}::${namespace}`, alias, recordTime: 0n, isConnected: true }
}

export function createSynchronizers(
  records: readonly SynchronizerRecord[],
  store: Pick<Records, 'synchronizers' | 'dars'>,
  settings: Settings,
): Synchronizers {
  const configured = new Map(synchronizersOf(settings).map((entry) => [entry.alias, entry]))
  const { assignmentExclusivityMs, ledgerTimeToleranceMs } = settings.limits
  const fromRecord = ({ number, id, alias }: SynchronizerRecord): Synchronizer => {
    const configuration = configured.get(alias)
    return {
      number,
      id,
      alias,
      priority: configuration?.priority ?? 0,
      protocolVersion: (configuration?.protocolVersion ?? newestProtocolVersion) as ProtocolVersion,
      assignmentExclusivityMs: configuration?.assignmentExclusivityMs ?? assignmentExclusivityMs,
      ledgerTimeToleranceMs: configuration?.ledgerTimeToleranceMs ?? ledgerTimeToleranceMs,
    }
  }
  let known: readonly Synchronizer[] = []
  let byNumber: ReadonlyMap<bigint, Synchronizer> = new Map()
  let connected: ReadonlySet<bigint> = new Set()
  const listeners: (() => void)[] = []
  const connectListeners: (() => Promise<void>)[] = []
  let list: readonly Synchronizer[] = []
  let byId = new Map<string, Synchronizer>()
  replace(records)

  /** Objects of known synchronizers stay, because others refer to them. */
  function replace(read: readonly SynchronizerRecord[]): void {
    known = read.map((record) => byNumber.get(record.number) ?? fromRecord(record))
    byNumber = new Map(known.map((synchronizer) => [synchronizer.number, synchronizer]))
    connected = new Set(read.filter(({ isConnected }) => isConnected).map(({ number }) => number))
    refresh()
  }

  function refresh(): void {
    list = known.filter(({ number }) => connected.has(number)).sort(comparePreference)
    byId = new Map(list.map((synchronizer) => [synchronizer.id, synchronizer]))
    for (const listener of listeners) listener()
  }

  function byAlias(alias: string): Synchronizer {
    const found = known.find((candidate) => candidate.alias === alias)
    if (found !== undefined) return found
    throw new LedgerError('SYNC_SERVICE_UNKNOWN_SYNCHRONIZER', `The synchronizer with alias ${alias} is unknown.`, {
      context: { synchronizerAlias: `Synchronizer '${alias}'` },
      foundBy: 'node',
    })
  }

  return {
    list: () => list,
    all: () => known.map((synchronizer) => ({ ...synchronizer, isConnected: connected.has(synchronizer.number) })),
    unnamed: () => (list.length > 1 && !mayBeUnnamed(settings) ? undefined : list),
    byId: (id) => byId.get(id),
    byNumber: (number) => byNumber.get(number)!,
    byAlias,
    async setConnected(alias, isConnected) {
      const synchronizer = byAlias(alias)
      await store.synchronizers.setConnected(synchronizer.number, isConnected)
      const { number } = synchronizer
      const others = connected.difference(new Set([number]))
      connected = isConnected ? others.union(new Set([number])) : others
      if (isConnected) await store.dars.doubtVetting() // It missed uploads while disconnected.
      refresh()
      if (isConnected) for (const listener of connectListeners) await listener()
    },
    async reload() {
      replace(await store.synchronizers.list())
    },
    onChange: (listener) => void listeners.push(listener),
    onConnect: (listener) => void connectListeners.push(listener),
  }
}

/** For the hint of a request that has to name one. */
export function namingAdvice(synchronizers: Synchronizers): ErrorSubject {
  const ids = synchronizers.list().map(({ id }) => id)
  return { kind: 'advice', text: `name one with synchronizerId: ${ids.slice(0, idsShown).join(', ')}` }
}

const idsShown = 10

/** Highest priority first, then by id. */
export function comparePreference(a: Synchronizer, b: Synchronizer): number {
  return b.priority - a.priority || (a.id < b.id ? -1 : 1)
}
