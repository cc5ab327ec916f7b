// Errors in completions and interface views: google.rpc.Status with the details that Canton attaches, each as protobuf
// and decoded (ErrorCode.scala, GrpcStatusEncoder).
import type { LedgerError } from '../base/errors.ts'
import type { MessageWriter } from '../protobuf/message-writer.ts'

type Writer = (write: (writer: MessageWriter) => void) => Uint8Array
type Detail = { readonly type: string; readonly bytes: Uint8Array; readonly decoded: Record<string, unknown> }

const bytesField = 2
const varintField = 0
const unknownFields = { fields: {} }
const causeLengthMax = 512

export const okStatus = '{"code":0,"message":"","details":[]}'

/** The status as JSON. Not every error carries a trace id: Canton's verdicts do not. */
export async function errorStatus(error: LedgerError, traceId: string | undefined): Promise<string> {
  // Loaded at the first error, not at start.
  const { finishWriting } = await import('../protobuf/message-writer.ts')
  const { category, code, message } = error
  const cause = message.length > causeLengthMax ? `${message.slice(0, causeLengthMax)}...` : message
  const details = [
    errorInfo(error, traceId, finishWriting),
    ...(category.retry === undefined ? [] : [retryInfo(finishWriting)]),
    ...(traceId === undefined ? [] : [requestInfo(traceId, finishWriting)]),
    ...(error.details.resources ?? []).map(([type, name]) => resourceInfo(type, name, finishWriting)),
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

function errorInfo({ code, category, details }: LedgerError, traceId: string | undefined, write: Writer): Detail {
  const given = Object.entries({ definite_answer: 'false', ...details.context }).filter(([, value]) => value !== '')
  const metadata = {
    ...Object.fromEntries(given),
    ...(traceId === undefined ? {} : { tid: traceId }),
    category: String(category.number),
  }
  const bytes = write((writer) => {
    writer.tag(1, bytesField).string(code)
    for (const [key, value] of Object.entries(metadata)) {
      writer.tag(3, bytesField).fork().tag(1, bytesField).string(key).tag(2, bytesField).string(value).join()
    }
  })
  return { type: 'ErrorInfo', bytes, decoded: { reason: code, domain: '', metadata } }
}

function retryInfo(write: Writer): Detail {
  const bytes = write((writer) => writer.tag(1, bytesField).fork().tag(1, varintField).int64(1).join())
  return { type: 'RetryInfo', bytes, decoded: { retryDelay: { seconds: 1, nanos: 0, unknownFields } } }
}

function requestInfo(requestId: string, write: Writer): Detail {
  const bytes = write((writer) => writer.tag(1, bytesField).string(requestId))
  return { type: 'RequestInfo', bytes, decoded: { requestId, servingData: '' } }
}

function resourceInfo(resourceType: string, resourceName: string, write: Writer): Detail {
  const bytes = write((writer) => {
    writer.tag(1, bytesField).string(resourceType).tag(2, bytesField).string(resourceName)
  })
  return { type: 'ResourceInfo', bytes, decoded: { resourceType, resourceName, owner: '', description: '' } }
}
