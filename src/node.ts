// The composition root: settings in, a running node out. serving.ts composes what stands over the database.
import { flushCompileCache } from 'node:module'
import { describeTokenCheck, localSecretFor, verifiersFor } from './auth/configured-keys.ts'
import { createKeySets } from './auth/jwks.ts'
import { createVerifier } from './auth/key-sources.ts'
import { createLocalSecret, createTokenSigner } from './auth/local-tokens.ts'
import { type Clock, settlesWithin, wallClock } from './base/clock.ts'
import { reportDamage } from './base/damage-report.ts'
import { StartError, StopError } from './base/errors.ts'
import { createHealth } from './base/health.ts'
import { createLog, type Log } from './base/log.ts'
import { createCaches, createMetrics } from './base/metrics.ts'
import { createReproducibleRandom, type Random, systemRandom } from './base/random.ts'
import { grpcPortOf, isDevelopment, type Settings } from './base/settings.ts'
import { createLazyEngine, createSharedThreads, type SharedThreads } from './engine/pool/lazy-pool.ts'
import { createGrpcDoor } from './grpc/door.ts'
import { createGrpcMetrics } from './grpc/grpc-metrics.ts'
import { createFrontDoor } from './http/front-door.ts'
import { createProcessMetrics } from './http/process-metrics.ts'
import { createFaults } from './ledger/development/faults.ts'
import { createRejections } from './ledger/development/rejections.ts'
import { createSnapshots, firstState, type Snapshots, unavailableSnapshots } from './ledger/development/snapshots.ts'
import { createTokens } from './ledger/development/tokens.ts'
import type { FirstWorld } from './ledger/development/world-application.ts'
import { uploadDars } from './ledger/packages/first-packages.ts'
import { endIdleThreads } from './ledger/packages/idle-threads.ts'
import { instantToText } from './lf/codec/time-text.ts'
import { openDatabase } from './open-database.ts'
import { createPresentLedger, type PresentLedger } from './present-ledger.ts'
import { openServing, type Serving } from './serving.ts'
import type { SnapshotShelf, Undo } from './store/snapshots.ts'
import type { Flushing } from './store/sqlite-log.ts'
import { measureStore } from './store/store-metrics.ts'

export type Node = AsyncDisposable & {
  readonly url: string
  /** Of the gRPC API; undefined if there is none. */
  readonly grpcUrl: string | undefined
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
  /** Signs tokens of this node; only a development node that requires tokens has one. */
  readonly localSecret: string | undefined
}

/** What a test may replace. */
export type World = {
  readonly clock?: Clock
  readonly random?: Random
  readonly log?: Log
  readonly flushing?: Flushing
  /** Threads of the engine that the node shares with others, instead of its own. */
  readonly threads?: SharedThreads
  /** False plants packages as they are: see `createPackages`. */
  readonly isCheckingPackages?: boolean
}

