// Assembles the ledger over a store and an engine: submission, commit and reading.
import { createByteBudget } from '../base/byte-budget.ts'
import type { Clock } from '../base/clock.ts'
import { LedgerError } from '../base/errors.ts'
import type { Health } from '../base/health.ts'
import type { Log } from '../base/log.ts'
import type { Caches, Metrics } from '../base/metrics.ts'
import type { Random } from '../base/random.ts'
import { reconsidered, type SecondLook } from '../base/second-look.ts'
import type { Settings } from '../base/settings.ts'
import type { Tracer } from '../base/tracer.ts'
import type { LedgerAccess } from '../engine/ledger-access.ts'
import type { EnginePool } from '../engine/pool/pool.ts'
import type { Follower, Present, Sharing } from '../store/core/sharing.ts'
import type { Store } from '../store/core/store.ts'
import { createCommandMetrics } from './commit/command-metrics.ts'
import { type CommitQueue, createCommitQueue } from './commit/commit-queue.ts'
import { createInFlight, createWaits } from './commit/in-flight.ts'
import { createPruning, type Pruning } from './commit/pruning.ts'
import type { Development } from './development/development.ts'
import { type CommandInspection, createCommandInspection } from './inspection/command-status.ts'
import { createCommandTracking } from './inspection/command-tracking.ts'
import { createHints, type Hints } from './inspection/hints.ts'
import type { InteractiveSubmissions } from './interactive/interactive-requests.ts'
import { createInteractiveSubmissions } from './interactive/interactive-submissions.ts'
import type { Submissions } from './model/commands.ts'
import { leadershipOf } from './model/leadership.ts'
import { createLedgerEnd, type LedgerEnd } from './model/ledger-end.ts'
import type { LedgerTime } from './model/ledger-time.ts'
import { createNames } from './model/name-numbers.ts'
import type { Synchronizers } from './model/synchronizers.ts'
import type { PackageState } from './packages/known-packages.ts'
import type { PackageContents } from './packages/package-contents.ts'
import { createActiveContracts } from './reading/active-contracts.ts'
import { createReadingCaches } from './reading/caches.ts'
import { createCompletions } from './reading/completions.ts'
import { createContractEvents } from './reading/contract-events.ts'
import { freeBytes } from './reading/reader.ts'
import type { LoadContents } from './reading/reading-parts.ts'
import type { Reading } from './reading/requests/queries.ts'
import { createUpdates } from './reading/updates.ts'
import { startAutomaticAssignment } from './reassignment/automatic-assignment.ts'
import type { Reassignments } from './reassignment/reassignment-commands.ts'
import { createReassignments } from './reassignment/reassignments.ts'
import { createPackageSelection } from './routing/package-selection.ts'
import { createRouting } from './routing/routing.ts'
import { noSynchronizer, withoutContext } from './routing/routing-refusals.ts'
import { createInterpretation } from './submission/interpretation.ts'
import { createSubmissions } from './submission/submission.ts'
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
    /** Publishes what another node has committed. */
    readonly advance: Follower['advance']
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
  readonly development: Development | undefined
  /** Undefined if the ledger is this node's alone. */
  readonly sharing: Sharing | undefined
  readonly secondLook: SecondLook | undefined
  readonly tracer?: Tracer | undefined
}

/** Parties and templates whose numbers are cached. */
const namesMax = 100_000

