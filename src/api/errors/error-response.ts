// The one place that knows how an error looks over HTTP: Canton's JSON body with its ten keys and its redaction, and
// the plain-text answers of the layers below.
import { hintHeader } from '../../base/error-answer.ts'
import { type Category, categoryOf, codesWithoutDefiniteAnswer, LedgerError, type Resource } from '../../base/errors.ts'
import { DecodeError } from '../wire/decode.ts'
import { attachedBytes, fitDetails, fixedContext, headBytes, stringBytes } from './details-size.ts'
import type { ServiceContext } from './service-contexts.ts'

export type HttpResponse = {
  readonly status: number
  readonly type: string
  readonly body: string | Buffer
  readonly headers?: Readonly<Record<string, string>>
}

export type ErrorSetting = {
  readonly traceId: string
  /** Tell the client what Canton redacts: for a developer's own node. */
  readonly explains: boolean
  readonly participant: string
  readonly service?: ServiceContext
  /** A hint for developers, kept apart so that causes stay Canton's. */
  readonly hint?: string | undefined
}

export type ErrorBody = {
  code: string
  cause: string
  correlationId: string | null
  traceId: string | null
  context: Readonly<Record<string, string>>
  resources: readonly (readonly [string, string])[]
  errorCategory: number
  grpcCodeValue: number | null
  retryInfo: string | null
  definiteAnswer: boolean | null
}

const httpStatusOfGrpc: Readonly<Record<number, number>> = {
  3: 400,
  4: 504,
  5: 404,
  6: 409,
  7: 403,
  9: 400,
  10: 409,
  11: 400,
  12: 501,
  13: 500,
  14: 503,
  16: 401,
}

/** A code whose status differs from its category's. */
const httpStatusOfCode: Readonly<Partial<Record<string, number>>> = {
  JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED: 413,
}

const redactedCause = 'A security-sensitive error has been received'
const causeLengthMax = 512
const idLengthMax = 256
const internal = categoryOf('LEDGER_API_INTERNAL_ERROR')

export function plainText(status: number, body: string): HttpResponse {
  return { status, type: 'text/plain; charset=UTF-8', body }
}

/** A refusal of the layers below that Canton does not have, in the form of its errors. */
export function coded(status: number, code: string, cause: string): HttpResponse {
  const body: ErrorBody = {
    code,
    cause,
    correlationId: null,
    traceId: null,
    context: {},
    resources: [],
    errorCategory: -1,
    grpcCodeValue: null,
    retryInfo: null,
    definiteAnswer: null,
  }
  return { status, type: 'application/json', body: JSON.stringify(body) }
}

/** Undefined for a bug. */
export function refusalResponse(error: unknown, setting: ErrorSetting): HttpResponse | undefined {
  const { hint } = setting
  if (error instanceof DecodeError) {
    const { status, code, message } = error
    return withHint(code === undefined ? plainText(status, message) : coded(status, code, message), hint)
  }
  if (!(error instanceof LedgerError)) return undefined
  return withHint(ledgerResponse(error, setting), hint)
}

/** Adds the hint as a header, and to the context of a JSON error. */
export function withHint(response: HttpResponse, hint: string | undefined): HttpResponse {
  if (hint === undefined) return response
  return { ...response, headers: { ...response.headers, [hintHeader]: headerHint(hint) } }
}

const hintLengthMax = 1000

/** Headers hold only signs of ASCII. */
export function headerHint(hint: string): string {
  return hint.slice(0, hintLengthMax).replaceAll(/[^\x20-\x7e]/g, '?')
}

function ledgerResponse(error: LedgerError, setting: ErrorSetting): HttpResponse {
  return jsonError(error.category, errorBodyOf(error, setting))
}

/** What a client is told about a refusal. */
export function errorBodyOf(error: LedgerError, setting: ErrorSetting): ErrorBody {
  const { category } = error
  const body = error.details.bare
    ? bareStatus(error.message, category)
    : category.redact
      ? redacted(error.message, error.details.context ?? {}, category, setting)
      : told(error, category, setting)
  const { hint } = setting
  return hint === undefined ? body : { ...body, context: { ...body.context, hint: hint.slice(0, hintLengthMax) } }
}

export function bugResponse(setting: ErrorSetting): HttpResponse {
  return jsonError(internal, bugBodyOf(setting))
}

