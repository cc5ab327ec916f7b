// Refusals of reassignments before they are enqueued, in Canton's words (ReassignmentProcessorError,
// ReassignmentValidationError). All of them are invalid arguments.
import { invalidArgument as invalidArgumentOf, type LedgerError } from '../../base/errors.ts'
import { shortHash, shortIdentifier } from '../../base/names.ts'
import { physicalId, type Synchronizer } from '../model/synchronizers.ts'
import type { Presence } from './moving-contracts.ts'

/** Canton finds them after the request was validated, and without its submission. */
const invalidArgument = (reason: string) => invalidArgumentOf(reason, { foundBy: 'node' })

export function notConnected(synchronizerId: string): LedgerError {
  return invalidArgument(`Unable to resolve ${shortIdentifier(synchronizerId)} to a connected physical synchronizer id`)
}

export function sameSynchronizers(contractIds: readonly string[]): LedgerError {
  const words = 'source and target synchronizers are the same'
  return invalidArgument(`Cannot unassign contracts \`List(${contractIds.map(shownContract).join(', ')})\`: ${words}`)
}

export function notThere(contractId: string, presence: Exclude<Presence, { kind: 'active' }>): LedgerError {
  const head = `Cannot unassign contract \`${shownContract(contractId)}\``
  if (presence.kind === 'unknown') return invalidArgument(`${head}: unknown contract`)
  const { status } = presence
  const shown = status === 'Archived' ? status : `ReassignedAway(${shortIdentifier(status.reassignedTo)})`
  return invalidArgument(`${head} because it's not active. Current status ${shown}`)
}

type Stakeholders = { readonly all: readonly string[]; readonly signatories: readonly string[] }

export function differingStakeholders(different: readonly Stakeholders[]): LedgerError {
  const shown = different.map(({ all, signatories }) => {
    return `Stakeholders(all = Seq(${all.join(', ')}), signatories = Seq(${signatories.join(', ')}))`
  })
  return invalidArgument(`DifferingStakeholders(List(${shown.join(', ')}))`)
}

/** How messages name what is reassigned. */
export type Reference =
  | { readonly kind: 'unassignment'; readonly contractIds: readonly string[] }
  | { readonly kind: 'assignment'; readonly reassignmentId: string }

export function notStakeholder(reference: Reference, submitter: string): LedgerError {
  return failed(`For ${shownReference(reference)}: submitter \`${submitter}\` is not a stakeholder. `)
}

export function notHosted(reference: Reference, submitter: string, participantId: string): LedgerError {
  return failed(`For ${shownReference(reference)}: ${submitter} is not hosted on ${shownParticipant(participantId)}`)
}

export function notActive(parties: readonly string[], where: 'source' | 'target'): LedgerError {
  return failed(`The following stakeholders are not active on the ${where} synchronizer: ${sorted(parties)}`)
}

export function noReassigningParticipant(parties: readonly string[]): LedgerError {
  return failed(`The following stakeholders are not hosted on any reassigning participants: ${sorted(parties)}`)
}

export function tooFewConfirm(
  signatory: string,
  where: 'source' | 'target',
  threshold: number,
  available: number,
): LedgerError {
  return failed(
    `Signatory ${signatory} requires at least ${threshold} signatory reassigning participants on synchronizer ` +
      `${where}, but only ${available} are available`,
  )
}

export type Unvetted = { readonly participant: string; readonly packageId: string }

export function notVetted(
  contractIds: readonly string[],
  synchronizer: Synchronizer,
  unvetted: readonly Unvetted[],
): LedgerError {
  const missing = unvetted.map(
    ({ participant, packageId }) =>
      `Participant ${shownParticipant(participant)} has not vetted ${shortHash(packageId)}`,
  )
  return failed(
    `Cannot unassign contracts \`Set(${contractIds.map(shownContract).join(', ')})\` on synchronizer ` +
      `\`${physicalId(synchronizer)}\`: ${missing.join(', ')}`,
  )
}

export function noReassignment(reassignmentId: string, reason: string): LedgerError {
  return invalidArgument(
    `Cannot find reassignment data for reassignment \`${shownReassignment(reassignmentId)}\`: ${reason}`,
  )
}

export function cannotAssign(reassignmentId: string, party: string): LedgerError {
  return invalidArgument(`Cannot assign \`${shownReassignment(reassignmentId)}\` because ${party} is not active`)
}

function failed(reason: string): LedgerError {
  return invalidArgument(`Submission failed because: ${reason}`)
}

/** As Scala shows it. */
function sorted(parties: readonly string[]): string {
  return `TreeSet(${[...new Set(parties)].sort().join(', ')})`
}

function shownReference(reference: Reference): string {
  if (reference.kind === 'assignment') return `assignment ${shownReassignment(reference.reassignmentId)}`
  return `unassignment of Set(${reference.contractIds.map(shownContract).join(', ')})`
}

function shownContract(contractId: string): string {
  return `ContractId(${contractId})`
}

function shownReassignment(reassignmentId: string): string {
  return `ReassignmentId(${reassignmentId})`
}

function shownParticipant(participantId: string): string {
  return `PAR::${shortIdentifier(participantId)}`
}