export async function openLedger(parts: Parts): Promise<OpenLedger> {
  const { store, engine, packageState, contents, synchronizers, hosting, partyKeys, participantId } = parts
  const { settings, time, clock, random, health, log, metrics, caches, tracer } = parts
  const { limits, compatibility } = settings
  const rejections = parts.development?.rejections
  const { sharing, secondLook } = parts
  const { end } = await loadEnd(store, sharing)
  const leadership = leadershipOf(sharing)
  const names = createNames(namesMax)
  const commandMetrics = createCommandMetrics(metrics, clock)
  const tracking = createCommandTracking({ limits, time, clock })
  const synchronizerIds = (number: bigint) => synchronizers.byNumber(number).id
  const selection = createPackageSelection({ state: packageState, synchronizers, participantId, hosting })
  const queue = createCommitQueue({
    vettingProblem({ effects, synchronizer, ledgerTime }) {
      const problem = selection.problemAtCommit(effects.packages, synchronizer, ledgerTime)
      return problem === undefined ? undefined : withoutContext(noSynchronizer([[synchronizer, problem]]))
    },
    ...{ store, names, end, synchronizerId: synchronizerIds, participantId },
    ...{ time, clock, health, limits, log, metrics },
  })
  const commits = tracedCommits(queue, tracer)
  const reassignments = createReassignments({
    store,
    names,
    synchronizers,
    hosting,
    packageState,
    commits,
    participantId,
    time,
    limits,
    random,
    commandMetrics,
    log,
    rejections,
  })
  const routing = tracedRouting(
    createRouting({ store, names, synchronizers, hosting, partyKeys, selection, reassignments }),
    tracer,
  )
  const automaticAssignment = startAutomaticAssignment({
    store,
    synchronizers,
    hosting,
    partyKeys,
    reassignments,
    time,
    clock,
    health,
    log,
    leadership,
  })
  const reading = {
    store: parts.readingStore ?? store,
    end,
    names,
    contents: checkedContents(contents, secondLook),
    synchronizerIds,
    participantId,
    limits,
    clock,
    caches: createReadingCaches({ store, views: engine.views, limits, counting: caches }),
  }
  const inFlight = createInFlight({ limits, end, participantId })
  const waits = createWaits()
  const untraced = createInterpretation({
    store,
    engine,
    end,
    hosting,
    partyKeys,
    synchronizers,
    selection,
    routing,
    participantId,
    time,
    limits,
    compatibility,
    random,
  })
  const interpretation = tracedInterpretation(untraced, tracer)
  const readBudget = createByteBudget({
    ...{ bytesMax: limits.readBytesMax, stalledMs: limits.stalledReaderMs, freeBytes, clock },
  })
  const keepsDeduplicationPeriod = compatibility === 'canton-3.5'
  const pruning = createPruning({
    ...{ store, end, names, time, limits, health, clock, log, leadership, keepsDeduplicationPeriod },
  })
  measure(metrics, { end, readBudget, pruning })
  const updates = createUpdates(reading)
  const packageNamed = async (name: string) => {
    const { byName } = await selection.preferences(time.now())
    return Object.hasOwn(byName, name) ? byName[name] : undefined
  }
  let followsDatabase = false
  /** What it makes visible is on disk, like everything that is published. */
  function advance({ state, recordTimes, now }: Present): void {
    const { end: offset, publishedAt, prunedUpTo } = state
    // Nodes whose clocks differ would refuse each other's commands, so they follow the same clock.
    followsDatabase ||= sharing!.counts().nodes > 1
    if (followsDatabase) time.correct(now - BigInt(Math.floor(clock.nowMs() * 1000)))
    time.observe(publishedAt)
    if (prunedUpTo > end.prunedUpTo()) {
      end.publishPruning(prunedUpTo)
      pruning.resume()
    }
    if (offset <= end.current().offset) return
    const times = [...recordTimes].map(([number, recordTime]) => ({
      synchronizerId: synchronizerIds(number),
      recordTime,
    }))
    end.publish({ offset, synchronizerTimes: times })
    automaticAssignment.disturb() // It may have unassigned contracts.
  }
  return {
    end,
    advance,
    readBudget,
    time,
    hints: createHints({ store, names, end, contents }),
    pruning,
    updates,
    inspection: createCommandInspection({ tracking, updates, packageNamed, compatibility }),
    activeContracts: createActiveContracts(reading),
    contractEvents: createContractEvents(reading),
    completions: createCompletions(reading),
    protobufOf: engine.render,
    plansOf: engine.plans,
    submissions: createSubmissions({
      ...{ interpretation, commits, routing, inFlight, waits, time, limits, random, commandMetrics, tracking, log },
      ...{ rejections, secondLook },
    }),
    interactive: createInteractiveSubmissions({
      store,
      engine,
      interpretation,
      commits,
      routing,
      inFlight,
      waits,
      partyKeys,
      synchronizers,
      hosting,
      packageState,
      participantId,
      time,
      limits,
      random,
      commandMetrics,
      tracking,
      log,
      rejections,
      secondLook,
    }),
    reassignments,
    commits,
    async [Symbol.asyncDispose]() {
      await Promise.all([pruning, automaticAssignment, commits].map((part) => part[Symbol.asyncDispose]()))
    },
  }
}

/** Names that another node has just added are no mistake. */
function checkedContents(load: Parts['contents'], secondLook: SecondLook | undefined): LoadContents {
  return (check) => {
    if (check === undefined) return load()
    const loadAndCheck = async () => {
      const contents = await load()
      check(contents)
      return contents
    }
    return reconsidered(loadAndCheck, (error) => error instanceof LedgerError, secondLook)
  }
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

export async function loadEnd(store: Store, sharing?: Sharing): Promise<{ end: LedgerEnd; publishedAt: bigint }> {
  const state = await store.state.get()
  const synchronizers = await store.synchronizers.list()
  const used = synchronizers.filter(({ recordTime }) => recordTime > 0n)
  const synchronizerTimes = used.map(({ id, recordTime }) => ({ synchronizerId: id, recordTime }))
  return {
    end: createLedgerEnd({ offset: state.end, synchronizerTimes }, state.prunedUpTo, sharing?.look),
    publishedAt: state.publishedAt,
  }
}
