// The composition root: settings in, a running node out. The only file that knows every part.
import { existsSync, readFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { resolve } from 'node:path'
import { createAuthenticator, createClaimsCheck } from './auth/authentication.ts'
import { createKeySets } from './auth/jwks.ts'
import { createVerifier, type Verifier } from './auth/key-sources.ts'
import { createLocalSecret, loadLocalSecret, signToken } from './auth/local-tokens.ts'
import { audienceOfParticipant } from './auth/payload.ts'
import { createTokenReader } from './auth/tokens.ts'
import { type Clock, settlesWithin, wallClock } from './base/clock.ts'
import { type DamageReport, reportDamage } from './base/damage-report.ts'
import { LedgerError, StartError, StopError, storedDataDamaged } from './base/errors.ts'
import { createHealth } from './base/health.ts'
import { createLog, type Log } from './base/log.ts'
import { createCaches, createMetrics, type Metrics } from './base/metrics.ts'
import { type Random, systemRandom } from './base/random.ts'
import { givesHints, isDevelopment, type Settings } from './base/settings.ts'
import { ownVersion } from './base/version.ts'
import type { LedgerAccess } from './engine/ledger-access.ts'
import type { EnginePool } from './engine/pool/pool.ts'
import { measureEngine } from './engine/pool/pool-metrics.ts'
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
import { createPackageState } from './ledger/packages/known-packages.ts'
import { createPackageContents } from './ledger/packages/package-contents.ts'
import { createPackages, type Packages } from './ledger/packages/packages.ts'
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
  /** Where the ledger is kept and how tokens are checked, in words. */
  readonly storeName: string
  readonly tokenCheck: string
  /** Names and versions of the packages that were uploaded, at this start or before. */
  readonly packages: readonly string[]
  /** Aliases; what is not connected says so. */
  readonly synchronizers: readonly string[]
  /** The time at which time stands still; undefined on a node that follows the wall clock. */
  readonly staticTime: string | undefined
  /** Settles when the node can do nothing any more, with the reason: another one has taken its database. */
  readonly lost: Promise<string>
  /** Signs for a user, on a node that keeps its own secret. */
  readonly issueToken: ((userId: string, lifetimeMs: number) => Promise<string>) | undefined
}

/** What a test may put in the place of the real world. */
export type World = {
  readonly clock?: Clock
  readonly random?: Random
  readonly log?: Log
  readonly flushing?: Flushing
  /** False plants packages as they are: see `createPackages`. */
  readonly isCheckingPackages?: boolean
}

