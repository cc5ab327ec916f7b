// The second step: record a signed transaction. It comes from outside, so nothing in it is trusted: its hash is
// recomputed, signatures are checked against that hash, and its commands are interpreted again with its seeds, times
// and contracts. Only the same hash proves that the model allows the transaction and the parties signed it.
import { codesFoundByNode, LedgerError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { shorten, shortIdentifier } from '../../base/names.ts'
import { type Random, randomUuid } from '../../base/random.ts'
import { reconsidered, type SecondLook } from '../../base/second-look.ts'
import type { Limits } from '../../base/settings.ts'
import type { EnginePool } from '../../engine/pool/pool.ts'
import { informeesOf } from '../../engine/requests/served-transaction.ts'
import { hashPreparedTransaction } from '../../lf/codec/prepared-hash.ts'
import { HashingError } from '../../lf/codec/prepared-hash-input.ts'
import type { PreparedMetadata } from '../../lf/codec/prepared-transaction.ts'
import { instantToText } from '../../lf/codec/time-text.ts'
import type { Store } from '../../store/core/store.ts'
import type { CommandMetrics } from '../commit/command-metrics.ts'
import { inactiveContracts, placeOf, reportedBy } from '../commit/commit-decision.ts'
import type { Decision, InterpretedCommand } from '../commit/commit-item.ts'
import type { CommitQueue } from '../commit/commit-queue.ts'
import { changeIdOf, timedUpdateId } from '../commit/ids.ts'
import type { InFlight, Waits } from '../commit/in-flight.ts'
import { acceptanceIn, logRejection, type OutcomeListener } from '../commit/outcome.ts'
import type { CommandTracking } from '../inspection/command-tracking.ts'
import type { TrackedCommand } from '../inspection/tracked-command.ts'
import type { SubmissionContext } from '../model/commands.ts'
import type { LedgerTime } from '../model/ledger-time.ts'
import { restsOnMemory } from '../model/remembered.ts'
import { physicalId, type Synchronizer, type Synchronizers, signedId } from '../model/synchronizers.ts'
import { type Routing, usesKeys } from '../routing/routing.ts'
import type { Interpretation } from '../submission/interpretation.ts'
import type { PartyKeyRegister } from '../topology/party-keys.ts'
import {
  failedToExecute,
  type ReadTransaction,
  readTransaction,
  senderOf,
  type ValidExecution,
  validateExecution,
} from './execute-request.ts'
import type { ExecuteRequest, InteractiveSubmissions } from './interactive-requests.ts'
import { checkSignatureCount, checkSignatures } from './signature-check.ts'

type Parts = {
  readonly store: Store
  readonly engine: Pick<EnginePool, 'interpret'>
  readonly interpretation: Pick<Interpretation, 'tellPreferences'>
  readonly commits: CommitQueue
  readonly routing: Routing
  readonly inFlight: InFlight
  readonly waits: Waits
  readonly partyKeys: PartyKeyRegister
  readonly synchronizers: Synchronizers
  readonly participantId: string
  readonly time: LedgerTime
  readonly limits: Limits
  readonly random: Random
  readonly commandMetrics: CommandMetrics
  readonly tracking: CommandTracking
  readonly log: Log
  /** Undefined if the ledger is this node's alone. */
  readonly secondLook?: SecondLook | undefined
  readonly listener?: OutcomeListener<ExecuteRequest> | undefined
}

/** Transient refusals: they say nothing about the transaction. */
const passing: ReadonlySet<string> = new Set([
  'INTERPRETATION_TIME_EXCEEDED',
  'PARTICIPANT_BACKPRESSURE',
  'SERVICE_NOT_RUNNING',
  'INDEX_DB_SQL_TRANSIENT_ERROR',
])

export function createExecution(parts: Parts): Pick<InteractiveSubmissions, 'execute' | 'executeAndWait'> {
  const { store, engine, interpretation, commits, routing, inFlight, waits, partyKeys, synchronizers } = parts
  const { time, random, commandMetrics, tracking } = parts

  type Following = {
    readonly tracked: TrackedCommand
    /** Undefined if the client does not wait for the outcome. */
    readonly waiting?: DisposableStack | undefined
  }

  /** Returns the promise of the outcome once the transaction is enqueued. */
  async function start(
    request: ExecuteRequest,
    valid: ValidExecution,
    context: SubmissionContext,
    { tracked, waiting }: Following,
  ): Promise<{ outcome: Promise<Decision> }> {
    commits.checkOpen()
    checkSignatureCount(valid.signatures)
    const transaction = readTransaction(request)
    const { metadata, actAs, commandId } = transaction
    const synchronizer = synchronizerOf(transaction)
    const hash = hashOf(transaction, valid)
    await checkSignatures({ hash, actAs, signatures: valid.signatures, synchronizer }, partyKeys)
    if (actAs.length === 0) throw withoutActingParty(parts.participantId, synchronizer)
    const ledgerTime = withinBounds(valid.ledgerTime, transaction)
    await interpretation.tellPreferences(ledgerTime)
    const seed = random.bytes(32)
    using _announced = commits.announce()
    const { served, effects } = await replay(request.bytes, transaction, {
      hash,
      ledgerTime,
      seed,
      valid,
      context,
      synchronizer,
    })
    tracking.interpreted(tracked, synchronizer.id, effects)
    const route = await routing.route({
      actAs,
      readAs: [],
      isExternallySigned: true,
      refusing: 'prepared',
      informees: informeesOf({ served, effects }),
      inputContracts: effects.inputContracts,
      packages: effects.packages,
      synchronizerId: synchronizer.id,
      disclosedContracts: new Set(),
      disclosed: new Map(),
      usesKeys: usesKeys(effects),
      hashingScheme: valid.scheme,
      now: ledgerTime,
    })
    checkMediator(metadata, synchronizer)
    const { userId, submissionId, deduplication } = valid
    const change = { userId, commandId, actAs }
    context.answer?.checkForm() // In Canton, the format is looked at when the transaction is recorded.
    await context.answer?.checkNames()
    if (route.strays.length > 0) await routing.gather(route, { userId, commandId, submissionId }, context)
    const changeId = changeIdOf(change)
    commits.checkOpen() // Checked again: an enqueued transaction is answered as accepted.
    waiting?.use(waits.track({ ...change, submissionId }))
    const item: InterpretedCommand = {
      kind: 'transaction',
      ...{ userId, commandId, submissionId, actAs, workflowId: '', deduplication },
      ...{ change, changeId, traceContext: context.traceContext },
      ...{ updateId: timedUpdateId(seed, ledgerTime), ledgerTime, synchronizer, served, effects },
      signed: {
        hash: hash.toString('hex'),
        transactionUuid: metadata.transactionUuid.toLowerCase(),
        preparationTime: metadata.preparationTime,
        preparationTimeTolerance: toleranceOf(parts.limits),
        maxRecordTime: metadata.maxRecordTime,
      },
    }
    const claim = inFlight.claim(item)
    const outcome = commits.enqueue(item)
    return { outcome: outcome.finally(() => claim[Symbol.dispose]()) }
  }

  function synchronizerOf({ synchronizerId, physicalSuffix, metadata }: ReadTransaction): Synchronizer {
    const found = synchronizers.byId(synchronizerId)
    if (found === undefined) {
      const shown = shortIdentifier(synchronizerId)
      if (physicalSuffix !== undefined) {
        throw failedToExecute(`Participant is not connected to synchronizer \`${shown}::${physicalSuffix}\`.`)
      }
      const words = `Cannot find a physical synchronizer for ${shown}.`
      throw failedToExecute(`${words} Make sure the participant is connected to the synchronizer.`)
    }
    if (signedId(found) === metadata.synchronizerId) return found
    const { protocolVersion } = found
    const [form, versions] = protocolVersion === 34 ? ['Logical', '<= 34'] : ['Physical', '> 34']
    throw failedToExecute(
      `The selected synchronizer ${physicalId(found)} is on Protocol Version ${protocolVersion}. Please use a ${form} ` +
        `Synchronizer ID in the prepared transaction metadata on PVs ${versions}`,
    )
  }

  /** There is one mediator group, the first. */
  function checkMediator({ mediatorGroup }: PreparedMetadata, synchronizer: Synchronizer): void {
    if (mediatorGroup === 0) return
    const shown = physicalId(synchronizer)
    throw new LedgerError('SYNCHRONIZER_WITHOUT_MEDIATOR', 'There are no active mediators on the synchronizer', {
      context: {
        physicalSynchronizerId: shown,
        chosenSynchronizerId: shown,
        topologySnapshotTimestamp: instantToText(time.now()),
      },
      foundBy: 'node',
    })
  }

  type Replaying = {
    readonly hash: Buffer
    readonly ledgerTime: bigint
    readonly seed: Uint8Array
    readonly valid: ValidExecution
    readonly context: SubmissionContext
    readonly synchronizer: Synchronizer
  }

  /** Interprets the root node again; the result must be the signed transaction. */
  async function replay(bytes: Uint8Array, { metadata, actAs, commandId }: ReadTransaction, replaying: Replaying) {
    const { hash, ledgerTime, seed, valid, context, synchronizer } = replaying
    const { synchronizerId, mediatorGroup, transactionUuid, maxRecordTime, preparationTime } = metadata
    const replayed = await engine
      .interpret(
        {
          commands: [],
          replay: bytes,
          actAs,
          readAs: [],
          contracts: [],
          ledgerTime,
          preparationTime,
          seed,
          participantId: parts.participantId,
          protocolVersion: synchronizer.protocolVersion,
          preparation: {
            ...{ commandId, synchronizerId, mediatorGroup, transactionUuid },
            maxRecordTime: maxRecordTime?.toString(),
            scheme: valid.scheme,
          },
        },
        context.signal,
        valid.userId || actAs[0],
      )
      .catch(async (error) => {
        if (!(error instanceof LedgerError) || passing.has(error.code)) throw error
        throw await whyNot(metadata, synchronizer, error.message)
      })
    if (replayed.effects.laterInput !== undefined) {
      throw notConforming(`a request with ledger time ${instantToText(ledgerTime)} uses a future contract`)
    }
    if (hash.equals(replayed.prepared!.hash)) return replayed
    throw await whyNot(metadata, synchronizer, 'it makes another transaction when it is interpreted')
  }

  /** A stale key query is not the transaction's fault; its contract is archived by now. */
  async function whyNot(
    { inputContracts }: PreparedMetadata,
    synchronizer: Synchronizer,
    reason: string,
  ): Promise<LedgerError> {
    const states = await store.contracts.states(inputContracts.flatMap(({ v1 }) => v1?.contractId ?? []))
    const gone = states.filter(({ archivedOffset }) => archivedOffset !== undefined)
    if (gone.length === 0) return notConforming(reason)
    const ids = gone.map(({ contractId }) => contractId)
    return reportedBy(parts.participantId, synchronizer, inactiveContracts(ids))
  }

  /** Refusals carry the id of the submission. */
  async function begin(request: ExecuteRequest, context: SubmissionContext, waiting?: DisposableStack) {
    let { submissionId } = request
    const tracked = tracking.begin({ ...senderOf(request), submissionId, commands: [] }, context.traceContext)
    try {
      const newSubmissionId = () => randomUuid(random)
      const valid = validateExecution(request, { limits: parts.limits, now: time.now(), newSubmissionId })
      submissionId = valid.submissionId
      const go = () => start(request, valid, context, { tracked, waiting })
      const started = await reconsidered(go, restsOnMemory, parts.secondLook)
      tracking.follow(tracked, started.outcome)
      parts.listener?.enqueued({ request, submissionId }, started.outcome)
      return { ...started, submissionId }
    } catch (error) {
      tracking.refused(tracked, error)
      parts.listener?.refused({ request, submissionId }, error, time.now())
      if (!(error instanceof LedgerError) || submissionId === '') throw error
      if (error.details.foundBy === 'node' || codesFoundByNode.has(error.code)) throw error
      throw new LedgerError(error.code, error.message, { ...error.details, correlationId: shorten(submissionId) })
    }
  }

  return {
    async execute(request, context) {
      const { outcome, submissionId } = await commandMetrics.count(() => begin(request, context))
      logRejection(outcome, submissionId, parts.log)
    },
    async executeAndWait(request, context) {
      using waiting = new DisposableStack()
      const { outcome } = await commandMetrics.count(() => begin(request, context, waiting))
      return acceptanceIn(await outcome)
    },
  }
}

/**
 * The window in which a transaction can be recorded, before and after its preparation, is no longer than accepted
 * changes are kept: otherwise it could be recorded twice.
 */
function toleranceOf({ preparationTimeToleranceMs, deduplicationDurationMaxMs }: Limits): bigint {
  return BigInt(Math.min(preparationTimeToleranceMs, Math.floor(deduplicationDurationMaxMs / 2))) * 1000n
}

function hashOf({ nodes, metadata }: ReadTransaction, { scheme }: ValidExecution): Buffer {
  try {
    return hashPreparedTransaction(nodes, metadata, scheme)
  } catch (error) {
    if (error instanceof HashingError) throw failedToExecute(error.message)
    throw error
  }
}

/** The transaction is the same at any ledger time within its bounds. */
function withinBounds(wanted: bigint, { metadata }: ReadTransaction): bigint {
  const { minLedgerEffectiveTime: min, maxLedgerEffectiveTime: max } = metadata
  if (min !== undefined && wanted < min) return min
  return max !== undefined && wanted > max ? max : wanted
}

/** Canton records such a transaction for nobody: its completion has no reader. */
function withoutActingParty(participantId: string, synchronizer: Synchronizer): LedgerError {
  return new LedgerError('MALFORMED_REQUEST', 'Malformed request', {
    context: {
      ...placeOf(participantId, synchronizer),
      message: 'Transaction confirmation request creation failed',
      reason: 'SubmitterMetadataError(The actAs set must not be empty.)',
    },
    foundBy: 'node',
  })
}

function notConforming(reason: string): LedgerError {
  return new LedgerError(
    'LOCAL_VERDICT_FAILED_MODEL_CONFORMANCE_CHECK',
    `Rejected transaction due to a failed model conformance check: ${reason}`,
    { untraced: true },
  )
}
