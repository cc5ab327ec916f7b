// Refusals of routing, in Canton's words (TransactionRoutingError). They are found after interpretation, so they carry
// neither trace nor submission id, as in Canton.
import { type ErrorCode, type ErrorDetails, LedgerError } from '../../base/errors.ts'
import { shortIdentifier } from '../../base/names.ts'
import { physicalId, type Synchronizer } from '../synchronizers.ts'

const refusal = (code: ErrorCode, text: string) => new LedgerError(code, text, { untraced: true })

export const unknownSubmitters = () =>
  refusal(
    'UNKNOWN_SUBMITTERS',
    'The participant is not connected to any synchronizer where the given submitters are known.',
  )

export const unknownInformees = () =>
  refusal(
    'UNKNOWN_INFORMEES',
    'The participant is not connected to any synchronizer where the given informees are known.',
  )

export const submittersNotActive = () =>
  refusal('SUBMITTERS_NOT_ACTIVE', 'There is no common synchronizer where all submitters are active')

export const informeesNotActive = () =>
  refusal('INFORMEES_NOT_ACTIVE', 'There is no common synchronizer where all informees are active')

export const noCommonSynchronizer = () =>
  refusal(
    'NO_COMMON_SYNCHRONIZER',
    'There is no common synchronizer to which all submitters can submit and all informees are connected.',
  )

/** The participant may only confirm for the submitters; `details` if this is found before interpretation. */
export const cannotSubmit = (submitters: readonly string[], details: ErrorDetails = { untraced: true }) =>
  new LedgerError(
    'NO_SYNCHRONIZER_ON_WHICH_ALL_SUBMITTERS_CAN_SUBMIT',
    submitters.length === 1
      ? 'This participant cannot submit as the given submitter on any connected synchronizer'
      : 'Not connected to a synchronizer on which this participant can submit for all submitters',
    details,
  )

export const noStakeholder = () =>
  refusal('SUBMITTER_ALWAYS_STAKEHOLDER', 'The given contracts cannot be reassigned as no submitter is a stakeholder.')

export function unknownLocations(contractIds: readonly string[]): LedgerError {
  const words = 'are currently unknown due to ongoing contract reassignments or disconnected synchronizers.'
  return refusal(
    'UNKNOWN_CONTRACT_SYNCHRONIZERS',
    `The synchronizers for the contracts (${contractIds.join(', ')}) ${words}`,
  )
}

/** Lists the reason for each discarded synchronizer. */
export function noSynchronizer(
  discarded: readonly (readonly [Synchronizer, string])[],
  words = 'for submission found',
): LedgerError {
  const reasons = discarded.map(([synchronizer, reason]) => `${physicalId(synchronizer)}: ${reason}`)
  return refusal(
    'NO_SYNCHRONIZER_FOR_SUBMISSION',
    `No valid synchronizer ${words}. Discarded synchronizers: ${reasons.join(', ')}`,
  )
}

/** Routing fails after interpretation: then Canton tells neither context nor trace. */
export function withoutContext({ code, message }: LedgerError): LedgerError {
  return refusal(code, message)
}

/** Where the request is known, Canton tells both. */
export function withTrace({ code, message, details: { context = {} } }: LedgerError): LedgerError {
  return new LedgerError(code, message, { context, foundBy: 'node' })
}

export function invalidPrescribed(synchronizerId: string, reason: string): LedgerError {
  const shown = shortIdentifier(synchronizerId)
  return new LedgerError(
    'INVALID_PRESCRIBED_SYNCHRONIZER_ID',
    `Cannot submit transaction to prescribed synchronizer \`${shown}\` because: ${reason}`,
    { context: { reason, synchronizerId: shown }, untraced: true },
  )
}

/** The node is not connected to it. */
export function cannotResolve(synchronizerId: string): LedgerError {
  const words = 'cannot resolve to physical synchronizer; ensure the node is connected to'
  return invalidPrescribed(synchronizerId, `${words} ${shortIdentifier(synchronizerId)}`)
}

/** Of a disclosed contract. */
export function noPhysicalSynchronizer(synchronizerId: string): LedgerError {
  return invalidPrescribed(
    synchronizerId,
    `cannot resolve ${shortIdentifier(synchronizerId)} to a physical synchronizer id`,
  )
}

export function informeesElsewhere(synchronizer: Synchronizer, admissible: readonly Synchronizer[]): LedgerError {
  const others = admissible.map(physicalId).join(', ')
  return refusal(
    'INVALID_PRESCRIBED_SYNCHRONIZER_ID',
    `Not all informees are on the specified synchronizer: ${physicalId(synchronizer)}, but on Set(${others})`,
  )
}

export function disclosedDiffer(disclosed: ReadonlyMap<string, string>): LedgerError {
  const shown = [...disclosed].map(([contractId, id]) => `${contractId} -> ${shortIdentifier(id)}`)
  return refusal(
    'DISCLOSED_CONTRACTS_SYNCHRONIZER_ID_MISMATCH',
    'Some disclosed contracts that were used during command interpretation have mismatching synchronizer ids: ' +
      `Map(${shown.join(', ')})`,
  )
}

export function disclosedElsewhere(prescribed: string, disclosed: ReadonlyMap<string, string>): LedgerError {
  const [there] = disclosed.values()
  return refusal(
    'PRESCRIBED_SYNCHRONIZER_ID_MISMATCH',
    `The target synchronizer=${shortIdentifier(prescribed)} specified in the command submission mismatches the ` +
      `synchronizer id=${shortIdentifier(there!)} of some attached disclosed contracts that have been used in the ` +
      `submission (used-disclosed-contract-ids=Set(${[...disclosed.keys()].join(', ')}))`,
  )
}

export function reassignmentFailed(reason: string): LedgerError {
  return new LedgerError(
    'AUTOMATIC_REASSIGNMENT_FOR_TRANSACTION_FAILED',
    'Automatically reassigning contracts to a common synchronizer failed.',
    { context: { reason }, untraced: true },
  )
}

type Stuck = {
  readonly contractId: string
  readonly submitter: string
  readonly from: Synchronizer
  readonly to: Synchronizer
  readonly absent: readonly string[]
}

/** Why a contract cannot be moved to the target. */
export function cannotMove({ contractId, submitter, from, to, absent }: Stuck): string {
  const words = `The following stakeholders are not active on the target synchronizer: Set(${absent.join(', ')})`
  const reason = `Read ${submitter} cannot reassign: ${words}`
  return `Cannot reassign contract ${contractId} from ${physicalId(from)} to ${physicalId(to)}: ${reason}`
}

export function keysUnsupported(synchronizer: Synchronizer): string {
  const words = 'The transaction uses a specific LF version 2 that is supported starting protocol version: 35.'
  return `${words} ${currentVersion(synchronizer)}`
}

export function schemeUnsupported(synchronizer: Synchronizer): string {
  const words = 'The transaction was hashed using a version V3 that is supported starting protocol version: Some(35).'
  return `${words} ${currentVersion(synchronizer)}`
}

const currentVersion = (synchronizer: Synchronizer): string =>
  `Currently the synchronizer ${physicalId(synchronizer)} is using ${synchronizer.protocolVersion}.`
