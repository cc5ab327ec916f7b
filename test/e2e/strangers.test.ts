// Every entry that answers without a token: a request takes a turn in the budget of strangers before it costs anything,
// gets a code when it is refused, and makes the node hold little for a client that does not read.
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { frame, frameTypes, greedySettings, preface } from '../../attack/fuzz/http2-frames.ts'
import { allRoutes } from '../../src/api/routes/all.ts'
import { createStrangers, type Strangers } from '../../src/api/strangers.ts'
import { wallClock } from '../../src/base/clock.ts'
import { framed } from '../../src/grpc/wire-call.ts'
import { allMethods, type GrpcClient, openGrpc, requestBytes } from '../fixtures/grpc.ts'
import { startTestNode, type TestNode, testSettings } from '../fixtures/node.ts'

const pages = [
  ...['/', '/explorer', '/explorer/contracts', '/explorer/files/none.js', '/livez', '/readyz', '/metrics', '/docs'],
  ...['/docs/openapi', '/docs/openapi?package=none', '/docs/types?package=none', '/docs/asyncapi', '/nowhere'],
]
const routes = allRoutes('0.0.0', true)
const reflection = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo'
const commandService = requestBytes(reflection, {
  messageRequest: { FileContainingSymbol: 'com.daml.ledger.api.v2.CommandService' },
})

/** The budget of a real node. It records the addresses that it admits, and refuses everything while `isFull`. */
function recordedStrangers() {
  const { limits } = testSettings({})
  const real = createStrangers(limits, wallClock)
  const record = { admitted: [] as (string | undefined)[], isFull: false }
  const strangers: Strangers = {
    ...real,
    admit(address, begin) {
      if (record.isFull) return false
      return real.admit(address, () => {
        record.admitted.push(address)
        begin()
      })
    },
  }
  return { record, strangers }
}

/** Keeps every connection and request waiting until it is opened. */
function closedStrangers() {
  const { limits } = testSettings({})
  const waiting: (() => void)[] = []
  const strangers: Strangers = {
    ...createStrangers(limits, wallClock),
    admit(_, begin) {
      waiting.push(begin)
      return true
    },
  }
  return { waiting, strangers }
}