const engineStartMs = 300
export async function startNode(given: Settings, world: World = {}): Promise<Node> {
  const firstWorld = await firstWorldOf(given)
  const settings = firstWorld?.settings ?? given
  const {
    clock = wallClock,
    random = randomFor(settings),
    log = createLog(settings.log.level, settings.log.format),
  } = world
  const { limits } = settings
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
  const { database, storeName, snapshots, undoable } = await openDatabase(settings, {
    ...{ health, onLost, flushing: world.flushing, clock, log },
    looksThrough: true,
  })
  const damage = reportDamage(health, log)
  const keySets = createKeySets(limits, clock, log)
  const localSecret = localSecretFor(settings, world.random ?? systemRandom)
  // Without authentication nobody checks tokens, but applications may want to send one.
  const sign = createTokenSigner(localSecret ?? createLocalSecret(systemRandom), clock)
  const verifiers = verifiersFor(settings, localSecret, (source, name) =>
    createVerifier(source, name, { keySets, limits, clock }),
  )
  const processMetrics = createProcessMetrics()
  const present = createPresentLedger({
    first: database,
    openServing(opened, isFirst) {
      measureStore(metrics, opened, clock)
      return openServing({
        ...{ settings, database: opened, engine, keySets, verifiers, damage },
        ...{ metrics, processMetrics, caches, health, clock, random, log, development },
        isCheckingPackages: world.isCheckingPackages ?? true,
        firstPackages: async (packages) => (isFirst ? uploadDars(settings, packages) : undefined),
      })
    },
    doors: () => doors,
    ...{ onLost, log },
  })
  let wayBack: Undo | undefined
  started.defer(() => wayBack?.undo())
  started.defer(present.closeDatabase)
  closes('the database')
  started.defer(endIdleThreads)
  closes('the threads that read packages')
  const threads = world.threads ?? started.use(createSharedThreads(settings, clock))
  const engine = started.use(createLazyEngine(threads, { ledger: present.access, damage, metrics }))
  closes('the engine')
  const development = isDevelopment(settings)
    ? {
        snapshots: snapshotsOf(present, snapshots, firstWorld),
        rejections: createRejections(limits),
        faults: createFaults(clock),
        tokens: createTokens(sign),
      }
    : undefined
  const serving = await present.open()
  const { http, ledger, isNew } = serving
  started.defer(present.closeServing)
  closes('the ledger')
  const prepare = async (isFirst: boolean) => {
    wayBack = await undoable(isFirst)
  }
  const hasFirstWorld = await firstWorld?.applyTo({ ...serving, prepare })
  await wayBack?.keep()
  wayBack = undefined
  if (development !== undefined && (isNew || hasFirstWorld)) await snapshots?.take(database, firstState)
  const door = createFrontDoor(settings, clock, http)
  const grpcPort = grpcPortOf(settings)
  const grpcMetrics = createGrpcMetrics(metrics)
  const grpcDoor =
    grpcPort && createGrpcDoor({ settings, ...grpcPort, first: http.shared, metrics: grpcMetrics, clock, log })
  const doors = grpcDoor === undefined ? [door] : [door, grpcDoor]
  started.defer(() => processMetrics.close())
  started.defer(async () => {
    await Promise.all(doors.map((each) => each.close(limits.stopWithinMs / 2)))
  })
  closes('the HTTP service')
  await database.looked
  const { participantId } = ledger.parties
  const url = await door.listen()
  const grpcUrl = await grpcDoor?.listen()
  log.info({ url, ...(grpcUrl !== undefined && { grpcUrl }), store: storeName, participantId }, 'started')
  // Threads take time to start. This delay keeps them from competing with the first requests; they should be ready for
  // the first command.
  const warmUp = clock.after(engineStartMs, () => {
    engine.start()
    processMetrics.start()
    flushCompileCache() // Written now, so that the next start is quick even if the node is killed.
  })
  started.defer(() => warmUp.cancel())

  const parts = started.move()
  return {
    url,
    grpcUrl,
    participantId,
    storeName,
    tokenCheck: describeTokenCheck(settings, verifiers),
    packages: (await ledger.packages.uploaded()).map(({ name, version }) => `${name} ${version}`),
    synchronizers: ledger.synchronizers
      .all()
      .map(({ alias, isConnected }) => (isConnected ? alias : `${alias} (not connected)`)),
    staticTime: ledger.time.isStatic ? instantToText(ledger.time.now()) : undefined,
    lost,
    localSecret,
    issueToken: localSecret === undefined ? undefined : (userId, lifetimeMs) => sign(userId, participantId, lifetimeMs),
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

/** Whoever knows the seed knows the participant's key. */
function randomFor(settings: Settings): Random {
  if (settings.seed === undefined) return systemRandom
  if (!isDevelopment(settings))
    throw new StartError('a seed is for development nodes: it tells the key of the participant')
  return createReproducibleRandom(settings.seed)
}

/** Read and checked before anything is opened. */
async function firstWorldOf(settings: Settings): Promise<FirstWorld | undefined> {
  if (settings.world === undefined) return undefined
  const { openFirstWorld } = await import('./ledger/development/world-application.ts')
  return openFirstWorld(settings.world, settings)
}

function snapshotsOf(
  present: PresentLedger,
  shelf: SnapshotShelf | undefined,
  firstWorld: FirstWorld | undefined,
): Snapshots {
  if (shelf === undefined)
    return unavailableSnapshots('A ledger in PostgreSQL has no snapshots; use SQLite or --memory')
  return createSnapshots({
    list: shelf.list,
    take: (name) => shelf.take(present.database(), name),
    delete: shelf.delete,
    async restore(name) {
      const openNext = await shelf.prepare(name)
      const prepare = async (serving: Serving) => {
        if (name === firstState) await firstWorld?.applyTo({ ...serving, prepare: async () => undefined })
      }
      if (openNext !== undefined) await present.replace(openNext, prepare)
      return openNext !== undefined
    },
    read: shelf.read,
    add: shelf.add,
  })
}
