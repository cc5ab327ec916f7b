// A client for the time of a participant, for scripts: Canton's JSON Ledger API does not serve it. Answers are those of
// `/v2/time` on our own nodes.
import { connect, type IncomingHttpHeaders } from 'node:http2'
import { StartError } from '../base/errors.ts'
import { instantToText } from '../lf/codec/time-text.ts'
import { int64 } from '../lf/values/values.ts'
import { createDecoder } from '../protobuf/json-reading.ts'
import { createJsonWriters } from '../protobuf/json-writing.ts'
import { ledgerMessage } from '../protobuf/ledger-api.ts'
import { finishWriting } from '../protobuf/message-writer.ts'

/** A gRPC Ledger API: its scheme, host and port, and the token for it. */
export type GrpcAddress = { readonly url: string; readonly token: string | undefined }

export type Answer = { readonly status: number; readonly text: string }

type Answered = { readonly grpcCode: number; readonly message: string; readonly bytes: Uint8Array }

const service = 'com.daml.ledger.api.v2.testing.TimeService'
const answerMs = 30_000
/** A flag for compression, and the length. */
const prefixBytes = 5
const limits = { depthMax: 10, valuesMax: 10 }

/** Throws a StartError if nothing answers. */
export async function timeOverGrpc(address: GrpcAddress, method: string, body: string | undefined): Promise<Answer> {
  const name = method === 'GET' ? 'GetTime' : 'SetTime'
  const write = createJsonWriters().of(ledgerMessage(`testing.${name}Request`))
  const { grpcCode, message, bytes } = await unary(
    address,
    `/${service}/${name}`,
    finishWriting((writer) => write(writer, JSON.parse(body ?? '{}'))),
  )
  if (grpcCode !== 0) return { status: 400, text: JSON.stringify(refusal(grpcCode, message)) }
  if (name === 'SetTime') return { status: 200, text: '{}' }
  const decoded = createDecoder(ledgerMessage('testing.GetTimeResponse'))(bytes, limits)
  const { currentTime } = decoded as { readonly currentTime: bigint }
  return { status: 200, text: JSON.stringify({ currentTime: instantToText(int64(currentTime)) }) }
}

/** In the form of the JSON Ledger API. Canton's messages begin with the code. */
function refusal(grpcCodeValue: number, cause: string): object {
  return { code: /^[A-Z_]+(?=\()/.exec(cause)?.[0] ?? 'NA', cause, grpcCodeValue }
}

/** One message there, and one back. */
async function unary({ url, token }: GrpcAddress, path: string, request: Uint8Array): Promise<Answered> {
  const prefix = Buffer.alloc(prefixBytes)
  prefix.writeUInt32BE(request.length, 1)
  const answered = Promise.withResolvers<Answered>()
  const session = connect(url)
  const fail = (error: Error) => answered.reject(new StartError(`cannot reach ${url}: ${error.message}`))
  session.on('error', fail)
  const headers = {
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  }
  const stream = session.request(headers, { signal: AbortSignal.timeout(answerMs) })
  const received: Buffer[] = []
  let last: IncomingHttpHeaders = {}
  stream.on('error', fail)
  // A refusal may have its status at once, instead of at the end.
  stream.on('response', (first) => {
    last = first
  })
  stream.on('trailers', (trailers: IncomingHttpHeaders) => {
    last = trailers
  })
  stream.on('data', (chunk: Buffer) => received.push(chunk))
  stream.on('end', () => {
    const message = decodeURIComponent(String(last['grpc-message'] ?? ''))
    answered.resolve({
      grpcCode: Number(last['grpc-status'] ?? 2),
      message,
      bytes: Buffer.concat(received).subarray(prefixBytes),
    })
  })
  stream.end(Buffer.concat([prefix, request]))
  try {
    return await answered.promise
  } finally {
    session.destroy()
  }
}
