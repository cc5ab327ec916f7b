// Refusals of routing, in Canton's words (TransactionRoutingError). Each has the fields that Canton's error has; whether a
// client sees them depends on who asked for the route (`withTrace`, `withoutContext`).
import { type ErrorCode, type ErrorSubject, LedgerError, type Resource } from '../../base/errors.ts'
import { shorten, shortIdentifier } from '../../base/names.ts'
import { setOrder } from '../../base/scala-order.ts'
import { physicalId, type Synchronizer } from '../model/synchronizers.ts'

function refusal(
  code: ErrorCode,
  text: string,
  context: Readonly<Record<string, string>> = {},
  resources: readonly Resource[] = [],
  about?: ErrorSubject,
): LedgerError {
  const fitting = Object.entries(context).map(([field, value]) => [field, shorten(value, shownMax)])
  return new LedgerError(code, text, {
    context: Object.fromEntries(fitting),
    resources,
    untraced: true,
    ...(about && { about }),
  })
}

/** Canton cuts the context of an error so that all of it fits into 4 KiB. */
const shownMax = 3_500

const setText = (texts: readonly string[]) => `Set(${setOrder(texts).join(', ')})`
const physicalIds = (synchronizers: readonly Synchronizer[]) => setText(synchronizers.map(physicalId))

export const unknownSubmitters = (parties: readonly string[]) =>
  refusal(
    'UNKNOWN_SUBMITTERS',
    'The participant is not connected to any synchronizer where the given submitters are known.',
    { unknownSubmitters: setText(parties) },
    [],
    { kind: 'parties', names: parties },
  )

export const unknownInformees = (parties: readonly string[]) =>
  refusal(
    'UNKNOWN_INFORMEES',
    'The participant is not connected to any synchronizer where the given informees are known.',
    { unknownInformees: setText(parties) },
    [],
    { kind: 'parties', names: parties },
  )

/** Canton calls the parties informees here, too. */
export const submittersNotActive = (synchronizers: readonly Synchronizer[], submitters: readonly string[]) =>
  refusal('SUBMITTERS_NOT_ACTIVE', 'There is no common synchronizer where all submitters are active', {
    synchronizers: physicalIds(synchronizers),
    informees: setText(submitters),
  })

export const informeesNotActive = (synchronizers: readonly Synchronizer[], informees: readonly string[]) =>
  refusal('INFORMEES_NOT_ACTIVE', 'There is no common synchronizer where all informees are active', {
    synchronizers: physicalIds(synchronizers),
    informees: setText(informees),
  })

export const noCommonSynchronizer = (submitters: readonly string[], informees: readonly string[]) =>
  refusal(
    'NO_COMMON_SYNCHRONIZER',
    'There is no common synchronizer to which all submitters can submit and all informees are connected.',
    { submitters: setText(submitters), informees: setText(informees) },
  )

/** The participant may only confirm for the submitters. */
export const cannotSubmit = (submitters: readonly string[]) =>
  submitters.length === 1
    ? refusal(
        'NO_SYNCHRONIZER_ON_WHICH_ALL_SUBMITTERS_CAN_SUBMIT',
        'This participant cannot submit as the given submitter on any connected synchronizer',
        { unknownSubmitter: submitters[0]! },
      )
    : refusal(
        'NO_SYNCHRONIZER_ON_WHICH_ALL_SUBMITTERS_CAN_SUBMIT',
        'Not connected to a synchronizer on which this participant can submit for all submitters',
        { unknownSubmitters: `List(${setOrder(submitters).join(', ')})` },
      )

export const noStakeholder = (contractIds: readonly string[]) =>
  refusal(
    'SUBMITTER_ALWAYS_STAKEHOLDER',
    'The given contracts cannot be reassigned as no submitter is a stakeholder.',
    {
      cids: `List(${contractIds.map((id) => `ContractId(${id})`).join(', ')})`,
    },
  )

export function unknownLocations(contractIds: readonly string[]): LedgerError {
  const words = 'are currently unknown due to ongoing contract reassignments or disconnected synchronizers.'
  return refusal(
    'UNKNOWN_CONTRACT_SYNCHRONIZERS',
    `The synchronizers for the contracts (${contractIds.join(', ')}) ${words}`,
    { notFound: `List(${contractIds.join(', ')})`, archived: 'Map()' },
    [['CONTRACT_IDS', `[${contractIds.join(', ')}]`]],
  )
}

/** Lists the reason for each discarded synchronizer. */
export const noSynchronizer = (discarded: Discarded) =>
  allDiscarded('No valid synchronizer for submission found', 'synchronizersNotUsed', discarded)

export function noneToMoveTo(discarded: readonly Synchronizer[]): LedgerError {
  const reasons = discarded.map((synchronizer) => [synchronizer, cannotReassign] as const)
  return allDiscarded('No valid synchronizer found for synchronizer ranking', 'discardedSynchronizers', reasons)
}

