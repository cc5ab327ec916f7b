// Every error a client can observe. Ids, categories and gRPC codes are Canton's public API
// (base/errors/ErrorCategory.scala): rows are copied from there, never invented here.

/**
 * What a category fixes for all of its codes: its number, the gRPC code, when to retry, and whether the text is hidden.
 */
export type Category = {
  readonly number: number
  readonly grpc: number
  readonly retry?: string
  readonly redact?: true
}

const categories = {
  TransientServerFailure: { number: 1, grpc: 14, retry: '1 second' },
  ContentionOnSharedResources: { number: 2, grpc: 10, retry: '1 second' },
  DeadlineExceeded: { number: 3, grpc: 4, retry: '1 second' },
  SystemInternal: { number: 4, grpc: 13, redact: true },
  SecurityAlert: { number: 5, grpc: 3, redact: true },
  OpenSecurityAlert: { number: 5, grpc: 3 },
  Unauthenticated: { number: 6, grpc: 16, redact: true },
  InsufficientPermission: { number: 7, grpc: 7, redact: true },
  Invalid: { number: 8, grpc: 3 },
  InvalidNow: { number: 9, grpc: 9 },
  Exists: { number: 10, grpc: 6 },
  Missing: { number: 11, grpc: 5 },
  SeekAfterEnd: { number: 12, grpc: 11, retry: '1 second' },
  Unsupported: { number: 14, grpc: 12, redact: true },
} as const satisfies Record<string, Category>

/** Those of the tools of development nodes, which Canton does not have. */
const ownCodes = {
  FAULT_NOT_FOUND: 'Missing',
  LEDGER_REPLACED: 'ContentionOnSharedResources',
  SNAPSHOT_ALREADY_EXISTS: 'Exists',
  SNAPSHOTS_UNAVAILABLE: 'InvalidNow',
  SNAPSHOT_UNUSABLE: 'InvalidNow',
  SNAPSHOT_NOT_FOUND: 'Missing',
} as const satisfies Record<string, keyof typeof categories>

/** Those of a network of nodes. This node raises them only as faults on order, because clients retry them. */
const networkCodes = {
  LOCAL_VERDICT_TIMEOUT: 'ContentionOnSharedResources',
  NO_VIEW_WITH_VALID_RECIPIENTS: 'ContentionOnSharedResources',
  SEQUENCER_BACKPRESSURE: 'ContentionOnSharedResources',
  SEQUENCER_REQUEST_FAILED: 'ContentionOnSharedResources',
  SUBMISSION_DURING_SHUTDOWN: 'ContentionOnSharedResources',
} as const satisfies Record<string, keyof typeof categories>

