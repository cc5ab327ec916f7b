// How an error looks over gRPC: a status with Canton's text, and google.rpc.Status with its details in the trailers
// (base/errors SerializableErrorComponents.scala). What is told and what is redacted is as over HTTP.

import { LedgerError } from '../base/errors.ts'
import { bugBodyOf, type ErrorBody, type ErrorSetting, errorBodyOf } from '../http/error-response.ts'
import { DecodeError } from '../http/wire/decode.ts'
import { ArchiveError } from '../lf/archive/archive-error.ts'
import { wireTypes } from '../lf/archive/wire.ts'
import type { MessageWriter } from '../lf/codec/message-writer.ts'
import { finishWriting } from '../lf/codec/protobuf-writing.ts'

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
}

export const ok: Status = { code: codes.ok, message: '' }
export const tooLate: Status = { code: codes.deadlineExceeded, message: 'The deadline of the call was exceeded' }

/** An error below the Ledger API, with a text and nothing else. */
export class GrpcError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** What a refusal says without the form of its face; undefined for a bug. */
export function refusalOf(error: unknown): LedgerError | GrpcError | undefined {
  if (error instanceof GrpcError) return error
  if (error instanceof DecodeError) return new GrpcError(codes.invalidArgument, error.message)
  if (error instanceof ArchiveError) return new GrpcError(codes.invalidArgument, error.message)
  if (!(error instanceof LedgerError)) return undefined
  if (!error.details.early) return error
  // What Canton's JSON layer finds early, its gRPC services find as everything else.
  const { early: _, ...details } = error.details
  return new LedgerError(error.code, error.message, details)
}

export function statusOf(refusal: LedgerError | GrpcError | undefined, setting: ErrorSetting): Status {
  if (refusal instanceof GrpcError) return { code: refusal.code, message: refusal.message }
  if (refusal === undefined) return toldStatus(bugBodyOf(setting), setting, true)
  if (refusal.details.bare) return { code: refusal.category.grpc, message: refusal.message }
  return toldStatus(errorBodyOf(refusal, setting), setting, refusal.category.redact === true)
}

const redactedPrefix = 'An error occurred. Please contact the operator and inquire about the request'

function toldStatus(body: ErrorBody, { explains }: ErrorSetting, isRedacted: boolean): Status {
  const { correlationId, traceId, grpcCodeValue } = body
  const code = grpcCodeValue!
  if (isRedacted) {
    const message = explains ? body.cause : `${redactedPrefix} <no-correlation-id> with tid ${traceId ?? '<no-tid>'}`
    return { code, message, details: rpcStatus(code, message, requestInfo(correlationId ?? traceId)) }
  }
  const requestId = correlationId ?? traceId
  const head = `${body.code}(${body.errorCategory},${requestId?.slice(0, 8) ?? '0'}): `
  // Over HTTP, a cause with line breaks already has its head.
  const message = body.cause.startsWith(head) ? body.cause : `${head}${body.cause}`
  return {
    code,
    message,
    details: rpcStatus(code, message, [
      ...errorInfo(body),
      ...(body.retryInfo === null ? [] : retryInfo),
      ...requestInfo(requestId),
      ...body.resources.flatMap(([type, name]) => resourceInfo(type, name)),
    ]),
  }
}

type Detail = { readonly type: string; readonly write: (writer: MessageWriter) => void }

/** Longer entries are cut: clients limit the size of trailers, usually to 8 KiB. */
const entryLengthMax = 300
const entriesMax = 20

function errorInfo({ code, context }: ErrorBody): Detail[] {
  const entries = Object.entries(context).filter(([, value]) => value !== '')
  const write = (writer: MessageWriter) => {
    text(writer, 1, code)
    for (const [key, value] of entries.slice(0, entriesMax)) {
      writer.tag(3, wireTypes.bytes).fork()
      text(writer, 1, cut(key))
      text(writer, 2, cut(value))
      writer.join()
    }
  }
  return [{ type: 'ErrorInfo', write }]
}

/** After one second. */
const retryInfo: readonly Detail[] = [
  {
    type: 'RetryInfo',
    write: (writer) => writer.tag(1, wireTypes.bytes).fork().tag(1, wireTypes.varint).int64(1).join(),
  },
]

function requestInfo(requestId: string | null): Detail[] {
  return requestId === null ? [] : [{ type: 'RequestInfo', write: (writer) => text(writer, 1, requestId) }]
}

/** The JSON form names the type as Scala prints it. */
function resourceInfo(shownType: string, name: string): Detail[] {
  const type = /^ErrorResource\((.*)\)$/.exec(shownType)?.[1] ?? shownType
  const write = (writer: MessageWriter) => {
    text(writer, 1, type)
    text(writer, 2, cut(name))
  }
  return [{ type: 'ResourceInfo', write }]
}

function rpcStatus(code: number, message: string, details: readonly Detail[]): Uint8Array {
  return finishWriting((writer) => {
    writer.tag(1, wireTypes.varint).int32(code)
    text(writer, 2, message)
    for (const { type, write } of details) {
      writer.tag(3, wireTypes.bytes).fork()
      text(writer, 1, `type.googleapis.com/google.rpc.${type}`)
      writer.tag(2, wireTypes.bytes).fork()
      write(writer)
      writer.join().join()
    }
  })
}

function text(writer: MessageWriter, field: number, value: string): void {
  writer.tag(field, wireTypes.bytes).string(value)
}

function cut(value: string): string {
  return value.length > entryLengthMax ? `${value.slice(0, entryLengthMax - 3)}...` : value
}