type Discarded = readonly (readonly [Synchronizer, string])[]

function allDiscarded(words: string, field: string, discarded: Discarded): LedgerError {
  const shown = discarded.map(([synchronizer, reason]) => [physicalId(synchronizer), reason] as const)
  return refusal(
    'NO_SYNCHRONIZER_FOR_SUBMISSION',
    `${words}. Discarded synchronizers: ${shown.map(([id, reason]) => `${id}: ${reason}`).join(', ')}`,
    { [field]: `Map(${shown.map(([id, reason]) => `${id} -> ${reason}`).join(', ')})` },
  )
}

/** After the first interpretation, Canton tells only the code and the text, and no trace. */
export function withoutContext({ code, message, details: { about } }: LedgerError): LedgerError {
  return refusal(code, message, {}, [], about)
}

/** Where the request is known, Canton tells everything. */
export function withTrace({ code, message, details }: LedgerError): LedgerError {
  const { context = {}, resources = [], about } = details
  return new LedgerError(code, message, { context, resources, foundBy: 'node', ...(about && { about }) })
}

export function invalidPrescribed(synchronizerId: string, reason: string): LedgerError {
  const shown = shortIdentifier(synchronizerId)
  return new LedgerError(
    'INVALID_PRESCRIBED_SYNCHRONIZER_ID',
    `Cannot submit transaction to prescribed synchronizer \`${shown}\` because: ${reason}`,
    { context: { reason, synchronizerId: shown }, untraced: true },
  )
}

type WithoutPackage = { readonly synchronizer: Synchronizer; readonly name: string; readonly reason: string }

/** Why no synchronizer has packages for the names in the commands, in the words of TapsCommandExecutionFactory.scala. */
export function noneSelected(discarded: readonly WithoutPackage[], synchronizerId: string): LedgerError {
  const shown = discarded.map(
    ({ synchronizer, name, reason }) =>
      `\n\t${physicalId(synchronizer)}: Failed to select package-id for package-name '${name}' appearing in a command ` +
      `root node due to: ${reason}`,
  )
  const reason = `Discarded synchronizers: ${shown.join('')}`
  if (synchronizerId !== '') return withTrace(invalidPrescribed(synchronizerId, reason))
  const text = 'No synchronizers satisfy the topology requirements for the submitted command'
  return new LedgerError('PACKAGE_SELECTION_FAILED', `${text}: ${reason}`)
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
  const others = physicalIds(admissible)
  return refusal(
    'INVALID_PRESCRIBED_SYNCHRONIZER_ID',
    `Not all informees are on the specified synchronizer: ${physicalId(synchronizer)}, but on ${others}`,
    { physicalSynchronizerId: physicalId(synchronizer), synchronizersOfAllInformees: others },
  )
}

export function disclosedDiffer(disclosed: ReadonlyMap<string, string>): LedgerError {
  const shown = [...disclosed].map(([contractId, id]) => `ContractId(${contractId}) -> ${id}`)
  return new LedgerError(
    'DISCLOSED_CONTRACTS_SYNCHRONIZER_ID_MISMATCH',
    'Some disclosed contracts that were used during command interpretation have mismatching synchronizer ids: ' +
      `Map(${shown.join(', ')})`,
    { foundBy: 'interpretation' },
  )
}

export function disclosedElsewhere(prescribed: string, disclosed: ReadonlyMap<string, string>): LedgerError {
  const [there] = disclosed.values()
  const shown = [...disclosed.keys()].map((contractId) => `ContractId(${contractId})`)
  return new LedgerError(
    'PRESCRIBED_SYNCHRONIZER_ID_MISMATCH',
    `The target synchronizer=${prescribed} specified in the command submission mismatches the synchronizer id=${there} ` +
      'of some attached disclosed contracts that have been used in the submission ' +
      `(used-disclosed-contract-ids=Set(${shown.join(', ')}))`,
    { foundBy: 'interpretation' },
  )
}

const cannotReassign = 'Automatically reassigning contracts to a common synchronizer failed.'

export function reassignmentFailed(reason: string): LedgerError {
  return new LedgerError('AUTOMATIC_REASSIGNMENT_FOR_TRANSACTION_FAILED', cannotReassign, {
    context: { reason },
    untraced: true,
  })
}

type Stuck = {
  readonly contractId: string
  /** Undefined if nobody who asks is a stakeholder. */
  readonly submitter: string | undefined
  readonly from: Synchronizer
  readonly to: Synchronizer
  readonly absent: readonly string[]
}

/** Why a contract cannot be moved to the target. */
export function cannotMove({ contractId, submitter, from, to, absent }: Stuck): string {
  const words = `The following stakeholders are not active on the target synchronizer: Set(${absent.join(', ')})`
  const reason = submitter === undefined ? '' : `Read ${submitter} cannot reassign: ${words}`
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