export const errorCodes = {
  ...ownCodes,
  ...networkCodes,
  ACCESS_TOKEN_EXPIRED: 'ContentionOnSharedResources',
  ALLOWED_LANGUAGE_VERSIONS: 'Invalid',
  AMBIGUOUS_VETTING_REFERENCE: 'InvalidNow',
  ASSIGNMENT_ALREADY_COMPLETED: 'Exists',
  AUTOMATIC_REASSIGNMENT_FOR_TRANSACTION_FAILED: 'InvalidNow',
  COMMAND_PREPROCESSING_FAILED: 'Invalid',
  CONCURRENT_PARTY_DETAILS_UPDATE_DETECTED: 'ContentionOnSharedResources',
  CONCURRENT_USER_UPDATE_DETECTED: 'ContentionOnSharedResources',
  CONTRACT_DOES_NOT_IMPLEMENT_INTERFACE: 'Invalid',
  CONTRACT_DOES_NOT_IMPLEMENT_REQUIRING_INTERFACE: 'Invalid',
  CONTRACT_EVENTS_NOT_FOUND: 'Missing',
  CONTRACT_ID_COMPARABILITY: 'Invalid',
  CONTRACT_ID_IN_CONTRACT_KEY: 'Invalid',
  CONTRACT_KEY_NOT_FOUND: 'Missing',
  CONTRACT_NOT_ACTIVE: 'Missing',
  CONTRACT_NOT_FOUND: 'Missing',
  CONTRACT_PAYLOAD_NOT_FOUND: 'Missing',
  CREATE_EMPTY_CONTRACT_KEY_MAINTAINERS: 'Invalid',
  DAML_AUTHORIZATION_ERROR: 'Invalid',
  DAML_EFFECTFUL_ROLLBACK_ERROR: 'Invalid',
  DAML_FAILURE: 'InvalidNow', // Unless the Daml code chooses another: see `ErrorDetails.category`.
  DAML_INTERPRETATION_ERROR: 'InvalidNow',
  DAML_PRIM_NOT_UTILITY_PACKAGE: 'Invalid',
  DAR_DEPENDENCIES_NOT_VALID: 'Invalid',
  DAR_NOT_FOUND: 'Missing',
  DAR_PARSE_ERROR: 'Invalid',
  DAR_VALIDATION_ERROR: 'Invalid',
  DESCENDING_ORDER_MISSING_END: 'Invalid',
  DISCLOSED_CONTRACTS_CONFLICTING_PAYLOADS: 'SecurityAlert',
  DISCLOSED_CONTRACTS_SYNCHRONIZER_ID_MISMATCH: 'Invalid',
  DUPLICATE_COMMAND: 'Exists',
  DUPLICATE_CONFIRMATION_REQUEST_UUID: 'OpenSecurityAlert',
  FAILED_TO_DETERMINE_LEDGER_TIME: 'ContentionOnSharedResources',
  FAILED_TO_EXECUTE_TRANSACTION: 'Invalid',
  FAILED_TO_PREPARE_TRANSACTION: 'Invalid',
  FETCH_EMPTY_CONTRACT_KEY_MAINTAINERS: 'Invalid',
  IDP_CONFIG_ALREADY_EXISTS: 'Exists',
  IDP_CONFIG_ISSUER_ALREADY_EXISTS: 'Exists',
  IDP_CONFIG_NOT_FOUND: 'Missing',
  INCONSISTENT_CONTRACT_KEY: 'InvalidNow',
  INDEX_DB_INVALID_RESULT_SET: 'SystemInternal',
  INDEX_DB_SQL_TRANSIENT_ERROR: 'TransientServerFailure',
  INTERPRETATION_CRYPTO_ERROR_MALFORMED_BYTE_ENCODING: 'InvalidNow',
  INTERPRETATION_CRYPTO_ERROR_MALFORMED_KEY: 'InvalidNow',
  INTERPRETATION_CRYPTO_ERROR_MALFORMED_SIGNATURE: 'InvalidNow',
  INTERPRETATION_TIME_EXCEEDED: 'ContentionOnSharedResources',
  INTERPRETATION_UPGRADE_ERROR_AUTHENTICATION_FAILED: 'Invalid',
  INTERPRETATION_UPGRADE_ERROR_TRANSLATION_FAILED: 'Invalid',
  INTERPRETATION_UPGRADE_ERROR_VALIDATION_FAILED: 'Invalid',
  INTERPRETATION_USER_ERROR: 'InvalidNow',
  INFORMEES_NOT_ACTIVE: 'InvalidNow',
  INVALID_ACS_PAGE_TOKEN: 'Invalid',
  INVALID_ARGUMENT: 'Invalid',
  INVALID_CONTINUATION_TOKEN: 'Invalid',
  INVALID_DAR: 'Invalid',
  INVALID_DEDUPLICATION_PERIOD: 'InvalidNow',
  INVALID_FIELD: 'Invalid',
  INVALID_IDENTITY_PROVIDER_UPDATE_REQUEST: 'Invalid',
  INVALID_PARTY_DETAILS_UPDATE_REQUEST: 'Invalid',
  INVALID_PRESCRIBED_SYNCHRONIZER_ID: 'InvalidNow',
  INVALID_TOKEN: 'Invalid',
  INVALID_UPDATES_PAGE_TOKEN: 'Invalid',
  INVALID_USER_UPDATE_REQUEST: 'Invalid',
  INVALID_ZIP_ENTRY: 'Invalid',
  JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED: 'ContentionOnSharedResources',
  JSON_API_PACKAGE_SELECTION_FAILED: 'InvalidNow',
  KNOWN_PACKAGE_VERSION: 'Invalid',
  LEDGER_API_INTERNAL_ERROR: 'SystemInternal',
  LOCAL_VERDICT_FAILED_MODEL_CONFORMANCE_CHECK: 'SecurityAlert',
  LOCAL_VERDICT_INACTIVE_CONTRACTS: 'Missing',
  LOCAL_VERDICT_LEDGER_TIME_OUT_OF_BOUND: 'ContentionOnSharedResources',
  LOCAL_VERDICT_LOCKED_CONTRACTS: 'ContentionOnSharedResources',
  LOCAL_VERDICT_MAX_RECORD_TIME_EXCEEDED: 'ContentionOnSharedResources',
  LOCAL_VERDICT_PREPARATION_TIME_OUT_OF_BOUND: 'ContentionOnSharedResources',
  MAIN_PACKAGE_IN_DAR_DOES_NOT_MATCH_EXPECTED: 'InvalidNow',
  MALFORMED_REQUEST: 'Invalid',
  MALFORMED_TEXT: 'Invalid',
  MAXIMUM_NUMBER_OF_STREAMS: 'ContentionOnSharedResources',
  MAX_PARTY_DETAILS_ANNOTATIONS_SIZE_EXCEEDED: 'InvalidNow',
  MEDIATOR_SAYS_TX_TIMED_OUT: 'ContentionOnSharedResources',
  MAX_USER_ANNOTATIONS_SIZE_EXCEEDED: 'InvalidNow',
  MISSING_FIELD: 'Invalid',
  NEGATIVE_OFFSET: 'Invalid',
  NON_COMPARABLE_VALUES: 'Invalid',
  NON_POSITIVE_OFFSET: 'Invalid',
  NOT_CONNECTED_TO_ANY_SYNCHRONIZER: 'InvalidNow',
  NOT_CONNECTED_TO_SYNCHRONIZER: 'InvalidNow',
  NOT_SEQUENCED_TIMEOUT: 'ContentionOnSharedResources',
  NOT_VALID_UPGRADE_PACKAGE: 'Invalid',
  NO_COMMON_SYNCHRONIZER: 'InvalidNow',
  NO_INTERFACE_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME: 'Missing',
  NO_PREFERRED_PACKAGES_FOUND: 'InvalidNow',
  NO_SYNCHRONIZER_FOR_SUBMISSION: 'InvalidNow',
  NO_SYNCHRONIZER_ON_WHICH_ALL_SUBMITTERS_CAN_SUBMIT: 'Missing',
  NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME: 'Missing',
  NO_VETTED_INTERFACE_IMPLEMENTATION_PACKAGE: 'InvalidNow',
  OFFSET_AFTER_LEDGER_END: 'SeekAfterEnd',
  OFFSET_OUT_OF_RANGE: 'InvalidNow',
  PACKAGE_CONTENT_NOT_FOUND: 'Missing',
  PACKAGE_NAMES_NOT_FOUND: 'Missing',
  PACKAGE_NOT_FOUND: 'Missing',
  PACKAGE_SELECTION_FAILED: 'InvalidNow',
  PACKAGE_SERVICE_CANNOT_AUTODETECT_SYNCHRONIZER: 'InvalidNow',
  PACKAGE_SERVICE_NOT_CONNECTED_TO_SYNCHRONIZER: 'InvalidNow',
  PARTICIPANT_BACKPRESSURE: 'ContentionOnSharedResources',
  PARTICIPANT_PRUNED_DATA_ACCESSED: 'InvalidNow',
  PARTY_ALLOCATION_CANNOT_DETERMINE_SYNCHRONIZER: 'InvalidNow',
  PARTY_ALLOCATION_WITHOUT_CONNECTED_SYNCHRONIZER: 'InvalidNow',
  PARTY_NOT_FOUND: 'Missing',
  PERMISSION_DENIED: 'InsufficientPermission',
  PRESCRIBED_SYNCHRONIZER_ID_MISMATCH: 'Invalid',
  PROTO_DESERIALIZATION_FAILURE: 'Invalid',
  REASSIGNMENT_VALIDATION_FAILED: 'Missing',
  SERVICE_NOT_RUNNING: 'TransientServerFailure',
  STALE_STREAM_AUTHORIZATION: 'ContentionOnSharedResources',
  SUBMITTERS_NOT_ACTIVE: 'InvalidNow',
  SUBMITTER_ALWAYS_STAKEHOLDER: 'InvalidNow',
  SUBMISSION_ALREADY_IN_FLIGHT: 'ContentionOnSharedResources',
  SYNCHRONIZER_WITHOUT_MEDIATOR: 'Missing',
  SYNC_SERVICE_UNKNOWN_SYNCHRONIZER: 'Missing',
  TEMPLATES_OR_INTERFACES_NOT_FOUND: 'Missing',
  TEMPLATE_PRECONDITION_VIOLATED: 'Invalid',
  TOO_MANY_IDENTITY_PROVIDER_CONFIGS: 'InvalidNow',
  TOO_MANY_USER_RIGHTS: 'InvalidNow',
  TOPOLOGY_DEPENDENCIES_NOT_VETTED: 'InvalidNow',
  TOPOLOGY_INVALID_MAPPING: 'Invalid',
  TOPOLOGY_INVALID_TX_SIGNATURE: 'SecurityAlert',
  TOPOLOGY_SERIAL_MISMATCH: 'InvalidNow',
  TOPOLOGY_STORE_NOT_FOUND: 'Missing',
  TOPOLOGY_UNAUTHORIZED_TRANSACTION: 'SecurityAlert',
  TOPOLOGY_UNKNOWN_MEMBERS: 'Missing',
  UNASSIGNMENT_ACTIVENESS_CHECK_FAILED: 'Missing',
  UNAUTHENTICATED: 'Unauthenticated',
  UNHANDLED_EXCEPTION: 'InvalidNow',
  UNIMPLEMENTED: 'Unsupported',
  UNKNOWN_CONTRACT_SYNCHRONIZERS: 'InvalidNow',
  UNKNOWN_INFORMEES: 'Missing',
  UNKNOWN_RESOURCE: 'Missing',
  UNKNOWN_SUBMITTERS: 'Missing',
  UNRESOLVED_PACKAGE_NAME: 'Missing',
  UNRESOLVED_VETTING_REFERENCE: 'Missing',
  UNSAFE_TO_PRUNE: 'InvalidNow',
  UPDATE_NOT_FOUND: 'Missing',
  USER_ALREADY_EXISTS: 'Exists',
  USER_NOT_FOUND: 'Missing',
  VALUE_NESTING: 'Invalid',
  WRONGLY_TYPED_CONTRACT: 'InvalidNow',
  ZIP_BOMB: 'Invalid',
} as const satisfies Record<string, keyof typeof categories>