const engineStartMs = 300
/** A probe does not wait longer for its answer. */
const readyWithinMs = 2_000
/** Parties whose hosting, whose keys or whose lack of keys is remembered. */
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
    log.warn({}, 'the database still has the key of the participant; `tallystick key move` takes it out')
  }

  const users = createUsers(store, limits, clock, caches)
  const identityProviders = createIdentityProviders(store, limits, clock, caches)
  const synchronizers = await loadSynchronizers(store, random, settings)
  const packageState = createPackageState(store)
  const hosting = createHosting(store, partiesRemembered)
  const partyKeys = createPartyKeys(store, partiesRemembered)
  const parties = createParties({ store, users, identity, synchronizers, hosting, partyKeys, limits, random })
  const externalParties = createExternalParties({ users, identity, synchronizers, hosting, partyKeys, limits })
  const packages = createPackages({
    ...{ store, state: packageState, synchronizers, clock, log },
    isChecking: world.isCheckingPackages ?? true,
  })
  const { participantId } = identity
  const vetting = createVetting({ state: packageState, synchronizers, participantId, limits })
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
  const ledger: Ledger = {
    ...core,
    users,
    parties,
    externalParties,
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
  // Threads take some time to start: not from the first requests, and before the first command if possible.
  const warmUp = clock.after(engineStartMs, () => {
    engine.start()
    processMetrics.start()
    flushCompileCache() // A node that is killed shall start as quickly the next time.
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

type EngineParts = {
  readonly ledger: LedgerAccess
  readonly clock: Clock
  readonly damage: DamageReport
  readonly metrics: Metrics
}

type Engine = Pick<EnginePool, 'interpret' | 'prefer' | 'views'> & AsyncDisposable & { start(): void }

/** An engine whose threads start when they are first needed, so that the node's start does not wait for them. */
function createLazyEngine({ engine }: Settings, { ledger, clock, damage, metrics }: EngineParts): Engine {
  let opening: Promise<EnginePool> | undefined
  let open: EnginePool | undefined
  measureEngine(metrics, () => open?.counts())
  const pool = () => {
    opening ??= import('./engine/pool/pool.ts').then(({ openEnginePool }) => {
      open = openEnginePool({ ...engine, ledger, clock })
      return open
    })
    return opening
  }
  return {
    start: () => void pool(),
    prefer: (byName) => void pool().then((open) => open.prefer(byName)),
    async interpret(request, signal, client) {
      const open = await pool()
      return open.interpret(request, signal, client).catch((error) => {
        throw damage.note(error)
      })
    },
    views: async (requests, signal) => (await pool()).views(requests, signal),
    async [Symbol.asyncDispose]() {
      await (await opening)?.[Symbol.asyncDispose]()
    },
  }
}

/** In the sources beside them, in the bundle next to it. */
const quickstartPlaces = ['../packages/quickstart/quickstart.dar', './quickstart.dar']

/** A development node that has no packages yet begins with one that can be tried out. */
async function uploadDars(settings: Settings, packages: Packages): Promise<void> {
  const wantsQuickstart = isDevelopment(settings) && (await packages.list()).length === 0
  const quickstart = quickstartPlaces.map((place) => new URL(place, import.meta.url)).find((place) => existsSync(place))
  const files = [...(wantsQuickstart && quickstart ? [quickstart] : []), ...settings.dars]
  for (const file of files) await uploadFile(file, packages)
}

async function uploadFile(file: string | URL, packages: Packages): Promise<void> {
  try {
    await packages.upload({ bytes: readFileSync(file), vetAllPackages: true, synchronizerId: '' })
  } catch (error) {
    if (error instanceof LedgerError) {
      const details = Object.values(error.details.context ?? {}).join('; ')
      throw new StartError(`cannot upload ${file}: ${error.message}${details === '' ? '' : ` (${details})`}`)
    }
    if ((error as { syscall?: string }).syscall === undefined) throw error
    throw new StartError(`cannot read the DAR: ${(error as Error).message}`)
  }
}

function localSecretFor(settings: Settings, random: Random): string | undefined {
  if (settings.auth.mode === 'off' || !isDevelopment(settings)) return undefined
  return settings.store.kind === 'memory'
    ? createLocalSecret(random)
    : loadLocalSecret(resolve(settings.store.data), random)
}

function verifiersFor(
  { auth }: Settings,
  localSecret: string | undefined,
  create: (source: Settings['auth']['keys'][number], name: string) => Verifier,
): Verifier[] {
  const configured = auth.keys.map((source, index) => create(source, `auth.keys[${index}] (${source.type})`))
  if (localSecret === undefined) {
    if (auth.mode === 'jwt' && configured.length === 0) {
      throw new StartError(
        'no key verifies tokens: set auth.keys in the configuration, or development to true to have a local secret',
      )
    }
    return configured
  }
  const local = { type: 'hs256', secret: localSecret, tokenLifetimeMaxMs: 'unlimited' } as const
  return [create(local, 'the local development secret'), ...configured]
}

function describeTokenCheck({ auth }: Settings, verifiers: readonly Verifier[]): string {
  if (auth.mode === 'off') {
    const user = auth.userId === undefined ? '' : ` as the user ${auth.userId}`
    return `off: no token is asked for, everybody may do everything${user}`
  }
  const sources = [...verifiers.map(({ name }) => name), 'stored identity providers (/v2/idps)'].join(', ')
  return auth.authorization ? `JWT, by ${sources}` : `JWT, by ${sources}; rights are not checked`
}
