// Decides which items of a batch are accepted, in order: no duplicate, not too late, every contract still active where
// it is used. What one item archives or moves is gone for the next.
import { LedgerError } from '../../base/errors.ts'
import { informeesOf, type View } from '../../engine/requests/served-transaction.ts'
import { instantToText } from '../../lf/codec/time-text.ts'
import { unseen } from '../../store/core/ledger-records.ts'
import type { TransactionRecords } from '../../store/core/store.ts'
import { shownDuration } from '../model/duration-text.ts'
import { isOnlySeen } from '../model/seen-contracts.ts'
import type { CommitItem, DecidedItem, Decision, InterpretedCommand } from './commit-item.ts'
import { inactiveContracts, lockedContracts } from './contract-verdicts.ts'
import { checkDuplicate, duplicatesOf } from './deduplication.ts'
import type { Known, Setting } from './known-state.ts'
import type { OtherParticipants } from './other-participants.ts'
import { decideAssignment, decideUnassignment } from './reassignment-decision.ts'
import { ownConfirming, placeOf, reportedBy } from './reporting-participant.ts'
import { lastSequencingTime, notSequenced } from './sequencing-time.ts'
import { signedTimeProblem } from './signed-transactions.ts'

/** The state before the batch, as far as its items depend on it. */
export async function knownOf(
  batch: readonly CommitItem[],
  records: TransactionRecords,
  others: OtherParticipants | undefined,
): Promise<Known> {
  const commands = batch.filter((item) => item.kind === 'transaction')
  const inputs = new Set(batch.flatMap(inputsOf))
  const assigned = batch.flatMap((item) => (item.kind === 'assignment' ? [item.reassignmentId] : []))
  const [states, duplicates, reassignments] = await Promise.all([
    records.contracts.states([...inputs]),
    duplicatesOf(commands, records),
    records.reassignments.byId(assigned),
  ])
  const own = states.filter((state) => !isOnlySeen(state))
  const contracts = new Map(own.map((state) => [state.contractId, state]))
  const unknown = others === undefined ? [] : [...inputs].filter((id) => !contracts.has(id))
  const elsewhere = unknown.length === 0 ? [] : await others!.states(unknown, records)
  for (const { state } of elsewhere) contracts.set(state.contractId, state)
  const moving = new Map(reassignments.map((found) => [found.id, found]))
  const locked = new Set(elsewhere.flatMap(({ state, isLocked }) => (isLocked ? [state.contractId] : [])))
  for (const { id, synchronizer, isDecided } of (await others?.waiting([...inputs, ...assigned], records)) ?? []) {
    const contract = contracts.get(id)
    const reassignment = moving.get(id)
    if (!isDecided) locked.add(id)
    else if (reassignment !== undefined) {
      moving.set(id, { ...reassignment, assigned: reassignment.assigned ?? { offset: unseen, workflowId: '' } })
    }
    // One that has been assigned elsewhere is active there, whether or not its unassignment has come.
    else if (contract?.location === synchronizer) contracts.set(id, { ...contract, archivedOffset: 0n })
  }
  return {
    contracts,
    locked,
    confirmers: (await others?.confirmersHere(batch, records)) ?? new Map(),
    elsewhere: new Map(elsewhere.map(({ state: { contractId }, confirming }) => [contractId, confirming])),
    duplicates,
    reassignments: moving,
  }
}

export function decideBatch(batch: readonly CommitItem[], known: Known, setting: Setting): DecidedItem[] {
  return batch.map((item, index) => {
    const offset = setting.before.end + BigInt(index) + 1n
    const recordTime = setting.clocks.get(item.synchronizer.number)! + 1n
    setting.clocks.set(item.synchronizer.number, recordTime)
    if (item.kind === 'unassignment') return decideUnassignment(item, offset, recordTime, known, setting)
    if (item.kind === 'assignment') return decideAssignment(item, offset, recordTime, known, setting)
    return decideTransaction(item, offset, recordTime, known, setting)
  })
}

function inputsOf(item: CommitItem): readonly string[] {
  return item.kind === 'transaction' ? item.effects.inputContracts : item.contracts.map(({ row }) => row.contractId)
}

