// Streams over WebSockets: GET on the path of a streaming operation. The first message is the request; each element and
// an error are one message; then the connection closes. Mirrors websocket of Canton's Endpoints.scala.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { TSchema } from 'typebox'
import type { ServerOptions, WebSocketServer } from 'ws'
import { orRetired } from '../../api/calls/retirement.ts'
import type { Trace } from '../../api/calls/trace.ts'
import type { Circumstances, HttpResponse } from '../../api/errors/error-response.ts'
import type { RequestHints } from '../../api/errors/hints.ts'
import { operationOf, type Route } from '../../api/route.ts'
import { type Decoding, decodeText } from '../../api/route-input.ts'
import type { Strangers } from '../../api/strangers.ts'
import { subprotocol } from '../../api/stream-route.ts'
import { Outflow } from '../../api/streams/back-pressure.ts'
import { refusalOf } from '../../api/streams/ongoing-authorization.ts'
import { type OpenStream, type OpenStreams, readerOf, shutDown } from '../../api/streams/open-streams.ts'
import { groupsOf, pieceLength, piecesOf } from '../../api/streams/pieces.ts'
import { DecodeError } from '../../api/wire/decode.ts'
import type { Admit } from '../../auth/admission.ts'
import type { Authentication, Authenticator } from '../../auth/authentication.ts'
import { type Permission, requirements } from '../../auth/authorization.ts'
import type { Claims } from '../../auth/claims.ts'
import type { ByteAccount } from '../../base/byte-budget.ts'
import type { Clock } from '../../base/clock.ts'
import { invalidArgument, type LedgerError } from '../../base/errors.ts'
import type { Settings } from '../../base/settings.ts'
import type { Outcome, Tracer } from '../../base/tracer.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { answerOn } from '../raw-answer.ts'
import { Connection, closeCodes, createConnections } from './connections.ts'
import { pathOf, tokenOf } from './handshake.ts'

type Parts = {
  readonly settings: Settings
  readonly routes: readonly Route[]
  readonly ledger: Ledger
  readonly authenticate: Authenticator
  readonly admit: Admit
  readonly openStreams: OpenStreams
  readonly strangers: Strangers
  readonly decoding: Decoding
  readonly checkSite: ((request: IncomingMessage) => void) | undefined
  readonly traceOf: (request: IncomingMessage) => Trace
  /** Logs the error and returns what the client is told. */
  readonly failure: (error: unknown, trace: Trace, operation: string, known?: Circumstances) => HttpResponse
  /** Hints for developers. */
  readonly hints: Pick<RequestHints, 'forError'> | undefined
  readonly tracer: Tracer | undefined
  readonly clock: Clock
}

