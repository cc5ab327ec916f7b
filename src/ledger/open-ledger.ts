// Assembles the ledger over a store and an engine: commit, reassignment, submission and reading, each in its own
// function.
import { createByteBudget } from '../base/byte-budget.ts'
import type { Clock } from '../base/clock.ts'
import type { Health } from '../base/health.ts'
import type { Log } from '../base/log.ts'
import type { Caches, Metrics } from '../base/metrics.ts'
import type { Random } from '../base/random.ts'
import type { SecondLook } from '../base/second-look.ts'
import { isDevelopment, type Settings } from '../base/settings.ts'
import type { Tracer } from '../base/tracer.ts'
import type { LedgerAccess } from '../engine/ledger-access.ts'
import type { EnginePool } from '../engine/pool/pool.ts'
import type { Follower, Present, Sharing } from '../store/core/sharing.ts'
import type { Store } from '../store/core/store.ts'
import { createCommandMetrics } from './commit/command-metrics.ts'
import { type CommitQueue, createCommitQueue } from './commit/commit-queue.ts'
import { createInFlight, createWaits } from './commit/in-flight.ts'
import type { Given, OtherParticipants } from './commit/other-participants.ts'
import type { OutcomeListener } from './commit/outcome.ts'
import { createPruning, type Pruning } from './commit/pruning.ts'
import { developmentBounds, otherBounds } from './finding/bounds.ts'
import { createFinding, type Finding } from './finding/finding.ts'
import { type CommandInspection, createCommandInspection } from './inspection/command-status.ts'
import { createCommandTracking } from './inspection/command-tracking.ts'
import { createHints, type Hints } from './inspection/hints.ts'
import type { InteractiveSubmissions } from './interactive/interactive-requests.ts'
import { createInteractiveSubmissions, type InteractiveListeners } from './interactive/interactive-submissions.ts'
import { type Leadership, leadershipOf } from './model/background-loop.ts'
import type { Commands } from './model/commands.ts'
import { loadEnd } from './model/ledger-end.ts'
import type { LedgerTime } from './model/ledger-time.ts'
import { createNames } from './model/name-numbers.ts'
import type { Synchronizers } from './model/synchronizers.ts'
import { startCatchingUp } from './network/catching-up.ts'
import { createNetworkControl, lagMs, type NetworkControl } from './network/control.ts'
import type { Deliveries } from './network/delivery.ts'
import type { Member } from './network/member.ts'
import type { Network } from './network/network.ts'
import { loadPresence, type Presence } from './network/presence.ts'
import { createHostVetting } from './packages/host-vetting.ts'
import type { PackageState } from './packages/known-packages.ts'
import type { PackageContents } from './packages/package-contents.ts'
import { createActiveContracts } from './reading/active-contracts.ts'
import { createReadingCaches } from './reading/caches.ts'
import { createCompletions } from './reading/completions.ts'
import { createContractEvents } from './reading/contract-events.ts'
import { freeBytes } from './reading/reader.ts'
import { checkedContents, type ReadingParts } from './reading/reading-parts.ts'
import type { Reading } from './reading/requests/queries.ts'
import { createUpdates } from './reading/updates.ts'
import { startAutomaticAssignment } from './reassignment/automatic-assignment.ts'
import type { ReassignmentCommands, Reassignments } from './reassignment/reassignment-commands.ts'
import { createReassignments } from './reassignment/reassignments.ts'
import { createReselection } from './routing/package-reselection.ts'
import { createPackageSelection } from './routing/package-selection.ts'
import { createRouting } from './routing/routing.ts'
import { createInterpretation } from './submission/interpretation.ts'
import { createSubmissions, type Submissions } from './submission/submission.ts'
import { tracedCommits, tracedInterpretation, tracedRouting } from './submission/traced-stages.ts'
import type { Hosting } from './topology/hosting.ts'
import type { PartyKeyRegister } from './topology/party-keys.ts'

