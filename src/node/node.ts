// The composition root: settings in, a running node out. ledger-service.ts composes what is built on the database.
import { flushCompileCache } from 'node:module'
import { describeTokenCheck } from '../auth/configured-keys.ts'
import { backoffMs } from '../base/backoff.ts'
import { type Clock, wallClock } from '../base/clock.ts'
import { isStoreUnavailable, NotYetError, unavailableReason } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { systemRandom } from '../base/random.ts'
import { type Settings, servesExplorer } from '../base/settings.ts'
import { createLazyEngine, createSharedThreads, type SharedThreads } from '../engine/pool/lazy-pool.ts'
import type { LocalCall } from '../http/local-exchange.ts'
import type { Development } from '../ledger/development/development.ts'
import { createFaults } from '../ledger/development/faults.ts'
import type { WatchedDars } from '../ledger/development/watched-dars.ts'
import type { WorldNames } from '../ledger/development/world-application.ts'
import { forkStatus } from '../ledger/fork/fork-status.ts'
import { expectUpload, uploadDars, uploadQuickstart } from '../ledger/packages/first-packages.ts'
import { endIdleThreads } from '../ledger/packages/idle-threads.ts'
import type { Packages } from '../ledger/packages/packages.ts'
import { instantToText } from '../lf/codec/time-text.ts'
import type { Flushing } from '../store/sqlite/flushing.ts'
import { createDevelopment, createNodeSignIn, createWatchedDars } from './development-tools.ts'
import { createWorldApplication, readFirstWorld } from './first-world.ts'
import { asForked, describeFork, openFork } from './fork.ts'
import { createInitScript } from './init-script.ts'
import { type InstrumentOverrides, logFor, openInstruments } from './instruments.ts'
import { type LedgerService, openLedgerService } from './ledger-service.ts'
import { instrumentsOf, openServices } from './network.ts'
import { createNodeListeners } from './node-listeners.ts'
import { openDatabase } from './open-database.ts'
import { createOpenParts } from './open-parts.ts'
import { openOwnQueryStores } from './own-query-stores.ts'
import { type ParticipantSettings, participantsOf } from './participants.ts'
import { createReplaceableLedger } from './replaceable-ledger.ts'
import { createScripts } from './scripts.ts'
import { keepFirstState } from './snapshots.ts'
import { createTokenKeys, type TokenKeys } from './token-keys.ts'

export type Node = AsyncDisposable &
  NodeDescription &
  NodeAccess & {
    readonly url: string
    /** Of the gRPC API; undefined if there is none. */
    readonly grpcUrl: string | undefined
    /** Of the Admin API; undefined if there is none. */
    readonly adminUrl: string | undefined
    /** All participants; the first one is what the rest of this describes. */
    readonly participants: readonly ServedParticipant[]
    /** Where the ledger is kept, for people. */
    readonly storeName: string
    /** A request to the first participant from inside this process. */
    readonly call: LocalCall
    /** Settles, with the reason, if the node can no longer work. */
    readonly lost: Promise<string>
  }

/** A participant that this node runs. */
export type ServedParticipant = {
  readonly name: string
  readonly participantId: string
  readonly url: string
  readonly grpcUrl: string | undefined
  readonly adminUrl: string | undefined
}

type NodeDescription = {
  readonly participantId: string
  /** How tokens are checked, for people. */
  readonly tokenCheck: string
  /** Names and versions of all uploaded packages. */
  readonly packages: readonly string[]
  /** Aliases; those not connected are marked. */
  readonly synchronizers: readonly string[]
  /** Of the world file, if there is one. */
  readonly worldNames: WorldNames | undefined
  /** The participant whose state the ledger began with, and its offset; undefined unless the ledger is a fork. */
  readonly forkOf: string | undefined
  /** The current time on a node with static time; undefined with the wall clock. */
  readonly staticTime: string | undefined
}

type NodeAccess = {
  /** Signs tokens of this node; only a development node that requires tokens has one. */
  readonly localSecret: string | undefined
  /** Signs a token for a user of a participant, by default the first one, on a node with a local secret. */
  readonly issueToken: ((userId: string, lifetimeMs: number, participantId?: string) => Promise<string>) | undefined
  /** Opens the explorer, signed in on a development node; undefined if the node serves none. */
  readonly explorerLink: () => string | undefined
}

/** What a test may replace, and what one of several processes behind a port does. */
export type Overrides = InstrumentOverrides & {
  readonly flushing?: Flushing
  /** Threads of the engine that the node shares with others, instead of its own. */
  readonly threads?: SharedThreads
  /** False plants packages as they are: see `createPackages`. */
  readonly isCheckingPackages?: boolean
  /** False for a development node that begins without the quickstart package. */
  readonly hasQuickstart?: boolean
  /** True for a node that only `call` reaches: it listens nowhere, and nobody resets it or asks for its metrics. */
  readonly isUnserved?: boolean
  /** What a ledger in memory begins with: the file of another. */
  readonly content?: Uint8Array | undefined
}

