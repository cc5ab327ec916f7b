// What a client without a token may ask, in floods: every page, WebSockets, the services that every gRPC server has, and
// bytes that are no request. Each row is one flood, beside a client that polls `/livez` and one that submits commands.
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { type ClientHttp2Stream, connect as connectHttp2 } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { WebSocket } from 'ws'
import { framed } from '../../src/grpc/wire-call.ts'
import type { Campaign } from '../campaign.ts'
import { callHead, frame, frameTypes, greedySettings, greedyWindow, preface } from '../fuzz/http2-frames.ts'
import { besiege, pause, type Siege } from '../target/besieged.ts'
import type { Target } from '../target/target.ts'

const holdMs = 700
const withGrpc = { settings: { TALLYSTICK_GRPC_PORT: '0' } }
const mayRefuseOthers = true as const

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: node\r\n\r\n`

/** Opens sockets, uses each when it is connected, and leaves. */
async function flood(port: number, count: number, use: (socket: Socket) => void, forMs = holdMs): Promise<void> {
  const sockets = Array.from({ length: count }, () => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined) // The node may close them.
    socket.on('connect', () => use(socket))
    return socket
  })
  await pause(forMs)
  for (const socket of sockets) socket.destroy()
}

/** Asks again as soon as it is answered, on so many connections. */
async function askAgain(target: Target, connections: number, paths: readonly string[], method = 'GET', body = '') {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const untilMs = performance.now() + holdMs
  const ask = (path: string, headers: Record<string, string>) =>
    new Promise<void>((resolve) => {
      const asked = request(`${target.url}${path}`, { method, agent, headers }, (response) => {
        response.resume()
        response.on('close', resolve)
      })
      asked.on('error', () => resolve()) // The node may refuse it.
      asked.end(body)
    })
  let number = 0
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < untilMs) {
        number += 1
        await ask(paths[number % paths.length]!, { 'x-number': String(number) })
      }
    }),
  )
  agent.destroy()
}

/** Small bodies are decoded before a token is asked for, and larger ones are not. */
const bodiesOf = (kilobytes: number): Siege => ({
  name: `bodies: ${kilobytes} kB without a token`,
  attack: (target) => {
    const body = JSON.stringify({ commands: Array(kilobytes * 500).fill(1) })
    return askAgain(target, 100, ['/v2/commands/submit-and-wait', '/v2/users', '/v2/updates'], 'POST', body)
  },
})

const pagesOf = (name: string, connections: number, ...paths: string[]): Siege => ({
  name,
  attack: (target) => askAgain(target, connections, paths),
})

const grpcPort = ({ grpcUrl }: Target) => Number(new URL(grpcUrl!).port)

/** Writes frames of HTTP/2 for a while, as fast as they are taken, and reads everything or nothing. */
const frames = (name: string, connections: number, piece: (from: number) => Buffer, isReading = true): Siege => ({
  name: `HTTP/2: ${name}`,
  options: withGrpc,
  attack: (target) =>
    flood(grpcPort(target), connections, (socket) => {
      if (isReading) socket.resume()
      else socket.pause()
      socket.write(Buffer.concat([preface, greedySettings, greedyWindow]))
      let number = 0
      const write = () => {
        while (!socket.destroyed && number < 200) {
          number += 1
          if (!socket.write(piece(number))) return void socket.once('drain', write)
        }
      }
      write()
    }),
})

const many = (count: number, one: (index: number) => Buffer) =>
  Buffer.concat(Array.from({ length: count }, (_, i) => one(i)))
const perPiece = 1_000
const streamOf = (number: number, index: number) => 2 * (number * perPiece + index) + 1
const health = '/grpc.health.v1.Health'
const emptyMessage = Buffer.alloc(5)

/** Field 4 of the request, a text. */
const fileContainingSymbol = 0x22

/** Many requests on one stream of reflection; each asks for the largest file there is. */
async function reflect(target: Target, count: number, isReading: boolean): Promise<void> {
  const session = connectHttp2(target.grpcUrl!)
  session.on('error', () => undefined)
  const stream: ClientHttp2Stream = session.request({
    ':method': 'POST',
    ':path': '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
    'content-type': 'application/grpc',
    te: 'trailers',
  })
  stream.on('error', () => undefined)
  if (isReading) stream.resume()
  const symbol = 'com.daml.ledger.api.v2.CommandService'
  const one = framed(Buffer.concat([Buffer.from([fileContainingSymbol, symbol.length]), Buffer.from(symbol)]))
  stream.write(Buffer.concat(Array(count).fill(one)))
  await pause(2 * holdMs)
  session.destroy()
}

const pingFrame = Buffer.from([0x89, 0x80, 0, 0, 0, 0])
const emptyText = Buffer.from([0x81, 0x80, 0, 0, 0, 0])

/** Frames on WebSockets that were opened without a token. */
const webSocketFrames = (name: string, one: Buffer): Siege => ({
  name: `WebSockets: ${name}`,
  attack: async ({ url }) => {
    const piece = Buffer.concat(Array(5_000).fill(one))
    const sockets = Array.from({ length: 20 }, () => new WebSocket(`${url.replace('http', 'ws')}/v2/updates`))
    for (const webSocket of sockets) {
      webSocket.on('error', () => undefined)
      webSocket.on('upgrade', ({ socket }) => {
        const write = () => {
          while (!socket.destroyed) if (!socket.write(piece)) return void socket.once('drain', write)
        }
        setImmediate(write)
      })
    }
    await pause(holdMs)
    for (const webSocket of sockets) webSocket.terminate()
  },
})

const sieges: Siege[] = [
  {
    name: 'pipelining: 80,000 requests in a row, and gone',
    attack: ({ port }) => flood(port, 1, (socket) => socket.write(get('/livez').repeat(80_000)), 3_000),
  },
  {
    name: 'pipelining: 30 connections, answers read',
    attack: ({ port }) => flood(port, 30, (socket) => socket.resume().write(get('/livez').repeat(20_000))),
  },
  {
    name: 'pipelining: 300 connections, nothing read',
    attack: ({ port }) => flood(port, 300, (socket) => socket.pause().write(get('/docs/openapi').repeat(2_000))),
  },
  pagesOf('pages: /livez, 100 connections', 100, '/livez'),
  { ...pagesOf('pages: /livez, 2,000 connections', 2_000, '/livez'), mayRefuseOthers },
  pagesOf('pages: /readyz, 100 connections', 100, '/readyz'),
  pagesOf('pages: /metrics, 30 connections', 30, '/metrics'),
  pagesOf(
    'pages: documentation, 100 connections',
    100,
    '/docs',
    '/docs/openapi',
    '/docs/asyncapi',
    '/docs/types?package=x',
  ),
  pagesOf('pages: explorer, 100 connections', 100, '/', '/explorer', '/explorer/files/none.js', '/explorer/contracts'),
  pagesOf('pages: unknown paths and no tokens', 100, '/nowhere', '/v2/version', '/v2/users', '/v2/state/ledger-end'),
  {
    name: 'pages: answers that nobody reads',
    attack: ({ port }) => flood(port, 1_000, (socket) => socket.pause().write(get('/docs/openapi'))),
  },
  ...[15, 60].map(bodiesOf),
  {
    name: 'sign-in: keys that nobody made',
    attack: (target) => askAgain(target, 100, ['/dev/sign-in'], 'POST', '{"key":"nobody made this one"}'),
  },
  {
    name: 'tokens: signatures of nobody',
    attack: async ({ port }) => {
      const head = Buffer.from('{"alg":"HS256","kid":"nobody"}').toString('base64url')
      let number = 0
      const next = () => {
        const claims = Buffer.from(`{"sub":"nobody${number++}","scope":"daml_ledger_api"}`).toString('base64url')
        const token = `${head}.${claims}.${'A'.repeat(43)}`
        return `GET /v2/users HTTP/1.1\r\nHost: node\r\nAuthorization: Bearer ${token}\r\n\r\n`
      }
      await flood(port, 50, (socket) => {
        socket.write(next())
        socket.on('data', () => socket.write(next()))
      })
    },
  },
  {
    name: 'malformed bytes, 300 connections',
    attack: ({ port }) =>
      flood(port, 300, (socket) => socket.resume().write('\0\x01no request at all\r\n\r\n'.repeat(1_000))),
  },
  {
    name: 'heads of many lines',
    attack: ({ port }) =>
      flood(port, 200, (socket) =>
        socket.resume().write(`GET /livez HTTP/1.1\r\nHost: node\r\n${'a:\r\n'.repeat(1_900)}\r\n`.repeat(10)),
      ),
  },
  {
    name: 'connections, one after the other',
    async attack({ port }) {
      const untilMs = performance.now() + holdMs
      const again = async () => {
        while (performance.now() < untilMs) {
          const socket = connect(port, '127.0.0.1')
          socket.on('error', () => undefined)
          socket.end(get('/livez'))
          socket.resume()
          await once(socket, 'close')
        }
      }
      await Promise.all(Array.from({ length: 50 }, again))
    },
  },
  {
    name: 'WebSockets: handshakes',
    attack: async ({ url }) => {
      const sockets = Array.from({ length: 500 }, () => {
        const webSocket = new WebSocket(`${url.replace('http', 'ws')}/v2/updates`)
        webSocket.on('error', () => undefined)
        return webSocket
      })
      await pause(holdMs)
      for (const webSocket of sockets) webSocket.terminate()
    },
  },
  webSocketFrames('pings', pingFrame),
  webSocketFrames('messages after the first', emptyText),
  { name: 'gRPC reflection: never read', options: withGrpc, attack: (target) => reflect(target, 40_000, false) },
  { name: 'gRPC reflection: read', options: withGrpc, attack: (target) => reflect(target, 40_000, true) },
  frames('health checks', 10, (number) =>
    many(perPiece / 10, (i) =>
      Buffer.concat([
        callHead(streamOf(number, i), `${health}/Check`),
        frame(frameTypes.data, 1, streamOf(number, i), emptyMessage),
      ]),
    ),
  ),
  frames('health lists', 10, (number) =>
    many(perPiece / 10, (i) =>
      Buffer.concat([
        callHead(streamOf(number, i), `${health}/List`),
        frame(frameTypes.data, 1, streamOf(number, i), emptyMessage),
      ]),
    ),
  ),
  frames(
    'health watches, never read',
    30,
    (number) =>
      many(perPiece / 10, (i) =>
        Buffer.concat([
          callHead(streamOf(number, i), `${health}/Watch`),
          frame(frameTypes.data, 1, streamOf(number, i), emptyMessage),
        ]),
      ),
    false,
  ),
  frames('calls without a token', 10, (number) =>
    many(perPiece / 10, (i) =>
      Buffer.concat([
        callHead(streamOf(number, i), '/com.daml.ledger.api.v2.StateService/GetLedgerEnd'),
        frame(frameTypes.data, 1, streamOf(number, i), emptyMessage),
      ]),
    ),
  ),
  frames('streams that are opened and reset', 10, (number) =>
    many(perPiece / 10, (i) =>
      Buffer.concat([
        callHead(streamOf(number, i), `${health}/Check`),
        frame(frameTypes.reset, 0, streamOf(number, i), Buffer.alloc(4)),
      ]),
    ),
  ),
  frames('settings', 10, () => many(perPiece, () => frame(frameTypes.settings, 0, 0))),
  frames('pings', 10, () => many(perPiece, () => frame(frameTypes.ping, 0, 0, Buffer.alloc(8)))),
  frames('empty data', 10, (number) =>
    Buffer.concat([
      ...(number === 1 ? [callHead(1, `${health}/Check`)] : []),
      many(perPiece, () => frame(frameTypes.data, 0, 1)),
    ]),
  ),
  frames('windows', 10, () => many(perPiece, () => frame(frameTypes.windowUpdate, 0, 0, Buffer.from([0, 0, 0, 1])))),
  frames('priorities', 10, () => many(perPiece, () => frame(frameTypes.priority, 0, 3, Buffer.from([0, 0, 0, 0, 1])))),
  frames('frames of no kind', 10, () => many(perPiece, () => frame(0x77, 0, 0))),
  frames('headers that never end', 10, (number) =>
    frame(number === 1 ? frameTypes.headers : 9, 0, 1, Buffer.alloc(10_000, 0x40)),
  ),
]

export const strangersAtTheDoor: Campaign = {
  name: 'strangers at the door',
  attack: `without a token: ${sieges.map(({ name }) => name).join('; ')}`,
  invariant:
    'Nobody else waits over 250 ms, memory grows by less than 100 MB over that of a node with many polite clients, and the node logs no bug',
  unit: 'sieges',
  full: sieges.length,
  short: 1,
  run: (plan) => besiege(plan, sieges, { growthMiBMax: 100e6 / 1024 ** 2 }),
}
