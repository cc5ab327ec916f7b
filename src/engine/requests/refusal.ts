// Failures as clients see them: Canton's code and category, its text, and the resources it names
// (RejectionGenerators.scala, CommandExecutionErrors.scala); for developers also where it happened.
import { invalidArgument, LedgerError, type Resource } from '../../base/errors.ts'
import { ValueError } from '../../lf/codec/value-error.ts'
import { KindError } from '../../lf/values/kinds.ts'
import { illTyped } from '../code/evaluation-failures.ts'
import { Failure, type FailureCode } from '../failures/failures.ts'

/** Failures whose texts have no `Interpretation error: Error: ` in front in Canton's engine. */
const unprefixed: ReadonlySet<FailureCode> = new Set([
  'CONTRACT_KEY_NOT_FOUND',
  'CONTRACT_NOT_FOUND',
  'INTERPRETATION_TIME_EXCEEDED',
  'INTERPRETER_ERROR',
])

const upgradeOf = (contract: string) => [contract, 'TEMPLATE_ID', 'targetTemplateId:TEMPLATE_ID']
const metadataOf = (which: string) => [
  ...[`${which}Signatories:PARTIES`, `${which}Observers:PARTIES`, `${which}Key:NULLABLE_CONTRACT_KEY`],
  ...[`${which}KeyPackage:NULLABLE_PACKAGE_NAME`, `${which}Maintainers:NULLABLE_PARTIES`],
]

/** Which details are resources, in Canton's order; the name after a colon is the type of the resource. */
const resourcesOf: Partial<Record<FailureCode, readonly string[]>> = {
  CONTRACT_DOES_NOT_IMPLEMENT_INTERFACE: ['CONTRACT_ID', 'TEMPLATE_ID', 'INTERFACE_ID'],
  CONTRACT_DOES_NOT_IMPLEMENT_REQUIRING_INTERFACE: [
    'CONTRACT_ID',
    'TEMPLATE_ID',
    'INTERFACE_ID',
    'requiringInterfaceId:INTERFACE_ID',
  ],
  CONTRACT_ID_COMPARABILITY: ['CONTRACT_ID'],
  CONTRACT_KEY_NOT_FOUND: ['TEMPLATE_ID', 'CONTRACT_KEY', 'PACKAGE_NAME'],
  CONTRACT_NOT_ACTIVE: ['TEMPLATE_ID', 'CONTRACT_ID'],
  CONTRACT_NOT_FOUND: ['CONTRACT_ID'],
  CREATE_EMPTY_CONTRACT_KEY_MAINTAINERS: ['TEMPLATE_ID', 'CONTRACT_ARG'],
  FETCH_EMPTY_CONTRACT_KEY_MAINTAINERS: ['TEMPLATE_ID', 'CONTRACT_KEY', 'PACKAGE_NAME'],
  INCONSISTENT_CONTRACT_KEY: ['TEMPLATE_ID', 'CONTRACT_KEY', 'PACKAGE_NAME'],
  INTERPRETATION_CRYPTO_ERROR_MALFORMED_BYTE_ENCODING: ['CRYPTO_VALUE'],
  INTERPRETATION_CRYPTO_ERROR_MALFORMED_KEY: ['CRYPTO_VALUE'],
  INTERPRETATION_CRYPTO_ERROR_MALFORMED_SIGNATURE: ['CRYPTO_VALUE'],
  INTERPRETATION_UPGRADE_ERROR_AUTHENTICATION_FAILED: [...upgradeOf('CONTRACT_ID'), 'CONTRACT_ARG'],
  INTERPRETATION_UPGRADE_ERROR_TRANSLATION_FAILED: [...upgradeOf('NULLABLE_CONTRACT_ID'), 'CONTRACT_ARG'],
  INTERPRETATION_UPGRADE_ERROR_VALIDATION_FAILED: [
    ...upgradeOf('CONTRACT_ID'),
    ...['PACKAGE_NAME', 'targetPackageName:PACKAGE_NAME'],
    ...metadataOf('original'),
    ...metadataOf('recomputed'),
  ],
  INTERPRETATION_USER_ERROR: ['EXCEPTION_TEXT'],
  UNRESOLVED_PACKAGE_NAME: ['PACKAGE_NAME'],
  WRONGLY_TYPED_CONTRACT: ['CONTRACT_ID', 'TEMPLATE_ID', 'actualTemplateId:TEMPLATE_ID'],
}

