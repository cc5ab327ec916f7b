// The ports on which LocalNet listens beside those of its participants, and what is behind each: a table of routes, a participant's
// API by the name of the host, or the participant's gRPC API.
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net'
import type { Duplex } from 'node:stream'
import { StartError } from '../../base/errors.ts'
import type { Handler } from '../../http/plain-service.ts'
import { relayConnection, relayRequest, relayUpgrade } from './relaying.ts'

export type RouteListener = {
  readonly port: number
  /** For messages: what listens there. */
  readonly name: string
  readonly handle: Handler
  /** Where requests go whose host name begins with one of these words. */
  readonly relayed?: { readonly hosts: readonly string[]; readonly url: string }
  /** Where HTTP/2 connections go. */
  readonly grpcUrl?: string | undefined
}

/** All of its connections lead to the gRPC API. */
export type GrpcListener = { readonly port: number; readonly name: string; readonly grpcUrl: string }

export type OpenListeners = AsyncDisposable & {
  /** In the order of the listeners: the system chooses one for port 0. */
  readonly ports: readonly number[]
}

/** Listens on all of them, or on none. */
export async function openListeners(
  listeners: readonly (RouteListener | GrpcListener)[],
  host: string,
): Promise<OpenListeners> {
  await using opened = new AsyncDisposableStack()
  const ports: number[] = []
  for (const listener of listeners) ports.push(opened.use(await openListener(listener, host)).port)
  const open = opened.move()
  return { ports, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

type OpenListener = AsyncDisposable & { readonly port: number }

async function openListener(listener: RouteListener | GrpcListener, host: string): Promise<OpenListener> {
  const sockets = new Set<Socket>()
  const http = 'handle' in listener ? httpServerOf(listener) : undefined
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    if (http === undefined) relayConnection(listener.grpcUrl!, socket)
    else admit(socket, http, listener.grpcUrl)
  })
  await listen(server, listener, host)
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

const http2Preface = 'PRI'

/** The first bytes say whether a connection speaks HTTP/2, as gRPC clients do, or HTTP/1. */
function admit(socket: Socket, http: Server, grpcUrl: string | undefined): void {
  socket.once('data', (chunk: Buffer) => {
    socket.pause()
    const isGrpc = grpcUrl !== undefined && chunk.toString('latin1', 0, http2Preface.length) === http2Preface
    socket.unshift(chunk)
    if (isGrpc) relayConnection(grpcUrl, socket)
    else http.emit('connection', socket)
    socket.resume()
  })
}

function httpServerOf({ handle, relayed }: RouteListener): Server {
  const isRelayed = ({ headers }: IncomingMessage) =>
    relayed?.hosts.some((name) => headers.host?.toLowerCase().startsWith(`${name}.`)) ?? false
  const server = createServer((request, response) => {
    if (isRelayed(request)) relayRequest(relayed!.url, request, response)
    else handle(request, response)
  })
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (isRelayed(request)) relayUpgrade(relayed!.url, request, socket, head)
    else socket.destroy()
  })
  return server
}

function listen(server: TcpServer, { port, name }: RouteListener | GrpcListener, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: { code?: string } & Error) => {
      const isTaken = error.code === 'EADDRINUSE'
      const reason = isTaken ? 'another program has it; choose other ports with --port-offset' : error.message
      reject(new StartError(`cannot listen on port ${port} (${name}): ${reason}`))
    })
    server.listen(port, host, () => resolve())
  })
}
