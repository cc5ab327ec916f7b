// A read-only client of the JSON Ledger API of any participant: requests, and streams over WebSockets that are read no
// faster than their rows are written.
import assert from 'node:assert/strict'
import { WebSocket } from 'ws'
import type { Clock } from '../base/clock.ts'
import { errorAnswerOf } from '../base/error-answer.ts'
import { errorWords } from '../base/error-words.ts'
import { categoryOf, errorCodes, StartError } from '../base/errors.ts'
import { shownUrl } from '../base/shown-url.ts'
import { LedgerAway, reasonOf, unreachable } from './unreachable.ts'

export { LedgerAway }

/** The ledger answers, and refuses. */
export class LedgerRefusal extends Error {
  /** Of HTTP, or the one that an error at the end of a stream would have; undefined for other errors there. */
  readonly status: number | undefined
  readonly code: string | undefined

  constructor(text: string, status: number | undefined) {
    const answer = errorAnswerOf(text)
    super(errorWords(answer) || `status ${status}`)
    this.status = status ?? statuses.get(answer.grpcCode)
    this.code = answer.code
  }
}

/** Errors about rights have no code; that of gRPC tells them apart. */
const statuses: ReadonlyMap<unknown, number> = new Map([
  [5, 404],
  [7, 403],
  [16, 401],
])

/** Something answers that does not speak HTTP/1. */
export class NotHttp extends StartError {}

/** Whether the same request may succeed later. */
export function isPassingFailure(error: unknown): boolean {
  if (error instanceof LedgerAway) return true
  if (!(error instanceof LedgerRefusal)) return false
  const { code } = error
  return code !== undefined && Object.hasOwn(errorCodes, code) && categoryOf(code as never).retry !== undefined
}

/** The POSTs and streams of the API that only read. The client knows no others, so nobody can submit with it. */
export const readingPosts = ['/v2/package-vetting/list', '/v2/updates/update-by-offset'] as const
export const readingStreams = ['/v2/state/active-contracts', '/v2/updates'] as const

type ReadingPost = (typeof readingPosts)[number]
type ReadingStream = (typeof readingStreams)[number]

export type LedgerClient = {
  /** Without credentials. */
  readonly place: string
  get<T>(path: string): Promise<T>
  bytes(path: string): Promise<Uint8Array>
  post<T>(path: ReadingPost, body: object): Promise<T>
  /** The elements of a stream, until it ends or the signal. */
  stream<T>(path: ReadingStream, body: object, signal: AbortSignal): AsyncIterable<Streamed<T>>
  /** The same as the texts that arrive. */
  texts(path: ReadingStream, body: object, signal: AbortSignal): AsyncIterable<string>
}

/** An element with the size of its text. */
export type Streamed<T> = { readonly element: T; readonly bytes: number }

/** Asked for at each request, because tokens expire. */
export type TokenSource = () => Promise<string | undefined>

type Message = { readonly text: string; readonly bytes: number }

/** The last message of a stream may be an error, which is short. */
const errorCharactersMax = 64 * 1024
const isError = (element: { code?: unknown }) => typeof element?.code === 'string' && 'cause' in element

const requestTimeoutMs = 60_000
/** What the parser of HTTP says about anything else. */
const notHttp =
  /Expected HTTP|Parse Error|response does not match the HTTP|NO_APPLICATION_PROTOCOL|no application protocol/i
/** What has arrived and is not written yet: above it the socket is not read, below half of it again. */
const waitingBytesMax = 16 * 1024 * 1024
const pingEveryMs = 20_000