export type ErrorCode = keyof typeof errorCodes
export type CategoryName = keyof typeof categories

/** Codes without `definite_answer` in their context; all others of the ledger have it. */
export const codesWithoutDefiniteAnswer: ReadonlySet<ErrorCode> = new Set([
  'ALLOWED_LANGUAGE_VERSIONS',
  'AMBIGUOUS_VETTING_REFERENCE',
  'CONCURRENT_PARTY_DETAILS_UPDATE_DETECTED',
  'CONCURRENT_USER_UPDATE_DETECTED',
  'DAML_PRIM_NOT_UTILITY_PACKAGE',
  'DAR_DEPENDENCIES_NOT_VALID',
  'DAR_PARSE_ERROR',
  'DAR_VALIDATION_ERROR',
  'DESCENDING_ORDER_MISSING_END',
  'DUPLICATE_CONFIRMATION_REQUEST_UUID',
  'INVALID_DAR',
  'INVALID_IDENTITY_PROVIDER_UPDATE_REQUEST',
  'MEDIATOR_SAYS_TX_TIMED_OUT',
  'INVALID_PARTY_DETAILS_UPDATE_REQUEST',
  'INVALID_USER_UPDATE_REQUEST',
  'INVALID_ZIP_ENTRY',
  'KNOWN_PACKAGE_VERSION',
  'MAX_PARTY_DETAILS_ANNOTATIONS_SIZE_EXCEEDED',
  'MAX_USER_ANNOTATIONS_SIZE_EXCEEDED',
  'NEGATIVE_OFFSET',
  'NON_POSITIVE_OFFSET',
  'NOT_VALID_UPGRADE_PACKAGE',
  'PACKAGE_SERVICE_CANNOT_AUTODETECT_SYNCHRONIZER',
  'PACKAGE_SERVICE_NOT_CONNECTED_TO_SYNCHRONIZER',
  'PARTY_ALLOCATION_CANNOT_DETERMINE_SYNCHRONIZER',
  'PARTY_ALLOCATION_WITHOUT_CONNECTED_SYNCHRONIZER',
  'PROTO_DESERIALIZATION_FAILURE',
  'SYNC_SERVICE_UNKNOWN_SYNCHRONIZER',
  'TOPOLOGY_DEPENDENCIES_NOT_VETTED',
  'TOPOLOGY_INVALID_MAPPING',
  'TOPOLOGY_SERIAL_MISMATCH',
  'TOPOLOGY_STORE_NOT_FOUND',
  'UNRESOLVED_VETTING_REFERENCE',
  'UNSAFE_TO_PRUNE',
  'ZIP_BOMB',
])

