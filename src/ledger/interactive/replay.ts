// Interprets a signed transaction again, with its own seeds, times and contracts. Only the same hash proves that the model
// allows the transaction.
import { LedgerError } from '../../base/errors.ts'
import type { EnginePool } from '../../engine/pool/pool.ts'
import type { HashingScheme } from '../../lf/codec/prepared-hash-input.ts'
import type { PreparedNodes } from '../../lf/codec/prepared-transaction.ts'
import { instantToText } from '../../lf/codec/time-text.ts'
import type { Store } from '../../store/core/store.ts'
import { inactiveContracts } from '../commit/contract-verdicts.ts'
import { ownConfirming, reportedBy } from '../commit/reporting-participant.ts'
import { isOnlySeen } from '../model/seen-contracts.ts'
import type { Synchronizer } from '../model/synchronizers.ts'
import type { ReadTransaction } from './execute-request.ts'

type Parts = {
  readonly store: Store
  readonly engine: Pick<EnginePool, 'interpret'>
  readonly participantId: string
  /** The network of this participant; undefined if it is alone. */
  readonly place?: object | undefined
}

/** A transaction that its acting parties have signed. */
export type SignedTransaction = {
  readonly transaction: ReadTransaction
  readonly synchronizer: Synchronizer
  /** What they signed. */
  readonly hash: Buffer
  readonly ledgerTime: bigint
}

type Request = SignedTransaction & {
  /** The transaction as received. */
  readonly bytes: Uint8Array
  readonly seed: Uint8Array
  readonly scheme: HashingScheme
  readonly userId: string
  readonly signal: AbortSignal
}

/** Transient refusals: they say nothing about the transaction. */
const passing: ReadonlySet<string> = new Set([
  'INTERPRETATION_TIME_EXCEEDED',
  'PARTICIPANT_BACKPRESSURE',
  'SERVICE_NOT_RUNNING',
  'INDEX_DB_SQL_TRANSIENT_ERROR',
])

export function createReplay({ store, engine, participantId, place }: Parts) {
  /** Interprets the root node; the result must be the signed transaction. */
  return async function replay(request: Request) {
    const { transaction, synchronizer, hash, ledgerTime } = request
    const replayed = await interpret(request).catch(async (error) => {
      if (!(error instanceof LedgerError) || passing.has(error.code)) throw error
      throw await whyNot(transaction, synchronizer, error.message)
    })
    if (replayed.effects.laterInput !== undefined) {
      throw notConforming(`a request with ledger time ${instantToText(ledgerTime)} uses a future contract`)
    }
    if (hash.equals(replayed.prepared!.hash)) return replayed
    throw await whyNot(transaction, synchronizer, 'it makes another transaction when it is interpreted')
  }

  function interpret({ transaction, synchronizer, ledgerTime, bytes, seed, scheme, userId, signal }: Request) {
    const { metadata, actAs, commandId } = transaction
    const { synchronizerId, mediatorGroup, transactionUuid, maxRecordTime, preparationTime } = metadata
    return engine.interpret(
      {
        commands: [],
        replay: bytes,
        actAs,
        readAs: [],
        contracts: [],
        ledgerTime,
        preparationTime,
        seed,
        participantId,
        protocolVersion: synchronizer.protocolVersion,
        preparation: {
          commandId,
          synchronizerId,
          mediatorGroup,
          transactionUuid,
          maxRecordTime: maxRecordTime?.toString(),
          scheme,
        },
        ...(place && { isShared: true }),
      },
      signal,
      userId || actAs[0],
    )
  }

  /** A stale key query is not the transaction's fault; its contract is archived by now. */
  async function whyNot(
    { metadata: { inputContracts }, nodes }: ReadTransaction,
    synchronizer: Synchronizer,
    reason: string,
  ): Promise<LedgerError> {
    const states = await store.contracts.states(inputContracts.flatMap(({ v1 }) => v1?.contractId ?? []))
    const gone = states.filter((state) => state.archivedOffset !== undefined && !isOnlySeen(state))
    if (gone.length === 0) return notConforming(reason)
    const ids = gone.map(({ contractId }) => contractId)
    return reportedBy(
      participantId,
      synchronizer,
      ownConfirming(participantId, confirmersOf(nodes)),
      inactiveContracts(ids),
    )
  }
}

/** A prepared transaction has one root, so they confirm all of it. */
function confirmersOf({ nodes }: PreparedNodes): readonly string[] {
  return nodes.flatMap(({ v1 }) => {
    if (v1 === undefined || v1.kind === 'rollback') return []
    if (v1.kind === 'query-by-key') return v1.value.key?.maintainers ?? []
    return v1.kind === 'create' ? v1.value.signatories : [...v1.value.signatories, ...v1.value.actingParties]
  })
}

function notConforming(reason: string): LedgerError {
  return new LedgerError(
    'LOCAL_VERDICT_FAILED_MODEL_CONFORMANCE_CHECK',
    `Rejected transaction due to a failed model conformance check: ${reason}`,
    { untraced: true },
  )
}