export function createLedgerClient(url: string, token: TokenSource, clock: Clock): LedgerClient {
  const place = shownUrl(url)
  if (!/^https?:/.test(url)) {
    throw new StartError(`${place} is no address of the JSON Ledger API, which begins with http:// or https://`)
  }

  async function send(path: string, init: RequestInit): Promise<Response> {
    const known = await token()
    const headers = known === undefined ? {} : { authorization: `Bearer ${known}` }
    let response: Response
    try {
      const signal = AbortSignal.timeout(requestTimeoutMs)
      response = await fetch(new URL(path, url), { ...init, headers, signal })
    } catch (error) {
      if (notHttp.test(reasonOf(error).message)) {
        throw new NotHttp(
          `${place} does not speak HTTP: give the port of the JSON Ledger API, or grpc:// for that of gRPC`,
        )
      }
      throw unreachable(place, error)
    }
    if (response.ok) return response
    const text = await response.text()
    if (response.status >= 500 || response.status === 429) throw new LedgerAway(`${place} answered ${response.status}`)
    throw new LedgerRefusal(text, response.status)
  }

  async function* messages(path: ReadingStream, body: object, signal: AbortSignal): AsyncIterable<Message> {
    assert(readingStreams.includes(path), 'a stream of the client only reads')
    const address = new URL(path, url)
    address.protocol = address.protocol.replace('http', 'ws')
    const known = await token()
    const protocols = [...(known === undefined ? [] : [`jwt.token.${known}`]), 'daml.ws.auth']
    const inbox = openInbox(new WebSocket(address, protocols, { perMessageDeflate: false }), body, clock, signal)
    try {
      for (;;) {
        const message = await inbox.next()
        if (message === undefined) return
        yield message
      }
    } finally {
      inbox.close()
    }
  }

  async function* stream<T>(path: ReadingStream, body: object, signal: AbortSignal): AsyncIterable<Streamed<T>> {
    for await (const { text, bytes } of messages(path, body, signal)) {
      const element = JSON.parse(text)
      if (isError(element)) throw new LedgerRefusal(text, undefined)
      yield { element, bytes }
    }
  }

  async function* texts(path: ReadingStream, body: object, signal: AbortSignal): AsyncIterable<string> {
    for await (const { text } of messages(path, body, signal)) {
      if (text.length < errorCharactersMax && isError(JSON.parse(text))) throw new LedgerRefusal(text, undefined)
      yield text
    }
  }

  return {
    place,
    get: async (path) => (await send(path, { method: 'GET' })).json() as never,
    bytes: async (path) => new Uint8Array(await (await send(path, { method: 'GET' })).arrayBuffer()),
    async post(path, body) {
      assert(readingPosts.includes(path), 'a request of the client only reads')
      return (await send(path, { method: 'POST', body: JSON.stringify(body) })).json() as never
    },
    stream,
    texts,
  }

  function openInbox(socket: WebSocket, request: object, time: Clock, until: AbortSignal) {
    const waiting: { readonly text: string; readonly bytes: number }[] = []
    let waitingBytes = 0
    let end: { readonly error?: Error } | undefined
    let isAlive = true
    let arrived = Promise.withResolvers<void>()
    const wake = () => {
      arrived.resolve()
      arrived = Promise.withResolvers()
    }
    const finish = (error?: Error) => {
      end ??= error === undefined ? {} : { error }
      wake()
    }
    let timer = time.after(pingEveryMs, lookAlive)
    function lookAlive(): void {
      if (!isAlive) return socket.terminate()
      isAlive = socket.isPaused
      if (socket.readyState === WebSocket.OPEN) socket.ping()
      timer = time.after(pingEveryMs, lookAlive)
    }
    const stop = () => finish()
    until.addEventListener('abort', stop)
    if (until.aborted) stop()
    socket.on('open', () => socket.send(JSON.stringify(request)))
    socket.on('pong', () => {
      isAlive = true
    })
    socket.on('message', (data: Buffer) => {
      isAlive = true
      waiting.push({ text: data.toString(), bytes: data.length })
      waitingBytes += data.length
      if (waitingBytes > waitingBytesMax) socket.pause()
      wake()
    })
    socket.on('unexpected-response', (_, response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const status = response.statusCode ?? 0
        const isPassing = status >= 500 || status === 429
        const text = Buffer.concat(chunks).toString()
        finish(isPassing ? new LedgerAway(`${place} answered ${status}`) : new LedgerRefusal(text, status))
      })
    })
    socket.on('error', (error) => finish(unreachable(place, error)))
    // 1000 says that all was sent; anything else is a lost connection, after what it has brought.
    socket.on('close', (code) =>
      finish(code === 1000 ? undefined : new LedgerAway(`${place} ended the stream (${code})`)),
    )
    return {
      async next(): Promise<Message | undefined> {
        for (;;) {
          const event = arrived.promise
          if (until.aborted) return undefined
          const message = waiting.shift()
          if (message !== undefined) {
            waitingBytes -= message.bytes
            if (socket.isPaused && waitingBytes < waitingBytesMax / 2) socket.resume()
            return message
          }
          if (end?.error !== undefined) throw end.error
          if (end !== undefined) return undefined
          await event
        }
      },
      close() {
        timer.cancel()
        until.removeEventListener('abort', stop)
        socket.removeAllListeners()
        socket.on('error', () => undefined)
        socket.terminate()
      },
    }
  }
}