function decideTransaction(
  item: InterpretedCommand,
  offset: bigint,
  recordTime: bigint,
  known: Known,
  setting: Setting,
): DecidedItem {
  const { updateId, effects } = item
  const { problem: duplicate, deduplicationOffset } = checkDuplicate(item, known.duplicates, setting)
  const error =
    duplicate ??
    latenessOf(item, recordTime, setting) ??
    verdictOn(item, recordTime, known, setting) ??
    setting.vettingProblem?.(item)
  if (error !== undefined) {
    const decision: Decision = { kind: 'rejected', offset, error, deduplicationOffset }
    return { kind: 'rejected', item, recordTime, decision }
  }
  const isPending = setting.isPending?.(item) ?? false
  const archived = effects.archived.flatMap((contractId) => {
    const contract = known.contracts.get(contractId)
    if (contract === undefined) return [] // Created by the same transaction.
    if (isPending) known.locked.add(contractId)
    else known.contracts.set(contractId, { ...contract, archivedOffset: offset })
    return known.elsewhere.has(contractId) ? [] : [contract]
  })
  known.duplicates.accept(item, offset, setting.publishedAt)
  const decision: Decision = { kind: 'accepted', offset, updateId, deduplicationOffset }
  return { kind: 'transaction', item, recordTime, archived, decision }
}

/** A synchronizer takes no transaction after its time; participants then do not see it. */
function latenessOf(item: InterpretedCommand, recordTime: bigint, { participantId }: Setting): LedgerError | undefined {
  if (recordTime <= lastSequencingTime(item)) return undefined
  return notSequenced(placeOf(participantId, item.synchronizer))
}

/** As the participant says it: for the first view that it rejects. */
function verdictOn(
  item: InterpretedCommand,
  recordTime: bigint,
  known: Known,
  { participantId }: Setting,
): LedgerError | undefined {
  const { contracts, elsewhere } = known
  const { effects, synchronizer } = item
  const here = known.confirmers.get(item)
  const report = (view: View, problem: LedgerError) => {
    const confirmers = confirmersOf(item, view).filter((party) => here?.includes(party) ?? true)
    return reportedBy(participantId, synchronizer, ownConfirming(participantId, confirmers), problem)
  }
  const late = timeProblem(item, recordTime)
  if (late !== undefined) return report(effects.views[0]!, late)
  const inactive = effects.inputContracts.filter((id) => {
    const contract = contracts.get(id)
    return contract?.archivedOffset !== undefined || contract?.location !== synchronizer.number
  })
  // Keys are not checked again: as in Canton, what a command did not find by key may exist by now.
  if (inactive.length === 0) return lockProblem(item, known, participantId)
  for (const view of effects.views) {
    const used = new Set(view[1].map((number) => effects.inputContracts[number]))
    const gone = inactive.filter((id) => used.has(id))
    const own = gone.filter((id) => !elsewhere.has(id))
    if (own.length > 0) return report(view, inactiveContracts(own))
    const other = elsewhere.get(gone[0] ?? '')
    if (other === undefined) continue
    const there = gone.filter((id) => elsewhere.get(id)!.participantId === other.participantId)
    return reportedBy(participantId, synchronizer, other, inactiveContracts(there))
  }
  return report(effects.views[0]!, inactiveContracts(inactive)) // Only parts that were rolled back used them.
}

/** Whether they are archived or moved is not decided, so nobody may use them. */
function lockProblem(item: InterpretedCommand, { locked, confirmers, elsewhere }: Known, participantId: string) {
  const taken = locked.size === 0 ? [] : item.effects.inputContracts.filter((id) => locked.has(id))
  if (taken.length === 0) return undefined
  const own = taken.filter((id) => !elsewhere.has(id))
  const other = elsewhere.get(taken[0]!)
  if (own.length > 0 || other === undefined) {
    const by = { participantId, parties: (confirmers.get(item) ?? []).toSorted() }
    return reportedBy(participantId, item.synchronizer, by, lockedContracts(own))
  }
  const there = taken.filter((id) => elsewhere.get(id)!.participantId === other.participantId)
  return reportedBy(participantId, item.synchronizer, other, lockedContracts(there))
}

function timeProblem(item: InterpretedCommand, recordTime: bigint): LedgerError | undefined {
  const { ledgerTime, synchronizer } = item
  const tolerance = BigInt(synchronizer.ledgerTimeToleranceMs) * 1000n
  if (ledgerTime - recordTime > tolerance) return outOfBounds(ledgerTime, recordTime, tolerance)
  return item.signed && signedTimeProblem(item.signed, recordTime)
}

function confirmersOf(item: InterpretedCommand, [confirmers]: View): readonly string[] {
  const informees = informeesOf(item)
  return confirmers.map((number) => informees[number]!)
}

function outOfBounds(ledgerTime: bigint, recordTime: bigint, tolerance: bigint): LedgerError {
  const times = `ledgerTime=${instantToText(ledgerTime)}, recordTime=${instantToText(recordTime)}`
  return new LedgerError(
    'LOCAL_VERDICT_LEDGER_TIME_OUT_OF_BOUND',
    `Rejected transaction as delta of the ledger time and the record time exceed the time tolerance ${times}, ` +
      `maxDelta=${shownDuration(tolerance)}`,
  )
}
