// What a ledger is opened with: its store, the participant, the registers of users and parties, and the packages.
import { storedDataDamaged } from '../base/errors.ts'
import { type Random, randomAbout } from '../base/random.ts'
import { isDevelopment, type Settings } from '../base/settings.ts'
import { createAdministrators, createFirstAdmin, hostOwnParty } from '../ledger/administration/first-start.ts'
import { createIdentityProviders } from '../ledger/administration/identity-providers.ts'
import { createUsers } from '../ledger/administration/users.ts'
import { tailDamage } from '../ledger/commit/tail-check.ts'
import { readWorldRecord, UnfinishedWorld } from '../ledger/development/world-record.ts'
import { isKeyOutside } from '../ledger/keys/participant-key.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { loadIdentity } from '../ledger/model/identity.ts'
import { loadTime } from '../ledger/model/ledger-time.ts'
import { loadSynchronizers, type SharedSynchronizers } from '../ledger/model/synchronizers.ts'
import type { Network } from '../ledger/network/network.ts'
import { createPackageState } from '../ledger/packages/known-packages.ts'
import { createPackageContents } from '../ledger/packages/package-contents.ts'
import { createPackages } from '../ledger/packages/packages.ts'
import { createUpgradeChecks } from '../ledger/packages/upgrade-checks.ts'
import { createVetting } from '../ledger/packages/vetting.ts'
import { createHosting } from '../ledger/topology/hosting.ts'
import { createPartyKeys } from '../ledger/topology/party-keys.ts'
import type { NodeRecords } from '../store/core/administration-records.ts'
import type { Database } from '../store/core/database.ts'
import type { Sharing } from '../store/core/sharing.ts'
import type { Store } from '../store/core/store.ts'
import { createStore } from '../store/records/create-store.ts'
import { isInitScriptUnfinished } from './init-script.ts'
import type { Instruments } from './instruments.ts'

/** Cached entries about the hosting and the keys of parties. */
const partiesRemembered = 100_000

/** The store over a database of the newest schema, with the administrators that every ledger has. */
export async function prepareStore(settings: Settings, database: Database, { damage }: Instruments): Promise<Store> {
  const store = createStore(database, (what) => damage.note(storedDataDamaged(what)))
  damage.note(await tailDamage(store))
  if (isDevelopment(settings)) await checkWorld(store.node)
  await createFirstAdmin(store)
  await createAdministrators(store, settings.auth.administrators)
  return store
}

/** A world that replaces part of an older ledger is undone before the ledger is opened. */
async function checkWorld(records: NodeRecords): Promise<void> {
  const { isFirst, isDone } = await readWorldRecord(records)
  if (isFirst && !isDone) throw new UnfinishedWorld('the node was killed before the ledger had all of its world')
  if (await isInitScriptUnfinished(records)) {
    throw new UnfinishedWorld('the node was killed while the init script of the ledger ran')
  }
}

/** Randomness that a restarted node does not repeat, nor another node of the same ledger. */
export async function randomOfLedger(store: Store, random: Random, sharing: Sharing | undefined): Promise<Random> {
  const { end } = await store.state.get()
  const place = sharing === undefined || sharing.counts().nodes < 2 ? '' : ` on ${sharing.nodeId}`
  return randomAbout(random, () => `ledger at ${end}${place}`)
}

export type Participant = Awaited<ReturnType<typeof loadParticipant>>

/** The place of a participant in its network. */
export type Place = {
  readonly network: Network
  /** From 1. */
  readonly number: number
  /** As the settings call it. */
  readonly name: string
  /** Aliases of the synchronizers that a new participant is connected to; undefined for all. */
  readonly connected: ReadonlySet<string> | undefined
  /** Where it listens; undefined while it does not, or if another process serves it. */
  readonly url: () => string | undefined
  /** What it takes over from the first participant; undefined for the first one itself. */
  readonly first: Pick<Ledger, 'synchronizers' | 'time'> | undefined
}

/** The participant, its synchronizers and its time, as the store has them; at the first start, new ones. */
export async function loadParticipant(
  settings: Settings,
  store: Store,
  { random, clock, log }: Instruments,
  place: Place | undefined,
) {
  const identity = await loadIdentity(store, random, settings.participant)
  if (identity.isKeyInside && isKeyOutside(settings.participant)) {
    log.warn({}, 'the database still holds the key of the participant; `tallystick key move` moves it to a file')
  }
  const time = place?.first?.time ?? (await loadTime(store, settings, clock))
  const synchronizers = await loadSynchronizers(store, random, settings, place && sharedSynchronizers(place))
  const hosting = place === undefined ? synchronizers.all() : synchronizers.list()
  await hostOwnParty(store, identity.participantId, hosting)
  return { identity, participantId: identity.participantId, time, synchronizers }
}

function sharedSynchronizers({ first, connected }: Place): SharedSynchronizers {
  return { known: new Map(first?.synchronizers.all().map((one) => [one.alias, one])), connected }
}

export type Registers = ReturnType<typeof createRegisters>

/** What is known about users and parties. */
export function createRegisters(
  { limits }: Settings,
  store: Store,
  { clock, caches }: Instruments,
  place: Place | undefined,
) {
  return {
    users: createUsers(store, limits, clock, caches),
    identityProviders: createIdentityProviders(store, limits, clock, caches),
    hosting: createHosting(store, partiesRemembered, place !== undefined),
    partyKeys: createPartyKeys(store, partiesRemembered),
  }
}

type PackageSettings = {
  /** See `createPackages`. */
  readonly isCheckingPackages: boolean
  readonly place: Place | undefined
}

export type PackageParts = ReturnType<typeof createPackageParts>

export function createPackageParts(
  store: Store,
  { participantId, synchronizers, time }: Participant,
  { clock, log }: Instruments,
  { isCheckingPackages: isChecking, place }: PackageSettings,
) {
  const state = createPackageState(store)
  const upgrades = createUpgradeChecks({ store, state })
  const packages = createPackages({ store, state, synchronizers, clock, time, upgrades, log, isChecking })
  return {
    state,
    packages,
    vetting: createVetting({ state, synchronizers, participantId, upgrades, members: place?.network.members }),
    contents: createPackageContents({ store, state, synchronizers, participantId, decode: packages.package }),
  }
}
