// The composition root: settings in, a running node out. The only file that knows every part.
import { flushCompileCache } from 'node:module'
import { createAuthenticator, createClaimsCheck } from './auth/authentication.ts'
import { describeTokenCheck, localSecretFor, verifiersFor } from './auth/configured-keys.ts'
import { createKeySets } from './auth/jwks.ts'
import { createVerifier } from './auth/key-sources.ts'
import { signToken } from './auth/local-tokens.ts'
import { audienceOfParticipant } from './auth/payload.ts'
import { createTokenReader } from './auth/tokens.ts'
import { type Clock, settlesWithin, wallClock } from './base/clock.ts'
import { reportDamage } from './base/damage-report.ts'
import { StopError, storedDataDamaged } from './base/errors.ts'
import { createHealth } from './base/health.ts'
import { createLog, type Log } from './base/log.ts'
import { createCaches, createMetrics } from './base/metrics.ts'
import { type Random, systemRandom } from './base/random.ts'
import { givesHints, isDevelopment, type Settings } from './base/settings.ts'
import { ownVersion } from './base/version.ts'
import { createLazyEngine } from './engine/pool/lazy-pool.ts'
import { createProcessMetrics } from './http/process-metrics.ts'
import { createHttpService } from './http/server.ts'
import { createExternalParties } from './ledger/administration/external-parties.ts'
import { createHosting } from './ledger/administration/hosting.ts'
import { createIdentityProviders } from './ledger/administration/identity-providers.ts'
import { createParties } from './ledger/administration/parties.ts'
import { createPartyKeys } from './ledger/administration/party-keys.ts'
import { createAdministrators, createFirstAdmin, createUsers } from './ledger/administration/users.ts'
import { loadIdentity } from './ledger/identity.ts'
import type { Ledger } from './ledger/ledger.ts'
import { ledgerAccessOver, openLedger } from './ledger/open-ledger.ts'
import { uploadDars } from './ledger/packages/first-packages.ts'
import { endIdleThreads } from './ledger/packages/idle-threads.ts'
import { createPackageState } from './ledger/packages/known-packages.ts'
import { createPackageContents } from './ledger/packages/package-contents.ts'
import { createPackages } from './ledger/packages/packages.ts'
import { createUpgradeChecks } from './ledger/packages/upgrade-checks.ts'
import { createVetting } from './ledger/packages/vetting.ts'
import { isKeyOutside } from './ledger/participant-key.ts'
import { loadSynchronizers } from './ledger/synchronizers.ts'
import { tailDamage } from './ledger/tail-check.ts'
import { instantToText } from './lf/codec/time-text.ts'
import { openDatabase } from './open-database.ts'
import { createStore } from './store/create-store.ts'
import { migrate } from './store/migrate.ts'
import type { Flushing } from './store/sqlite-log.ts'
import { measureStore } from './store/store-metrics.ts'

export type Node = AsyncDisposable & {
  readonly url: string
  readonly participantId: string
  /** Descriptions for the banner: where the ledger is kept, how tokens are checked. */
  readonly storeName: string
  readonly tokenCheck: string
  /** Names and versions of all uploaded packages. */
  readonly packages: readonly string[]
  /** Aliases; those not connected are marked. */
  readonly synchronizers: readonly string[]
  /** The current time on a node with static time; undefined with the wall clock. */
  readonly staticTime: string | undefined
  /** Settles, with the reason, if the node has lost its database to another node and can no longer work. */
  readonly lost: Promise<string>
  /** Signs a token for a user, on a node with a local secret. */
  readonly issueToken: ((userId: string, lifetimeMs: number) => Promise<string>) | undefined
}

/** What a test may replace. */
export type World = {
  readonly clock?: Clock
  readonly random?: Random
  readonly log?: Log
  readonly flushing?: Flushing
  /** False plants packages as they are: see `createPackages`. */
  readonly isCheckingPackages?: boolean
}

const engineStartMs = 300
/** How long a readiness probe may take. */
const readyWithinMs = 2_000
/** Cached entries about the hosting and the keys of parties. */
const partiesRemembered = 100_000

