// Errors in completions and interface views: google.rpc.Status with the details that Canton attaches, each as protobuf
// and decoded (ErrorCode.scala, GrpcStatusEncoder).
import { codesWithoutDefiniteAnswer, type LedgerError } from '../../base/errors.ts'
import { finishWriting } from '../../protobuf/message-writer.ts'
import { wireTypes } from '../../protobuf/wire-reading.ts'

type Detail = { readonly type: string; readonly bytes: Uint8Array; readonly decoded: Record<string, unknown> }

const { varint, bytes: withLength } = wireTypes
const unknownFields = { fields: {} }
const causeLengthMax = 512

export const okStatus = '{"code":0,"message":"","details":[]}'

/** The status as JSON. Not every error carries a trace id: Canton's verdicts do not. */
export function errorStatus(error: LedgerError, traceId: string | undefined): string {
  const { category, code, message } = error
  const cause = message.length > causeLengthMax ? `${message.slice(0, causeLengthMax)}...` : message
  const details = [
    errorInfo(error, traceId),
    ...(category.retry === undefined ? [] : [retryInfo()]),
    ...(traceId === undefined ? [] : [requestInfo(traceId)]),
    ...(error.details.resources ?? []).map(([type, name]) => resourceInfo(type, name)),
  ]
  return JSON.stringify({
    code: category.grpc,
    message: `${code}(${category.number},${traceId?.slice(0, 8) ?? '0'}): ${cause}`,
    details: details.map(({ type, bytes, decoded }) => ({
      typeUrl: `type.googleapis.com/google.rpc.${type}`,
      value: Buffer.from(bytes).toString('base64'),
      valueDecoded: { ...decoded, unknownFields },
      unknownFields,
    })),
  })
}

function errorInfo({ code, category, details }: LedgerError, traceId: string | undefined): Detail {
  const isSilent = details.untraced && codesWithoutDefiniteAnswer.has(code)
  const all = { ...(isSilent ? {} : { definite_answer: 'false' }), ...details.context }
  const context = Object.entries(all).filter(([, value]) => value !== '')
  const metadata = {
    ...Object.fromEntries(context),
    ...(traceId === undefined ? {} : { tid: traceId }),
    category: String(category.number),
  }
  const bytes = finishWriting((writer) => {
    writer.tag(1, withLength).string(code)
    for (const [key, value] of Object.entries(metadata)) {
      writer.message(3, () => writer.tag(1, withLength).string(key).tag(2, withLength).string(value))
    }
  })
  return { type: 'ErrorInfo', bytes, decoded: { reason: code, domain: '', metadata } }
}

function retryInfo(): Detail {
  const bytes = finishWriting((writer) => writer.message(1, () => writer.tag(1, varint).int64(1)))
  return { type: 'RetryInfo', bytes, decoded: { retryDelay: { seconds: 1, nanos: 0, unknownFields } } }
}

function requestInfo(requestId: string): Detail {
  const bytes = finishWriting((writer) => writer.tag(1, withLength).string(requestId))
  return { type: 'RequestInfo', bytes, decoded: { requestId, servingData: '' } }
}

function resourceInfo(resourceType: string, resourceName: string): Detail {
  const bytes = finishWriting((writer) => {
    writer.tag(1, withLength).string(resourceType).tag(2, withLength).string(resourceName)
  })
  return { type: 'ResourceInfo', bytes, decoded: { resourceType, resourceName, owner: '', description: '' } }
}
