import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import { startTestService, type TestService } from '../../../test/fixtures/http-service.ts'
import { until } from '../../../test/fixtures/until.ts'
import { HandshakeRefused, openSocket } from '../../../test/fixtures/websocket.ts'
import { createTestClock } from '../../base/clock.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { Elements } from '../../ledger/reading/requests/queries.ts'

const protocols = ['jwt.token.both', 'daml.ws.auth']
const request = { beginExclusive: 0, filter: { filtersByParty: { alice: {} } } }

const batch = Array.from({ length: 64 }, (_, index) => JSON.stringify({ index, text: 'x'.repeat(1000) }))

/** A ledger with endless updates, which counts how often it was asked for more. */
function endless() {
  const pulled: number[] = []
  let stopped = 0
  async function* stream(signal: AbortSignal): Elements {
    const place = pulled.push(0) - 1
    try {
      while (!signal.aborted) {
        pulled[place]! += 1
        await new Promise(setImmediate)
        yield batch
      }
    } finally {
      stopped += 1
    }
  }
  return { ledger: updatesFrom(stream), pulled, stopped: () => stopped }
}

/** One element; then waits for the abort. */
async function* oneThing(signal: AbortSignal): Elements {
  yield ['{"n":1}']
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
}

function updatesFrom(stream: (signal: AbortSignal) => Elements): Partial<Ledger> {
  return { updates: { stream: (_query: unknown, signal: AbortSignal) => stream(signal) } as Ledger['updates'] }
}

const open = (service: TestService, options = {}) =>
  openSocket(`${service.url}/v2/updates`, { protocols, request, hasOddElements: true, ...options })

const openStreams = async (service: TestService) => {
  const { text } = await service.call('GET', '/metrics')
  return Number(/tallystick_open_streams\{.*\} (\d+)/.exec(text)?.[1] ?? 0)
}

describe('a reader', () => {
  test('that is slow stops the reading, and delays nobody else', async () => {
    const { ledger, pulled, stopped } = endless()
    await using service = await startTestService({ ledger })
    await using slow = await open(service)
    slow.webSocket.pause()
    await using quick = await open(service)
    // Until the quick reader got a hundred batches and the slow one nothing.
    let settled = -1
    while (pulled[0] !== settled) {
      settled = pulled[0]!
      const bytes = settled * batch.length * 1025
      assert.ok(bytes < 16 * 1024 * 1024, `${bytes} bytes wait for it, most of them in the system's own buffers`)
      for (let count = 0; count < 6_400; count += 1) assert.equal((await quick.next()).index, count % batch.length)
    }
    slow.webSocket.resume()
    await until(() => pulled[0]! > settled)
    slow.webSocket.terminate()
    quick.webSocket.terminate()
    await until(() => stopped() === 2)
    assert.equal(await openStreams(service), 0)
  })

  test('that disconnects ends the stream', async () => {
    await using service = await startTestService({ ledger: updatesFrom(oneThing) })
    await using socket = await open(service)
    await socket.next()
    assert.equal(await openStreams(service), 1)
    socket.webSocket.close()
    await until(async () => (await openStreams(service)) === 0)
  })

  test('gets messages of every length intact', async () => {
    const lengths = [2, 125, 126, 127, 65_535, 65_536, 256 * 1024, 256 * 1024 + 1, 1_000_000]
    async function* stream(): Elements {
      yield lengths.map((length) => JSON.stringify('x'.repeat(length - 2)))
    }
    await using service = await startTestService({ ledger: updatesFrom(stream) })
    await using socket = await open(service)
    assert.deepEqual(
      (await socket.rest()).map((text) => text.length + 2),
      lengths,
    )
  })

  test('that reads nothing costs no copy of a large element', async () => {
    const element = JSON.stringify('x'.repeat(32_000_000))
    const readers = 5
    let begun = 0
    async function* stream(): Elements {
      begun += 1
      yield [element]
    }
    await using service = await startTestService({ ledger: updatesFrom(stream) })
    const before = process.memoryUsage().arrayBuffers
    const sockets = await Promise.all(Array.from({ length: readers }, () => open(service, { request: undefined })))
    for (const socket of sockets) {
      socket.webSocket.pause()
      socket.send(request)
    }
    await until(() => begun === readers)
    await openStreams(service) // A request that comes after it is served when everything that fits has been written.
    const growth = process.memoryUsage().arrayBuffers - before
    for (const { webSocket } of sockets) webSocket.terminate()
    assert.ok(growth < (readers * element.length) / 4, `${growth} bytes`)
  })

  test('gets a redacted error for a bug', async () => {
    // biome-ignore lint/correctness/useYield: it fails before there is anything.
    async function* stream(): Elements {
      throw new TypeError('the secret reason')
    }
    await using service = await startTestService({ ledger: updatesFrom(stream) })
    await using socket = await open(service)
    const [told] = await socket.rest()
    assert.deepEqual([told.code, told.grpcCodeValue, (await socket.ended)[0]], ['NA', 13, 1011])
    assert.doesNotMatch(JSON.stringify(told), /secret/)
  })

  test('over the limit is refused until another one leaves', async () => {
    await using service = await startTestService({ ledger: updatesFrom(oneThing), limits: { streamsMax: 1 } })
    await using first = await open(service)
    await first.next()
    await using second = await open(service)
    assert.equal((await second.next()).code, 'MAXIMUM_NUMBER_OF_STREAMS')
    first.webSocket.close()
    await until(async () => (await openStreams(service)) === 0)
    await using third = await open(service)
    assert.deepEqual(await third.next(), { n: 1 })
  })
})

