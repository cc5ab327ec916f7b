// The composition root: settings in, a running node out. serving.ts composes what stands over the database.
import { flushCompileCache } from 'node:module'
import { describeTokenCheck, localSecretFor, verifiersFor } from './auth/configured-keys.ts'
import { createKeySets } from './auth/jwks.ts'
import { createVerifier } from './auth/key-sources.ts'
import { signToken } from './auth/local-tokens.ts'
import { audienceOfParticipant } from './auth/payload.ts'
import { type Clock, settlesWithin, wallClock } from './base/clock.ts'
import { reportDamage } from './base/damage-report.ts'
import { StopError } from './base/errors.ts'
import { createHealth } from './base/health.ts'
import { createLog, type Log } from './base/log.ts'
import { createCaches, createMetrics } from './base/metrics.ts'
import { type Random, systemRandom } from './base/random.ts'
import type { Settings } from './base/settings.ts'
import type { LedgerAccess } from './engine/ledger-access.ts'
import { createLazyEngine } from './engine/pool/lazy-pool.ts'
import { createFrontDoor } from './http/front-door.ts'
import { createProcessMetrics } from './http/process-metrics.ts'
import { uploadDars } from './ledger/packages/first-packages.ts'
import { instantToText } from './lf/codec/time-text.ts'
import { openDatabase } from './open-database.ts'
import { openServing, type Serving } from './serving.ts'
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
export async function startNode(settings: Settings, world: World = {}): Promise<Node> {
  const { clock = wallClock, random = systemRandom, log = createLog(settings.log.level, settings.log.format) } = world
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
  const { database, storeName } = await openDatabase(settings, {
    ...{ health, onLost, flushing: world.flushing, log },
    looksThrough: true,
  })
  started.use(database)
  closes('the database')
  measureStore(metrics, database, clock)
  const damage = reportDamage(health, log)
  /** Set once the ledger is open; before that the engine has nothing to do. */
  let serving: Serving | undefined
  const access: LedgerAccess = {
    package: (id) => serving!.access.package(id),
    contracts: (ids) => serving!.access.contracts(ids),
    contractsWithKey: (hash, before) => serving!.access.contractsWithKey(hash, before),
  }
  const engine = started.use(createLazyEngine(settings, { ledger: access, clock, damage, metrics }))
  closes('the engine')
  const keySets = createKeySets(limits, clock, log)
  const localSecret = localSecretFor(settings, random)
  const verifiers = verifiersFor(settings, localSecret, (source, name) =>
    createVerifier(source, name, { keySets, limits, clock }),
  )
  const processMetrics = createProcessMetrics()
  started.defer(() => processMetrics.close())
  serving = await openServing({
    ...{ settings, database, engine, keySets, verifiers, damage },
    ...{ metrics, processMetrics, caches, health, clock, random, log },
    isCheckingPackages: world.isCheckingPackages ?? true,
    firstPackages: (packages) => uploadDars(settings, packages),
  })
  started.defer(() => serving![Symbol.asyncDispose]())
  closes('the ledger')
  const door = createFrontDoor(settings, clock, serving.http)
  started.defer(() => door.close(limits.stopWithinMs / 2))
  closes('the HTTP service')
  await database.looked
  const { ledger } = serving
  const { participantId } = ledger.parties
  const url = await door.listen()
  log.info({ url, store: storeName, participantId }, 'started')
  // Threads take time to start. This delay keeps them from competing with the first requests; they should be ready for
  // the first command.
  const warmUp = clock.after(engineStartMs, () => {
    engine.start()
    processMetrics.start()
    flushCompileCache() // Written now, so that the next start is quick even if the node is killed.
  })
  started.defer(() => warmUp.cancel())
  ledger.pruning.resume()

  const parts = started.move()
  return {
    url,
    participantId,
    storeName,
    tokenCheck: describeTokenCheck(settings, verifiers),
    packages: (await ledger.packages.uploaded()).map(({ name, version }) => `${name} ${version}`),
    synchronizers: ledger.synchronizers
      .all()
      .map(({ alias, isConnected }) => (isConnected ? alias : `${alias} (not connected)`)),
    staticTime: ledger.time.isStatic ? instantToText(ledger.time.now()) : undefined,
    lost,
    issueToken:
      localSecret === undefined
        ? undefined
        : (userId, lifetimeMs) =>
            signToken(localSecret, {
              userId,
              audience: audienceOfParticipant(participantId),
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
