// Interactive submission on the wire. Mirrors Canton's JsInteractiveSubmissionService.
import { type Static, Type } from 'typebox'
import { unreadable } from '../../ledger/interactive/execute-request.ts'
import type {
  ExecuteRequest,
  HashingSchemeVersion,
  PreparedSubmission,
  PrepareRequest,
} from '../../ledger/interactive/interactive-requests.ts'
import type { PreferredPackages } from '../../ledger/interactive/preferred-packages.ts'
import { decodePreparedTransaction, type PreparedTransaction } from '../../lf/codec/prepared-transaction.ts'
import { instantToText } from '../../lf/codec/time-text.ts'
import { ValueError } from '../../lf/codec/value-error.ts'
import {
  command,
  commandFromJson,
  deduplicationPeriod,
  deduplicationPeriodFromJson,
  disclosedContract,
  prefetchContractKey,
  submitAndWaitResponse,
} from './commands.ts'
import { transaction } from './events.ts'
import { transactionFormat } from './formats.ts'
import {
  boxed,
  bytes,
  choiceOf,
  configured,
  duration,
  emptyVariant,
  flag,
  int32,
  int64,
  list,
  message,
  oneOf,
  optional,
  optionalInDocument,
  text,
  timestamp,
  undefaulted,
} from './schema.ts'
import { algorithmSpecs, signature } from './signatures.ts'

const hashingSchemes: readonly HashingSchemeVersion[] = [
  'HASHING_SCHEME_VERSION_UNSPECIFIED',
  'HASHING_SCHEME_VERSION_V2',
  'HASHING_SCHEME_VERSION_V3',
]
const defaultScheme: HashingSchemeVersion = 'HASHING_SCHEME_VERSION_V2'

const minLedgerTime = message(
  'MinLedgerTime',
  {
    time: oneOf(
      'Time',
      [
        emptyVariant('Empty9'),
        boxed('MinLedgerTimeAbs', timestamp('A point in time')),
        boxed('MinLedgerTimeRel', duration),
      ],
      { description: 'An absolute time, or a duration from now' },
    ),
  },
  { description: 'The earliest ledger time' },
)

const costEstimationHints = configured(
  'CostEstimationHints',
  {
    disabled: optionalInDocument(flag('Request no estimate')),
    expectedSignatures: optionalInDocument(
      list(choiceOf(algorithmSpecs, 'The signing algorithm of one signature'), 'The signatures to expect'),
    ),
  },
  { description: 'The expected signatures, for the cost estimate' },
)

export const prepareRequest = configured(
  'JsPrepareSubmissionRequest',
  {
    userId: optional(text('The user; by default that of the token')),
    commandId: Type.String({ description: 'Identifies the command for deduplication, together with user and actAs' }),
    commands: Type.Array(command, { description: 'The commands; exactly one' }),
    minLedgerTime: optional(minLedgerTime),
    actAs: Type.Array(Type.String(), { description: 'The parties to act as; at least one' }),
    readAs: list(Type.String(), 'Further parties whose contracts may be read'),
    disclosedContracts: list(disclosedContract, 'Disclosed contracts, which the command may use'),
    synchronizerId: optionalInDocument(text('The synchronizer to use; chosen by the node if empty')),
    packageIdSelectionPreference: optionalInDocument(
      list(Type.String(), 'Packages to prefer where a package name is ambiguous'),
    ),
    verboseHashing: flag('Request the details of the hash computation'),
    prefetchContractKeys: list(prefetchContractKey, 'Contract keys to load in advance, for speed'),
    maxRecordTime: undefaulted(timestamp('The latest record time; signed in scheme V3')),
    estimateTrafficCost: optional(costEstimationHints),
    tapsMaxPasses: optional(int32('Maximum number of passes of package selection')),
    hashingSchemeVersion: Type.Unsafe<HashingSchemeVersion>({
      ...choiceOf(hashingSchemes, 'The hashing scheme; contract keys need V3'),
      default: defaultScheme,
    }),
  },
  { description: 'A command to prepare for signing' },
)

