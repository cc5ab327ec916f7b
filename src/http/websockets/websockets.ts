// Streams over WebSockets: GET on the path of a streaming operation. The first message is the request; each element and
// an error are one message; then the connection closes. Mirrors websocket of Canton's Endpoints.scala.

import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { ServerOptions, WebSocketServer } from 'ws'
import type { Api } from '../../api/api.ts'
import { orRetired } from '../../api/pipeline.ts'
import type { Route } from '../../api/route.ts'
import { subprotocol } from '../../api/stream-route.ts'
import { readerOf, shutDown } from '../../api/streams/open-streams.ts'
import type { Authentication } from '../../auth/authentication.ts'
import type { Claims } from '../../auth/claims.ts'
import type { LedgerError } from '../../base/errors.ts'
import { anonymousBodyBytesMax } from '../../base/limits.ts'
import type { Outcome } from '../../base/tracer.ts'
import type { Responder } from '../send-response.ts'
import { answerOn } from '../send-response.ts'
import { Connection, closeCodes, createConnections } from './connections.ts'
import { WebSocketExchange } from './exchange.ts'
import { pathOf, tokenOf } from './handshake.ts'

type Parts = {
  readonly api: Api
  readonly checkSite: ((request: IncomingMessage) => void) | undefined
  readonly responder: Responder
}

export type WebSockets = {
  accept(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void>
  /** Another service takes over: closes connections that have sent no request yet, and refuses new ones. */
  retire(refusal: LedgerError): void
  /** Refuses new connections, ends the open streams, and waits for their readers up to a time. */
  close(withinMs: number): Promise<void>
}

const closeWithinMs = 10_000
/** A request has filters, and those are small. */
const firstMessageBytesMax = 1024 * 1024
const switchingProtocols = 101

export function createWebSockets({ api, checkSite, responder }: Parts): WebSockets {
  const { settings, authenticate, strangers, decoding, tracer, clock } = api
  const { limits } = settings
  const streams = api.routes.filter(({ streaming }) => streaming !== undefined)
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
  const requestBytesMax = Math.min(firstMessageBytesMax, limits.bodyBytesMax)
  let loading: Promise<{ known: WebSocketServer; unknown: WebSocketServer }> | undefined

  /** Loads the library with the first WebSocket, to start faster. Without a token, requests must be small. */
  async function serverFor(authentication: Authentication): Promise<WebSocketServer> {
    loading ??= import('ws').then((ws) => ({
      known: new ws.WebSocketServer({ ...options, maxPayload: requestBytesMax }),
      unknown: new ws.WebSocketServer({
        ...options,
        maxPayload: Math.min(anonymousBodyBytesMax, requestBytesMax),
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
    const trace = responder.traceOf(request)
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
      const stopped = api.stopped()
      if (stopped !== undefined) throw stopped
      if (retired !== undefined) throw retired
      upgrading.handleUpgrade(request, socket, head, (webSocket) => {
        const connection = new Connection(webSocket, socket, clock, limits.requestTimeoutMs)
        open += 1
        connections.add(connection)
        let failedWith: number | undefined
        webSocket.on('error', () => undefined) // The library answers invalid frames and closes.
        webSocket.on('close', () => {
          traced(switchingProtocols, failedWith)
          connections.delete(connection)
          open -= 1
          if (isClosing && open === 0) allGone.resolve()
        })
        const failed = (status: number) => {
          failedWith = status
        }
        const opened = { route, operation, token, reader, address: socket.remoteAddress, trace, failed }
        const parts = { api, responder, connection, opened }
        connection.onRequest((text) => {
          const refusal = api.stopped()
          if (refusal === undefined) void api.run(new WebSocketExchange(parts, text))
          else connection.close(closeCodes.goingAway, refusal.message)
        })
      })
      socket.off('error', forget)
    } catch (error) {
      const refused = responder.failure(orRetired(error, retired), { operation, trace })
      answerOn(socket, refused)
      traced(refused.status)
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

/** For logs and metrics: POST on the same path is another operation. */
function webSocketOperation({ path }: Route): string {
  return `WebSocket ${path}`
}

/** As of other requests; `failed` is the status of what the client was told on the stream. */
function outcomeOf({ path }: Route, status: number, failed: number): Outcome {
  const attributes = { 'http.request.method': 'GET', 'http.route': path, 'http.response.status_code': status }
  return { attributes, error: failed < 500 ? undefined : String(failed) }
}