describe('a stranger', () => {
  const { record, strangers } = recordedStrangers()
  let node: TestNode
  let grpc: GrpcClient
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  before(async () => {
    node = await startTestNode({ settings: { grpc: { port: 0 } }, strangers })
    grpc = openGrpc(node.node.grpcUrl!)
    await grpc.call('/grpc.health.v1.Health/Check', new Uint8Array()) // A new connection takes a turn, too.
  })
  after(async () => {
    agent.destroy()
    await grpc[Symbol.asyncDispose]()
    await node[Symbol.asyncDispose]()
  })

  type Sent = { readonly status: number; readonly text: string }

  function send(method: string, path: string, headers: Record<string, string> = {}, by = agent): Promise<Sent> {
    return new Promise((resolve, reject) => {
      const asked = request(`${node.url}${path}`, { method, agent: by, headers }, async (response) => {
        resolve({ status: response.statusCode!, text: Buffer.concat(await response.toArray()).toString() })
      })
      asked.on('upgrade', (response, socket) => {
        socket.destroy()
        resolve({ status: response.statusCode!, text: '' })
      })
      asked.on('error', reject)
      asked.end()
    })
  }

  function open(localAddress = '127.0.0.1'): Promise<Socket> {
    const { hostname, port } = new URL(node.url)
    const socket = connect({ port: Number(port), host: hostname, localAddress })
    socket.on('error', () => undefined)
    return once(socket, 'connect').then(() => socket)
  }

  const handshake = {
    ...{ connection: 'Upgrade', upgrade: 'websocket' },
    ...{ 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' },
  }
  const pathOf = (path: string) => path.replaceAll(/\{[^}]*\}/g, 'x')
  const entries: [name: string, ask: () => Promise<Sent>][] = [
    ...pages.map((path): (typeof entries)[number] => [`GET ${path}`, () => send('GET', path)]),
    ...routes.map(({ method, path }): (typeof entries)[number] => [
      `${method} ${path}`,
      () => send(method, pathOf(path)),
    ]),
    ...routes
      .filter(({ streaming }) => streaming !== undefined)
      .map(({ path }): (typeof entries)[number] => [`WebSocket ${path}`, () => send('GET', path, handshake)]),
  ]
  const methods = [...allMethods().keys(), '/grpc.health.v1.Health/List', '/nothing.at/All']

  test('takes a turn for every request at every entry', async () => {
    for (const [name, ask] of entries) {
      const admitted = record.admitted.length
      await ask()
      assert.equal(record.admitted.length, admitted + 1, name)
    }
    for (const path of methods.filter((method) => !method.endsWith('/Watch'))) {
      const admitted = record.admitted.length
      await grpc.call(path, new Uint8Array())
      assert.equal(record.admitted.length, admitted + 1, path)
    }
    for (const bytes of ['\0\x01\x02', 'GET / HTTP/9.9\r\n\r\n', 'BREW / HTTP/1.1\r\n\r\n', '\r\n'.repeat(10)]) {
      const admitted = record.admitted.length
      const socket = await open()
      socket.end(bytes)
      socket.resume()
      await once(socket, 'close')
      assert.ok(record.admitted.length > admitted, JSON.stringify(bytes))
    }
  })

  test('is refused with a code at every entry while too many requests of its address wait', async () => {
    record.isFull = true
    try {
      for (const [name, ask] of entries) {
        const { status, text } = await ask()
        assert.deepEqual([status, JSON.parse(text).code], [429, 'PARTICIPANT_BACKPRESSURE'], name)
      }
      for (const path of methods) {
        const { code, message } = await grpc.call(path, new Uint8Array())
        assert.deepEqual([code, /limits\.strangersPerSecondMax/.test(message)], [8, true], path)
      }
    } finally {
      record.isFull = false
    }
  })

  test('is none once a token was accepted on its connection, until one is refused', async () => {
    const authorization = `Bearer ${node.adminToken}`
    const own = new Agent({ keepAlive: true, maxSockets: 1 })
    const users = (headers: Record<string, string>) => send('GET', '/v2/users', headers, own)
    await users({ authorization })
    const admitted = record.admitted.length
    assert.equal((await users({ authorization })).status, 200)
    assert.equal((await send('GET', '/livez', {}, own)).status, 200)
    assert.equal(record.admitted.length, admitted)
    assert.equal((await users({ authorization: 'Bearer a.b.c' })).status, 401)
    assert.equal(record.admitted.length, admitted)
    assert.equal((await users({ authorization })).status, 200)
    assert.equal(record.admitted.length, admitted + 1)
    own.destroy()

    await using known = openGrpc(node.node.grpcUrl!, node.adminToken)
    const version = '/com.daml.ledger.api.v2.VersionService/GetLedgerApiVersion'
    await known.call(version, new Uint8Array())
    const before = record.admitted.length
    assert.equal((await known.call(version, new Uint8Array())).code, 0)
    assert.equal(record.admitted.length, before)
  })

  test('waits for one request of another address, however many requests of it wait', async () => {
    const get = 'GET /livez HTTP/1.1\r\nHost: node\r\n\r\n'
    const openAndTry = async (address?: string) => {
      const socket = await open(address)
      socket.write(get)
      await once(socket, 'data') // The node has accepted the connection.
      return socket
    }
    const crowd = await Promise.all(Array.from({ length: 200 }, () => openAndTry('127.0.0.2')))
    const polite = await openAndTry()
    const admitted = record.admitted.length
    for (const socket of [...crowd, polite]) socket.write(get)
    while (record.admitted.length < admitted + 201) await setImmediate()
    const place = record.admitted.slice(admitted).findIndex((address) => !address!.endsWith('127.0.0.2'))
    // Some begin before all have arrived, but those that wait do not come first.
    assert.ok(place >= 0 && place < 100, `place ${place}`)
    for (const socket of [...crowd, polite]) socket.destroy()
  })

  test('makes the node write few answers if it reads none', async () => {
    const admitted = record.admitted.length
    const socket = await open()
    socket.pause()
    socket.write('GET /docs/openapi HTTP/1.1\r\nHost: node\r\n\r\n'.repeat(2_000))
    while (record.admitted.length === admitted) await setImmediate()
    for (let turn = 0; turn < 2_000; turn += 1) await setImmediate()
    const made = record.admitted.length - admitted
    assert.ok(made < 200, `${made} of 2000`)
    socket.destroy()
  })

  test('makes the node write few answers of gRPC reflection if it reads none', async () => {
    const admitted = record.admitted.length
    await using client = openGrpc(node.node.grpcUrl!)
    const stream = client.request(reflection)
    stream.on('error', () => undefined)
    stream.write(Buffer.concat(Array(900).fill(framed(commandService))))
    while (record.admitted.length === admitted) await setImmediate()
    for (let turn = 0; turn < 2_000; turn += 1) await setImmediate()
    const made = record.admitted.length - admitted
    assert.ok(made < 20, `${made} of 900`)
  })

  test('may send gRPC reflection a thousand requests on one stream, and takes a turn for each', async () => {
    const admitted = record.admitted.length
    const list = requestBytes(reflection, { messageRequest: { FileByFilename: 'none' } })
    const { code, message, messages } = await grpc.call(reflection, Buffer.concat(Array(1_001).fill(framed(list))), {
      isRaw: true,
    })
    assert.deepEqual([code, message], [8, 'A stream takes 1000 requests; open another'])
    assert.equal(messages.length, 1_000)
    assert.equal(record.admitted.length, admitted + 1_000)
  })

  test('may have a hundred calls open on one connection, and a thousand with a token', async () => {
    await using client = openGrpc(node.node.grpcUrl!, node.adminToken)
    const settled = once(client.session, 'remoteSettings')
    await settled
    assert.equal(client.session.remoteSettings.maxConcurrentStreams, 100)
    const raised = once(client.session, 'remoteSettings')
    await client.call('/com.daml.ledger.api.v2.VersionService/GetLedgerApiVersion', new Uint8Array())
    await raised
    assert.equal(client.session.remoteSettings.maxConcurrentStreams, 1_000)
  })
})