export type OpenLedger = AsyncDisposable &
  Reading & {
    readonly submissions: Submissions
    readonly interactive: InteractiveSubmissions
    readonly reassignments: Reassignments
    /** For changes that take an offset without being a command. */
    readonly commits: Pick<CommitQueue, 'host'>
    readonly inspection: CommandInspection
    readonly pruning: Pruning
    readonly time: LedgerTime
    readonly hints: Hints
    readonly finding: Finding
    /** Undefined for a participant alone. */
    readonly network: NetworkControl | undefined
    /** Whether this participant takes part in the network now; undefined for a participant alone. */
    readonly presence: Presence | undefined
    /** Publishes what another node has committed. */
    readonly advance: Follower['advance']
    /** Publishes what something else than a commit has written for this participant. */
    readonly receive: (given: Given) => void
  }

/** Each hears what becomes of the requests of one kind. */
type Listeners = InteractiveListeners & {
  readonly submissions: OutcomeListener<Commands>
  readonly reassignments: OutcomeListener<ReassignmentCommands | undefined>
}

type Parts = {
  readonly store: Store
  /** Where updates and completions are read; the same, or a replica that falls back to it. */
  readonly readingStore?: Store
  readonly engine: Pick<EnginePool, 'interpret' | 'prefer' | 'views' | 'render' | 'plans'>
  readonly packageState: PackageState
  readonly contents: () => Promise<PackageContents>
  readonly synchronizers: Synchronizers
  readonly hosting: Hosting
  readonly partyKeys: PartyKeyRegister
  readonly participantId: string
  readonly settings: Settings
  readonly time: LedgerTime
  readonly clock: Clock
  readonly random: Random
  readonly health: Health
  readonly log: Log
  readonly metrics: Metrics
  readonly caches: Caches
  readonly listeners: Listeners | undefined
  /** The network, and the place of this participant in it; undefined for a participant alone. */
  readonly place?: MemberPlace | undefined
  /** Undefined if the ledger is this node's alone. */
  readonly sharing: Sharing | undefined
  /** When this node assigns contracts in transit by itself; by default, whenever it leads. */
  readonly assigning?: Leadership | undefined
  readonly secondLook: SecondLook | undefined
  readonly tracer?: Tracer | undefined
}

type MemberPlace = {
  readonly network: Network
  readonly number: number
  readonly name: string
  /** Aliases of its synchronizers; undefined for all. */
  readonly connected: ReadonlySet<string> | undefined
  /** Where the participant listens. */
  readonly url: () => string | undefined
}

/** Parties and templates whose numbers are cached. */
const namesMax = 100_000

export async function openLedger(parts: Parts): Promise<OpenLedger> {
  const core = await openCore(parts)
  const member: Member | undefined = core.place && {
    ...core,
    number: core.place.number,
    name: core.place.name,
    joined: core.place.connected,
    url: core.place.url,
    presence: await loadPresence(core.synchronizers, core.store.isShared ? core.store.node : undefined),
    publish(delivery) {
      receive(delivery)
      others?.given()
    },
    settle: (number, offset) => others?.settle(number, offset),
    catchUp: () => catchingUp?.disturb(),
    updateWithId: (...request) => reading.updates.updateWithId(...request),
  }
  const others = member && core.place?.network.join(member, core)
  const commits = openCommits(core, others)
  const pruning = openPruning(core)
  const reassignments = createReassignments({ ...core, commits, listener: core.listeners?.reassignments })
  const automaticAssignment = startAutomaticAssignment({
    ...core,
    leadership: core.assigning ?? core.leadership,
    reassignments,
  })
  const receive = receiving(core, automaticAssignment)
  const catchingUp = member && startCatchingUp({ ...core, member })
  const readingParts = readingPartsOf(core)
  const reading = openReading(core, readingParts)
  measure(core.metrics, { ...reading, pruning })
  if (member !== undefined) measureWaiting(core.metrics, member)
  return {
    ...reading,
    ...openSubmissions(core, commits, reassignments),
    reassignments,
    commits,
    pruning,
    time: core.time,
    inspection: openInspection(core, reading),
    hints: createHints(core),
    finding: createFinding({
      reading: readingParts,
      bounds: isDevelopment(core.settings) ? developmentBounds : otherBounds,
      isInNetwork: core.place !== undefined,
    }),
    network: core.place && createNetworkControl(core.place.network.members),
    presence: member?.presence,
    advance: following(core, pruning, automaticAssignment, others),
    receive,
    async [Symbol.asyncDispose]() {
      const parts = [pruning, automaticAssignment, commits, ...(catchingUp === undefined ? [] : [catchingUp])]
      const closing = Promise.all(parts.map((part) => part[Symbol.asyncDispose]()))
      others?.close() // Nothing new is enqueued by now.
      await closing
    },
  }
}

