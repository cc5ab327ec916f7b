// One call on the wire of gRPC over HTTP/2: the frames of its request, the frames of its answer, and the trailers with
// its status. Knows no method and no message. What is wrong on the wire is refused as grpc-java does, with its texts.
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import { hintHeader } from '../base/error-answer.ts'
import { codes, GrpcError, type Status } from './status.ts'

/** A flag, and the length of the message. */
export const frameHeadBytes = 5

const headers = { ':status': 200, 'content-type': 'application/grpc', 'grpc-accept-encoding': 'gzip' } as const
/** Without the date that HTTP servers send. */
const beforeMessages = { waitForTrailers: true, sendDate: false }
const alone = { endStream: true, sendDate: false }
const compressed = 1

export type WireCall = {
  readonly stream: ServerHttp2Stream
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** Time that the client gives the call; undefined if it does not say. */
  readonly timeoutMs: number | undefined
  /**
   * The one message of the request. Refuses a larger one as soon as its length is known. `reserve` is told the bytes that
   * are needed before there are any, and throws if there is no room.
   */
  message(bytesMax: number, reserve?: (bytes: number) => void): Promise<Buffer>
  /** Begins the answer, so that the client knows that the call was accepted. */
  begin(): void
  /** Messages in their frames; begins the answer. `onTaken` is called once the client has them. */
  write(frames: Uint8Array, onTaken?: () => void): void
  /** Settles when the client has taken what was written, or is gone. */
  drained(): Promise<void>
  /** The last message and success. */
  end(frame: Uint8Array): void
  /** Ends the call; does nothing if it has ended. */
  finish(status: Status): void
}

export function createWireCall(stream: ServerHttp2Stream, requestHeaders: IncomingHttpHeaders): WireCall {
  let hasBegun = false
  let hasEnded = false
  let trailers: Record<string, string> = { 'grpc-status': '0' }

  function begin(): void {
    if (hasBegun || stream.destroyed) return
    hasBegun = true
    stream.on('wantTrailers', () => {
      if (!stream.destroyed) stream.sendTrailers(trailers)
    })
    stream.respond(headers, beforeMessages)
  }

  return {
    stream,
    path: requestHeaders[':path'] ?? '',
    headers: requestHeaders,
    timeoutMs: timeoutOf(requestHeaders['grpc-timeout']),
    message: (bytesMax, reserve = () => undefined) =>
      readMessage(stream, requestHeaders['grpc-encoding'], bytesMax, reserve),
    begin,
    write(frames, onTaken) {
      if (stream.destroyed || hasEnded) return
      begin()
      stream.write(frames, onTaken)
    },
    drained: () => drained(stream),
    end(frame) {
      if (stream.destroyed || hasEnded) return
      hasEnded = true
      begin()
      stream.end(frame)
    },
    finish(status) {
      if (stream.destroyed || hasEnded) return
      hasEnded = true
      trailers = trailersOf(status)
      if (hasBegun) stream.end()
      else {
        hasBegun = true
        stream.respond({ ...headers, ...trailers }, alone)
        stream.resume() // Drops what the client still sends.
      }
    },
  }
}

async function drained(stream: ServerHttp2Stream): Promise<void> {
  if (!stream.writableNeedDrain || stream.destroyed) return
  await new Promise<void>((resolve) => {
    const end = () => {
      stream.off('drain', end).off('close', end)
      resolve()
    }
    stream.on('drain', end).on('close', end)
  })
}

/** A message in its frame. */
export function framed(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(frameHeadBytes + message.length)
  frame[0] = 0
  frame.writeUInt32BE(message.length, 1)
  frame.set(message, frameHeadBytes)
  return frame
}

const timeUnitsMs: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1000,
  m: 1,
  u: 1 / 1000,
  n: 1 / 1_000_000,
}

/** Timers of Node end at once if they are longer: about 24 days. */
const timerMaxMs = 2 ** 31 - 1

/** At most nine characters: a number and its unit. */
const timeoutForm = /^(?=.{2,9}$)([+-]?\d+)([HMSmun])$/

function timeoutOf(sent: string | string[] | undefined): number | undefined {
  const match = typeof sent === 'string' ? timeoutForm.exec(sent) : null
  const timeoutMs = match === null ? timerMaxMs : Number(match[1]) * timeUnitsMs[match[2]!]!
  return timeoutMs >= timerMaxMs ? undefined : timeoutMs
}

/** Whether the call has a timeout that cannot be read. */
export function hasBadTimeout({ 'grpc-timeout': sent }: IncomingHttpHeaders): boolean {
  return sent !== undefined && !timeoutForm.test(String(sent))
}

/** Values of one name, as grpc-java reads them: split at commas, padded or not. */
const base64Values = /^(?:(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2,3})?=*(?:, ?|$))*$/

/** Whether the call has binary metadata that is not Base64. */
export function hasBadBinaryMetadata(requestHeaders: IncomingHttpHeaders): boolean {
  for (const name in requestHeaders) {
    if (name.endsWith('-bin') && !base64Values.test(String(requestHeaders[name]))) return true
  }
  return false
}

/** The encoding of a call whose messages cannot be unpacked. */
export function unknownEncoding({ 'grpc-encoding': encoding }: IncomingHttpHeaders): string | undefined {
  return encoding === undefined || encoding === 'gzip' || encoding === 'identity' ? undefined : String(encoding)
}

function trailersOf({ code, message, details, hint }: Status): Record<string, string> {
  const trailers: Record<string, string> = { 'grpc-status': String(code) }
  if (message !== '') trailers['grpc-message'] = percentEncoded(message)
  if (hint !== undefined) trailers[hintHeader] = hint
  if (details !== undefined) trailers['grpc-status-details-bin'] = Buffer.from(details).toString('base64')
  return trailers
}