describe('a stranger that floods a gRPC connection before its turn', () => {
  const floods = {
    settings: frame(frameTypes.settings, 0, 0),
    pings: frame(frameTypes.ping, 0, 0, new Uint8Array(8)),
    'bytes that are no frames': Buffer.from('GET / HTTP/1.1\r\n'),
  }
  for (const [name, piece] of Object.entries(floods)) {
    test(`is closed in its turn if it sends ${name}, of which the node reads nothing before`, async () => {
      const { waiting, strangers } = closedStrangers()
      await using node = await startTestNode({ settings: { grpc: { port: 0 } }, strangers })
      const accepted: Socket[] = []
      const note = (message: unknown) => accepted.push((message as { socket: Socket }).socket)
      subscribe('net.server.socket', note)
      const socket = connect(Number(new URL(node.node.grpcUrl!).port), '127.0.0.1').resume()
      socket.on('error', () => undefined) // The node closes it.
      const closed = once(socket, 'close')
      socket.write(Buffer.concat([preface, greedySettings, ...Array<Buffer>(20_000).fill(piece)]))
      while (waiting.length === 0) await setImmediate()
      for (let turn = 0; turn < 100; turn += 1) await setImmediate()
      unsubscribe('net.server.socket', note)
      assert.deepEqual(
        accepted.map(({ bytesRead }) => bytesRead),
        [0],
      )
      for (const begin of waiting.splice(0)) begin()
      await closed
    })
  }
})