export type WebSockets = {
  accept(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void>
  /** Another service takes over: closes connections that have sent no request yet, and refuses new ones. */
  retire(refusal: LedgerError): void
  /** Refuses new connections, ends the open streams, and waits for their readers up to a time. */
  close(withinMs: number): Promise<void>
}

type Caller = {
  readonly route: Route
  readonly operation: string
  readonly token: string | undefined
  /** Connections of one reader share turns. */
  readonly reader: string
  readonly address: string | undefined
  readonly trace: Trace
  /** Told the status of an error that ends the stream. */
  failed(status: number): void
}

const closeWithinMs = 10_000
const switchingProtocols = 101

export function createWebSockets(parts: Parts): WebSockets {
  const { settings, ledger, authenticate, admit, openStreams, strangers, decoding, checkSite, traceOf } = parts
  const { failure, hints, tracer, clock } = parts
  const { limits } = settings
  const streams = parts.routes.filter(({ streaming }) => streaming !== undefined)
  const routes = new Map(streams.map((route) => [route.path, route]))
  const connections = createConnections(clock)
  const options: ServerOptions & { closeTimeout: number } = {
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    autoPong: false,
    allowSynchronousEvents: false, // One frame per turn: a client may send ten thousand pings in one piece.
    closeTimeout: closeWithinMs,
    handleProtocols: () => subprotocol,
  }
  const requestBytesMax = Math.min(limits.webSocketRequestBytesMax, limits.bodyBytesMax)
  let loading: Promise<{ known: WebSocketServer; unknown: WebSocketServer }> | undefined

  /** Loads the library with the first WebSocket, to start faster. Without a token, requests must be small. */
  async function serverFor(authentication: Authentication): Promise<WebSocketServer> {
    loading ??= import('ws').then((ws) => ({
      known: new ws.WebSocketServer({ ...options, maxPayload: requestBytesMax }),
      unknown: new ws.WebSocketServer({
        ...options,
        maxPayload: Math.min(limits.anonymousBodyBytesMax, requestBytesMax),
      }),
    }))
    const { known, unknown } = await loading
    return 'unauthenticated' in authentication ? unknown : known
  }

  const allGone = Promise.withResolvers<void>()
  let open = 0
  let isClosing = false
  let retired: LedgerError | undefined

  /** A bad token is refused before the upgrade; a missing one when the request arrives, as in Canton. */
  async function accept(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const forget = () => socket.destroy()
    socket.on('error', forget)
    const route = routes.get(pathOf(request))!
    const operation = webSocketOperation(route)
    const startedMs = clock.elapsedMs()
    const trace = traceOf(request)
    const traced = (status: number, failed = status) => {
      tracer?.answered(trace, operation, startedMs, outcomeOf(route, status, failed))
    }
    try {
      checkSite?.(request)
      const token = tokenOf(request, settings.lenient)
      const authentication = await authenticate(token)
      strangers.note(socket, !('unauthenticated' in authentication))
      const reader = readerOf((authentication as Partial<Claims>).userId, socket.remoteAddress)
      await decoding.turn(reader) // A client that opens a thousand at once delays nobody else.
      const upgrading = await serverFor(authentication)
      if (socket.destroyed) return
      if (isClosing) throw shutDown()
      if (retired !== undefined) throw retired
      upgrading.handleUpgrade(request, socket, head, (webSocket) => {
        const connection = new Connection(webSocket, socket, clock, limits.requestTimeoutMs)
        open += 1
        connections.add(connection)
        const gone = new AbortController()
        let failedWith: number | undefined
        webSocket.on('error', () => undefined) // The library answers invalid frames and closes.
        webSocket.on('close', () => {
          gone.abort()
          traced(switchingProtocols, failedWith)
          connections.delete(connection)
          open -= 1
          if (isClosing && open === 0) allGone.resolve()
        })
        const failed = (status: number) => {
          failedWith = status
        }
        const caller = { route, operation, token, reader, address: socket.remoteAddress, trace, failed }
        connection.onRequest((text) => void answer(connection, caller, text, gone.signal))
      })
      socket.off('error', forget)
    } catch (error) {
      const refused = failure(orRetired(error, retired), trace, operation)
      answerOn(socket, refused)
      traced(refused.status)
    }
  }

  async function answer(
    connection: Connection,
    caller: Caller,
    text: string | undefined,
    gone: AbortSignal,
  ): Promise<void> {
    const { route, operation, token, trace } = caller
    let stream: OpenStream | undefined
    let account: ByteAccount | undefined
    let code: number = closeCodes.normal
    let permission: Permission | undefined
    try {
      if (text === undefined) {
        code = closeCodes.unsupported
        throw new DecodeError('Invalid value for: body (expected a text message, got a binary one)')
      }
      await decoding.turn(caller.reader)
      const body = (await decodeText(route.body as TSchema, text, decoding)) as never
      const input = { params: {}, query: {}, body }
      route.early(input, ledger.compatibility)
      const requirement = requirements[operationOf(route)]!
      const present = await authenticate(token) // Rights may have changed since the handshake.
      const admitted = await admit(requirement, { token, authentication: present }, route.subject(input))
      permission = admitted.permission
      const elements = route.streaming!.stream(ledger, input, permission)
      const claims = admitted.authentication as Claims
      stream = openStreams.open({ operation, transport: 'websocket', claims, address: caller.address })
      const { signal, abandon } = stream
      gone.addEventListener('abort', abandon)
      account = ledger.readBudget.open(() => connection.terminate(), readerOf(claims.userId, caller.address))
      const outflow = new Outflow(connection.socket, signal, account)
      for await (const batch of elements.open(signal, { account })) {
        if (signal.aborted || !connection.isOpen) break
        stream.count(batch.length)
        for (const group of groupsOf(batch)) {
          if (outflow.isOver || !connection.isOpen) break
          if (group.every(isShort)) connection.send(group, outflow)
          else for (const element of group) await sendInParts(connection, element, outflow)
          const waiting = outflow.room()
          if (waiting !== undefined) await waiting
        }
      }
      const refusal = refusalOf(signal)
      if (refusal !== undefined) throw refusal
    } catch (error) {
      if (!connection.isOpen) return
      const reason = (stream && refusalOf(stream.signal)) ?? orRetired(error, retired)
      const told = reason instanceof DecodeError ? invalidArgument(reason.message, { early: true }) : reason
      const hint = await hints?.forError(told, permission?.reads)
      if (!connection.isOpen) return
      const { status, body } = failure(told, trace, operation, { userId: permission?.caller.userId, hint })
      caller.failed(status)
      if (status === 500) code = closeCodes.internal
      if (!connection.isInMessage) connection.send([String(body)])
      else if (code === closeCodes.normal) code = closeCodes.policy // A close code can say no more.
    } finally {
      stream?.[Symbol.dispose]()
      account?.[Symbol.dispose]()
      connection.close(code)
    }
  }

  return {
    accept,
    retire(refusal) {
      retired = refusal
      for (const connection of connections.all()) {
        if (connection.isWithoutRequest) connection.close(closeCodes.goingAway, refusal.message)
      }
    },
    async close(withinMs) {
      isClosing = true
      connections.close()
      for (const connection of connections.all()) connection.close(closeCodes.goingAway, 'the participant is shut down')
      if (open === 0) return
      const force = clock.after(withinMs, () => {
        for (const connection of connections.all()) connection.terminate()
      })
      await allGone.promise
      force.cancel()
    },
  }
}

const isShort = (element: string) => element.length <= pieceLength

/** Each part when there is room for it. */
async function sendInParts(connection: Connection, element: string, outflow: Outflow): Promise<void> {
  let sent = 0
  for (const part of piecesOf(element)) {
    await outflow.room()
    if (outflow.isOver || !connection.isOpen) return
    const isFirst = sent === 0
    sent += part.length
    connection.sendPart(part, { isFirst, isLast: sent === element.length }, outflow)
  }
}

/** For logs and metrics: POST on the same path is another operation. */
function webSocketOperation({ path }: Route): string {
  return `WebSocket ${path}`
}

/** As of other requests; `failed` is the status of what the client was told on the stream. */
function outcomeOf({ path }: Route, status: number, failed: number): Outcome {
  const attributes = { 'http.request.method': 'GET', 'http.route': path, 'http.response.status_code': status }
  return { attributes, error: failed < 500 ? undefined : String(failed) }
}
