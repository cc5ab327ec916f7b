// The node:http servers: limits, and errors before there is a request.
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { addressesOf, listening, readTls, shownHost } from '../api/listening.ts'
import type { Strangers } from '../api/strangers.ts'
import { StartError } from '../base/errors.ts'
import { givesHints, type Settings } from '../base/settings.ts'
import { createTurns } from '../base/turns.ts'
import { createPipelining } from './pipelining.ts'
import { tooManyStrangers } from './response-body.ts'
import { answerOn } from './send-response.ts'

export type Listener = {
  /** Listens on every address of the host; returns the URL. */
  listen(): Promise<string>
  /** Accepts no more connections, closes idle ones, and settles when the last one is closed. */
  close(): Promise<void>
  closeAllConnections(): void
}

export type Handlers = {
  /** Which requests go to `upgrade`; all others are plain requests, even with an Upgrade header. */
  readonly isUpgrade: (request: IncomingMessage) => boolean
  readonly request: (request: IncomingMessage, response: ServerResponse) => void
  /** Whether the request that arrives there has a time limit of its own. */
  readonly mayTakeLonger: (socket: Socket) => boolean
  readonly upgrade: (request: IncomingMessage, socket: Socket, head: Buffer) => void
}

/** How late a slow request may be detected; Node's default is 30 seconds. */
const connectionsCheckingInterval = 1_000
/** A client that pauses for up to a minute can reuse its connection. */
const keepAliveTimeout = 72_000

export function createListener(settings: Settings, handlers: Handlers, strangers: Strangers): Listener {
  const { host, port, tls } = settings.http
  const { limits } = settings
  const options: ServerOptions = {
    maxHeaderSize: limits.headerBytesMax,
    shouldUpgradeCallback: handlers.isUpgrade,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval,
    keepAliveTimeout,
  }
  const secure = tls && { ...readTls(tls), ...options }
  const refuse = (socket: Socket) => answerOn(socket, tooManyStrangers)
  const servers: Server[] = []
  let isClosing = false
  /** Node closes connections that are idle when a server closes, but not those that become idle later. */
  const onAnswered = () => {
    if (isClosing) for (const server of servers) server.closeIdleConnections()
  }
  const pipelining = createPipelining({ turns: createTurns(), strangers, refuse, onAnswered })

  /** Uses getBuiltinModule, because a named import from node:http would load all of fetch at start. */
  function createServer(): Server {
    const server = secure
      ? process.getBuiltinModule('node:https').createServer(secure)
      : process.getBuiltinModule('node:http').createServer(options)
    server.maxConnections = limits.connectionsMax
    server.on(secure ? 'secureConnection' : 'connection', pipelining.accept)
    server.on('request', (request, response) =>
      pipelining.request(request, response, () => handlers.request(request, response)),
    )
    server.on('upgrade', (request, socket, head) => {
      const rest = pipelining.release(socket as Socket)
      handlers.upgrade(request, socket as Socket, rest.length === 0 ? head : Buffer.concat([head, rest]))
    })
    server.on('clientError', (error: Error & { code?: string }, socket) => {
      const isLate = error.code === lateRequest
      if (isLate && handlers.mayTakeLonger(socket as Socket)) return
      if (givesHints(settings) && error.code === http2Begins) sendAwayFromHttp2(socket as Socket)
      else answerClientError(error, socket as Socket)
    })
    return server
  }

  async function listenAt(address: string, onPort: number): Promise<AddressInfo> {
    const server = createServer()
    const at = await listening(server, address, onPort, settings)
    servers.push(server)
    return at
  }

  return {
    async listen() {
      try {
        const [first, ...others] = await addressesOf(host)
        const at = await listenAt(first!, port)
        // If localhost has an IPv6 address that the machine does not use, IPv4 is enough.
        for (const other of others) await listenAt(other, at.port).catch(() => undefined)
        return `${tls === undefined ? 'http' : 'https'}://${shownHost(at)}:${at.port}`
      } catch (error) {
        const { code, message } = error as Error & { code?: string }
        throw new StartError(listenProblems[code ?? '']?.(host, port) ?? `cannot listen on ${host}:${port}: ${message}`)
      }
    },
    async close() {
      isClosing = true
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
    },
    closeAllConnections() {
      for (const server of servers) server.closeAllConnections()
    },
  }
}

const listenProblems: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) => `port ${port} on ${host} is taken; stop what uses it, or choose another with --port`,
  EACCES: (host, port) => `port ${port} on ${host} is not for this account; choose another with --port`,
  EADDRNOTAVAIL: (host) => `this machine has no address ${host}; choose another with --host`,
  ENOTSUP: () => 'processes cannot share a port on this system; leave out --processes',
  ENOTFOUND: (host) => `this machine has no address ${host}; choose another with --host`,
}

/** Node reports each late request once. */
const lateRequest = 'ERR_HTTP_REQUEST_TIMEOUT'

const clientErrors: Readonly<Record<string, [status: number, words: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  [lateRequest]: [408, 'Request Timeout'],
}

/** The first line of a request whose method Node does not know. */
const unknownMethod = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+ \S+ HTTP\/1\.[01]\r\n/

/** Node's parser has read the first line of a connection of HTTP/2. */
const http2Begins = 'HPE_PAUSED_H2_UPGRADE'

const http1Required = 0xd
const wrongPort = 'this port has the JSON Ledger API over HTTP/1.1; gRPC has another port (grpc.port, --grpc-port)'

/** A gRPC client shows the reason of a GOAWAY, but not an answer of HTTP/1.1. Empty settings come before it. */
function sendAwayFromHttp2(socket: Socket): void {
  const settingsFrame = [0, 0, 0, 4, 0, 0, 0, 0, 0]
  const goAway = [0, 0, 8 + wrongPort.length, 7, 0, 0, 0, 0, 0, ...[0, 0, 0, 0], ...[0, 0, 0, http1Required]]
  if (socket.writable) socket.end(Buffer.from([...settingsFrame, ...goAway, ...Buffer.from(wrongPort)]))
  else socket.destroy()
}

/** Answers what is not HTTP directly on the socket. */
function answerClientError(error: Error & { code?: string; rawPacket?: unknown }, socket: Socket): void {
  const isMethod = error.code === 'HPE_INVALID_METHOD' && unknownMethod.test(String(error.rawPacket ?? ''))
  const [status, words] = isMethod
    ? ([501, 'Not Implemented'] as const)
    : (clientErrors[error.code ?? ''] ?? ([400, 'Bad Request'] as const))
  const head = `HTTP/1.1 ${status} ${words}\r\nContent-Type: text/plain\r\nContent-Length: ${words.length}`
  if (socket.writable) socket.end(`${head}\r\nConnection: close\r\n\r\n${words}`)
  else socket.destroy(error)
}