const engineStartMs = 300
const nowhere = { url: '', grpcUrl: undefined, adminUrl: undefined }

/** Waits for a database that cannot be used yet. */
export async function startNode(settings: Settings, overrides: Overrides = {}): Promise<Node> {
  if (settings.store.kind !== 'postgres') return startOnce(settings, overrides)
  const { clock = wallClock, log = logFor(settings) } = overrides
  const start = () => startOnce(settings, { ...overrides, log })
  return startWithin(settings.store.postgresStartMs, start, clock, log)
}

/** Repeats the start while the database cannot be used. No attempt begins later than `withinMs` after the first. */
async function startWithin(withinMs: number, start: () => Promise<Node>, clock: Clock, log: Log): Promise<Node> {
  const untilMs = clock.elapsedMs() + withinMs
  for (let failures = 1; ; failures += 1) {
    try {
      return await start()
    } catch (cause) {
      const error = explained(cause)
      const pauseMs = backoffMs(failures)
      if (!(error instanceof NotYetError) || clock.elapsedMs() + pauseMs > untilMs) throw error
      if (failures === 1) log.warn({ reason: error.message, withinMs }, 'the start waits for the database')
      await new Promise<void>((resolve) => clock.after(pauseMs, resolve))
    }
  }
}

function explained(error: unknown): unknown {
  return isStoreUnavailable(error) ? new NotYetError(`cannot use the database: ${unavailableReason(error)}`) : error
}

async function startOnce(configured: Settings, overrides: Overrides): Promise<Node> {
  const firstWorld = await readFirstWorld(configured)
  const settings = firstWorld?.settings ?? configured
  const participants = participantsOf(settings)
  const { stopWithinMs } = settings.limits
  const { isUnserved = false } = overrides
  const { promise: lost, resolve: onLost } = Promise.withResolvers<string>()
  await using open = createOpenParts()

  const { instruments, measureProcess, closeInstruments } = await openInstruments(settings, overrides)
  open.add('the export of traces', closeInstruments)
  const { health, metrics, damage, clock, log } = instruments

  const { database, storeName, snapshots, undoable, openAnew } = await openDatabase(settings, {
    health,
    flushing: overrides.flushing,
    content: overrides.content,
    clock,
    log,
    isAlone: firstWorld !== undefined || settings.initScript !== undefined, // A failure deletes a new ledger.
    looksThrough: true,
    onLost,
  })
  const fork = openFork(settings, clock, log)
  const replaceable = createReplaceableLedger({ first: database, openAnew, onLost, log })
  const names = participants.map(({ name }) => name)
  const initScript = createInitScript(settings, firstWorld?.initScript, () => development?.scripts, log)
  const world = createWorldApplication(firstWorld, names, initScript, undoable)
  open.add('the undoing of the world', world.undo)
  open.add('the database', replaceable.closeDatabase)

  // Threads that this node shares with later ones of its process are not its own to end.
  const threads = overrides.threads ?? createSharedThreads(settings, clock)
  if (threads !== overrides.threads) {
    open.add('the threads that read packages', endIdleThreads)
    open.add('the engine', () => threads[Symbol.asyncDispose]())
  }
  if (settings.dars.length > 0) await expectUpload()

  const tokenKeys = createTokenKeys(settings, instruments, overrides.random ?? systemRandom)
  const darsOfWorld = firstWorld?.dars ?? []
  const watched = await createWatchedDars({ settings, darsOfWorld, names, replaceable, instruments })
  const signIn = createNodeSignIn(tokenKeys, instruments)
  const faultsOf = createFaults(clock, names)
  const forked = () => {
    const [{ records, ledger }] = replaceable.services()
    return forkStatus(records, ledger.end.current().offset, fork?.following())
  }
  const tools = { tokenKeys, replaceable, shelf: snapshots, world, watched, signIn, fork: forked }
  const developments = new Map(
    participants.map((participant, index) => {
      const { settings, name } = participant
      const scripts = createScripts({ settings, instruments, tokenKeys, names, index, services: replaceable.services })
      return [participant, createDevelopment({ ...tools, settings, faults: faultsOf(name), scripts })]
    }),
  )
  const development = developments.get(participants[0])

  const urls = new Map<ParticipantSettings, string>()
  const urlOf = (participant: ParticipantSettings) => urls.get(participant)
  const services = await replaceable.open((database, isFirst) =>
    openServices(participants, database, urlOf, async (participant, tables, place) =>
      openLedgerService({
        settings: await asForked(participant.settings, tables.database, fork),
        instruments: instrumentsOf(instruments, participant, participants),
        ...tables,
        openEngine: (ledger) => createLazyEngine(threads, { ledger, damage, metrics }),
        tokenKeys,
        isCheckingPackages: overrides.isCheckingPackages ?? true,
        development: developments.get(participant),
        place,
        async fill(parts) {
          await fork?.fill(parts)
          if (isFirst) await uploadFirst(settings, overrides.hasQuickstart ?? true, watched, parts.packages)
        },
        assigning: fork?.assigning,
        accompany: (parts) => fork?.follow(parts),
      }),
    ),
  )
  const [service] = services
  open.add('the ledger', replaceable.closeService)
  const hasFirstWorld = await world.applyAtStart(services, replaceable.database())
  await replaceable.database().sharing?.open()
  if (development !== undefined && snapshots !== undefined && !isUnserved) {
    const isFirst = services.every(({ isNew }) => isNew) || hasFirstWorld || overrides.content !== undefined
    await keepFirstState(snapshots, replaceable, isFirst)
  }
  if (watched !== undefined) {
    open.add('the upload of a DAR', () => watched[Symbol.asyncDispose]())
    watched.start()
  }

  const kept = participants.map((participant, index) => {
    const labelled = instrumentsOf(instruments, participant, participants)
    return { participant, service: services[index]!, instruments: labelled }
  })
  const queryStores = await openOwnQueryStores(settings, replaceable.database().sharing, kept)
  open.add('the query store', () => queryStores[Symbol.asyncDispose]())

  const listeners = participants.flatMap((participant, index) => {
    if (!participant.isServed) return []
    return { participant, index, ...createNodeListeners(participant.settings, instruments, services[index]!.http) }
  })
  replaceable.serveThrough(listeners)
  open.add('the HTTP service', () => Promise.all(listeners.map((each) => each.close(stopWithinMs / 2))))
  await replaceable.database().looked
  const served: ServedParticipant[] = []
  for (const { participant, index, listen } of listeners) {
    const { participantId } = services[index]!.ledger.parties
    const addresses = isUnserved ? nowhere : await listen()
    urls.set(participant, addresses.url)
    served.push({ name: participant.name, participantId, ...addresses })
    log.info({ ...addresses, store: storeName, participantId }, 'started')
  }
  const { url, grpcUrl, adminUrl, participantId } = served[0]!
  replaceable.database().sharing?.announce(url)

  // Threads take time to start. This delay keeps them from competing with the first requests; they should be ready for
  // the first command.
  const warmUp = isUnserved
    ? undefined
    : clock.after(engineStartMs, () => {
        replaceable.warmUp()
        measureProcess()
        flushCompileCache() // Written now, so that the next start is quick even if the node is killed.
      })
  open.add('the warm-up', () => warmUp?.cancel())

  const description = await describeNode(settings, service, tokenKeys)
  const access = createAccess({ settings, url, participantId, tokenKeys, development })
  const named = services.map(({ ledger }, index) => ({
    name: names[index]!,
    participantId: ledger.parties.participantId,
  }))
  const close = open.keep()
  return {
    ...description,
    worldNames: firstWorld?.names(named),
    ...access,
    url,
    grpcUrl,
    adminUrl,
    participants: served,
    storeName,
    call: listeners[0]!.call,
    lost,
    async [Symbol.asyncDispose]() {
      await close({ withinMs: stopWithinMs, clock, log })
      log.info({}, 'stopped')
    },
  }
}