/** Codes that Canton's node finds, rather than the service that was asked: see `ErrorDetails.foundBy`. */
export const codesFoundByNode: ReadonlySet<ErrorCode> = new Set([
  'AMBIGUOUS_VETTING_REFERENCE',
  'DAR_DEPENDENCIES_NOT_VALID',
  'DAR_PARSE_ERROR',
  'DUPLICATE_COMMAND',
  'FAILED_TO_EXECUTE_TRANSACTION',
  'IDP_CONFIG_ALREADY_EXISTS',
  'IDP_CONFIG_ISSUER_ALREADY_EXISTS',
  'IDP_CONFIG_NOT_FOUND',
  'INVALID_DAR',
  'INVALID_IDENTITY_PROVIDER_UPDATE_REQUEST',
  'INVALID_PRESCRIBED_SYNCHRONIZER_ID',
  'INVALID_TOKEN',
  'INVALID_ZIP_ENTRY',
  'JSON_API_PACKAGE_SELECTION_FAILED',
  'KNOWN_PACKAGE_VERSION',
  'NO_SYNCHRONIZER_ON_WHICH_ALL_SUBMITTERS_CAN_SUBMIT',
  'PROTO_DESERIALIZATION_FAILURE',
  'SUBMISSION_ALREADY_IN_FLIGHT',
  'TEMPLATES_OR_INTERFACES_NOT_FOUND',
  'TOO_MANY_IDENTITY_PROVIDER_CONFIGS',
  'UNKNOWN_INFORMEES',
  'UNKNOWN_SUBMITTERS',
  'UNRESOLVED_VETTING_REFERENCE',
  'ZIP_BOMB',
])

