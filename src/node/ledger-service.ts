// Everything over an open database: the ledger, authentication and the HTTP service. A node has one at a time and
// replaces it when its ledger is replaced, so nothing that a part remembers survives the ledger it came from.

import { createApi } from '../api/api.ts'
import type { Strangers } from '../api/strangers.ts'
import { authenticatingTwice } from '../auth/admission.ts'
import { type Authenticator, createAuthenticator, createClaimsCheck } from '../auth/authentication.ts'
import type { KeySets } from '../auth/jwks.ts'
import type { Verifier } from '../auth/key-sources.ts'
import { createTokenReader } from '../auth/tokens.ts'
import { type Clock, settlesWithin, wallClock } from '../base/clock.ts'
import type { DamageReport } from '../base/damage-report.ts'
import { storedDataDamaged } from '../base/errors.ts'
import type { Health } from '../base/health.ts'
import type { Log } from '../base/log.ts'
import type { Caches, Metrics } from '../base/metrics.ts'
import { type Random, randomAbout } from '../base/random.ts'
import { createSecondLook } from '../base/second-look.ts'
import { givesHints, type Settings } from '../base/settings.ts'
import type { Tracer } from '../base/tracer.ts'
import { ownVersion } from '../base/version.ts'
import type { LedgerAccess } from '../engine/ledger-access.ts'
import type { Engine } from '../engine/pool/lazy-pool.ts'
import { createHttpService, type HttpService } from '../http/service.ts'
import { createExternalParties } from '../ledger/administration/external-parties.ts'
import { createHosting } from '../ledger/administration/hosting.ts'
import { createIdentityProviders } from '../ledger/administration/identity-providers.ts'
import { hostOwnParty } from '../ledger/administration/own-party.ts'
import { createParties } from '../ledger/administration/parties.ts'
import { createPartyKeys } from '../ledger/administration/party-keys.ts'
import { createAdministrators, createFirstAdmin, createUsers } from '../ledger/administration/users.ts'
import type { Development } from '../ledger/development/development.ts'
import { underFaults } from '../ledger/development/faulty-submissions.ts'
import { readWorldRecord, UnfinishedWorld } from '../ledger/development/world-record.ts'
import { loadIdentity, readIdentity } from '../ledger/identity.ts'
import { isKeyOutside } from '../ledger/keys/participant-key.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { loadTime } from '../ledger/ledger-time.ts'
import { ledgerAccessOver, openLedger } from '../ledger/open-ledger.ts'
import { createPackageState } from '../ledger/packages/known-packages.ts'
import { createPackageContents } from '../ledger/packages/package-contents.ts'
import { createPackages, type Packages } from '../ledger/packages/packages.ts'
import { createUpgradeChecks } from '../ledger/packages/upgrade-checks.ts'
import { createVetting } from '../ledger/packages/vetting.ts'
import { type Drops, drop } from '../ledger/remembered.ts'
import { loadSynchronizers } from '../ledger/synchronizers.ts'
import { tailDamage } from '../ledger/tail-check.ts'
import type { Database } from '../store/core/database.ts'
import type { Sharing } from '../store/core/sharing.ts'
import type { NodeRecords } from '../store/core/store.ts'
import { measureReplica, readFromReplica } from '../store/postgres/replica.ts'
import { createStore } from '../store/records/create-store.ts'
import { migrate } from '../store/schema/migrate.ts'

export type Serving = AsyncDisposable & {
  readonly http: HttpService
  readonly ledger: Ledger
  /** Whether this is its first start. */
  readonly isNew: boolean
  readonly engine: Engine
  /** The node's own facts. */
  readonly records: NodeRecords
}