/** All but printable ASCII, and the percent sign itself. */
function percentEncoded(text: string): string {
  if (/^[\x20-\x24\x26-\x7e]*$/.test(text)) return text
  let encoded = ''
  for (const byte of Buffer.from(text.toWellFormed())) {
    const isPlain = byte >= 0x20 && byte <= 0x7e && byte !== 0x25
    encoded += isPlain ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return encoded
}

/** The protocol, and what its messages are written in. */
const grpcType = /^application\/grpc(?![^+;])/i

/** What grpc-java refuses before it looks at a call, with a status of HTTP. */
export function httpRefusalOf(requestHeaders: IncomingHttpHeaders): HttpRefusal | undefined {
  const { 'content-type': type, ':method': method } = requestHeaders
  if (type === undefined) return { httpStatus: 415, message: 'Content-Type is missing from the request' }
  if (!grpcType.test(type)) return { httpStatus: 415, message: `Content-Type '${type}' is not supported` }
  if (method !== 'POST') return { httpStatus: 405, message: `Method '${method}' is not supported` }
  return undefined
}

export type HttpRefusal = { readonly httpStatus: number; readonly message: string }

export function refuseOverHttp(stream: ServerHttp2Stream, { httpStatus, message }: HttpRefusal): void {
  const type = { 'content-type': 'text/plain; charset=utf-8' }
  stream.respond({ ':status': httpStatus, ...type, ...trailersOf({ code: codes.internal, message }) })
  stream.end(message)
  stream.resume() // Drops what the client still sends.
}

/** Collects the bytes of a request until its client has sent all of them. */
function readMessage(
  stream: ServerHttp2Stream,
  encoding: string | string[] | undefined,
  bytesMax: number,
  reserve: (bytes: number) => void,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let memory: Buffer | undefined
    let received = 0
    /** Of the message; undefined before its head has come. */
    let length: number | undefined
    let isSettled = false
    const fail = (error: unknown) => {
      if (isSettled) return
      isSettled = true
      memory = undefined
      reject(error)
    }
    const refuse = (code: number, message: string) => fail(new GrpcError(code, message))
    const reserved = (bytes: number) => {
      try {
        reserve(bytes)
        return true
      } catch (error) {
        fail(error)
        return false
      }
    }
    stream.on('data', (chunk: Buffer) => {
      if (isSettled) return
      memory = memory === undefined ? chunk : appended(memory, received, chunk)
      received += chunk.length
      if (received < frameHeadBytes) return
      const isNew = length === undefined
      length ??= memory.readUInt32BE(1)
      if (memory[0]! > compressed) refuse(codes.internal, 'gRPC frame header malformed: reserved bits not zero')
      else if (length > bytesMax) {
        refuse(codes.resourceExhausted, `gRPC message exceeds maximum size ${bytesMax}: ${length | 0}`)
      } else if (received >= 2 * frameHeadBytes + length) fail(new GrpcError(codes.internal, 'Too many requests', true))
      else if (isNew) reserved(length)
    })
    const end = () => {
      if (isSettled) return
      if (memory === undefined) return fail(new GrpcError(codes.internal, 'Half-closed without a request', true))
      if (length === undefined || received !== frameHeadBytes + length) {
        return refuse(codes.internal, 'Encountered end-of-stream mid-frame')
      }
      const message = memory.subarray(frameHeadBytes, received)
      if (memory[0] === compressed) {
        if (encoding !== 'gzip') {
          return refuse(codes.internal, "Can't decode compressed gRPC message as compression not configured")
        }
        const size = inflatedSize(message)
        const limit = Math.min(size, bytesMax)
        if (!reserved(limit)) return
        void inflate(message, limit).then(
          (inflated) => {
            isSettled = true
            resolve(inflated)
          },
          ({ code }: NodeJS.ErrnoException) => {
            if (code === 'Z_BUF_ERROR') return refuse(codes.invalidArgument, 'The compressed message is cut off')
            if (code === 'ERR_BUFFER_TOO_LARGE' && size > bytesMax) {
              return refuse(codes.resourceExhausted, `Decompressed gRPC message exceeds maximum size ${bytesMax}`)
            }
            refuse(codes.invalidArgument, 'The message cannot be decompressed')
          },
        )
        return
      }
      isSettled = true
      resolve(message)
    }
    // Node announces the end of an empty request even if nobody reads it, so it may have come before the token was checked.
    if (stream.readableEnded) end()
    else stream.on('end', end)
    stream.on('close', () => refuse(codes.cancelled, 'the client is gone'))
  })
}

/** Grows by doubling: a client may send a message byte by byte. */
function appended(memory: Buffer, length: number, chunk: Buffer): Buffer {
  const needed = length + chunk.length
  let target = memory
  if (needed > memory.length) {
    target = Buffer.allocUnsafe(Math.max(needed, 2 * memory.length))
    target.set(memory.subarray(0, length))
  }
  target.set(chunk, length)
  return target
}

/** As the end of a gzip file says, unless it is cut off. What unpacks to more is refused. */
function inflatedSize(bytes: Buffer): number {
  const isGzip = bytes.length > 4 && bytes.readUInt16BE(0) === gzipMagic
  return isGzip ? bytes.readUInt32LE(bytes.length - 4) : 0
}

const gzipMagic = 0x1f8b

async function inflate(bytes: Uint8Array, size: number): Promise<Buffer> {
  const { gunzip } = await import('node:zlib')
  return new Promise((resolve, reject) => {
    // At least one byte: zero means no limit.
    gunzip(bytes, { maxOutputLength: Math.max(1, size) }, (error, inflated) =>
      error ? reject(error) : resolve(inflated),
    )
  })
}
