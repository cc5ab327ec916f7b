// Validates reassignment requests. Order, codes and texts mirror Canton's CommandsValidator and the batch rules of
// CantonSyncService.
import { invalidArgument, invalidField, type LedgerError, missingField } from '../../base/errors.ts'
import {
  ledgerStringProblem,
  type NameProblem,
  partyProblem,
  uniqueIdentifierProblem,
  userIdProblem,
} from '../../base/names.ts'
import { contractIdProblem } from '../../lf/values/contract-ids.ts'
import { reassignmentIdProblem } from '../commit/ids.ts'
import type { ReassignmentCommand, ReassignmentCommands } from './reassignment-commands.ts'

/** Contracts that are unassigned together, or one assignment. */
export type Batch = { readonly source: string; readonly target: string } & (
  | { readonly kind: 'unassign'; readonly contractIds: readonly string[] }
  | { readonly kind: 'assign'; readonly reassignmentId: string }
)

export function validateReassignment(
  request: ReassignmentCommands | undefined,
  submissionId: string,
): ReassignmentCommands {
  if (request === undefined) throw missingField('reassignment_commands')
  const { submitter, userId, commandId, workflowId, commands } = request
  refuse('submitter', partyProblem(submitter))
  if (userId === '') throw missingField('user_id')
  refuse('user_id', userIdProblem(userId))
  refuse('command_id', ledgerStringProblem(commandId))
  refuse('submission_id', ledgerStringProblem(submissionId))
  if (workflowId !== '') refuse('workflow_id', ledgerStringProblem(workflowId))
  for (const command of commands) checkCommand(command)
  return { ...request, submissionId }
}

function checkCommand(command: ReassignmentCommand): void {
  if (command.kind === 'none') throw missingField('command')
  checkSynchronizer('source', command.source)
  checkSynchronizer('target', command.target)
  if (command.kind === 'assign') refuse('reassignment_id', reassignmentIdProblem(command.reassignmentId))
  else {
    if (command.contractId === '') throw missingField('contract_id')
    refuse('contract_id', contractIdProblem(command.contractId))
  }
}

function checkSynchronizer(field: string, id: string): void {
  if (id === '') throw missingField(field)
  refuse(field, uniqueIdentifierProblem(id))
}

function refuse(field: string, problem: NameProblem): void {
  if (problem !== undefined) throw invalidField(field, problem)
}

/** A batch has one source and one target; an assignment stands alone. Duplicate contract ids count once. */
export function batchOf(commands: readonly ReassignmentCommand[]): Batch {
  const [first, ...others] = commands
  if (first === undefined || first.kind === 'none') throw badBatch('no commands')
  const { source, target } = first
  if (first.kind === 'assign') {
    if (others.length > 0) throw badBatch('mixed assign with other commands')
    return { kind: 'assign', reassignmentId: first.reassignmentId, source, target }
  }
  const contractIds = new Set([first.contractId])
  for (const other of others) {
    if (other.kind !== 'unassign') throw badBatch('mixed assign with other commands')
    if (other.source !== source || other.target !== target) throw badBatch('differing synchronizers')
    contractIds.add(other.contractId)
  }
  return { kind: 'unassign', contractIds: [...contractIds], source, target }
}

function badBatch(reason: string): LedgerError {
  return invalidArgument(`The batch of reassignment commands was invalid: ${reason}`, { foundBy: 'node' })
}