export function categoryOf(code: ErrorCode): Category {
  return categories[errorCodes[code]]
}

/** The same error, as Canton tells it when its node finds it rather than the service that was asked. */
export function foundByNode(error: unknown): unknown {
  if (!(error instanceof LedgerError) || error.details.early || error.details.untraced) return error
  return new LedgerError(error.code, error.message, { ...error.details, foundBy: 'node' })
}

/** What the error names, such as ['USER', 'alice']; the type words are Canton's. */
export type Resource = readonly [type: string, name: string]

export type ErrorSubject =
  | { readonly kind: 'packages'; readonly names: readonly string[] }
  /** Templates and interfaces, as `package:Module:Entity`. `wanted` is what they should be, if only one will do. */
  | { readonly kind: 'types'; readonly names: readonly string[]; readonly wanted?: 'template' | 'interface' }
  /** With the choices that exist, and the other type of the same contracts that has this one. */
  | {
      readonly kind: 'choice'
      readonly name: string
      readonly choices: readonly string[]
      readonly owner: string | undefined
    }
  /** Parties that are not known, or that the caller has no right for. */
  | { readonly kind: 'parties'; readonly names: readonly string[]; readonly isRight?: true }
  /** Parties whose authorization is missing. */
  | { readonly kind: 'authorizers'; readonly parties: readonly string[] }
  /** What the client can write instead. */
  | { readonly kind: 'advice'; readonly text: string }

/** A submission with this change id is the same command if it was accepted within the deduplication period. */
export type RefusedChange = {
  readonly id: Uint8Array
  readonly afterOffset: bigint
  /** Microseconds since 1970. */
  readonly notBefore: bigint
}

