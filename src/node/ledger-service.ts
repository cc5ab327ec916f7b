// Everything over an open database: the ledger, authentication and the HTTP service. A node has one at a time and
// replaces it when its ledger is replaced, so nothing that a part remembers survives the ledger it came from.
import { type Api, createApi } from '../api/api.ts'
import { authenticatingTwice } from '../auth/admission.ts'
import { type Authenticator, createAuthenticator, createClaimsCheck } from '../auth/authentication.ts'
import { createTokenReader } from '../auth/tokens.ts'
import { settlesWithin, wallClock } from '../base/clock.ts'
import { LedgerError } from '../base/errors.ts'
import { createSecondLook, type SecondLook } from '../base/second-look.ts'
import { givesHints, type Settings } from '../base/settings.ts'
import { ownVersion } from '../base/version.ts'
import type { LedgerAccess } from '../engine/ledger-access.ts'
import type { Engine } from '../engine/pool/lazy-pool.ts'
import { createHttpService, type HttpService } from '../http/service.ts'
import { createExternalParties } from '../ledger/administration/external-parties.ts'
import { createParties } from '../ledger/administration/parties.ts'
import type { Development } from '../ledger/development/development.ts'
import { underFaults } from '../ledger/development/faulty-submissions.ts'
import { listenersFor } from '../ledger/development/rejections.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Leadership } from '../ledger/model/background-loop.ts'
import { readIdentity } from '../ledger/model/identity.ts'
import type { Synchronizers } from '../ledger/model/synchronizers.ts'
import { ledgerAccessOver, type OpenLedger, openLedger } from '../ledger/open-ledger.ts'
import type { NodeRecords } from '../store/core/administration-records.ts'
import type { Database } from '../store/core/database.ts'
import type { Sharing } from '../store/core/sharing.ts'
import { measureSharing } from '../store/core/sharing-metrics.ts'
import type { Store } from '../store/core/store.ts'
import { measureStore } from '../store/core/store-metrics.ts'
import { measureReplica, type ReplicaReads, readFromReplica } from '../store/postgres/replica.ts'
import { createStore } from '../store/records/create-store.ts'
import type { Instruments } from './instruments.ts'
import {
  createPackageParts,
  createRegisters,
  loadParticipant,
  type PackageParts,
  type Participant,
  type Place,
  prepareStore,
  type Registers,
  randomOfLedger,
} from './ledger-parts.ts'
import { authenticatingWhenCurrent, followOthers, lookingFirst } from './shared-ledger.ts'
import type { TokenKeys } from './token-keys.ts'

export type LedgerService = AsyncDisposable & {
  readonly http: HttpService
  readonly ledger: Ledger
  /** Whether this is its first start. */
  readonly isNew: boolean
  readonly engine: Engine
  /** The node's own facts. */
  readonly records: NodeRecords
}

type LedgerServiceParts = {
  readonly settings: Settings
  readonly instruments: Instruments
  /** Of the newest schema. */
  readonly database: Database
  /** Whether this is the first start of its ledger. */
  readonly isNew: boolean
  readonly openEngine: (ledger: LedgerAccess) => Engine
  readonly tokenKeys: TokenKeys
  /** False plants packages as they are: see `createPackages`. */
  readonly isCheckingPackages: boolean
  /** Undefined unless this is a development node. */
  readonly development: Development | undefined
  /** Undefined for a participant alone. */
  readonly place: Place | undefined
  /** Gives the ledger what it begins with, before it is opened. */
  readonly fill: (parts: Fillable) => Promise<void>
  /** When the node assigns contracts in transit by itself; always if undefined. */
  readonly assigning: Leadership | undefined
  /** What runs beside the ledger while it is open. */
  readonly accompany: (parts: Accompanied) => AsyncDisposable | undefined
}

/** A ledger that is not open yet. */
export type Fillable = PackageParts & { readonly store: Store; readonly synchronizers: Synchronizers }

/** A ledger that is open. */
export type Accompanied = Fillable & Pick<OpenLedger, 'end' | 'time' | 'receive'>

/** How long a readiness probe may take. */
const readyWithinMs = 2_000