describe('one user', () => {
  test('gets a share of the streams, and others get theirs', async () => {
    const limits = { streamsMax: 8 }
    await using service = await startTestService({ ledger: updatesFrom(oneThing), limits })
    const as = (token: string) => open(service, { protocols: [`jwt.token.${token}`, 'daml.ws.auth'] })
    await using first = await as('both')
    await using second = await as('both')
    for (const socket of [first, second]) assert.deepEqual(await socket.next(), { n: 1 })
    await using third = await as('both')
    const told = await third.next()
    assert.equal(told.code, 'MAXIMUM_NUMBER_OF_STREAMS')
    assert.match(
      told.cause,
      /^The number of streams that this user has in use \(2\) has reached or exceeded the limit \(2\)/,
    )
    await using other = await as('actor')
    assert.deepEqual(await other.next(), { n: 1 })
    first.webSocket.close()
    await until(async () => (await openStreams(service)) === 2)
    await using again = await as('both')
    assert.deepEqual(await again.next(), { n: 1 })
  })
})

describe('a connection', () => {
  /** Opens a WebSocket and then stays silent: no pong, no close. */
  async function mute(service: TestService, more: Buffer = Buffer.alloc(0)): Promise<Socket> {
    const { host, port, hostname } = new URL(service.url)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    const head = [
      'GET /v2/updates HTTP/1.1',
      `Host: ${host}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'Authorization: Bearer both',
    ]
    socket.write(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), more]))
    const [answer] = await once(socket, 'data')
    assert.match(answer.toString(), /^HTTP\/1\.1 101 /)
    return socket
  }

  /** A text message as a client sends it, with a mask of zeros. */
  function masked(text: string): Buffer {
    const length = Buffer.byteLength(text)
    assert.ok(length < 126)
    return Buffer.concat([Buffer.from([0x81, 0x80 | length, 0, 0, 0, 0]), Buffer.from(text)])
  }

  /** Lets time pass until it happens. */
  async function passing(clock: { advance(byMs: number): void }, event: Promise<unknown>): Promise<void> {
    let hasHappened = false
    void event.then(() => {
      hasHappened = true
    })
    while (!hasHappened) {
      clock.advance(1000)
      await new Promise(setImmediate)
    }
  }

  test('without a request is closed', async () => {
    const clock = createTestClock(0)
    await using service = await startTestService({ clock })
    await using socket = await openSocket(`${service.url}/v2/updates`, { protocols, hasOddElements: true })
    await passing(clock, socket.ended)
    assert.deepEqual(await socket.ended, [1008, 'no request came in time'])
  })

  test('with a live client stays open during any silence', async () => {
    const clock = createTestClock(0)
    await using service = await startTestService({ clock, ledger: updatesFrom(oneThing) })
    await using socket = await open(service)
    await socket.next()
    for (let round = 0; round < 10; round += 1) {
      const pinged = once(socket.webSocket, 'ping')
      clock.advance(31_000)
      await pinged
      // The answer to a ping of our own says that our answer to the other ping has arrived.
      const answered = once(socket.webSocket, 'pong')
      socket.webSocket.ping()
      await answered
    }
    assert.equal(socket.webSocket.readyState, socket.webSocket.OPEN)
  })

  test('to a dead client is dropped', async () => {
    const clock = createTestClock(0)
    await using service = await startTestService({ clock, ledger: updatesFrom(oneThing) })
    const socket = await mute(service, masked(JSON.stringify(request)))
    await until(async () => (await openStreams(service)) === 1)
    const closed = once(socket, 'close')
    await passing(clock, closed)
    await until(async () => (await openStreams(service)) === 0)
  })

  test('does not keep the service from stopping', async () => {
    const service = await startTestService({ ledger: updatesFrom(oneThing), limits: { stopWithinMs: 3_600_000 } })
    const socket = await mute(service, masked(JSON.stringify(request)))
    await service[Symbol.asyncDispose]() // Waits less than the limit, an hour.
    socket.destroy()
  })

  test('gets no more pongs than it reads', async () => {
    await using service = await startTestService({ ledger: updatesFrom(oneThing) })
    const socket = await mute(service, masked(JSON.stringify(request)))
    socket.pause()
    const pings = Buffer.concat(
      Array.from({ length: 10_000 }, () => Buffer.concat([Buffer.from([0x89, 0xfd, 0, 0, 0, 0]), Buffer.alloc(125)])),
    )
    for (let round = 0; round < 20; round += 1) await new Promise((resolve) => socket.write(pings, resolve))
    await using other = await open(service)
    assert.deepEqual(await other.next(), { n: 1 })
    assert.ok(process.memoryUsage().external < 200 * 1024 * 1024)
    socket.destroy()
  })

  const floods: [title: string, frame: Buffer][] = [
    ['pings', Buffer.from([0x89, 0x80, 0, 0, 0, 0])],
    ['pongs', Buffer.from([0x8a, 0x80, 0, 0, 0, 0])],
    ['messages after its request', masked('')],
  ]
  for (const [title, frame] of floods) {
    test(`that floods its connection with ${title} is closed, and others get a turn after each`, async () => {
      await using service = await startTestService({ ledger: updatesFrom(oneThing) })
      const socket = await mute(service, masked(JSON.stringify(request)))
      const received: Buffer[] = []
      socket.on('data', (chunk: Buffer) => received.push(chunk))
      let isClosed = false
      socket.on('close', () => {
        isClosed = true
      })
      socket.write(Buffer.concat(Array(10_000).fill(frame)))
      let turns = 0
      for (; !isClosed; turns += 1) await new Promise((resolve) => setImmediate(resolve))
      const text = Buffer.concat(received).toString('latin1')
      assert.equal(text.split('\x8a\x00').length - 1, title === 'pings' ? 600 : 0, 'pongs')
      assert.ok(text.endsWith('\x03\xf0too many pings or messages'), 'closed with 1008')
      assert.ok(turns > 1_200, `${turns} turns`)
    })
  }

  const garbage: [title: string, bytes: Buffer, code: number][] = [
    ['without a mask', Buffer.from([0x81, 0x02, 0x7b, 0x7d]), 1002],
    ['with reserved bits', Buffer.from([0xf1, 0x80, 0, 0, 0, 0]), 1002],
    ['that is not UTF-8', Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0xff, 0xff]), 1007],
    ['that says it is larger than memory', Buffer.from([0x81, 0xff, 0x7f, ...Array(7).fill(0xff), 0, 0, 0, 0]), 1009],
  ]
  for (const [title, bytes, code] of garbage) {
    test(`that sends a frame ${title} is closed with ${code}`, async () => {
      await using service = await startTestService()
      const socket = await mute(service)
      socket.write(bytes)
      const [answer] = (await once(socket, 'data')) as [Buffer]
      assert.deepEqual([answer[0], answer.readUInt16BE(2)], [0x88, code])
      socket.destroy()
    })
  }
})

describe('a page', () => {
  test('that uses DNS rebinding is refused', async () => {
    await using service = await startTestService({ auth: { mode: 'off' } })
    const headers = { host: 'evil.example', origin: 'http://evil.example' }
    await assert.rejects(
      open(service, { headers }),
      (error) => error instanceof HandshakeRefused && error.status === 403,
    )
  })

  const rows: [origin: string | undefined, auth: 'jwt' | 'off', corsOrigins: string[], isLetIn: boolean][] = [
    ['https://elsewhere.example', 'jwt', [], true],
    [undefined, 'off', [], true],
    ['http://localhost:3000', 'off', [], true],
    ['http://app.localhost:3000', 'off', [], true],
    ['http://127.0.0.1:5173', 'off', [], true],
    ['https://elsewhere.example', 'off', [], false],
    ['https://localhost.elsewhere.example', 'off', [], false],
    ['null', 'off', [], false],
    ['https://elsewhere.example', 'off', ['https://elsewhere.example'], true],
    ['https://elsewhere.example', 'off', ['https://other.example'], false],
    ['https://elsewhere.example', 'off', ['*'], true],
  ]
  for (const [origin, mode, corsOrigins, isLetIn] of rows) {
    const setting = `auth ${mode}, corsOrigins ${corsOrigins.join() || 'none'}`
    test(`${origin ?? 'without an origin'} is ${isLetIn ? 'let in' : 'refused'} (${setting})`, async () => {
      await using service = await startTestService({ auth: { mode }, http: { corsOrigins } })
      const opening = open(service, { headers: origin === undefined ? {} : { origin } })
      if (isLetIn) {
        await using socket = await opening
        assert.equal((await socket.rest()).length, 2)
      } else {
        await assert.rejects(opening, (error) => error instanceof HandshakeRefused && error.status === 403)
      }
    })
  }
})
