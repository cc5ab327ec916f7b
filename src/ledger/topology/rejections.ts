// Rejections of topology transactions, in the words of Canton's TopologyManagerError. Canton passes most on as a bare
// gRPC status; for something that exists already it reports an invalid request.
import { hash } from 'node:crypto'
import { type ErrorDetails, invalidArgument, LedgerError } from '../../base/errors.ts'
import { shortHash, shortIdentifier } from '../../base/names.ts'

export const invalidSignature = () =>
  new LedgerError('TOPOLOGY_INVALID_TX_SIGNATURE', 'Transaction signature verification failed', { bare: true })

export function missingAuthorization(namespaces: readonly string[], keys: readonly string[]): LedgerError {
  const text = `Topology transaction is missing authorizations by namespaces=${setOf(namespaces)} and keys=${setOf(keys)}`
  return new LedgerError('TOPOLOGY_UNAUTHORIZED_TRANSACTION', text, { bare: true })
}

export function missingDelegation(keys: readonly string[]): LedgerError {
  const text =
    'Topology transaction authorization cannot be verified due to missing namespace delegations for keys ' +
    keys.map(shortHash).join(', ')
  return new LedgerError('TOPOLOGY_UNAUTHORIZED_TRANSACTION', text, { bare: true })
}

export function invalidMapping(reason: string): LedgerError {
  const text = `The topology transaction was rejected due to an invalid mapping: ${reason}`
  return new LedgerError('TOPOLOGY_INVALID_MAPPING', text, { bare: true })
}

/** For another transaction of a mapping that exists already, though each comes as the first. */
export function serialMismatch(): LedgerError {
  const text = 'The provided serial Some(1) did not match the expected serial Some(2).'
  return new LedgerError('TOPOLOGY_SERIAL_MISMATCH', text, { bare: true })
}

export function unknownParticipants(ids: readonly string[]): LedgerError {
  const members = ids.toSorted().map((id) => `PAR::${shortIdentifier(id)}`)
  return new LedgerError('TOPOLOGY_UNKNOWN_MEMBERS', `Members ${members.join(', ')} are unknown.`, { bare: true })
}

export const signingThresholdTooHigh = (threshold: number, keys: number, details: ErrorDetails) =>
  invalidArgument(
    `Tried to set a signing threshold (${threshold}) above the number of signing keys (${keys}).`,
    details,
  )

export const confirmingThresholdTooHigh = (threshold: number, hosts: number, details: ErrorDetails) =>
  invalidArgument(
    `Tried to set a confirming threshold (${threshold}) above the number of hosting nodes (${hosts}).`,
    details,
  )

export const partyIsParticipant = (party: string, participantId: string) =>
  invalidArgument(
    `Tried to allocate party ${shortIdentifier(party)} with the same UID as an already existing admin party.`,
    allocationDetails(party, participantId),
  )

export const partyExists = (party: string, synchronizerId: string, participantId: string) =>
  invalidArgument(
    `Party ${shortIdentifier(party)} already exists on synchronizer ${shortIdentifier(synchronizerId)}`,
    allocationDetails(party, participantId),
  )

/** Canton submits allocations under an id that it derives from party and participant; it tells it when one is refused. */
export function allocationDetails(party: string, participantId: string): ErrorDetails {
  const submissionId = `1220${hash('sha256', `${party} ${participantId}`)}`
  return { correlationId: submissionId, context: { submissionId: `'${submissionId}'` } }
}

const setOf = (names: readonly string[]): string => `Set(${names.map(shortHash).join(', ')})`
