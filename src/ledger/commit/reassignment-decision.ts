// Whether an unassignment or an assignment is accepted: its contracts must still be where it found them, and only one
// assignment counts, the submitter's while it is exclusive. Mirrors Canton's Unassignment- and AssignmentValidation.
import { LedgerError } from '../../base/errors.ts'
import { instantToText } from '../../lf/codec/time-text.ts'
import type { ContractState } from '../../store/core/contract-records.ts'
import { type ReassignmentRecord, unseen } from '../../store/core/ledger-records.ts'
import { inTransit } from '../model/synchronizers.ts'
import type { Assignment, DecidedItem, Decision, ReassignmentItem, Rejected, Unassignment } from './commit-item.ts'
import { lockedContracts } from './contract-verdicts.ts'
import { reassignmentIdOf } from './ids.ts'
import type { Known, Setting } from './known-state.ts'
import { ownConfirming, reportedBy } from './reporting-participant.ts'

export function decideUnassignment(
  item: Unassignment,
  offset: bigint,
  recordTime: bigint,
  known: Known,
  { clocks, isPending, participantId }: Setting,
): DecidedItem {
  const { source, target, submitter, userId, commandId, workflowId } = item
  const states = item.contracts.map(({ row }) => known.contracts.get(row.contractId))
  for (const [index, { row }] of item.contracts.entries()) {
    const isFree = !known.locked.has(row.contractId) && isWhereItWas(states[index], row)
    if (isFree) continue
    const by = { participantId, parties: confirmersHere(item, known, participantId) }
    return rejected(item, offset, recordTime, reportedBy(participantId, source, by, hasMoved(row)))
  }
  const contracts = item.contracts.map(({ row }) => ({ contractId: row.contractId, counter: row.counter + 1n }))
  const reassignment: ReassignmentRecord = {
    unassignedOffset: offset,
    id: reassignmentIdOf({ source: source.id, target: target.id, recordTime, contracts }),
    source: source.number,
    target: target.number,
    submitter,
    exclusiveUntil: clocks.get(target.number)! + 1n + BigInt(target.assignmentExclusivityMs) * 1000n,
    userId,
    commandId,
    workflowId,
    assigned: item.isHalf ? { offset: unseen, workflowId: '' } : undefined,
  }
  for (const [index, { contractId, counter }] of contracts.entries()) {
    if (isPending?.(item)) known.locked.add(contractId)
    else known.contracts.set(contractId, { ...states[index]!, location: inTransit, counter })
  }
  return { kind: 'unassignment', item, recordTime, reassignment, decision: accepted(item, offset) }
}

export function decideAssignment(
  item: Assignment,
  offset: bigint,
  recordTime: bigint,
  known: Known,
  { participantId, isPending }: Setting,
): DecidedItem {
  const { reassignmentId, target, submitter, workflowId } = item
  const pending = known.reassignments.get(reassignmentId)!
  if (pending.assigned !== undefined) return rejected(item, offset, recordTime, alreadyAssigned(reassignmentId))
  if (known.locked.has(reassignmentId)) {
    const ids = item.contracts.map(({ row }) => row.contractId)
    const by = { participantId, parties: confirmersHere(item, known, participantId) }
    return rejected(item, offset, recordTime, reportedBy(participantId, target, by, lockedContracts(ids)))
  }
  if (recordTime < pending.exclusiveUntil && submitter !== pending.submitter) {
    const problem = reportedBy(participantId, target, ownConfirming(participantId, []), tooEarly(pending, recordTime))
    return rejected(item, offset, recordTime, problem)
  }
  const reassignment = { ...pending, assigned: { offset, workflowId } }
  if (isPending?.(item)) known.locked.add(reassignmentId)
  else {
    known.reassignments.set(reassignmentId, reassignment)
    for (const { row } of item.contracts) {
      const state = known.contracts.get(row.contractId)!
      known.contracts.set(row.contractId, { ...state, location: target.number })
    }
  }
  return { kind: 'assignment', item, recordTime, reassignment, decision: accepted(item, offset) }
}

function confirmersHere(item: ReassignmentItem, { confirmers }: Known, participantId: string): readonly string[] {
  return (confirmers.get(item) ?? [participantId]).toSorted()
}

function isWhereItWas(now: ContractState | undefined, then: ContractState): boolean {
  return now?.archivedOffset === undefined && now?.location === then.location && now.counter === then.counter
}

function accepted({ updateId }: ReassignmentItem, offset: bigint): Decision {
  return { kind: 'accepted', offset, updateId, deduplicationOffset: undefined }
}

function rejected(item: ReassignmentItem, offset: bigint, recordTime: bigint, error: LedgerError): Rejected {
  const decision: Decision = { kind: 'rejected', offset, error, deduplicationOffset: undefined }
  return { kind: 'rejected', item, recordTime, decision }
}

function hasMoved({ contractId, counter }: ContractState): LedgerError {
  const text = `reassignment counter for contract id ContractId(${contractId}) is not correct: ${counter + 1n}`
  return new LedgerError('UNASSIGNMENT_ACTIVENESS_CHECK_FAILED', `Activeness check failed.${text}`)
}

function alreadyAssigned(reassignmentId: string): LedgerError {
  return new LedgerError(
    'ASSIGNMENT_ALREADY_COMPLETED',
    'Rejected reassignment as the reassignment has already completed ',
    { resources: [['REASSIGNMENT_ID', reassignmentId]], untraced: true },
  )
}

function tooEarly({ id, submitter, exclusiveUntil }: ReassignmentRecord, now: bigint): LedgerError {
  const who = `only ${submitter} can initiate before exclusivity timeout Target(${instantToText(exclusiveUntil)})`
  const reason = `Cannot assign \`ReassignmentId(${id})\`: ${who}. Current timestamp is ${instantToText(now)}.`
  return new LedgerError('REASSIGNMENT_VALIDATION_FAILED', `Validation check failed. ${reason}`)
}
