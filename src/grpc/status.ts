// How an error looks over gRPC: a status with Canton's text, and google.rpc.Status with its details in the trailers
// (base/errors SerializableErrorComponents.scala). What is told and what is redacted is as over HTTP.

import { type Entry, fitDetails, fixedContext, headBytes, stringBytes } from '../api/errors/details-size.ts'
import { bugBodyOf, type ErrorBody, type ErrorSetting, errorBodyOf, headerHint } from '../api/errors/error-response.ts'
import { DecodeError } from '../api/wire/decode.ts'
import { LedgerError } from '../base/errors.ts'
import { finishWriting, type MessageWriter } from '../protobuf/message-writer.ts'
import { ProtobufError } from '../protobuf/protobuf-error.ts'
import { wireTypes } from '../protobuf/wire-reading.ts'

export const codes = {
  ok: 0,
  cancelled: 1,
  invalidArgument: 3,
  deadlineExceeded: 4,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const

export type Status = {
  readonly code: number
  readonly message: string
  /** google.rpc.Status; undefined if there is nothing to add. */
  readonly details?: Uint8Array
  /** For developers: its form is that of a header (`headerHint`). */
  readonly hint?: string
}

export const ok: Status = { code: codes.ok, message: '' }
export const tooLate: Status = { code: codes.deadlineExceeded, message: 'The deadline of the call was exceeded' }

/** An error below the Ledger API, with a text and nothing else. */
export class GrpcError extends Error {
  readonly code: number
  /** Canton takes it for an error of its own, and does not tell the reason. */
  readonly isRedacted: boolean

  constructor(code: number, message: string, isRedacted = false) {
    super(message)
    this.code = code
    this.isRedacted = isRedacted
  }
}

/** What a refusal says without the form of its transport; undefined for a bug. */
export function refusalOf(error: unknown): LedgerError | GrpcError | undefined {
  if (error instanceof GrpcError) return error
  if (error instanceof DecodeError) return new GrpcError(codes.invalidArgument, error.message)
  if (error instanceof ProtobufError) return new GrpcError(codes.invalidArgument, error.message)
  if (!(error instanceof LedgerError)) return undefined
  const { overGrpc } = error.details
  if (overGrpc !== undefined) {
    const { overGrpc: _, about: __, ...details } = error.details
    return new LedgerError(overGrpc.code, overGrpc.message, { ...details, ...overGrpc.details })
  }
  if (!error.details.early) return error
  // What Canton's JSON layer finds early, its gRPC services find as everything else.
  const { early: _, ...details } = error.details
  return new LedgerError(error.code, error.message, details)
}

export function statusOf(refusal: LedgerError | GrpcError | undefined, setting: ErrorSetting): Status {
  const { hint } = setting
  return { ...statusWithoutHint(refusal, setting), ...(hint !== undefined && { hint: headerHint(hint) }) }
}

function statusWithoutHint(refusal: LedgerError | GrpcError | undefined, setting: ErrorSetting): Status {
  if (refusal instanceof GrpcError) {
    const { code, message, isRedacted } = refusal
    if (!isRedacted) return { code, message }
    const shown = setting.explains ? message : redactedText('<no-tid>')
    return { code, message: shown, details: rpcStatus(code, shown, []) }
  }
  if (refusal === undefined) return redactedStatus(bugBodyOf(setting), setting, false)
  if (refusal.details.bare) return { code: refusal.category.grpc, message: refusal.message }
  const body = errorBodyOf(refusal, setting)
  return refusal.category.redact === true
    ? redactedStatus(body, setting, refusal.details.foundBy === 'request')
    : toldStatus(body)
}

const redactedPrefix = 'An error occurred. Please contact the operator and inquire about the request'
const redactedText = (traceId: string, request = '<no-correlation-id>') =>
  `${redactedPrefix} ${request} with tid ${traceId}`

/** Within a request, Canton knows it by its trace. */
function redactedStatus(body: ErrorBody, { explains }: ErrorSetting, isWithinRequest: boolean): Status {
  const { cause, traceId, grpcCodeValue } = body
  const text =
    traceId === null ? redactedText('<no-tid>') : redactedText(traceId, isWithinRequest ? traceId : undefined)
  const [code, message] = [grpcCodeValue!, explains ? cause : text]
  return { code, message, details: rpcStatus(code, message, requestInfo(traceId)) }
}

function toldStatus(body: ErrorBody): Status {
  const { correlationId, traceId } = body
  const code = body.grpcCodeValue!
  const requestId = correlationId ?? traceId
  const head = `${body.code}(${body.errorCategory},${requestId?.slice(0, 8) ?? '0'}): `
  // Over HTTP, a cause with line breaks already has its head.
  const message = body.cause.startsWith(head) ? body.cause : `${head}${body.cause}`
  return { code, message, details: rpcStatus(code, message, detailsOf(body, message, requestId)) }
}

/** In Canton's order; see details-size.ts. */
function detailsOf(body: ErrorBody, message: string, requestId: string | null): Detail[] {
  const rest = [...(body.retryInfo === null ? [] : retryInfo), ...requestInfo(requestId)]
  const entries = Object.entries(body.context)
  const fixed = entries.filter(([name]) => fixedContext.has(name))
  const usedBytes = headBytes + stringBytes(message, body.code, ...fixed.flat()) + bytesOf(rest)
  const { context, resources } = fitDetails(
    {
      context: entries.filter(([name]) => !fixedContext.has(name)),
      resources: body.resources.map(([shown, name]) => [resourceType(shown), name]),
    },
    usedBytes,
  )
  return [errorInfo(body.code, [...fixed, ...context]), ...rest, ...resources.map(resourceInfo)]
}

function bytesOf(details: readonly Detail[]): number {
  const tagBytes = 5
  return details.reduce((sum, detail) => sum + finishWriting((writer) => writeAny(writer, detail)).length + tagBytes, 0)
}

type Detail = { readonly type: string; readonly write: (writer: MessageWriter) => void }

function errorInfo(code: string, entries: readonly Entry[]): Detail {
  const write = (writer: MessageWriter) => {
    text(writer, 1, code)
    for (const [key, value] of entries) {
      writer.message(3, () => {
        text(writer, 1, key)
        text(writer, 2, value)
      })
    }
  }
  return { type: 'ErrorInfo', write }
}

/** After one second. */
const retryInfo: readonly Detail[] = [
  {
    type: 'RetryInfo',
    write: (writer) => writer.message(1, () => writer.tag(1, wireTypes.varint).int64(1)),
  },
]

function requestInfo(requestId: string | null): Detail[] {
  return requestId === null ? [] : [{ type: 'RequestInfo', write: (writer) => text(writer, 1, requestId) }]
}

/** The JSON form names the type as Scala prints it. */
function resourceType(shown: string): string {
  return /^ErrorResource\((.*)\)$/.exec(shown)?.[1] ?? shown
}

function resourceInfo([type, name]: Entry): Detail {
  const write = (writer: MessageWriter) => {
    text(writer, 1, type)
    text(writer, 2, name)
  }
  return { type: 'ResourceInfo', write }
}

function rpcStatus(code: number, message: string, details: readonly Detail[]): Uint8Array {
  return finishWriting((writer) => {
    writer.tag(1, wireTypes.varint).int32(code)
    text(writer, 2, message)
    for (const detail of details) writer.message(3, () => writeAny(writer, detail))
  })
}

function writeAny(writer: MessageWriter, { type, write }: Detail): void {
  text(writer, 1, `type.googleapis.com/google.rpc.${type}`)
  writer.message(2, () => write(writer))
}

function text(writer: MessageWriter, field: number, value: string): void {
  writer.tag(field, wireTypes.bytes).string(value)
}
