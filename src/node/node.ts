// The composition root: settings in, a running node out. ledger-service.ts composes what is built on the database.
import { flushCompileCache } from 'node:module'
import { createStrangers, type Strangers } from '../api/strangers.ts'
import { describeTokenCheck, localSecretFor, verifiersFor } from '../auth/configured-keys.ts'
import { createKeySets } from '../auth/jwks.ts'
import { createVerifier } from '../auth/key-sources.ts'
import { createLocalSecret, createTokenSigner, signCommandLineToken } from '../auth/local-tokens.ts'
import { type Clock, settlesWithin, wallClock } from '../base/clock.ts'
import { reportDamage } from '../base/damage-report.ts'
import { isStoreUnavailable, NotYetError, StartError, StopError, unavailableReason } from '../base/errors.ts'
import { createHealth } from '../base/health.ts'
import { createLog, type Log } from '../base/log.ts'
import { createCaches, createMetrics } from '../base/metrics.ts'
import { createReproducibleRandom, type Random, systemRandom } from '../base/random.ts'
import { grpcPortOf, isDevelopment, type Settings, servesExplorer } from '../base/settings.ts'
import { createTracer } from '../base/tracer.ts'
import { createLazyEngine, createSharedThreads, type SharedThreads } from '../engine/pool/lazy-pool.ts'
import { createGrpcMetrics } from '../grpc/grpc-metrics.ts'
import { createGrpcListeners } from '../grpc/listeners.ts'
import { createListeners } from '../http/listeners.ts'
import { createFaults } from '../ledger/development/faults.ts'
import { createRejections } from '../ledger/development/rejections.ts'
import { createSignIn } from '../ledger/development/sign-in.ts'
import { createTokens } from '../ledger/development/tokens.ts'
import type { WatchedDars, WatchedParts } from '../ledger/development/watched-dars.ts'
import type { FirstWorld, WorldNames } from '../ledger/development/world-application.ts'
import { uploadDars, uploadQuickstart } from '../ledger/packages/first-packages.ts'
import { endIdleThreads } from '../ledger/packages/idle-threads.ts'
import type { Packages } from '../ledger/packages/packages.ts'
import { instantToText } from '../lf/codec/time-text.ts'
import { measureSharing } from '../store/core/sharing-metrics.ts'
import { measureStore } from '../store/core/store-metrics.ts'
import type { Undo } from '../store/snapshots/snapshots.ts'
import type { Flushing } from '../store/sqlite/flushing.ts'
import { openServing } from './ledger-service.ts'
import { openDatabase } from './open-database.ts'
import type { OtlpExporter } from './otlp-exporter.ts'
import { createProcessMetrics } from './process-metrics.ts'
import { createPresentLedger } from './replaceable-ledger.ts'
import { retry } from './retry.ts'
import { keepFirstState, snapshotsOf } from './snapshots.ts'

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
  /** Of the world file, if there is one. */
  readonly worldNames: WorldNames | undefined
  /** The current time on a node with static time; undefined with the wall clock. */
  readonly staticTime: string | undefined
  /** Settles, with the reason, if the node can no longer work. */
  readonly lost: Promise<string>
  /** Signs a token for a user, on a node with a local secret. */
  readonly issueToken: ((userId: string, lifetimeMs: number) => Promise<string>) | undefined
  /** Opens the explorer, signed in on a development node; undefined if the node serves none. */
  readonly explorerLink: () => string | undefined
  /** Signs tokens of this node; only a development node that requires tokens has one. */
  readonly localSecret: string | undefined
}

/** What a test may replace, and what one of several processes behind a port does. */
export type Overrides = {
  readonly clock?: Clock
  readonly random?: Random
  readonly log?: Log
  readonly flushing?: Flushing
  /** Threads of the engine that the node shares with others, instead of its own. */
  readonly threads?: SharedThreads
  /** From the metrics of this process to those of all. */
  readonly metricsOfAll?: (own: () => Promise<string>) => () => Promise<string>
  /** False plants packages as they are: see `createPackages`. */
  readonly isCheckingPackages?: boolean
  readonly strangers?: Strangers
}

const engineStartMs = 300