const costEstimation = message(
  'CostEstimation',
  {
    estimationTimestamp: Type.String({ description: 'When it was estimated' }),
    confirmationRequestTrafficCostEstimation: int64('The cost of the request; 0, because traffic is free here'),
    confirmationResponseTrafficCostEstimation: int64('The cost of the responses'),
    totalTrafficCostEstimation: int64('The total cost'),
  },
  { description: 'The estimated traffic cost of the transaction', requires: 'all' },
)

export const prepareResponse = configured(
  'JsPrepareSubmissionResponse',
  {
    preparedTransaction: bytes('The transaction, in protobuf'),
    preparedTransactionHash: bytes('The hash that the acting parties must sign: 32 bytes'),
    hashingSchemeVersion: choiceOf(hashingSchemes, 'The hashing scheme'),
    hashingDetails: optional(text('The steps of the hash computation, if requested')),
    costEstimation: optional(costEstimation),
  },
  { requires: ['preparedTransaction', 'preparedTransactionHash', 'hashingSchemeVersion'] },
)

const partySignatures = message(
  'PartySignatures',
  {
    signatures: list(
      message(
        'SinglePartySignatures',
        { party: text('The party'), signatures: list(signature, 'Signatures by its keys') },
        { description: 'The signatures of one party', requires: 'all' },
      ),
      'The signatures of each party',
    ),
  },
  { description: 'The signatures of all acting parties', requires: 'all' },
)

const execution = {
  preparedTransaction: Type.Unsafe<Uint8Array>({
    type: 'string',
    format: 'byte',
    description: 'The prepared transaction',
  }),
  partySignatures,
  deduplicationPeriod: optionalInDocument(deduplicationPeriod('2', 'Empty10')),
  submissionId: Type.String({ description: 'Distinguishes submissions of the same command; generated if empty' }),
  userId: optional(text('The user; by default that of the token')),
  hashingSchemeVersion: choiceOf(hashingSchemes, 'The hashing scheme of the signed hash'),
  minLedgerTime: optional(minLedgerTime),
}

export const executeRequest = configured('JsExecuteSubmissionRequest', execution, {
  requires: ['preparedTransaction', 'partySignatures', 'submissionId', 'hashingSchemeVersion'],
})
export const executeAndWaitRequest = configured('JsExecuteSubmissionAndWaitRequest', execution, {
  requires: ['preparedTransaction', 'partySignatures', 'submissionId', 'hashingSchemeVersion'],
})
export const executeForTransactionRequest = configured(
  'JsExecuteSubmissionAndWaitForTransactionRequest',
  {
    ...execution,
    transactionFormat: optional(transactionFormat),
  },
  { requires: ['preparedTransaction', 'partySignatures', 'submissionId', 'hashingSchemeVersion'] },
)
export const executeResponse = message('ExecuteSubmissionResponse', {})
export const executeAndWaitResponse = message('ExecuteSubmissionAndWaitResponse', submitAndWaitResponse.properties, {
  requires: 'all',
})
export const executeForTransactionResponse = configured('JsExecuteSubmissionAndWaitForTransactionResponse', {
  transaction,
})

const packageReference = message(
  'PackageReference',
  {
    packageId: text('Its id'),
    packageName: text('Its name'),
    packageVersion: text('Its version'),
  },
  { description: 'A package', requires: 'all' },
)

export const preferredRequest = message(
  'GetPreferredPackagesRequest',
  {
    packageVettingRequirements: list(
      message(
        'PackageVettingRequirement',
        {
          parties: list(Type.String(), 'Parties that must be able to use it; at least one'),
          packageName: text('The name of the package'),
        },
        { description: 'A package name, and the parties that must be able to use it', requires: 'all' },
      ),
      'The required packages; at least one',
    ),
    synchronizerId: text('Where it must be vetted; anywhere if empty'),
    vettingValidAt: optional(timestamp('When it must be vetted; now if absent')),
  },
  { requires: ['packageVettingRequirements'] },
)
export const preferredResponse = message(
  'GetPreferredPackagesResponse',
  {
    packageReferences: list(packageReference, 'The highest version of each package that all parties can use'),
    synchronizerId: text('The synchronizer on which they can use them'),
  },
  { requires: 'all' },
)
export const preferredVersionResponse = message('GetPreferredPackageVersionResponse', {
  packagePreference: optional(
    message(
      'PackagePreference',
      { packageReference, synchronizerId: text('The synchronizer on which they can use it') },
      { description: 'The preferred package; null if there is none', requires: 'all' },
    ),
  ),
})

