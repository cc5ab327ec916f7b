// Which commands of a batch are accepted, in their order: no duplicate, not too late, and every contract they use still
// active. What an earlier command of the batch archives is gone for the later ones.
import { LedgerError } from '../../base/errors.ts'
import { instantToText } from '../../lf/codec/time-text.ts'
import type { ContractState, LedgerState, Records } from '../../store/store.ts'
import type { InterpretedCommand } from '../submission/interpreted-command.ts'
import { checkDuplicate, type Duplicates, duplicatesOf } from './deduplication.ts'

/** `deduplicationOffset` is what the completion tells of the period that was used. */
export type Decision =
  | {
      readonly kind: 'accepted'
      readonly offset: bigint
      readonly updateId: string
      readonly deduplicationOffset: bigint
    }
  | {
      readonly kind: 'rejected'
      readonly offset: bigint
      readonly error: LedgerError
      readonly deduplicationOffset: bigint
      /** Whether participants found it; otherwise it was refused on the way to them. */
      readonly isVerdict: boolean
    }

export type Judged = {
  readonly submission: InterpretedCommand
  readonly decision: Decision
  readonly recordTime: bigint
  /** Contracts from before that it archives; none if it is rejected. */
  readonly archived: readonly ContractState[]
}

type Setting = {
  readonly before: LedgerState
  readonly publishedAt: bigint
  /** Moved on by each decision. */
  readonly recordTimes: Map<bigint, bigint>
  readonly ledgerTimeTolerance: bigint
}

type Known = {
  readonly contracts: Map<string, ContractState>
  /** Contracts that each key has got since a point in time, by hash. */
  readonly keys: Map<string, { readonly contractId: string; readonly since: bigint }[]>
  readonly duplicates: Duplicates
}

export async function decide(
  batch: readonly InterpretedCommand[],
  records: Records,
  setting: Setting,
): Promise<Judged[]> {
  const inputs = new Set(batch.flatMap(({ effects }) => effects.inputContracts))
  const known: Known = {
    contracts: new Map((await records.contracts.states([...inputs])).map((state) => [state.contractId, state])),
    keys: await keysOf(batch, records),
    duplicates: await duplicatesOf(batch, records),
  }
  return batch.map((submission, index) => judge(submission, setting.before.end + BigInt(index) + 1n, known, setting))
}

function judge(submission: InterpretedCommand, offset: bigint, known: Known, setting: Setting): Judged {
  const { synchronizer, updateId, effects } = submission
  const recordTime = setting.recordTimes.get(synchronizer.number)! + 1n
  setting.recordTimes.set(synchronizer.number, recordTime)
  const { problem: duplicate, deduplicationOffset } = checkDuplicate(submission, known.duplicates, setting)
  const verdict = duplicate === undefined ? verdictOn(submission, recordTime, known, setting) : undefined
  const error = duplicate ?? verdict
  if (error !== undefined) {
    const decision: Decision = {
      kind: 'rejected',
      offset,
      error,
      deduplicationOffset,
      isVerdict: verdict !== undefined,
    }
    return { submission, recordTime, archived: [], decision }
  }
  const archived = effects.archived.flatMap((contractId) => {
    const contract = known.contracts.get(contractId)
    if (contract === undefined) return [] // Its own.
    known.contracts.set(contractId, { ...contract, archivedOffset: offset })
    return [contract]
  })
  for (const { contractId, keyHash } of effects.created) {
    if (keyHash !== undefined) known.keys.get(keyHash)?.push({ contractId, since: offset })
  }
  known.duplicates.accept(submission, offset, setting.publishedAt)
  return { submission, recordTime, archived, decision: { kind: 'accepted', offset, updateId, deduplicationOffset } }
}

function verdictOn(
  submission: InterpretedCommand,
  recordTime: bigint,
  { contracts, keys }: Known,
  { ledgerTimeTolerance }: Setting,
): LedgerError | undefined {
  const { effects, ledgerTime, snapshot } = submission
  const difference = ledgerTime > recordTime ? ledgerTime - recordTime : recordTime - ledgerTime
  if (difference > ledgerTimeTolerance) return outOfBounds(ledgerTime, recordTime, ledgerTimeTolerance)
  const inactive = effects.inputContracts.filter(
    (id) => contracts.get(id)?.archivedOffset !== undefined || !contracts.has(id),
  )
  if (inactive.length > 0) return contention('LOCAL_VERDICT_INACTIVE_CONTRACTS', 'inactive', inactive)
  // Who found no more contracts of a key must not be overtaken by one that was created meanwhile.
  const newer = effects.keyInputs
    .filter(({ isExhaustive }) => isExhaustive)
    .flatMap(({ hash }) => keys.get(hash) ?? [])
    .filter(({ since }) => since > snapshot)
    .map(({ contractId }) => contractId)
  return newer.length === 0 ? undefined : contention('LOCAL_VERDICT_LOCKED_CONTRACTS', 'locked', newer)
}

function contention(
  code: 'LOCAL_VERDICT_INACTIVE_CONTRACTS' | 'LOCAL_VERDICT_LOCKED_CONTRACTS',
  word: string,
  contractIds: readonly string[],
): LedgerError {
  return new LedgerError(code, `Rejected transaction is referring to ${word} contracts `, {
    context: { CONTRACT_ID: `Seq(${contractIds.join(', ')})` },
    resources: contractIds.map((id) => ['CONTRACT_ID', id]),
    untraced: true,
  })
}

function outOfBounds(ledgerTime: bigint, recordTime: bigint, tolerance: bigint): LedgerError {
  const times = `ledgerTime=${instantToText(ledgerTime)}, recordTime=${instantToText(recordTime)}`
  return new LedgerError(
    'LOCAL_VERDICT_LEDGER_TIME_OUT_OF_BOUND',
    `Rejected transaction as delta of the ledger time and the record time exceed the time tolerance ${times}, ` +
      `maxDelta=${tolerance / 1_000_000n}s`,
    { untraced: true },
  )
}

async function keysOf(batch: readonly InterpretedCommand[], records: Records): Promise<Known['keys']> {
  const hashes = new Set(batch.flatMap(({ effects }) => effects.keyInputs.map(({ hash }) => hash)))
  const keys: Known['keys'] = new Map()
  for (const hash of hashes) keys.set(hash, await records.contracts.withKey(hash))
  return keys
}