type Core = Awaited<ReturnType<typeof openCore>>

/** The parts, and what several of the functions below need. */
async function openCore(parts: Parts) {
  const { store, packageState, synchronizers, participantId, hosting, settings, sharing, metrics, clock, time, place } =
    parts
  const { limits, compatibility } = settings
  const { end } = await loadEnd(store, sharing)
  const vettings = createHostVetting({
    state: packageState,
    participantId,
    hosting,
    packagesOf: place && ((id) => place.network.memberOf(id)?.packageState),
  })
  return {
    ...parts,
    limits,
    compatibility,
    end,
    names: createNames(namesMax),
    leadership: leadershipOf(sharing),
    synchronizerId: (number: bigint) => synchronizers.byNumber(number).id,
    vettings,
    selection: createPackageSelection({ state: packageState, synchronizers, participantId, hosting, vettings }),
    commandMetrics: createCommandMetrics(metrics, clock),
    tracking: createCommandTracking({ limits, time, clock }),
  }
}

function openCommits(core: Core, others: OtherParticipants | undefined): CommitQueue {
  const queue = createCommitQueue({ ...core, others, vettingProblem: core.selection.problemAtCommit })
  return tracedCommits(queue, core.tracer)
}

function openPruning(core: Core): Pruning {
  return createPruning({ ...core, keepsDeduplicationPeriod: core.compatibility === 'canton-3.5' })
}

function openSubmissions(
  core: Core,
  commits: CommitQueue,
  reassignments: Reassignments,
): Pick<OpenLedger, 'submissions' | 'interactive'> {
  const { tracer, listeners } = core
  const routing = tracedRouting(createRouting({ ...core, reassignments, reselect: createReselection(core) }), tracer)
  const interpretation = tracedInterpretation(createInterpretation({ ...core, routing }), tracer)
  const submitting = {
    ...core,
    commits,
    routing,
    interpretation,
    inFlight: createInFlight(core),
    waits: createWaits(),
  }
  return {
    submissions: createSubmissions({ ...submitting, listener: listeners?.submissions }),
    interactive: createInteractiveSubmissions({ ...submitting, listeners }),
  }
}

function readingPartsOf(core: Core): ReadingParts {
  const { store, readingStore = store, engine, end, names, contents, participantId, limits, clock } = core
  return {
    store: readingStore,
    end,
    names,
    contents: checkedContents(contents, core.secondLook),
    synchronizerIds: core.synchronizerId,
    participantId,
    limits,
    clock,
    caches: createReadingCaches({ store, views: engine.views, counting: core.caches }),
  }
}

function openReading({ engine, end, limits, clock }: Core, reading: ReadingParts): Reading {
  return {
    end,
    readBudget: createByteBudget({
      bytesMax: limits.readBytesMax,
      stalledMs: limits.stalledReaderMs,
      freeBytes,
      clock,
    }),
    updates: createUpdates(reading),
    activeContracts: createActiveContracts(reading),
    contractEvents: createContractEvents(reading),
    completions: createCompletions(reading),
    protobufOf: engine.render,
    plansOf: engine.plans,
  }
}

function openInspection(core: Core, { updates }: Reading): CommandInspection {
  const packageNamed = async (name: string) => {
    const { byName } = await core.selection.preferences(core.time.now())
    return Object.hasOwn(byName, name) ? byName[name] : undefined
  }
  return createCommandInspection({ ...core, updates, packageNamed })
}