/** Waits for a database that cannot be used yet. */
export async function startNode(settings: Settings, given: Overrides = {}): Promise<Node> {
  const { kind, postgresStartMs } = settings.store
  if (kind !== 'postgres') return startOnce(settings, given)
  const { clock = wallClock, log = createLog(settings.log.level, settings.log.format) } = given
  return retry(() => startOnce(settings, { ...given, log }).catch(explainOutage), {
    ...{ clock, withinMs: postgresStartMs },
    isPassing: (error) => error instanceof NotYetError,
    onWait: (error) =>
      log.warn({ reason: (error as Error).message, withinMs: postgresStartMs }, 'the start waits for the database'),
  })
}

function explainOutage(error: unknown): never {
  throw isStoreUnavailable(error) ? new NotYetError(`cannot use the database: ${unavailableReason(error)}`) : error
}

async function startOnce(given: Settings, overrides: Overrides): Promise<Node> {
  const firstWorld = await firstWorldOf(given)
  const settings = firstWorld?.settings ?? given
  const {
    clock = wallClock,
    random = randomFor(settings),
    log = createLog(settings.log.level, settings.log.format),
  } = overrides
  const { limits } = settings
  const health = createHealth(clock, log)
  const metrics = createMetrics()
  const caches = createCaches(metrics)
  metrics.gauge(
    'tallystick_part_failing',
    '1 while a part of the node is failing, by part',
    () => health.parts().map(({ name, state }) => [[name], state === 'failing' ? 1 : 0] as const),
    ['part'],
  )
  const strangers = overrides.strangers ?? createStrangers(limits, clock)
  metrics.gauge(
    'tallystick_strangers_waiting',
    'Requests without an accepted token that wait for their turn',
    () => strangers.counts.waiting,
  )
  metrics.total(
    'tallystick_strangers_refused_total',
    'Requests without an accepted token that were refused because too many waited',
    () => strangers.counts.refused,
  )
  await using started = new AsyncDisposableStack()
  let closing = ''
  /** Parts close in reverse order, so this runs before the part that was added last. */
  const closes = (part: string) =>
    started.defer(() => {
      closing = part
    })

  const exporter = await spanExporterFor(settings, clock, log)
  if (exporter !== undefined) started.use(exporter)
  const tracer = exporter && createTracer({ add: exporter.add, clock, random: systemRandom })
  metrics.total('tallystick_spans_exported_total', 'Spans sent to the collector', () => exporter?.counts.exported ?? 0)
  metrics.total(
    'tallystick_spans_dropped_total',
    'Spans dropped because the collector was away or slow',
    () => exporter?.counts.dropped ?? 0,
  )
  const { promise: lost, resolve: onLost } = Promise.withResolvers<string>()
  const { database, storeName, snapshots, undoable, openAnew } = await openDatabase(settings, {
    ...{ health, flushing: overrides.flushing, clock, log },
    isAlone: firstWorld !== undefined, // If it cannot be applied, a new ledger is deleted.
    ...{ looksThrough: true, onLost },
  })
  const damage = reportDamage(health, log)
  const keySets = createKeySets({ limits, clock, log, isLenient: settings.lenient })
  const localSecret = localSecretFor(settings, overrides.random ?? systemRandom)
  // Without authentication nobody checks tokens, but applications may want to send one.
  const signingSecret = localSecret ?? createLocalSecret(systemRandom)
  const sign = createTokenSigner(signingSecret, clock)
  const verifiers = verifiersFor(settings, localSecret, (source, name) =>
    createVerifier(source, name, { keySets, limits, clock }),
  )
  const processMetrics = createProcessMetrics()
  const ownMetrics = async () => (await metrics.page()) + (await processMetrics.page())
  const metricsPage = overrides.metricsOfAll?.(ownMetrics) ?? ownMetrics
  const watched = await watchedDarsOf(settings, firstWorld, {
    ...{ clock, log },
    packages: () => present.serving().ledger.packages,
  })
  const present = createPresentLedger({
    first: database,
    openAnew,
    openServing(opened, isFirst) {
      measureStore(metrics, opened, clock)
      measureSharing(metrics, opened)
      return openServing({
        ...{ settings, database: opened, keySets, verifiers, damage },
        openEngine: (ledger) => createLazyEngine(threads, { ledger, damage, metrics }),
        ...{ metrics, metricsPage, caches, health, strangers, clock, random, log, development, tracer },
        isCheckingPackages: overrides.isCheckingPackages ?? true,
        firstPackages: async (packages) => (isFirst ? uploadFirst(packages) : undefined),
      })
    },
    doors: () => doors,
    ...{ onLost, log },
  })
  async function uploadFirst(packages: Packages): Promise<void> {
    await uploadQuickstart(settings, packages)
    if (watched === undefined) await uploadDars(settings, packages)
    else await watched.upload(settings.dars, packages)
  }
  let wayBack: Undo | undefined
  started.defer(() => wayBack?.undo())
  started.defer(present.closeDatabase)
  closes('the database')
  started.defer(endIdleThreads)
  closes('the threads that read packages')
  const threads = overrides.threads ?? started.use(createSharedThreads(settings, clock))
  closes('the engine')
  const development = isDevelopment(settings)
    ? {
        snapshots: snapshotsOf({ settings, present, shelf: snapshots, firstWorld, watched, undoable }),
        rejections: createRejections(limits),
        faults: createFaults(clock),
        tokens: createTokens(sign),
        // Not from a seed: whoever knows that could guess the keys.
        signIn: createSignIn(() => signCommandLineToken(signingSecret, clock.nowMs()), systemRandom, clock),
      }
    : undefined
  const serving = await present.open()
  const { http, ledger, isNew } = serving
  started.defer(present.closeServing)
  closes('the ledger')
  const prepare = async (isFirst: boolean) => {
    wayBack = await undoable(present.database(), isFirst)
  }
  const hasFirstWorld = await firstWorld?.applyTo({ ...serving, prepare })
  await wayBack?.keep()
  wayBack = undefined
  await present.database().sharing?.open()
  if (development !== undefined && snapshots !== undefined) {
    await keepFirstState(snapshots, present, isNew || hasFirstWorld === true)
  }
  if (watched !== undefined) {
    started.use(watched)
    closes('the upload of a DAR')
    watched.start()
  }
  const door = createListeners({ settings, strangers, clock }, http)
  const grpcPort = grpcPortOf(settings)
  const grpcMetrics = createGrpcMetrics(metrics)
  const grpcDoor =
    grpcPort && createGrpcListeners({ settings, ...grpcPort, first: http.api, metrics: grpcMetrics, clock, log })
  const doors = grpcDoor === undefined ? [door] : [door, grpcDoor]
  started.defer(() => processMetrics.close())
  started.defer(async () => {
    await Promise.all(doors.map((each) => each.close(limits.stopWithinMs / 2)))
  })
  closes('the HTTP service')
  await present.database().looked
  const { participantId } = ledger.parties
  const url = await door.listen()
  const grpcUrl = await grpcDoor?.listen()
  present.database().sharing?.announce(url)
  log.info({ url, ...(grpcUrl !== undefined && { grpcUrl }), store: storeName, participantId }, 'started')
  // Threads take time to start. This delay keeps them from competing with the first requests; they should be ready for
  // the first command.
  const warmUp = clock.after(engineStartMs, () => {
    present.warmUp()
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
    worldNames: firstWorld?.names(participantId),
    staticTime: ledger.time.isStatic ? instantToText(ledger.time.now()) : undefined,
    lost,
    explorerLink() {
      if (!servesExplorer(settings)) return undefined
      const key = localSecret === undefined ? undefined : development?.signIn.key().key
      return `${url}/explorer${key === undefined ? '' : `#key=${key}`}`
    },
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

/** Undefined unless traces are wanted. */
async function spanExporterFor({ traces }: Settings, clock: Clock, log: Log): Promise<OtlpExporter | undefined> {
  const { otlpEndpoint: endpoint, otlpHeaders: headers, serviceName, spansMax } = traces
  if (endpoint === undefined) return undefined
  const { openOtlpExporter } = await import('./otlp-exporter.ts')
  return openOtlpExporter({ endpoint, headers, serviceName, spansMax, clock, log })
}

/** Read and checked before anything is opened. */
async function firstWorldOf(settings: Settings): Promise<FirstWorld | undefined> {
  if (settings.world === undefined) return undefined
  const { openFirstWorld } = await import('../ledger/development/world-application.ts')
  return openFirstWorld(settings.world, settings)
}

async function watchedDarsOf(
  settings: Settings,
  firstWorld: FirstWorld | undefined,
  parts: WatchedParts,
): Promise<WatchedDars | undefined> {
  if (!settings.watch) return undefined
  const { watchedDars } = await import('../ledger/development/watched-dars.ts')
  return watchedDars(settings, firstWorld?.darFiles ?? [], parts)
}