export function prepareRequestFromJson(json: Static<typeof prepareRequest>, userId: string): PrepareRequest {
  const { minLedgerTime: minimum, estimateTrafficCost, ...rest } = json
  return {
    ...rest,
    ...ledgerTimeFromJson(minimum),
    userId,
    commands: json.commands.map(commandFromJson),
    disclosedContracts: json.disclosedContracts.map((contract) => ({ templateId: '', ...contract })),
    prefetchContractKeys: json.prefetchContractKeys.map((key) => ({ limit: undefined, ...key })),
    maxRecordTime: json.maxRecordTime,
    tapsMaxPasses: json.tapsMaxPasses,
    expectedSignatures: estimateTrafficCost?.disabled ? undefined : (estimateTrafficCost?.expectedSignatures ?? []),
  }
}

export function preparedToJson(prepared: PreparedSubmission) {
  const { preparedTransaction, preparedTransactionHash, hashingSchemeVersion, hashingDetails, estimatedAt } = prepared
  return {
    preparedTransaction: Buffer.from(preparedTransaction).toString('base64'),
    preparedTransactionHash: Buffer.from(preparedTransactionHash).toString('base64'),
    hashingSchemeVersion,
    hashingDetails: hashingDetails ?? null,
    costEstimation: estimatedAt === undefined ? null : noCost(estimatedAt),
  }
}

function noCost(at: bigint) {
  return {
    estimationTimestamp: instantToText(at),
    confirmationRequestTrafficCostEstimation: 0,
    confirmationResponseTrafficCostEstimation: 0,
    totalTrafficCostEstimation: 0,
  }
}

type ExecuteJson = Static<typeof executeRequest>

const decoded = new WeakMap<Uint8Array, PreparedTransaction>()

/** Parsed once, and first, because the required rights depend on it. */
export function preparedFrom({ preparedTransaction }: ExecuteJson): PreparedTransaction {
  let prepared = decoded.get(preparedTransaction)
  if (prepared === undefined) {
    prepared = decode(preparedTransaction)
    decoded.set(preparedTransaction, prepared)
  }
  return prepared
}

function decode(given: Uint8Array): PreparedTransaction {
  try {
    return decodePreparedTransaction(given)
  } catch (error) {
    if (!(error instanceof ValueError)) throw error
    throw unreadable()
  }
}

export function actorsOf(json: ExecuteJson): readonly string[] {
  return preparedFrom(json).metadata?.submitterInfo?.actAs ?? []
}

export function executeRequestFromJson(json: ExecuteJson, userId: string): ExecuteRequest {
  return {
    userId,
    bytes: json.preparedTransaction,
    prepared: preparedFrom(json),
    partySignatures: json.partySignatures.signatures,
    deduplicationPeriod: deduplicationPeriodFromJson(json.deduplicationPeriod),
    submissionId: json.submissionId,
    hashingSchemeVersion: json.hashingSchemeVersion,
    ...ledgerTimeFromJson(json.minLedgerTime),
  }
}

function ledgerTimeFromJson(json: Static<typeof minLedgerTime> | undefined) {
  const time = json?.time ?? { Empty: {} }
  return {
    minLedgerTimeAbs: 'MinLedgerTimeAbs' in time ? time.MinLedgerTimeAbs.value : undefined,
    minLedgerTimeRel: 'MinLedgerTimeRel' in time ? time.MinLedgerTimeRel.value : undefined,
  }
}

export function referencesToJson({ packages }: Extract<PreferredPackages, { packages: unknown }>) {
  return packages.map(({ id, name, version }) => ({ packageId: id, packageName: name, packageVersion: version }))
}