const foundBy = 'interpretation'

/** The details that say where in Daml code a failure happened. */
const places = ['choice', 'definition', 'location', 'exercises', 'transaction'] as const

export function refusalOf(failure: Failure): LedgerError {
  const { code, details } = failure
  const message = unprefixed.has(code) ? failure.message : `Interpretation error: Error: ${failure.message}`
  // In Canton the engine itself fails here, without a code of its own; but a package must not cause an internal error.
  if (code === 'INTERPRETER_ERROR') {
    return new LedgerError('DAML_INTERPRETATION_ERROR', message, { remarks: placeIn(details), foundBy })
  }
  if (code === 'DAML_FAILURE') return damlRefusal(message, details)
  const suspect = failure.cause instanceof Error ? { suspect: failure.cause.stack ?? failure.cause.message } : {}
  return new LedgerError(code, message, {
    resources: namedIn(code, details),
    remarks: placeIn(details),
    foundBy,
    ...suspect,
    ...(details.missing && { about: { kind: 'authorizers', parties: details.missing.split(',') } as const }),
  })
}

/** A value that does not fit its type, or bytes that are not a value. */
export function refusalOfValue({ code, reason, path, expected, hint }: ValueError): LedgerError {
  const remarks = { ...(path === '' ? {} : { path }), expected }
  const place = path === '' ? '' : `${path}: `
  const about = { kind: 'advice', text: `${place}${hint ?? `a value of ${expected} is expected`}` } as const
  // Canton reads JSON before the ledger sees the command, and reports such errors with fewer details.
  if (code === 'INVALID_ARGUMENT') {
    return invalidArgument(reason, isOfContent(reason) ? { remarks, about } : { remarks, about, early: true })
  }
  if (reason.startsWith('Missing non-optional fields')) {
    return new LedgerError(code, reason, { remarks, about, early: true })
  }
  return new LedgerError(code, reason, { remarks, about, foundBy })
}

/** Texts of the right kind whose content is wrong pass Canton's JSON layer, and are refused by its validation. */
function isOfContent(reason: string): boolean {
  return /^Could not read Numeric string|Daml-LF Party|^cannot parse ContractId|^out of bound|^cannot convert/.test(
    reason,
  )
}

/** The refusal that an error stands for; undefined for a bug of ours. */
export function asRefusal(error: unknown): LedgerError | undefined {
  if (error instanceof LedgerError) return error
  if (error instanceof Failure) return withTraces(refusalOf(error), error.traces)
  if (error instanceof KindError) return refusalOf(illTyped(error))
  return error instanceof ValueError ? refusalOfValue(error) : undefined
}

function withTraces(refusal: LedgerError, traces: readonly string[]): LedgerError {
  if (traces.length === 0) return refusal
  return new LedgerError(refusal.code, refusal.message, { ...refusal.details, traces })
}

/** Daml code chooses category and metadata; it cannot use the names that are ours. */
function damlRefusal(message: string, details: Failure['details']): LedgerError {
  const prefix = 'metadata.'
  const metadata = Object.entries(details)
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, value]) => [name.slice(prefix.length), value])
  return new LedgerError('DAML_FAILURE', message, {
    category: details.category === '8' ? 'Invalid' : 'InvalidNow',
    foundBy,
    remarks: placeIn(details),
    context: {
      ...Object.fromEntries(metadata),
      error_id: details.errorId ?? '',
      ...(details.exerciseTrace !== undefined && { exercise_trace: details.exerciseTrace }),
    },
  })
}

function namedIn(code: FailureCode, details: Failure['details']): Resource[] {
  return (resourcesOf[code] ?? []).flatMap((row): Resource[] => {
    const [name, type] = row.split(':') as [string, string | undefined]
    const value = details[name]
    return value === undefined ? [] : [[type ?? name, value]]
  })
}

function placeIn(details: Failure['details']): Record<string, string> {
  return Object.fromEntries(places.flatMap((name) => (details[name] === undefined ? [] : [[name, details[name]]])))
}