export async function openLedgerService(parts: LedgerServiceParts): Promise<LedgerService> {
  const { settings, database, isNew, development } = parts
  const { sharing } = database
  measureStore(parts.instruments.metrics, database, parts.instruments.clock)
  measureSharing(parts.instruments.metrics, database)
  await using opened = new AsyncDisposableStack()

  const store = await prepareStore(settings, database, parts.instruments)
  const random = await randomOfLedger(store, parts.instruments.random, sharing)
  const participant = await loadParticipant(settings, store, parts.instruments, parts.place)
  const instruments: Instruments = { ...parts.instruments, random }
  const registers = createRegisters(settings, store, instruments, parts.place)
  const packages = createPackageParts(store, participant, instruments, parts)
  const fillable = { ...packages, store, synchronizers: participant.synchronizers }
  await parts.fill(fillable)

  const engine = opened.use(parts.openEngine(ledgerAccessOver(store)))
  const replica = openReplica(settings, database, store, participant, instruments)
  if (replica !== undefined) opened.use(replica)
  // Paced by real time: other nodes go on while the clock of this one is held.
  const secondLook = sharing && createSecondLook(sharing, wallClock)
  const core = opened.use(
    await openLedger({
      settings,
      ...instruments,
      store,
      readingStore: replica?.store ?? store,
      engine,
      packageState: packages.state,
      contents: packages.contents.load,
      ...participant,
      hosting: registers.hosting,
      partyKeys: registers.partyKeys,
      listeners: development && listenersFor(development.rejections, participant.time.now),
      place: parts.place,
      assigning: parts.assigning,
      sharing,
      secondLook,
    }),
  )
  measureReplica(instruments.metrics, replica, () => core.end.current().offset)
  await followOthers(sharing, participant, registers, packages, core)

  const base = { settings, instruments, sharing, secondLook, store, participant, registers, packages, core }
  const ledger = assembleLedger(base, development, parts.place)
  const api = createServedApi(base, ledger, parts.tokenKeys)
  const http = createService(base, api)
  development?.faults.onEndStreams(api.endStreams)
  core.presence?.onChange(() => {
    const stopped = api.stopped()
    if (stopped !== undefined) api.endAll(stopped)
  })
  core.pruning.resume()
  const companion = parts.accompany({ ...fillable, end: core.end, time: core.time, receive: core.receive })
  if (companion !== undefined) opened.use(companion)
  const close = opened.move()
  return {
    http,
    isNew,
    engine,
    records: store.node,
    ledger,
    [Symbol.asyncDispose]: () => close.disposeAsync(),
  }
}

/** What the ledger's services are built on. */
type Base = {
  readonly settings: Settings
  readonly instruments: Instruments
  /** Both undefined if the node has its ledger to itself. */
  readonly sharing: Sharing | undefined
  readonly secondLook: SecondLook | undefined
  readonly store: Store
  readonly participant: Participant
  readonly registers: Registers
  readonly packages: PackageParts
  readonly core: OpenLedger
}

function openReplica(
  { store: { postgresWatchMs } }: Settings,
  database: Database,
  store: Store,
  { participantId }: Participant,
  { clock, log }: Instruments,
): ReplicaReads | undefined {
  if (database.replica === undefined) return undefined
  const isSame = async (other: Store) => (await readIdentity(other))?.participantId === participantId
  return readFromReplica({ store, replica: createStore(database.replica), isSame, lookMs: postgresWatchMs, clock, log })
}

function assembleLedger(base: Base, development: Development | undefined, place: Place | undefined): Ledger {
  const { settings, instruments, sharing, store, participant, registers, packages, core } = base
  const { users, identityProviders, hosting, partyKeys } = registers
  const { compatibility, limits } = settings
  const { identity, synchronizers } = participant
  const { commits, advance: _, receive: __, presence: ___, ...reading } = core
  const partyParts = {
    store,
    users,
    identity,
    synchronizers,
    hosting,
    partyKeys,
    commits,
    limits,
    random: instruments.random,
    network: place?.network,
    isScriptLedger: settings.scriptLedger,
  }
  const ledger = lookingFirst(
    {
      ...reading,
      users,
      parties: createParties(partyParts),
      externalParties: createExternalParties(partyParts),
      identityProviders,
      packages: packages.packages,
      vetting: packages.vetting,
      synchronizers,
      development,
      compatibility,
      limits,
    },
    sharing,
  )
  return development === undefined ? ledger : { ...ledger, ...underFaults(ledger, development) }
}

function createAuthentication(
  { settings: { auth, limits }, instruments: { clock, caches }, sharing, secondLook, registers }: Base,
  { verifiers, keySets, signedOut }: TokenKeys,
): Authenticator {
  const { users, identityProviders: issuers } = registers
  const authenticate = createAuthenticator({
    readToken:
      auth.mode === 'off'
        ? undefined
        : createTokenReader({ verifiers, issuers, keySets, signedOut, limits, clock, caches }),
    userId: auth.userId,
    findUser: users.find,
    checksRights: auth.authorization,
  })
  return authenticatingTwice(authenticatingWhenCurrent(authenticate, sharing), secondLook)
}

function createServedApi(base: Base, ledger: Ledger, tokenKeys: TokenKeys): Api {
  const { settings, instruments, secondLook, registers, core } = base
  const { metrics, health, strangers, clock, random, log, tracer } = instruments
  const { users, identityProviders } = registers
  return createApi({
    settings,
    ownVersion,
    ledger,
    hints: givesHints(settings) ? core.hints : undefined,
    authenticate: createAuthentication(base, tokenKeys),
    secondLook,
    stopped: () => (core.presence?.isStopped() ? participantStopped() : undefined),
    stillMay: createClaimsCheck(users.find, tokenKeys.signedOut),
    accessChanges: { onUser: users.onChange, onIdentityProvider: identityProviders.onChange },
    metrics,
    health,
    strangers,
    clock,
    random,
    log,
    tracer,
  })
}

function participantStopped(): LedgerError {
  return new LedgerError('SERVICE_NOT_RUNNING', 'The participant is stopped (/dev/network).')
}

function createService({ instruments, store, participant }: Base, api: Api): HttpService {
  const { metrics, metricsPage, clock } = instruments
  return createHttpService({
    api,
    ownVersion,
    metrics,
    metricsPage,
    async checkReady() {
      if (participant.synchronizers.list().length === 0) throw new Error('it is connected to no synchronizer')
      if (!(await settlesWithin(store.check(), readyWithinMs, clock))) throw new Error('the store does not answer')
    },
  })
}
