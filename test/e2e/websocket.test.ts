// WebSocket streams as clients open them: tokens, paths, answers, and how they end.
import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTestClock } from '../../src/base/clock.ts'
import { tokenOf } from '../../src/http/websockets/handshake.ts'
import { type Json, right, startTestLedger, type TestLedger, updateFormat } from '../fixtures/ledger.ts'
import { until } from '../fixtures/until.ts'
import { HandshakeRefused, openSocket, type SocketOptions, type TestSocket } from '../fixtures/websocket.ts'

const nobody = `nobody::1220${'0'.repeat(64)}`

describe('a WebSocket', () => {
  let ledger: TestLedger
  let end: number
  before(async () => {
    ledger = await startTestLedger()
    for (let turn = 0; turn < 3; turn += 1) await ledger.submit([ledger.createIou()], { userId: 'app' })
    end = await ledger.end()
  })
  after(() => ledger[Symbol.asyncDispose]())

  const tokenProtocol = () => `jwt.token.${ledger.token}`
  const updates = (fields: object = {}) => ({
    beginExclusive: 0,
    endInclusive: end,
    updateFormat: updateFormat({ filtersByParty: { [ledger.alice]: {} } }),
    ...fields,
  })
  const open = (path: string, options: SocketOptions = {}): Promise<TestSocket> =>
    openSocket(`${ledger.node.url}${path}`, { protocols: [tokenProtocol(), 'daml.ws.auth'], ...options })

  describe('takes the token', () => {
    const rows: [title: string, options: () => SocketOptions, protocol: string | undefined][] = [
      ['before the protocol', () => ({ protocols: [tokenProtocol(), 'daml.ws.auth'] }), 'daml.ws.auth'],
      [
        'from Authorization, beside the protocol',
        () => ({ protocols: ['daml.ws.auth'], headers: { authorization: `Bearer ${ledger.token}` } }),
        'daml.ws.auth',
      ],
      [
        'from Authorization, with no protocol at all',
        () => ({ protocols: [], headers: { authorization: `Bearer ${ledger.token}` } }),
        undefined,
      ],
      [
        'from Authorization rather than from a protocol',
        () => ({
          protocols: ['jwt.token.nonsense', 'daml.ws.auth'],
          headers: { authorization: `Bearer ${ledger.token}` },
        }),
        'daml.ws.auth',
      ],
    ]
    for (const [title, options, protocol] of rows) {
      test(title, async () => {
        await using socket = await open('/v2/updates', { ...options(), request: updates() })
        assert.equal(socket.headers['sec-websocket-protocol'], protocol)
        assert.equal((await socket.rest()).length, 3)
      })
    }

    test('not after a space between the protocols, as in Canton, unless the node is lenient', async () => {
      const offered = { headers: { 'sec-websocket-protocol': `daml.ws.auth, ${tokenProtocol()}` } }
      const isFound = (isLenient: boolean) => tokenOf(offered as unknown as IncomingMessage, isLenient) !== undefined
      assert.deepEqual([isFound(false), isFound(true)], [false, true])
    })

    test('with spaces between the protocols, as Node and browsers write them, if it is the first', async () => {
      const url = `${ledger.node.url.replace(/^http/, 'ws')}/v2/updates`
      const webSocket = new WebSocket(url, [tokenProtocol(), 'daml.ws.auth'])
      const messages: Json[] = []
      webSocket.onopen = () => webSocket.send(JSON.stringify(updates()))
      webSocket.onmessage = ({ data }) => messages.push(JSON.parse(data))
      const code = await new Promise((resolve) => {
        webSocket.onclose = (event) => resolve(event.code)
      })
      assert.equal(webSocket.protocol, 'daml.ws.auth')
      assert.deepEqual([code, messages.length], [1000, 3])
    })
  })

  describe('returns the same as a list, and ends with 1000', () => {
    const paths: [path: string, request: () => object, list?: () => object][] = [
      ['/v2/updates', updates],
      ['//v2//updates', updates],
      ['/v2/updates/flats', updates],
      ['/v2/updates?access=whatever', updates],
      [
        '/v2/updates/trees',
        () => ({ beginExclusive: 0, endInclusive: end, filter: { filtersByParty: { [ledger.alice]: {} } } }),
      ],
      [
        '/v2/state/active-contracts',
        () => ({ activeAtOffset: end, eventFormat: { filtersByParty: { [ledger.alice]: {} } } }),
      ],
    ]
    for (const [path, request] of paths) {
      test(path, async () => {
        await using socket = await open(path, { request: request() })
        const messages = await socket.rest()
        assert.deepEqual(await socket.ended, [1000, ''])
        assert.equal(messages.length, 3)
        const plain = path.split('?')[0]!
        assert.deepEqual(messages, (await ledger.post(plain, request())).json)
      })
    }

    test('for an empty range, too', async () => {
      const filtersByParty = { [ledger.carol]: {} }
      await using socket = await open('/v2/updates', {
        request: updates({ updateFormat: updateFormat({ filtersByParty }) }),
      })
      assert.deepEqual(await socket.rest(), [])
      assert.deepEqual(await socket.ended, [1000, ''])
    })
  })

  describe('continues with new elements', () => {
    const streams: [path: string, request: (beginExclusive: number) => object, read: (message: Json) => unknown][] = [
      [
        '/v2/updates',
        (beginExclusive) => updates({ beginExclusive, endInclusive: undefined }),
        ({ update }) => update.Transaction?.value.commandId,
      ],
      [
        '/v2/commands/completions',
        (beginExclusive) => ({ userId: 'app', parties: [ledger.alice], beginExclusive }),
        ({ completionResponse }) => completionResponse.Completion?.value.commandId,
      ],
      [
        '/v2/commands/command-completions',
        (beginExclusive) => ({ parties: [ledger.alice], beginExclusive }),
        ({ completionResponse }) => completionResponse.Completion?.value.commandId,
      ],
    ]
    for (const [path, request, read] of streams) {
      test(path, async () => {
        const atEnd = request(await ledger.end())
        await using socket = await open(path, { request: atEnd })
        socket.send(atEnd) // Ignored: a WebSocket has one request.
        socket.send('no JSON either')
        const commandId = `later-${path}`
        await ledger.submit([ledger.createIou()], { userId: 'app', commandId })
        let found = read(await socket.next())
        while (found === undefined) found = read(await socket.next())
        assert.equal(found, commandId)
        socket.webSocket.close(1000)
        assert.equal((await socket.ended)[0], 1000)
      })
    }
  })

  describe('gets errors in one message, and is closed', () => {
    const filter = { filtersByParty: { [nobody]: {} } }
    const invalid = 'The submitted request has invalid arguments: Invalid value for: body'
    const rows: [title: string, path: string, options: () => SocketOptions, told: unknown[], code?: number][] = [
      ['no JSON', '/v2/updates', () => ({ request: 'hello' }), ['INVALID_ARGUMENT', new RegExp(`^${invalid}`), 8, 3]],
      [
        'an empty message',
        '/v2/updates',
        () => ({ request: '' }),
        ['INVALID_ARGUMENT', new RegExp(`^${invalid}`), 8, 3],
      ],
      [
        'a wrong type',
        '/v2/updates',
        () => ({ request: { beginExclusive: 'x' } }),
        [
          'INVALID_ARGUMENT',
          /^The submitted request has invalid arguments: Invalid value for: body \(.*beginExclusive/,
          8,
          3,
        ],
      ],
      [
        'a binary message',
        '/v2/updates',
        () => ({ request: Buffer.from(JSON.stringify(updates())) }),
        ['INVALID_ARGUMENT', `${invalid} (expected a text message, got a binary one)`, 8, 3],
        1003,
      ],
      [
        'no format',
        '/v2/updates',
        () => ({ request: { beginExclusive: 0 } }),
        ['INVALID_ARGUMENT', /update_format|filter/, 8, 3],
      ],
      [
        'no token',
        '/v2/updates',
        () => ({ protocols: ['daml.ws.auth'], request: updates() }),
        ['NA', 'The request carries no token (Authorization: Bearer …)', -1, 16],
      ],
      [
        'a token that nobody signed',
        '/v2/updates',
        () => ({ protocols: ['jwt.token.a.b.c'], request: updates(), headers: {} }),
        ['NA', /^The token was refused/, -1, 16],
      ],
      [
        'a right that is missing',
        '/v2/updates',
        () => ({
          protocols: ['daml.ws.auth'],
          headers: { authorization: `Bearer ${ledger.node.adminToken}` },
          request: updates({ updateFormat: updateFormat(filter) }),
        }),
        ['NA', /CanReadAs/, -1, 7],
      ],
      [
        'an offset after the end',
        '/v2/updates',
        () => ({ request: updates({ beginExclusive: 1_000_000, endInclusive: undefined }) }),
        ['OFFSET_AFTER_LEDGER_END', /^Begin offset \(1000000\) is after ledger end/, 12, 11],
      ],
      [
        'latest first without an end',
        '/v2/updates',
        () => ({ request: updates({ endInclusive: undefined, descendingOrder: true }) }),
        ['DESCENDING_ORDER_MISSING_END', 'end_inclusive is not provided when descending_order is true', 8, 3],
      ],
      [
        'completions of no party',
        '/v2/commands/completions',
        () => ({ request: { userId: 'app', parties: [], beginExclusive: 0 } }),
        ['MISSING_FIELD', 'The submitted command is missing a mandatory field: parties', 8, 3],
      ],
      [
        'active contracts of the future',
        '/v2/state/active-contracts',
        () => ({ request: { activeAtOffset: 1_000_000, eventFormat: { filtersByParty: { [ledger.alice]: {} } } } }),
        ['OFFSET_AFTER_LEDGER_END', /after ledger end/, 12, 11],
      ],
    ]
    for (const [title, path, options, [errorCode, cause, category, grpc], code = 1000] of rows) {
      test(title, async () => {
        const given = options()
        const protocols = given.protocols?.some((name) => name.startsWith('jwt.token.'))
          ? [...given.protocols, 'daml.ws.auth']
          : given.protocols
        await using socket = await open(path, { ...given, ...(protocols && { protocols }) })
        const [told, ...more] = await socket.rest()
        assert.deepEqual(more, [])
        assert.deepEqual([told.code, told.errorCategory, told.grpcCodeValue], [errorCode, category, grpc])
        if (cause instanceof RegExp) assert.match(told.cause, cause)
        else assert.equal(told.cause, cause)
        assert.equal((await socket.ended)[0], code)
        assert.equal(Object.keys(told).length, 10)
      })
    }

    test('for a message that is too large, only by the close code', async () => {
      await using socket = await open('/v2/updates')
      socket.webSocket.send('x'.repeat(8 * 1024 * 1024 + 1))
      assert.deepEqual(await socket.rest(), [])
      assert.equal((await socket.ended)[0], 1009)
    })
  })

  describe('is refused before it opens', () => {
    const unknownUser = async () => ({ protocols: [`jwt.token.${await ledger.node.token('unknown')}`, 'daml.ws.auth'] })
    const rows: [title: string, path: string, options: () => Promise<SocketOptions>, status: number, text: RegExp][] = [
      ['for a user that does not exist', '/v2/updates', unknownUser, 403, /"code":"NA"/],
      [
        'with an empty Authorization',
        '/v2/updates',
        async () => ({ headers: { authorization: 'Bearer ' } }),
        400,
        /^Invalid value for: header Authorization$/,
      ],
      ['where there is nothing', '/v2/nothing', async () => ({}), 404, /"status":404/],
      ['where there is no stream', '/v2/users', unknownUser, 401, /"code":"NA"/],
    ]
    for (const [title, path, options, status, text] of rows) {
      test(title, async () => {
        await assert.rejects(open(path, await options()), (error) => {
          assert.ok(error instanceof HandshakeRefused, String(error))
          assert.equal(error.status, status)
          assert.match(error.text, text)
          return true
        })
      })
    }

    test('as a plain GET', async () => {
      const { status, json } = await ledger.node.call('GET', '/v2/updates')
      const errors = [`HttpMethod(GET), uri: ${ledger.node.url}/v2/updates`]
      assert.deepEqual([status, json], [404, { errors, status: 404, ledgerApiError: null }])
    })

    test('unless the upgrade is to another protocol, which is a plain request', async () => {
      const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABkAAQAAP__' }
      const answer = await ledger.node.call('GET', '/v2/state/active-contracts-page', {
        token: ledger.token,
        headers,
        body: { eventFormat: { filtersByParty: { [ledger.alice]: {} } } },
      })
      assert.equal(answer.status, 200)
    })
  })

  test('answers pings, and is counted', async () => {
    await using socket = await open('/v2/updates', { request: updates({ endInclusive: undefined }) })
    await socket.next()
    const pong = new Promise((resolve) => socket.webSocket.once('pong', (data) => resolve(data.toString())))
    socket.webSocket.ping('hello')
    assert.equal(await pong, 'hello')
    const { text } = await ledger.node.call('GET', '/metrics')
    assert.match(text, /tallystick_open_streams\{operation="WebSocket \/v2\/updates",transport="websocket"\} 1\n/)
  })
})

describe('a stream that goes on', () => {
  const request = ({ alice }: TestLedger) => ({
    beginExclusive: 0,
    updateFormat: updateFormat({ filtersByParty: { [alice]: {} } }),
  })

  /** Advances the clock until the socket is closed, which takes several turns. */
  async function endOf(socket: TestSocket, clock: { advance(byMs: number): void }): Promise<[Json, number]> {
    let isOver = false
    void socket.ended.then(() => {
      isOver = true
    })
    while (!isOver) {
      clock.advance(1000)
      await sleep(5)
    }
    const messages = await socket.rest()
    return [messages.at(-1), (await socket.ended)[0]]
  }

  test('ends when its token expires', async () => {
    const clock = createTestClock(Date.now())
    await using ledger = await startTestLedger({ clock })
    const protocols = [`jwt.token.${await ledger.node.node.issueToken!('app', 60_000)}`, 'daml.ws.auth']
    await using socket = await openSocket(`${ledger.node.url}/v2/updates`, { protocols, request: request(ledger) })
    await ledger.submit([ledger.createIou()])
    assert.ok((await socket.next()).update.Transaction)
    const [told, code] = await endOf(socket, clock)
    assert.match(told.cause, /^Claims were valid until 2\S+Z, current time is 2\S+Z$/)
    assert.deepEqual(
      [told.code, told.errorCategory, told.grpcCodeValue, told.retryInfo, code],
      ['ACCESS_TOKEN_EXPIRED', 2, 10, '1 second', 1000],
    )
  })

  const changes: [title: string, change: (ledger: TestLedger) => Promise<unknown>][] = [
    [
      'loses a right',
      ({ node, alice }) =>
        node.call('PATCH', '/v2/users/reader/rights', {
          body: { userId: 'reader', rights: [right('CanReadAs', alice)] },
        }),
    ],
    [
      'gains a right',
      ({ node, bob }) =>
        node.call('POST', '/v2/users/reader/rights', { body: { userId: 'reader', rights: [right('CanReadAs', bob)] } }),
    ],
    ['is deleted', ({ node }) => node.call('DELETE', '/v2/users/reader')],
    [
      'is deactivated',
      ({ node }) =>
        node.call('PATCH', '/v2/users/reader', {
          body: { user: { id: 'reader', isDeactivated: true }, updateMask: { paths: ['is_deactivated'] } },
        }),
    ],
  ]
  for (const [title, change] of changes) {
    test(`ends when its user ${title}`, async () => {
      const clock = createTestClock(Date.now())
      await using ledger = await startTestLedger({ clock })
      const token = await ledger.userWith('reader', right('CanReadAs', ledger.alice))
      const protocols = [`jwt.token.${token}`, 'daml.ws.auth']
      await using socket = await openSocket(`${ledger.node.url}/v2/updates`, { protocols, request: request(ledger) })
      await ledger.submit([ledger.createIou()])
      assert.ok((await socket.next()).update.Transaction)
      for (let second = 0; second < 7; second += 1) {
        clock.advance(1000)
        await sleep(5)
      }
      assert.equal(socket.webSocket.readyState, socket.webSocket.OPEN)
      assert.equal(((await change(ledger)) as Json).status, 200)
      const [told, code] = await endOf(socket, clock)
      assert.deepEqual(
        [told.code, told.cause, told.errorCategory, code],
        ['STALE_STREAM_AUTHORIZATION', 'Stale stream authorization. Retry quickly.', 2, 1000],
      )
    })
  }

  test('ends with 1001 when the node stops', async () => {
    await using ledger = await startTestLedger({ settings: { limits: { stopWithinMs: 3_600_000 } } })
    const protocols = [`jwt.token.${ledger.token}`, 'daml.ws.auth']
    const url = `${ledger.node.url}/v2/updates`
    await using reading = await openSocket(url, { protocols, request: request(ledger) })
    await using silent = await openSocket(url, { protocols })
    await ledger.submit([ledger.createIou()])
    await reading.next()
    await ledger.node.node[Symbol.asyncDispose]() // Waits for neither; the limit is an hour.
    assert.equal((await reading.ended)[0], 1001)
    assert.equal((await silent.ended)[0], 1001)
  })
})

/** Checkpoints may come before it. */
async function nextTransaction(socket: TestSocket): Promise<Json> {
  for (;;) {
    const { update } = await socket.next()
    if (update.Transaction) return update.Transaction
    assert.ok(update.OffsetCheckpoint, JSON.stringify(update))
  }
}

test('two thousand idle streams cost little, and all receive what happens', async () => {
  const count = 2_000
  await using ledger = await startTestLedger({ settings: { limits: { streamsMax: 4 * count } } })
  const end = await ledger.end()
  const protocols = [`jwt.token.${ledger.token}`, 'daml.ws.auth']
  const request = {
    beginExclusive: end,
    updateFormat: updateFormat({ filtersByParty: { [ledger.alice]: {} } }),
  }
  const sockets: TestSocket[] = []
  for (let opened = 0; opened < count; opened += 100) {
    const some = Array.from({ length: 100 }, () => openSocket(`${ledger.node.url}/v2/updates`, { protocols, request }))
    sockets.push(...(await Promise.all(some)))
  }
  try {
    const open = async () => {
      const { text } = await ledger.node.call('GET', '/metrics')
      return Number(/tallystick_open_streams\{.*"websocket"\} (\d+)/.exec(text)?.[1])
    }
    await until(async () => (await open()) === count)

    await using tooMany = await openSocket(`${ledger.node.url}/v2/updates`, { protocols, request })
    const refused = await tooMany.next()
    assert.equal(refused.code, 'MAXIMUM_NUMBER_OF_STREAMS')
    const text = `The number of streams that this user has in use (${count}) has reached or exceeded the limit (${count}).`
    assert.equal(refused.cause, `${text} Metrics are available at tallystick_open_streams.`)
    assert.equal((await tooMany.ended)[0], 1000)

    // The process does other things, too, such as collecting garbage: what streams take they take in every window.
    let leastMs = Number.POSITIVE_INFINITY
    for (let window = 0; window < 5 && leastMs >= 500; window += 1) {
      const before = process.cpuUsage()
      await sleep(2_000)
      const { user, system } = process.cpuUsage(before)
      leastMs = Math.min(leastMs, (user + system) / 1000)
    }
    assert.ok(leastMs < 500, `idle streams took ${leastMs} ms of two seconds`)

    await ledger.submit([ledger.createIou()])
    const heard = await Promise.all(sockets.map(nextTransaction))
    assert.equal(heard.length, count)
  } finally {
    await Promise.all(sockets.map((socket) => socket[Symbol.asyncDispose]()))
  }
})
