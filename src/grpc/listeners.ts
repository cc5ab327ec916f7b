// The listener of a gRPC API and the service behind it. The port is open from the start, but HTTP/2, the messages and the
// methods are loaded with the first connection, so that they cost the start of the node nothing. Another service can take
// over while connections stay open: calls that come in between wait for it.

import { readFileSync } from 'node:fs'
import type { Http2SecureServer, Http2Server, ServerHttp2Session, ServerHttp2Stream } from 'node:http2'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { Api } from '../api/api.ts'
import type { RequestMetrics } from '../api/calls/request-metrics.ts'
import { addressesOf, listening, readTls, shownHost } from '../api/listening.ts'
import type { Clock } from '../base/clock.ts'
import { StartError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { Settings } from '../base/settings.ts'
import type { Calls } from './calls.ts'
import type { ServedApi } from './served-api.ts'

export type GrpcListeners = {
  /** Starts listening; returns the URL, or undefined if the usual port is taken. */
  listen(): Promise<string | undefined>
  leadTo(service: { readonly api: Api }): void
  /** From now on calls wait. */
  hold(): void
  /** Ends within the time given. */
  close(withinMs: number): Promise<void>
}

type Parts = {
  readonly settings: Settings
  readonly host: string
  readonly port: number
  /** How people choose another port. */
  readonly option: string
  /** Which API; called with the first connection. */
  readonly served: () => Promise<ServedApi>
  /** Whether the node goes on without a port that is taken. */
  readonly isUsual: boolean
  readonly first: Api
  readonly metrics: RequestMetrics
  readonly clock: Clock
  readonly log: Log
}

/** Streams of one connection at a time, before a token was accepted on it; as many as clients expect. */
const streamsOfStrangerMax = 100
/** More than these are refused for a client that does not wait to be told; such calls can be tried again. */
const refusedStreamsMax = 1000
/** A connection without a sign of life for this long is asked, and after as long again it is closed. */
const keepAliveMs = 60_000
/** More pings and settings, and calls without an accepted token, are an attack. */
const framesPerMinuteMax = 600

export function createGrpcListeners(parts: Parts): GrpcListeners {
  const { settings, host, port, option, isUsual, served, first, metrics, clock, log } = parts
  const { tls } = settings.http
  const { limits } = settings
  const listeners: Server[] = []
  const sessions = new Set<ServerHttp2Session>()
  const sockets = new Set<Socket>()
  let api = first
  let waiting: (() => void)[] | undefined
  let calls: Promise<Calls> | undefined
  let http2: Http2Server | Http2SecureServer | undefined
  let isClosed = false
  let isWarned = false

  /** For the service that is in charge; made when there is a call for it. */
  function callsNow(): Promise<Calls> {
    calls ??= Promise.all([import('./calls.ts'), served()]).then(([{ createCalls }, which]) =>
      createCalls(api, metrics, which),
    )
    return calls
  }

  function onStream(stream: ServerHttp2Stream, headers: Parameters<Calls['answer']>[1]): void {
    stream.on('error', () => undefined) // The client reset it, or its connection broke.
    const begin = () => void callsNow().then(({ answer }) => answer(stream, headers))
    if (waiting === undefined) begin()
    else waiting.push(begin)
  }

  function createHttp2(): Http2Server | Http2SecureServer {
    const module = process.getBuiltinModule('node:http2')
    const options = {
      maxHeaderListPairs: 256,
      maxSessionMemory: 64,
      maxSessionRejectedStreams: refusedStreamsMax,
      settings: { maxConcurrentStreams: streamsOfStrangerMax, maxHeaderListSize: limits.headerBytesMax },
      unknownProtocolTimeout: 1000,
    }
    const server = tls
      ? module.createSecureServer({ ...options, ...readTls(tls), ...clientCertificates(settings), allowHTTP1: false })
      : module.createServer(options)
    server.on('session', watch)
    server.on('stream', onStream)
    server.on('sessionError', ({ message }) => wrongProtocol(message)) // What is not HTTP/2 is closed.
    server.on('error', (error) => log.warn({ reason: error.message }, 'a gRPC connection failed'))
    if (tls) (server as Http2SecureServer).on('tlsClientError', () => undefined)
    return server
  }

  /** Of the client only its end is heard, so the log says it, once: anybody can make it happen. */
  function wrongProtocol(message: string): void {
    if (isWarned || !/magic/i.test(message)) return
    isWarned = true
    log.warn({}, 'a client of the gRPC port did not speak HTTP/2: the JSON Ledger API is at the other port (http.port)')
  }

  /** Clients that are gone are noticed, and clients that only ping, or open calls without a token, are closed. */
  function watch(session: ServerHttp2Session): void {
    sessions.add(session)
    const { strangers } = api
    let frames = 0
    let isAlive = true
    const count = () => {
      isAlive = true
      frames += 1
      if (frames === framesPerMinuteMax + 1) session.goaway(enhanceYourCalm)
      if (frames > 2 * framesPerMinuteMax) session.destroy()
    }
    session.on('ping', count)
    session.on('remoteSettings', count)
    // Behind a proxy, calls of strangers and of others may share a connection, which is not closed then.
    let wasKnown = false
    session.on('stream', () => {
      wasKnown ||= strangers.knows(session)
      if (!wasKnown) count()
    })
    const look = () => {
      if (session.destroyed) return
      frames = 0
      if (!isAlive) return session.destroy()
      isAlive = false
      session.ping(() => {
        isAlive = true
      })
      timer = clock.after(keepAliveMs, look)
    }
    let timer = clock.after(keepAliveMs, look)
    session.on('close', () => {
      timer.cancel()
      sessions.delete(session)
    })
    session.on('error', () => undefined)
    if (isClosed) session.close()
  }

  function onConnection(socket: Socket): void {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
    if (sockets.size > limits.connectionsMax || isClosed) {
      socket.destroy()
      return
    }
    const { strangers } = api
    const { remoteAddress: address } = socket
    strangers.arrived()
    const begin = () => {
      if (socket.destroyed || isClosed) return void socket.destroy()
      http2 ??= createHttp2()
      socket.setNoDelay(true)
      http2.emit('connection', socket)
      socket.resume()
    }
    socket.on('close', () => strangers.withdraw(address, begin))
    if (!strangers.admit(address, begin)) socket.destroy()
  }

  async function listenAt(address: string, onPort: number): Promise<AddressInfo> {
    // Nothing is read before a connection's turn. A session of Node that starts with bytes in its socket's buffer ends the
    // process if those bytes are a flood, which closes the session while it still reads them.
    const server = createServer({ pauseOnConnect: true }, onConnection)
    const at = await listening(server, address, onPort, settings)
    listeners.push(server)
    return at
  }

  return {
    async listen() {
      if (tls === undefined && settings.grpc.clientCaFile !== undefined) {
        throw new StartError('grpc.clientCaFile needs http.tls: certificates of clients are part of TLS')
      }
      if (tls) clientCertificates(settings) // Fail at start rather than at the first connection.
      try {
        const [address, ...others] = await addressesOf(host)
        const at = await listenAt(address!, port)
        for (const other of others) await listenAt(other, at.port).catch(() => undefined)
        return `${tls === undefined ? 'http' : 'https'}://${shownHost(at)}:${at.port}`
      } catch (error) {
        const { code, message } = error as Error & { code?: string }
        const isTaken = code === 'EADDRINUSE'
        const reason = isTaken ? `port ${port} on ${host} is taken` : message
        if (!isUsual || !isTaken) throw new StartError(`no gRPC service: ${reason}; choose another with ${option}`)
        log.warn({ port }, `no gRPC service: ${reason}; ${option} chooses another, or "off"`)
        return undefined
      }
    },
    hold() {
      waiting ??= []
    },
    leadTo(service) {
      calls = undefined
      api = service.api
      const begins = waiting ?? []
      waiting = undefined
      for (const begin of begins) begin()
    },
    async close(withinMs) {
      isClosed = true
      const closed = listeners.map((server) => new Promise((resolve) => server.close(resolve)))
      for (const session of sessions) session.close() // Lets calls under way end.
      const force = clock.after(withinMs, () => {
        for (const session of sessions) session.destroy()
        for (const socket of sockets) socket.destroy()
      })
      await Promise.all(closed)
      force.cancel()
    },
  }
}

const enhanceYourCalm = 11

function clientCertificates({ grpc: { clientCaFile } }: Settings) {
  if (clientCaFile === undefined) return {}
  try {
    return { ca: readFileSync(clientCaFile), requestCert: true, rejectUnauthorized: true }
  } catch (error) {
    throw new StartError(`cannot use ${clientCaFile} for TLS: ${(error as Error).message}`)
  }
}
