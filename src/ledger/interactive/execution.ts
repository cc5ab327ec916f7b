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
import { informeesOf, type Served } from '../../engine/requests/served-transaction.ts'
import { hashPreparedTransaction } from '../../lf/codec/prepared-hash.ts'
import { HashingError } from '../../lf/codec/prepared-hash-input.ts'
import type { PreparedMetadata } from '../../lf/codec/prepared-transaction.ts'
import { instantToText } from '../../lf/codec/time-text.ts'
import type { Store } from '../../store/core/store.ts'
import type { CommandMetrics } from '../commit/command-metrics.ts'
import type { Decision, InterpretedCommand } from '../commit/commit-item.ts'
import type { CommitQueue } from '../commit/commit-queue.ts'
import { type Change, changeIdOf, timedUpdateId } from '../commit/ids.ts'
import type { InFlight, Waits } from '../commit/in-flight.ts'
import { acceptanceIn, logRejection, type OutcomeListener } from '../commit/outcome.ts'
import { placeOf } from '../commit/reporting-participant.ts'
import type { CommandTracking } from '../inspection/command-tracking.ts'
import type { TrackedCommand } from '../inspection/tracked-command.ts'
import type { SubmissionContext } from '../model/commands.ts'
import type { LedgerTime } from '../model/ledger-time.ts'
import { restsOnMemory } from '../model/remembered.ts'
import { physicalId, type Synchronizer, type Synchronizers, signedId } from '../model/synchronizers.ts'
import { type Route, type Routing, usesKeys } from '../routing/routing.ts'
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
import { createReplay, type SignedTransaction } from './replay.ts'
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

type Following = {
  readonly tracked: TrackedCommand
  /** Undefined if the client does not wait for the outcome. */
  readonly waiting?: DisposableStack | undefined
}

type Submitting = ValidExecution & {
  readonly change: Change
  readonly seed: Uint8Array
  readonly traceContext: SubmissionContext['traceContext']
}

export function createExecution(parts: Parts): Pick<InteractiveSubmissions, 'execute' | 'executeAndWait'> {
  const { interpretation, commits, routing, inFlight, waits, partyKeys, synchronizers } = parts
  const { time, random, commandMetrics, tracking } = parts
  const replay = createReplay(parts)

  /** Returns the promise of the outcome once the transaction is enqueued. */
  async function start(
    request: ExecuteRequest,
    valid: ValidExecution,
    context: SubmissionContext,
    { tracked, waiting }: Following,
  ): Promise<{ outcome: Promise<Decision> }> {
    commits.checkOpen()
    const signed = await checkSigned(request, valid)
    const { transaction, synchronizer, ledgerTime } = signed
    // A client that does not wait never hears of it.
    if (transaction.actAs.length === 0) {
      const outcome = Promise.reject(withoutActingParty(parts.participantId, synchronizer))
      outcome.catch(() => undefined)
      return { outcome }
    }
    await interpretation.tellPreferences(ledgerTime)
    const seed = random.bytes(32)
    using _announced = commits.announce()
    const { scheme, userId, submissionId } = valid
    const replayed = await replay({ ...signed, bytes: request.bytes, seed, scheme, userId, signal: context.signal })
    tracking.interpreted(tracked, synchronizer.id, replayed.effects)
    const route = await routeOf(signed, replayed, valid)
    checkMediator(transaction.metadata, synchronizer)
    context.answer?.checkForm() // In Canton, the format is looked at when the transaction is recorded.
    await context.answer?.checkNames()
    const change = { userId, commandId: transaction.commandId, actAs: transaction.actAs }
    if (route.strays.length > 0) await routing.gather(route, { ...change, submissionId }, context)
    commits.checkOpen() // Checked again: an enqueued transaction is answered as accepted.
    waiting?.use(waits.track({ ...change, submissionId }))
    const item = itemOf(signed, replayed, route, { ...valid, change, seed, traceContext: context.traceContext })
    const claim = inFlight.claim(item)
    const outcome = commits.enqueue(item)
    return { outcome: outcome.finally(() => claim[Symbol.dispose]()) }
  }

  /** The transaction in the request, which its acting parties have signed. */
  async function checkSigned(request: ExecuteRequest, valid: ValidExecution): Promise<SignedTransaction> {
    checkSignatureCount(valid.signatures)
    const transaction = readTransaction(request)
    const { actAs } = transaction
    const synchronizer = synchronizerOf(transaction)
    const hash = hashOf(transaction, valid)
    await checkSignatures({ hash, actAs, signatures: valid.signatures, synchronizer }, partyKeys)
    return { transaction, synchronizer, hash, ledgerTime: withinBounds(valid.ledgerTime, transaction) }
  }

  function routeOf(
    { transaction, synchronizer, ledgerTime }: SignedTransaction,
    { served, effects }: Served,
    { scheme }: ValidExecution,
  ): Promise<Route> {
    return routing.route({
      actAs: transaction.actAs,
      readAs: [],
      isExternallySigned: true,
      isPrepared: true,
      informees: informeesOf({ served, effects }),
      inputContracts: effects.inputContracts,
      packages: effects.packages,
      roles: effects.roles,
      synchronizerId: synchronizer.id,
      disclosedContracts: new Set(),
      disclosed: new Map(),
      usesKeys: usesKeys(effects),
      hashingScheme: scheme,
      now: ledgerTime,
    })
  }

  function itemOf(
    { transaction, synchronizer, hash, ledgerTime }: SignedTransaction,
    { served, effects }: Served,
    { needs }: Route,
    { userId, submissionId, deduplication, change, seed, traceContext }: Submitting,
  ): InterpretedCommand {
    const { metadata, actAs, commandId } = transaction
    return {
      kind: 'transaction',
      userId,
      commandId,
      submissionId,
      actAs,
      workflowId: '',
      deduplication,
      change,
      changeId: changeIdOf(change),
      traceContext,
      updateId: timedUpdateId(seed, ledgerTime),
      ledgerTime,
      synchronizer,
      served,
      effects,
      needs,
      signed: {
        hash: hash.toString('hex'),
        transactionUuid: metadata.transactionUuid.toLowerCase(),
        preparationTime: metadata.preparationTime,
        preparationTimeTolerance: toleranceOf(parts.limits),
        maxRecordTime: metadata.maxRecordTime,
      },
    }
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