async function uploadFirst(
  settings: Settings,
  hasQuickstart: boolean,
  watched: WatchedDars | undefined,
  packages: Packages,
): Promise<void> {
  if (hasQuickstart) await uploadQuickstart(settings, packages)
  if (watched === undefined) await uploadDars(settings, packages)
  else await watched.upload(settings.dars, packages)
}

async function describeNode(
  settings: Settings,
  { ledger, records }: LedgerService,
  { verifiers }: TokenKeys,
): Promise<Omit<NodeDescription, 'worldNames'>> {
  const { participantId } = ledger.parties
  return {
    participantId,
    tokenCheck: describeTokenCheck(settings, verifiers),
    packages: (await ledger.packages.uploaded()).map(({ name, version }) => `${name} ${version}`),
    synchronizers: ledger.synchronizers
      .all()
      .map(({ alias, isConnected }) => (isConnected ? alias : `${alias} (not connected)`)),
    forkOf: await describeFork(records),
    staticTime: ledger.time.isStatic ? instantToText(ledger.time.now()) : undefined,
  }
}

type AccessParts = {
  readonly settings: Settings
  readonly url: string
  readonly participantId: string
  readonly tokenKeys: TokenKeys
  readonly development: Development | undefined
}

function createAccess({ settings, url, participantId, tokenKeys, development }: AccessParts): NodeAccess {
  const { localSecret, signUserToken } = tokenKeys
  const issueToken = (userId: string, lifetimeMs: number, of = participantId) => signUserToken(userId, of, lifetimeMs)
  return {
    localSecret,
    issueToken: localSecret === undefined ? undefined : issueToken,
    explorerLink() {
      if (!servesExplorer(settings)) return undefined
      const key = localSecret === undefined ? undefined : development?.signIn.key().key
      return `${url}/explorer${key === undefined ? '' : `#key=${key}`}`
    },
  }
}