export async function startNode(settings: Settings, world: World = {}): Promise<Node> {
  const { clock = wallClock, random = systemRandom, log = createLog(settings.log.level, settings.log.format) } = world
  const { auth, limits } = settings
  const health = createHealth(clock, log)
  const metrics = createMetrics()
  const caches = createCaches(metrics)
  await using started = new AsyncDisposableStack()
  let closing = ''
  /** Parts close in reverse order, so this runs before the part that was added last. */
  const closes = (part: string) =>
    started.defer(() => {
      closing = part
    })

  const { promise: lost, resolve: onLost } = Promise.withResolvers<string>()
  const { database, storeName } = await openDatabase(settings, {
    ...{ health, onLost, flushing: world.flushing, log },
    looksThrough: true,
  })
  started.use(database)
  closes('the database')
  measureStore(metrics, database, clock)
  await migrate(database)
  const damage = reportDamage(health, log)
  const store = createStore(database, (what) => damage.note(storedDataDamaged(what)))
  damage.note(await tailDamage(store))
  await createFirstAdmin(store)
  await createAdministrators(store, auth.administrators)
  const identity = await loadIdentity(store, random, settings.participant)
  if (identity.isKeyInside && isKeyOutside(settings.participant)) {
    log.warn({}, 'the database still holds the key of the participant; `tallystick key move` moves it to a file')
  }

  const users = createUsers(store, limits, clock, caches)
  const identityProviders = createIdentityProviders(store, limits, clock, caches)
  const synchronizers = await loadSynchronizers(store, random, settings)
  const packageState = createPackageState(store)
  const hosting = createHosting(store, partiesRemembered)
  const partyKeys = createPartyKeys(store, partiesRemembered)
  const upgrades = createUpgradeChecks({ store, state: packageState })
  const packages = createPackages({
    ...{ store, state: packageState, synchronizers, clock, upgrades, log },
    isChecking: world.isCheckingPackages ?? true,
  })
  const { participantId } = identity
  const vetting = createVetting({ state: packageState, synchronizers, participantId, limits, upgrades })
  started.defer(endIdleThreads)
  closes('the threads that read packages')
  await uploadDars(settings, packages)
  const engine = started.use(createLazyEngine(settings, { ledger: ledgerAccessOver(store), clock, damage, metrics }))
  closes('the engine')
  const contents = createPackageContents({ store, state: packageState, synchronizers, decode: packages.package })
  const core = await openLedger({
    store,
    engine,
    packageState,
    contents: contents.load,
    synchronizers,
    hosting,
    partyKeys,
    participantId,
    settings,
    clock,
    random,
    health,
    log,
    metrics,
    caches,
  })
  started.use(core)
  closes('the ledger')
  const { compatibility } = settings
  const { commits, ...rest } = core
  const partyParts = { store, users, identity, synchronizers, hosting, partyKeys, commits, limits, random }
  const ledger: Ledger = {
    ...rest,
    users,
    parties: createParties(partyParts),
    externalParties: createExternalParties(partyParts),
    identityProviders,
    packages,
    vetting,
    synchronizers,
    compatibility,
    limits,
  }

  const keySets = createKeySets(limits, clock, log)
  const localSecret = localSecretFor(settings, random)
  const verifiers = verifiersFor(settings, localSecret, (source, name) =>
    createVerifier(source, name, { keySets, limits, clock }),
  )
  const processMetrics = createProcessMetrics()
  const http = await createHttpService({
    settings,
    explainsErrors: isDevelopment(settings),
    ownVersion,
    ledger,
    hints: givesHints(settings) ? core.hints : undefined,
    authenticate: createAuthenticator({
      readToken:
        auth.mode === 'off'
          ? undefined
          : createTokenReader({ verifiers, issuers: identityProviders, keySets, limits, clock, caches }),
      userId: auth.userId,
      findUser: users.find,
      checksRights: auth.authorization,
    }),
    stillMay: createClaimsCheck(users.find),
    accessChanges: { onUser: users.onChange, onIdentityProvider: identityProviders.onChange },
    metrics,
    processMetrics,
    health,
    async checkReady() {
      if (!(await settlesWithin(store.check(), readyWithinMs, clock))) throw new Error('the store does not answer')
    },
    clock,
    random,
    log,
  })
  started.defer(() => http.close(limits.stopWithinMs / 2))
  closes('the HTTP service')
  await database.looked
  const url = await http.listen()
  log.info({ url, store: storeName, participantId: identity.participantId }, 'started')
  // Threads take time to start. This delay keeps them from competing with the first requests; they should be ready for
  // the first command.
  const warmUp = clock.after(engineStartMs, () => {
    engine.start()
    processMetrics.start()
    flushCompileCache() // Written now, so that the next start is quick even if the node is killed.
  })
  started.defer(() => warmUp.cancel())
  core.pruning.resume()

  const parts = started.move()
  return {
    url,
    participantId: identity.participantId,
    storeName,
    tokenCheck: describeTokenCheck(settings, verifiers),
    packages: (await packages.uploaded()).map(({ name, version }) => `${name} ${version}`),
    synchronizers: synchronizers
      .all()
      .map(({ alias, isConnected }) => (isConnected ? alias : `${alias} (not connected)`)),
    staticTime: core.time.isStatic ? instantToText(core.time.now()) : undefined,
    lost,
    issueToken:
      localSecret === undefined
        ? undefined
        : (userId, lifetimeMs) =>
            signToken(localSecret, {
              userId,
              audience: audienceOfParticipant(identity.participantId),
              lifetimeMs,
              nowMs: clock.nowMs(),
            }),
    async [Symbol.asyncDispose]() {
      const isDone = await settlesWithin(parts.disposeAsync(), limits.stopWithinMs, clock)
      if (!isDone) {
        log.error({ waitingFor: closing, withinMs: limits.stopWithinMs }, 'the node does not stop')
        throw new StopError(`${closing} did not close within ${limits.stopWithinMs} ms`)
      }
      log.info({}, 'stopped')
    },
  }
}
