// One HTTP/2 connection to a gRPC server: calls with one answer, and calls with many, which are read no faster than they
// are used. A connection that broke is opened anew by the next call.
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type IncomingHttpHeaders } from 'node:http2'
import type { Clock } from '../base/clock.ts'
import { LedgerRefusal, type TokenSource } from './ledger-client.ts'
import { LedgerAway, unreachable } from './unreachable.ts'

/** The certificate of this client, as texts in PEM form. Whom the process trusts is decided elsewhere, for all connections. */
export type ClientCertificate = {
  readonly cert?: string | undefined
  readonly key?: string | undefined
}

export type GrpcServer = {
  /** http://host:port, or https: */
  readonly authority: string
  readonly tls: ClientCertificate
  readonly token: TokenSource
  readonly clock: Clock
}

export type GrpcConnection = {
  unary(path: string, request: Uint8Array): Promise<Uint8Array>
  /** Until it ends or the signal. */
  stream(path: string, request: Uint8Array, signal: AbortSignal): AsyncIterable<Buffer>
}

/** A flag for compression, and the length. */
const prefixBytes = 5
const answerMs = 60_000
const pingEveryMs = 20_000
/** What may be on its way before it is used. */
const windowBytes = 4 * 1024 * 1024

/** Cancelled, deadline, unavailable. */
const away: ReadonlySet<number> = new Set([1, 4, 14])
/** Unknown, exhausted, aborted, internal: they pass, too, unless an error of the ledger says otherwise. */
const vague: ReadonlySet<number> = new Set([2, 8, 10, 13])

export function createGrpcConnection({ authority, tls, token, clock }: GrpcServer): GrpcConnection {
  let session: ClientHttp2Session | undefined
  let calls = 0

  function opened(): ClientHttp2Session {
    if (session !== undefined && !session.destroyed && !session.closed) return session
    const next = connect(authority, { ...tls, settings: { initialWindowSize: windowBytes } })
    next.on('error', () => undefined) // The calls report it.
    next.once('connect', () => next.setLocalWindowSize(windowBytes))
    next.unref()
    watch(next)
    session = next
    return next
  }

  /** A server that vanished never answers. */
  function watch(watched: ClientHttp2Session): void {
    let isAlive = true
    const look = () => {
      if (watched.destroyed) return
      if (!isAlive) return watched.destroy()
      isAlive = false
      if (!watched.connecting) {
        watched.ping((error) => {
          isAlive ||= error === null
        })
      }
      timer = clock.after(pingEveryMs, look)
    }
    let timer = clock.after(pingEveryMs, look)
    watched.on('close', () => timer.cancel())
  }

  async function* call(path: string, request: Uint8Array, signal: AbortSignal): AsyncIterable<Buffer> {
    const known = await token()
    const headers = {
      ...{ ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' },
      ...(known !== undefined && { authorization: `Bearer ${known}` }),
    }
    const holder = opened()
    const stream = holder.request(headers)
    calls += 1
    holder.ref()
    let status: IncomingHttpHeaders = {}
    const note = (sent: IncomingHttpHeaders) => {
      if (sent['grpc-status'] !== undefined || sent[':status'] !== undefined) status = { ...status, ...sent }
    }
    stream.on('response', note) // A refusal may have its status at once, instead of at the end.
    stream.on('trailers', note)
    const stop = () => stream.close()
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
    stream.end(framed(request))
    try {
      yield* messagesOf(stream)
    } catch (error) {
      if (!signal.aborted) throw unreachable(authority, error)
    } finally {
      signal.removeEventListener('abort', stop)
      stream.on('error', () => undefined)
      stream.close()
      calls -= 1
      if (calls === 0) holder.unref()
    }
    if (!signal.aborted) check(status)
  }

  function check(status: IncomingHttpHeaders): void {
    if (status[':status'] === undefined) throw new LedgerAway(`${authority} ended the connection`)
    const code = Number(status['grpc-status'] ?? 14)
    if (code === 0) return
    const cause = decodeURIComponent(String(status['grpc-message'] ?? `status ${status[':status']}`))
    const name = /^[A-Z_]+(?=\()/.exec(cause)?.[0]
    if (away.has(code) || (vague.has(code) && name === undefined)) {
      throw new LedgerAway(`${authority} answered: ${cause}`)
    }
    throw new LedgerRefusal(JSON.stringify({ code: name ?? 'NA', cause, grpcCodeValue: code }), undefined)
  }

  return {
    async unary(path, request) {
      let answer: Buffer | undefined
      for await (const message of call(path, request, AbortSignal.timeout(answerMs))) answer = message
      if (answer === undefined) throw new LedgerAway(`${authority} does not answer`)
      return answer
    },
    stream: call,
  }
}

function framed(message: Uint8Array): Buffer {
  const prefix = Buffer.alloc(prefixBytes)
  prefix.writeUInt32BE(message.length, 1)
  return Buffer.concat([prefix, message])
}

/** Splits what arrives into messages. */
async function* messagesOf(stream: ClientHttp2Stream): AsyncIterable<Buffer> {
  let parts: Buffer[] = []
  let held = 0
  let needed = prefixBytes
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    parts.push(chunk)
    held += chunk.length
    if (held < needed) continue
    const bytes = parts.length === 1 ? chunk : Buffer.concat(parts)
    let position = 0
    for (;;) {
      const isKnown = bytes.length - position >= prefixBytes
      needed = isKnown ? prefixBytes + bytes.readUInt32BE(position + 1) : prefixBytes
      if (bytes.length - position < needed) break
      yield bytes.subarray(position + prefixBytes, position + needed)
      position += needed
    }
    parts = [bytes.subarray(position)]
    held = bytes.length - position
  }
}