export type ServingParts = {
  readonly settings: Settings
  readonly database: Database
  readonly openEngine: (ledger: LedgerAccess) => Engine
  readonly keySets: KeySets
  readonly verifiers: readonly Verifier[]
  readonly damage: DamageReport
  readonly metrics: Metrics
  readonly metricsPage: () => Promise<string>
  readonly caches: Caches
  readonly health: Health
  readonly strangers: Strangers
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** False plants packages as they are: see `createPackages`. */
  readonly isCheckingPackages: boolean
  readonly development: Development | undefined
  readonly tracer: Tracer | undefined
  /** What is uploaded before the ledger is opened. */
  readonly firstPackages: (packages: Packages) => Promise<void>
}

/** How long a readiness probe may take. */
const readyWithinMs = 2_000
/** Cached entries about the hosting and the keys of parties. */
const partiesRemembered = 100_000

export async function openServing(parts: ServingParts): Promise<Serving> {
  const { settings, database, keySets, verifiers, damage } = parts
  const { metrics, metricsPage, caches, health, clock, log, tracer } = parts
  const { auth, limits, compatibility } = settings
  const { sharing } = database
  // Paced by real time: other nodes go on while the clock of this one is held.
  const secondLook = sharing && createSecondLook(sharing, wallClock)
  const versionBefore = await migrate(database)
  const store = createStore(database, (what) => damage.note(storedDataDamaged(what)))
  damage.note(await tailDamage(store))
  if (parts.development !== undefined) await checkWorld(store.node)
  await createFirstAdmin(store)
  await createAdministrators(store, auth.administrators)
  // A restarted node must not draw the same ids again.
  const { end } = await store.state.get()
  const place = sharing === undefined || sharing.counts().nodes < 2 ? '' : ` on ${sharing.nodeId}` // Nor another node.
  const random = randomAbout(parts.random, () => `ledger at ${end}${place}`)
  const identity = await loadIdentity(store, parts.random, settings.participant)
  if (identity.isKeyInside && isKeyOutside(settings.participant)) {
    log.warn({}, 'the database still holds the key of the participant; `tallystick key move` moves it to a file')
  }

  const time = await loadTime(store, settings, clock)
  const users = createUsers(store, limits, clock, caches)
  const identityProviders = createIdentityProviders(store, limits, clock, caches)
  const synchronizers = await loadSynchronizers(store, parts.random, settings)
  await hostOwnParty(store, identity.participantId, synchronizers)
  const packageState = createPackageState(store)
  const hosting = createHosting(store, partiesRemembered)
  const partyKeys = createPartyKeys(store, partiesRemembered)
  const upgrades = createUpgradeChecks({ store, state: packageState })
  const packages = createPackages({
    ...{ store, state: packageState, synchronizers, clock, time, upgrades, log },
    isChecking: parts.isCheckingPackages,
  })
  const { participantId } = identity
  const vetting = createVetting({ state: packageState, synchronizers, participantId, limits, upgrades })
  await parts.firstPackages(packages)
  const contents = createPackageContents({
    ...{ store, state: packageState, synchronizers, participantId },
    decode: packages.package,
  })
  const engine = parts.openEngine(ledgerAccessOver(store))
  const replica =
    database.replica &&
    readFromReplica({
      ...{ store, replica: createStore(database.replica), clock, log },
      isSame: async (other) => (await readIdentity(other))?.participantId === participantId,
      lookMs: settings.store.postgresWatchMs,
    })
  const core = await openLedger({
    ...{ store, readingStore: replica?.store ?? store },
    ...{ engine, packageState, contents: contents.load, synchronizers, hosting, partyKeys, participantId },
    ...{ settings, time, clock, random, health, log, metrics, caches, tracer },
    ...{ development: parts.development, sharing, secondLook },
  })
  measureReplica(metrics, replica, () => core.end.current().offset)
  const { commits, advance, ...rest } = {
    ...core,
    interactive: lookingFirst(sharing, core.interactive, ['preferredPackages']),
    reassignments: lookingFirst(sharing, core.reassignments, ['submit', 'submitAndWait']),
  }
  const drops: Drops = {
    'users and their rights': users.forgetAll,
    'identity providers and verified tokens': identityProviders.forgetAll,
    'hosting of parties': hosting.forgetAll,
    'keys of external parties': partyKeys.forgetAll,
    'packages, vetting and their contents': packageState.reload,
    synchronizers: synchronizers.reload,
    'static time, and how far time is ahead': time.reload,
  }
  await sharing?.follow({ drop: (changed) => drop(changed, drops), advance })
  const partyParts = { store, users, identity, synchronizers, hosting, partyKeys, commits, limits, random }
  const ledger: Ledger = {
    ...rest,
    ...(parts.development && underFaults(rest, parts.development)),
    users: lookingFirst(sharing, users, ['get', 'rights']),
    parties: lookingFirst(sharing, createParties(partyParts), ['connections']),
    externalParties: createExternalParties(partyParts),
    identityProviders,
    packages: lookingFirst(sharing, packages, ['upload', 'takeOver', 'validate', 'newest']),
    vetting: lookingFirst(sharing, vetting, ['list', 'update']),
    synchronizers: lookingFirst(sharing, synchronizers, ['setConnected']),
    development: parts.development,
    compatibility,
    limits,
  }

  const api = createApi({
    settings,
    ownVersion,
    ledger,
    hints: givesHints(settings) ? core.hints : undefined,
    authenticate: authenticatingTwice(
      whenCurrent(
        sharing,
        createAuthenticator({
          readToken:
            auth.mode === 'off'
              ? undefined
              : createTokenReader({ verifiers, issuers: identityProviders, keySets, limits, clock, caches }),
          userId: auth.userId,
          findUser: users.find,
          checksRights: auth.authorization,
        }),
      ),
      secondLook,
    ),
    secondLook,
    stillMay: createClaimsCheck(users.find),
    accessChanges: { onUser: users.onChange, onIdentityProvider: identityProviders.onChange },
    metrics,
    health,
    strangers: parts.strangers,
    clock,
    random,
    log,
    tracer,
  })
  const http = createHttpService({
    api,
    ownVersion,
    metrics,
    metricsPage,
    async checkReady() {
      if (!(await settlesWithin(store.check(), readyWithinMs, clock))) throw new Error('the store does not answer')
    },
  })
  parts.development?.faults.onEndStreams(api.endStreams)
  core.pruning.resume()
  return {
    http,
    isNew: versionBefore === 0n,
    engine,
    records: store.node,
    ledger,
    async [Symbol.asyncDispose]() {
      replica?.[Symbol.dispose]()
      await core[Symbol.asyncDispose]()
      await engine[Symbol.asyncDispose]()
    },
  }
}

/** A node that was cut off or paused for the time of its lease first learns what others changed: rights, for example. */
function whenCurrent(sharing: Sharing | undefined, authenticate: Authenticator): Authenticator {
  if (sharing === undefined) return authenticate
  return (...request) =>
    sharing.isCurrent() ? authenticate(...request) : sharing.look().then(() => authenticate(...request))
}

/** The part, with functions that first learn what other nodes have changed: they answer from memory. */
function lookingFirst<
  Name extends string,
  Part extends Readonly<Record<Name, (...request: never[]) => Promise<unknown>>>,
>(sharing: Sharing | undefined, part: Part, names: readonly Name[]): Part {
  if (sharing === undefined) return part
  const first =
    (name: Name) =>
    async (...request: never[]) => {
      await sharing.look()
      return part[name](...request)
    }
  return { ...part, ...Object.fromEntries(names.map((name) => [name, first(name)])) }
}

/** A world that replaces part of an older ledger is undone before the ledger is opened. */
async function checkWorld(records: NodeRecords): Promise<void> {
  const { isFirst, isDone } = await readWorldRecord(records)
  if (isFirst && !isDone) throw new UnfinishedWorld('the node was killed before the ledger had all of its world')
}