/** Publishes what another node has committed. It is on disk, like everything that is published. */
function following(
  { sharing, time, clock, end, synchronizerId }: Core,
  pruning: Pruning,
  automaticAssignment: ReturnType<typeof startAutomaticAssignment>,
  others: Deliveries | undefined,
): Follower['advance'] {
  let followsDatabase = false
  return ({ state, recordTimes, now }: Present) => {
    const { end: offset, publishedAt, prunedUpTo } = state
    // Nodes whose clocks differ would refuse each other's commands, so they follow the same clock.
    followsDatabase ||= sharing!.counts().nodes > 1
    if (followsDatabase) time.correct(now - BigInt(Math.floor(clock.nowMs() * 1000)))
    time.observe(publishedAt)
    if (prunedUpTo > end.prunedUpTo()) {
      end.publishPruning(prunedUpTo)
      pruning.resume()
    }
    if (offset > end.current().offset) {
      end.publish({ offset, synchronizerTimes: timesOf(recordTimes, synchronizerId) })
      automaticAssignment.disturb() // It may have unassigned contracts.
      others?.given()
    }
    others?.settlePublished().catch(() => undefined) // The next look tries again.
  }
}

/** Publishes what others have written for this participant: those of its network, or the follower of a fork. */
function receiving(
  { names, time, end, hosting, partyKeys, synchronizerId }: Core,
  automaticAssignment: ReturnType<typeof startAutomaticAssignment>,
): (delivery: Given) => void {
  return ({ state, recordTimes, names: added, parties }) => {
    for (const { name, number } of added) names.learn(name, number)
    for (const party of parties) {
      hosting.forget(party)
      partyKeys.forget(party)
    }
    time.observe(state.publishedAt)
    end.publish({ offset: state.end, synchronizerTimes: timesOf(recordTimes, synchronizerId) })
    automaticAssignment.disturb() // It may have unassigned contracts.
  }
}

function timesOf(recordTimes: ReadonlyMap<bigint, bigint>, synchronizerId: (number: bigint) => string) {
  return [...recordTimes].map(([number, recordTime]) => ({ synchronizerId: synchronizerId(number), recordTime }))
}

function measure(
  metrics: Metrics,
  { end, readBudget, pruning }: Pick<OpenLedger, 'end' | 'readBudget' | 'pruning'>,
): void {
  metrics.gauge('tallystick_ledger_end_offset', 'Offset of the newest update or completion', () =>
    Number(end.current().offset),
  )
  metrics.gauge('tallystick_pruned_offset', 'Offset up to which the ledger is pruned', () => Number(end.prunedUpTo()))
  metrics.gauge('tallystick_pruning_running', '1 while pruned rows are deleted or their space is freed', () =>
    pruning.lastProgress().isRunning ? 1 : 0,
  )
  metrics.gauge('tallystick_pruning_deleted_offset', 'Offset up to which pruned rows are deleted', () =>
    Number(pruning.lastProgress().deletedUpTo),
  )
  metrics.gauge(
    'tallystick_read_budget_bytes',
    'Bytes of large updates, contracts and lists that readers hold (limits.readBytesMax)',
    () => readBudget.chargedBytes(),
  )
  metrics.gauge('tallystick_read_budget_waiting', 'Readers that wait for bytes of the read budget', () =>
    readBudget.waiting(),
  )
}

function measureWaiting(metrics: Metrics, { store, time }: Member): void {
  metrics.gauge(
    'tallystick_waiting_updates',
    'Updates of the network that wait until the participant is connected and has caught up',
    async () => (await store.waitingUpdates.summaries()).reduce((sum, { count }) => sum + count, 0),
  )
  metrics.gauge('tallystick_lag_seconds', 'How long the first of them has waited', async () => {
    const lags = (await store.waitingUpdates.summaries()).map(({ since }) => lagMs(since, time.now()))
    return Math.max(0, ...lags) / 1000
  })
}

/** What the engine may read. */
export function ledgerAccessOver(store: Store): LedgerAccess {
  return {
    package: (id) => store.packages.dalf(id),
    async contracts(ids) {
      const found = await store.contracts.blobs(ids)
      return found.map(({ contractId: id, blob }) => ({ id, blob }))
    },
    async contractsWithKey(hash, before) {
      const { contracts, before: rest } = await store.contracts.withKey(hash, before)
      return { contracts: contracts.map(({ contractId: id, blob }) => ({ id, blob })), before: rest }
    },
  }
}
