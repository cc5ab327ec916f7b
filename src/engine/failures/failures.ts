// How evaluation ends early: with a Daml exception, which compiled code may catch, or with a failure of the whole
// command. Codes and texts are Canton's; the engine's edge turns them into refusals.
import type { Any } from '../../lf/values/values.ts'

/** A Daml exception in flight. Catchable. */
export class DamlException extends Error {
  readonly exception: Any

  constructor(exception: Any) {
    super('a Daml exception')
    this.exception = exception
  }
}

export const failureCodes = [
  'CONTRACT_DOES_NOT_IMPLEMENT_INTERFACE',
  'CONTRACT_DOES_NOT_IMPLEMENT_REQUIRING_INTERFACE',
  'CONTRACT_ID_COMPARABILITY',
  'CONTRACT_ID_IN_CONTRACT_KEY',
  'CONTRACT_KEY_NOT_FOUND',
  'CONTRACT_NOT_ACTIVE',
  'CONTRACT_NOT_FOUND',
  'CREATE_EMPTY_CONTRACT_KEY_MAINTAINERS',
  'DAML_AUTHORIZATION_ERROR',
  'DAML_EFFECTFUL_ROLLBACK_ERROR',
  'DAML_FAILURE',
  'DAML_INTERPRETATION_ERROR',
  'FETCH_EMPTY_CONTRACT_KEY_MAINTAINERS',
  'INCONSISTENT_CONTRACT_KEY',
  'INTERPRETATION_CRYPTO_ERROR_MALFORMED_BYTE_ENCODING',
  'INTERPRETATION_CRYPTO_ERROR_MALFORMED_KEY',
  'INTERPRETATION_CRYPTO_ERROR_MALFORMED_SIGNATURE',
  'INTERPRETATION_TIME_EXCEEDED',
  'INTERPRETATION_UPGRADE_ERROR_AUTHENTICATION_FAILED',
  'INTERPRETATION_UPGRADE_ERROR_TRANSLATION_FAILED',
  'INTERPRETATION_UPGRADE_ERROR_VALIDATION_FAILED',
  'INTERPRETATION_USER_ERROR',
  'INTERPRETER_ERROR',
  'MALFORMED_TEXT',
  'NON_COMPARABLE_VALUES',
  'TEMPLATE_PRECONDITION_VIOLATED',
  'UNHANDLED_EXCEPTION',
  'UNRESOLVED_PACKAGE_NAME',
  'VALUE_NESTING',
  'WRONGLY_TYPED_CONTRACT',
] as const

export type FailureCode = (typeof failureCodes)[number]

/** Ends the whole command; Daml code cannot catch it. `details` name what the error is about, for its resources. */
export class Failure extends Error {
  readonly code: FailureCode
  readonly details: Readonly<Record<string, string>>
  /** Messages of the Daml code before it failed. */
  traces: readonly string[] = []

  /** `cause` is for the node's log, where it may show a bug of ours. */
  constructor(code: FailureCode, message: string, details: Readonly<Record<string, string>> = {}, cause?: unknown) {
    super(message, { cause })
    this.code = code
    this.details = details
  }
}

/** What Daml code chose for a failure, as FAIL_WITH_STATUS raises it. */
type Status = {
  readonly errorId: string
  readonly category: number
  readonly message: string
  readonly metadata: Iterable<[key: string, value: string]>
}

/** Metadata may use any key. In the details each gets the prefix `metadata.`, so none hides another entry. */
export function damlFailure({ errorId, category, message, metadata }: Status): Failure {
  const details: Record<string, string> = { errorId, category: String(category), message }
  for (const [key, value] of metadata) details[`metadata.${key}`] = value
  return new Failure('DAML_FAILURE', `User failure: ${errorId} (error category ${category}): ${message}`, details)
}