export type ErrorDetails = {
  /** Messages of the Daml code before it failed. */
  readonly traces?: readonly string[]
  readonly context?: Readonly<Record<string, string>>
  readonly resources?: readonly Resource[]
  /** Raised where Canton's JSON layer raises it, before the ledger API proper; such errors carry less context. */
  readonly early?: true
  /** What Canton answers over gRPC instead, where another part of it finds the same. */
  readonly overGrpc?: LedgerError
  /** For errors of a submission, which clients find by the submission id. */
  readonly correlationId?: string
  /**
   * Where Canton finds the error, which decides the content of its context: `node`, outside the request's own log context,
   * without a submission; `interpretation`, with the commands; `request`, within the request's log context. Undefined:
   * while the request is validated.
   */
  readonly foundBy?: 'node' | 'interpretation' | 'request'
  /** For developers: where in the request or in Daml code it happened. Only a development node shows it. */
  readonly remarks?: Readonly<Record<string, string>>
  /** Raised by routing or by participants: Canton's answer then has no trace and no submission id. */
  readonly untraced?: true
  /** Canton passes it on as a gRPC status with only a text, so its JSON has nothing but that text, also as the code. */
  readonly bare?: true
  /** For the log: a stack that may point to a bug of ours, although the client gets a refusal. */
  readonly suspect?: string
  /** What was not found, or what to do, for a developer hint; not sent to clients in this form. */
  readonly about?: ErrorSubject
  /** The command that was refused, for the same: it may have been accepted before. */
  readonly change?: RefusedChange
  /** Overrides the category of the code: Daml code chooses it for its own failures. */
  readonly category?: CategoryName
}

/** A refusal the caller can act on. A bug of ours is a failed `assert`, never one of these. */
export class LedgerError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message)
    this.code = code
    this.details = details
  }

  get category(): Category {
    return this.details.category === undefined ? categoryOf(this.code) : categories[this.details.category]
  }
}

export function missingField(field: string, details?: ErrorDetails): LedgerError {
  const context = { ...details?.context, field_name: field }
  return new LedgerError('MISSING_FIELD', `The submitted command is missing a mandatory field: ${field}`, {
    ...details,
    context,
  })
}

export function invalidField(field: string, reason: string, details?: ErrorDetails): LedgerError {
  return new LedgerError(
    'INVALID_FIELD',
    `The submitted command has a field with invalid value: Invalid field ${field}: ${reason}`,
    details,
  )
}

export function invalidArgument(reason: string, details?: ErrorDetails): LedgerError {
  return new LedgerError('INVALID_ARGUMENT', `The submitted request has invalid arguments: ${reason}`, details)
}

const unavailableWords = 'Processing the request failed due to a transient database error: '

/** The store does not answer or cannot write at the moment: worth a retry. The reason is public. */
export function storeUnavailable(reason: string): LedgerError {
  return new LedgerError('INDEX_DB_SQL_TRANSIENT_ERROR', `${unavailableWords}${reason}`)
}

/** A row differs from what was written. Clients get no details; the log and `tallystick check` name it. */
export function storedDataDamaged(what: string): LedgerError {
  return new LedgerError('INDEX_DB_INVALID_RESULT_SET', `What is stored is damaged: ${what}`)
}

export function isStoreUnavailable(error: unknown): error is LedgerError {
  return error instanceof LedgerError && error.code === 'INDEX_DB_SQL_TRANSIENT_ERROR'
}

/** The reason that `storeUnavailable` was given. */
export function unavailableReason({ message }: LedgerError): string {
  return message.startsWith(unavailableWords) ? message.slice(unavailableWords.length) : message
}

/** The answer is withheld from the client, and its connection closed: see ledger/development/faults.ts. */
export class AnswerLost extends Error {}

/** Why a node cannot start or a command cannot run: shown as one line, without a stack. */
export class StartError extends Error {}

/** A start that may succeed a moment later. */
export class NotYetError extends StartError {}

/** Why a node cannot use a snapshot. */
export class UnusableSnapshot extends Error {}

/** A part of the node did not close in time, so the process must end without it. */
export class StopError extends Error {}