export function bugBodyOf(setting: ErrorSetting): ErrorBody {
  return redacted('An internal error occurred; the log has the details', {}, internal, setting)
}

function jsonError(category: Category, body: ErrorBody): HttpResponse {
  const status = httpStatusOfCode[body.code] ?? httpStatusOfGrpc[category.grpc]!
  return { status, type: 'application/json', body: JSON.stringify(body) }
}

/** Names of the gRPC codes that Canton returns without details. */
const grpcNames: Readonly<Record<number, string>> = { 3: 'INVALID_ARGUMENT', 5: 'NOT_FOUND', 9: 'FAILED_PRECONDITION' }

function bareStatus(message: string, { grpc }: Category): ErrorBody {
  const text = cut(message)
  return {
    code: text,
    cause: `${grpcNames[grpc]}: ${text}`,
    correlationId: null,
    traceId: null,
    context: {},
    resources: [],
    errorCategory: -1,
    grpcCodeValue: grpc,
    retryInfo: null,
    definiteAnswer: null,
  }
}

function redacted(
  message: string,
  context: Readonly<Record<string, string>>,
  category: Category,
  { traceId, explains }: ErrorSetting,
): ErrorBody {
  return {
    code: 'NA',
    cause: explains ? message : redactedCause,
    correlationId: traceId,
    traceId,
    context,
    resources: [],
    errorCategory: -1,
    grpcCodeValue: category.grpc,
    retryInfo: null,
    definiteAnswer: null,
  }
}

function told(error: LedgerError, category: Category, setting: ErrorSetting): ErrorBody {
  const { code, message, details } = error
  const { service } = setting
  const participant = service?.isFoundByNode(error) ? setting.participant : `'${setting.participant}'`
  const remarks = setting.explains ? details.remarks : undefined
  const isEarly = details.early === true
  const traceId = details.untraced ? null : setting.traceId
  const correlationId = details.untraced ? null : shortId(details.correlationId ?? null)
  const ledgerContext = {
    category: String(category.number),
    ...(codesWithoutDefiniteAnswer.has(code) ? {} : { definite_answer: 'false' }),
    ...(traceId !== null && { tid: traceId, participant, ...service?.contextOf(error) }),
  }
  const { context, resources } = isEarly
    ? { context: details.context, resources: details.resources ?? [] }
    : fittingDetails(error, { ...ledgerContext, ...details.context }, correlationId ?? traceId)
  return {
    code,
    cause: isEarly ? message : causeOf(code, category, message, correlationId ?? traceId),
    correlationId: isEarly ? traceId : correlationId,
    traceId,
    context: { ...remarks, ...context },
    resources: resources.map(isEarly ? ([type, name]) => [type, name] : errorResource),
    errorCategory: category.number,
    grpcCodeValue: category.grpc,
    retryInfo: category.retry ?? null,
    definiteAnswer: isEarly ? false : null,
  }
}

/** In Canton, ledger errors cross gRPC, which limits the size of their details. */
function fittingDetails(
  { code, category, message, details }: LedgerError,
  given: Readonly<Record<string, string>>,
  requestId: string | null,
) {
  const entries = Object.entries(given)
  const fixed = entries.filter(([name]) => fixedContext.has(name))
  const head = `${code}(${category.number},${requestId?.slice(0, 8) ?? '0'}): ${cut(message)}`
  const fitting = fitDetails(
    { context: entries.filter(([name]) => !fixedContext.has(name)), resources: details.resources ?? [] },
    headBytes + stringBytes(head, code, ...fixed.flat()) + attachedBytes(category, requestId),
  )
  return { context: Object.fromEntries([...fixed, ...fitting.context]), resources: fitting.resources }
}

/** In Canton, ledger errors cross gRPC, which truncates long causes and adds a prefix to those with line breaks. */
function causeOf(code: string, category: Category, message: string, requestId: string | null): string {
  const text = cut(message)
  return text.includes('\n') ? `${code}(${category.number},${requestId?.slice(0, 8) ?? '0'}): ${text}` : text
}

/** As Canton shortens the id of a submission. */
function shortId(id: string | null): string | null {
  return id === null || id.length <= idLengthMax ? id : `${id.slice(0, idLengthMax - 3)}...`
}

const cut = (message: string): string =>
  message.length > causeLengthMax ? `${message.slice(0, causeLengthMax)}...` : message

function errorResource([type, name]: Resource): [string, string] {
  return [`ErrorResource(${type})`, name]
}
