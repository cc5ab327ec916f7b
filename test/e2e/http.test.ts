// The HTTP service itself: accepted requests, errors for the others, and the pages beside the API.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request as httpRequest, METHODS, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import pg from 'pg'
import { operationOf } from '../../src/api/route.ts'
import { allRoutes } from '../../src/api/routes/all.ts'
import { type Clock, wallClock } from '../../src/base/clock.ts'
import { StartError } from '../../src/base/errors.ts'
import { createLog } from '../../src/base/log.ts'
import { type Node, startNode } from '../../src/node/node.ts'
import { createCertificate } from '../fixtures/certificate.ts'
import { nextRequest } from '../fixtures/next-request.ts'
import { refusalOf, startTestNode, type TestNode, testSettings } from '../fixtures/node.ts'
import { patientStore } from '../fixtures/patience.ts'
import { createTestDatabase, cutConnections, onServer } from '../fixtures/postgres.ts'
import { until } from '../fixtures/until.ts'
import { openSocket } from '../fixtures/websocket.ts'

const traceIdPattern = /^[0-9a-f]{32}$/

describe('requests as clients send them', () => {
  const types = [undefined, '', 'application/json', 'text/plain', 'application/octet-stream', 'nonsense', 'a/b;;=']
  for (const type of types) {
    test(`may have the Content-Type ${type === undefined ? 'of none at all' : JSON.stringify(type)}`, async () => {
      await using node = await startTestNode()
      const headers = type === undefined ? {} : { 'content-type': type }
      const body = JSON.stringify({ partyIdHint: 'alice' })
      const { status, json } = await send(node, 'POST', '/v2/parties', { headers, body })
      assert.deepEqual([status, json?.partyDetails?.party?.split('::')[0]], [200, 'alice'])
    })
  }

  test('may name application/json on a GET and on a DELETE without a body', async () => {
    await using node = await startTestNode()
    await node.call('POST', '/v2/users', { body: { user: { id: 'alice' } } })
    const headers = { 'content-type': 'application/json' }
    assert.equal((await send(node, 'GET', '/v2/users/alice', { headers })).status, 200)
    assert.equal((await send(node, 'DELETE', '/v2/users/alice', { headers })).status, 200)
    const empty = { headers: { ...headers, 'content-length': '0' } }
    assert.equal((await send(node, 'DELETE', '/v2/users/alice', empty)).status, 404)
  })

  const samePaths = [
    '/v2/users/alice',
    '//v2/users/alice',
    '/v2//users///alice',
    '/v2/users/%61lice',
    '/v2/users/alice?',
    '/v2/users/alice/',
    '/v2/users/alice//?',
  ]
  test('find their route despite doubled and trailing slashes and percent-encoding', async () => {
    await using node = await startTestNode()
    await node.call('POST', '/v2/users', { body: { user: { id: 'alice' } } })
    for (const path of samePaths) assert.equal((await send(node, 'GET', path)).json?.user?.id, 'alice', path)
  })

  test('name parties and providers percent-encoded', async () => {
    await using node = await startTestNode()
    const { party } = (await node.call('POST', '/v2/parties', { body: { partyIdHint: 'a b' } })).json.partyDetails
    const found = await node.call('GET', `/v2/parties/${encodeURIComponent(party)}`)
    assert.deepEqual(
      found.json.partyDetails.map((details: { party: string }) => details.party),
      [party],
    )
    const config = { identityProviderId: 'a/b #1', issuer: 'i', jwksUrl: 'http://x/' }
    await node.call('POST', '/v2/idps', { body: { identityProviderConfig: config } })
    const idp = await node.call('GET', '/v2/idps/a%2Fb%20%231')
    assert.equal(idp.json.identityProviderConfig.identityProviderId, 'a/b #1')
  })

  test('may repeat a query parameter only if it is a list', async () => {
    await using node = await startTestNode()
    const parties: string[] = []
    for (const partyIdHint of ['a', 'b', 'c']) {
      parties.push((await node.call('POST', '/v2/parties', { body: { partyIdHint } })).json.partyDetails.party)
    }
    const [a, b, c] = parties.map(encodeURIComponent)
    const several = await node.call('GET', `/v2/parties/${a}?parties=${b}&parties=${c}&parties=${b}`)
    assert.deepEqual(
      several.json.partyDetails.map((details: { party: string }) => details.party),
      parties,
    )
    const one = await node.call('GET', `/v2/parties/unknown?parties=${b}`)
    assert.equal(one.json.partyDetails.length, 1)
    const twice = await node.call('GET', '/v2/users?pageSize=1&pageSize=2')
    assert.deepEqual(refusalOf(twice), [400, 'Invalid value for: query parameter pageSize (multiple values)'])
    const none = await node.call('GET', '/v2/interactive-submission/preferred-package-version')
    assert.deepEqual(refusalOf(none), [400, 'Invalid value for: query parameter package-name (missing)'])
  })

  test('may accept any type that includes JSON', async () => {
    await using node = await startTestNode()
    const accepted = [
      '*/*',
      'application/*',
      'application/json',
      'text/html, application/json;q=0.5',
      'APPLICATION/JSON',
      '',
    ]
    for (const accept of accepted) {
      assert.equal((await send(node, 'GET', '/v2/users', { headers: { accept } })).status, 200, accept)
    }
    const refused = [
      'text/html',
      'text/plain, image/*',
      'application/xml',
      'application/jsonlines',
      'application/json;q=0',
    ]
    for (const accept of refused) {
      const answer = await node.call('GET', '/v2/users', { headers: { accept } })
      assert.deepEqual([answer.status, answer.type, answer.text], [406, textType, 'Not Acceptable'], accept)
    }
  })
})

const textType = 'text/plain; charset=UTF-8'

describe('requests without a route', () => {
  test('are 404 with JSON for an unknown path', async () => {
    await using node = await startTestNode()
    for (const path of ['/v2', '/v2/nothing', '/v1/users', '/v2/users/a/b/c', '/v2/users/x/rights/y']) {
      const { status, type, json } = await node.call('POST', path, { body: '{}' })
      assert.deepEqual([status, type.split(';')[0]], [404, 'application/json'], path)
      const errors = [`HttpMethod(POST), uri: ${node.url}${path}`]
      assert.deepEqual(json, { errors, status: 404, ledgerApiError: null })
    }
  })

  const wrongMethods = [
    ['PUT', '/v2/users'],
    ['DELETE', '/v2/users'],
    ['POST', '/v2/version'],
    ['POST', '/v2//users/x'],
    ['DELETE', '/v2/parties/x'],
    ['GET', '/v2/users/x/identity-provider-id'],
    ['POST', '/livez'],
    ['POST', '/readyz'],
    ['DELETE', '/metrics'],
    ['POST', '/docs/openapi'],
  ] as const
  for (const [method, path] of wrongMethods) {
    test(`are 405 in plain text for a wrong method: ${method} ${path}`, async () => {
      await using node = await startTestNode()
      const answer = await node.call(method, path)
      assert.deepEqual([answer.status, answer.type, answer.text], [405, textType, 'Method Not Allowed'])
    })
  }

  const allowed: [path: string, allow: string][] = [
    ['/v2/users', 'GET, HEAD, OPTIONS, POST'],
    ['/v2/users/x', 'DELETE, GET, HEAD, OPTIONS, PATCH'],
    ['/v2/commands/async/submit', 'OPTIONS, POST'],
    ['/v2/packages', 'GET, HEAD, OPTIONS, POST'],
    ['/livez', 'GET, HEAD, OPTIONS'],
  ]
  test('get the allowed methods, whatever the method', async () => {
    await using node = await startTestNode()
    for (const [path, allow] of allowed) {
      for (const method of METHODS) {
        if (method === 'CONNECT' || allow.split(', ').includes(method)) continue
        const { status, headers, text } = await send(node, method, path)
        const words = method === 'HEAD' ? '' : 'Method Not Allowed'
        assert.deepEqual([status, headers.allow, text], [405, allow, words], `${method} ${path}`)
      }
      const options = await send(node, 'OPTIONS', path)
      assert.deepEqual([options.status, options.headers.allow, options.text], [204, allow, ''], path)
    }
    for (const method of ['QUERY', 'PURGE', 'OPTIONS']) {
      assert.equal((await send(node, method, '/v2/nothing')).status, 404, method)
    }
    const request = 'BREW /v2/users HTTP/1.1\r\nHost: localhost\r\n\r\n'
    assert.match(await raw(node.url, request), /^HTTP\/1\.1 501 Not Implemented\r\n/)
  })

  test('are answered for HEAD as for GET, without the body', async () => {
    await using node = await startTestNode()
    const headers = { authorization: `Bearer ${node.adminToken}` }
    const paths = [
      '/v2/users',
      '/v2/users/nobody',
      '/v2/version',
      '/v2/updates',
      '/docs',
      '/livez',
      '/readyz',
      '/nothing',
    ]
    for (const path of paths) {
      const [get, head] = [await send(node, 'GET', path, { headers }), await send(node, 'HEAD', path, { headers })]
      assert.equal(head.status, get.status, path)
      assert.equal(head.text, '', path)
      for (const name of ['content-type', 'etag'])
        assert.equal(head.headers[name], get.headers[name], `${path} ${name}`)
      if (path !== '/v2/users/nobody' && path !== '/nothing') {
        assert.equal(head.headers['content-length'], get.headers['content-length'], path)
      }
    }
    assert.equal((await fetch(`${node.url}/v2/users`, { method: 'HEAD' })).status, 401)
  })

  test('are not reported as our error when the client disconnects', async () => {
    const lines: [level: string, fields: object, message: string][] = []
    const note = (level: string) => (fields: object, message: string) => void lines.push([level, fields, message])
    const log = { isDebug: false, debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') }
    const settings = testSettings({ development: true, http: { port: 0 }, store: { kind: 'memory' } })
    await using node = await startNode(settings, { log })
    const { hostname, port } = new URL(node.url)
    for (const head of ['Content-Length: 1000', 'Transfer-Encoding: chunked']) {
      const socket = connect(Number(port), hostname)
      await once(socket, 'connect')
      const arrived = nextRequest()
      socket.write(`POST /v2/users HTTP/1.1\r\nHost: localhost\r\n${head}\r\n\r\n5\r\n{"use`)
      await arrived
      socket.destroy()
    }
    await until(() => lines.filter(([, , message]) => message === 'a request was abandoned').length === 2)
    assert.ok(!JSON.stringify(lines).includes('stack'), JSON.stringify(lines))
    assert.deepEqual(
      lines.filter(([level]) => level === 'error' || level === 'warn'),
      [],
    )
  })

  for (const path of ['/v2/users/%zz', '/v2/users/%ff', '/v2/users/%', '/v2/idps/%c3%28']) {
    test(`are 400 in plain text for a path that is not valid text: ${path}`, async () => {
      await using node = await startTestNode()
      const { status, type } = await send(node, 'GET', path)
      assert.deepEqual([status, type], [400, textType])
    })
  }
})

describe('requests that are too large', () => {
  test('are 413 in plain text beyond the body limit', async () => {
    await using node = await startTestNode({ settings: { limits: { bodyBytesMax: 1000 } } })
    const bodyOf = (bytes: number) => `{"partyIdHint":"p"${' '.repeat(bytes - 19)}}`.padEnd(bytes)
    assert.equal((await node.call('POST', '/v2/parties', { body: bodyOf(1000) })).status, 200)
    const { status, type, text } = await node.call('POST', '/v2/parties', { body: bodyOf(1001) })
    assert.deepEqual([status, type, text], [413, textType, 'The request body is larger than 1000 bytes'])
    const chunked = await send(node, 'POST', '/v2/parties', {
      headers: { 'transfer-encoding': 'chunked' },
      body: bodyOf(5000),
    })
    assert.equal(chunked.status, 413)
    assert.equal((await node.call('GET', '/v2/users')).status, 200)
  })

  test('are 431 beyond the header limit', async () => {
    await using node = await startTestNode({ settings: { limits: { headerBytesMax: 2000 } } })
    const inHeader = await node.call('GET', '/v2/users', { headers: { 'x-long': 'x'.repeat(3000) }, token: null })
    assert.deepEqual([inHeader.status, inHeader.text], [431, 'Request Header Fields Too Large'])
    const inPath = await node.call('GET', `/v2/users/${'x'.repeat(3000)}`, { token: null })
    assert.equal(inPath.status, 431)
    assert.equal((await node.call('GET', '/livez', { token: null })).status, 200)
  })

  test('are 400 when they are not HTTP', async () => {
    await using node = await startTestNode()
    for (const bytes of [
      'hello?\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      'GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n',
      '\x16\x03\x01\x02',
    ]) {
      assert.match(await raw(node.url, bytes), /^HTTP\/1\.1 400 Bad Request\r\n/, JSON.stringify(bytes))
    }
  })
})

describe('bodies that cannot be decoded', () => {
  const rows: [body: string, detail: string | RegExp][] = [
    ['', /^exhausted input$/],
    [' \n\t ', /^exhausted input$/],
    ['xyz', /./],
    ['{"user":', /./],
    ['{"user":{}} trailing', /./],
    ["{'user':{}}", /./],
    ['\ufeff{}', /./],
    ['{"user":{"id":"\u0001"}}', /./],
    ['null', "Missing required field at 'user'"],
    ['7', "Missing required field at 'user'"],
    ['"text"', "Missing required field at 'user'"],
    ['[]', "Missing required field at 'user'"],
    ['{"user":{"id":5}}', "Got value '5' with wrong type, expecting string at 'user.id'"],
    ['{"user":{"id":null}}', "Got value 'null' with wrong type, expecting string at 'user.id'"],
    ['{"user":7}', "Missing required field at 'user.id'"],
    [
      '{"user":{"isDeactivated":"yes"}}',
      `Got value '"yes"' with wrong type, expecting 'true' or 'false' at 'user.isDeactivated'`,
    ],
    [
      '{"user":{"metadata":{"annotations":{"a":1}}}}',
      "Got value '1' with wrong type, expecting string at 'user.metadata.annotations.a'",
    ],
    ['{"rights":{}}', "Got value '{}' with wrong type, expecting array at 'rights'"],
    ['{"rights":[7]}', "Missing required field at 'rights[0].kind'"],
    ['{"rights":[{"kind":7}]}', "JSON decoding to CNil should never happen at 'rights[0].kind'"],
    ['{"rights":[{"kind":{"Empty":7}}]}', "HNil at 'rights[0].kind.Empty'"],
    [
      '{"rights":[{},{"kind":{"CanActAs":{"value":{"party":7}}}}]}',
      "Got value '7' with wrong type, expecting string at 'rights[1].kind.CanActAs.value.party'",
    ],
    ['{"rights":[{"kind":{"CanActAs":{}}}]}', "Missing required field at 'rights[0].kind.CanActAs.value'"],
    ['{"rights":[{"kind":{"Wrong":{}}}]}', "JSON decoding to CNil should never happen at 'rights[0].kind'"],
    ['{"rights":[{"kind":{}}]}', "JSON decoding to CNil should never happen at 'rights[0].kind'"],
  ]
  test('are 400 in plain text, with the path of the error', async () => {
    await using node = await startTestNode()
    for (const [body, detail] of rows) {
      const { status, type, text } = await node.call('POST', '/v2/users', { body })
      assert.deepEqual([status, type], [400, textType], body)
      const found = /^Invalid value for: body \((.*)\)$/.exec(text)
      assert.ok(found, text)
      if (typeof detail === 'string') assert.equal(found[1], detail)
      else assert.match(found[1]!, detail)
    }
  })

  test('are reported before a missing token, and long ones in a short line', async () => {
    await using node = await startTestNode()
    const body = JSON.stringify({ user: { id: 5, ['k'.repeat(5000)]: 1, metadata: 'x'.repeat(5000) } })
    const { status, text } = await node.call('POST', '/v2/users', { body, token: null })
    assert.equal(status, 400)
    assert.ok(text.length < 1000, `${text.length} characters`)
    const key = 'k'.repeat(5000)
    const deep = { user: { metadata: { annotations: { [key]: 5 } } } }
    assert.ok((await node.call('POST', '/v2/users', { body: deep })).text.length < 1000)
  })

  const queries: [query: string, refused: string | undefined][] = [
    ['pageSize=x', 'pageSize'],
    ['pageSize=', 'pageSize'],
    ['pageSize=1e3', 'pageSize'],
    ['pageSize=1.5', 'pageSize'],
    ['pageSize=2147483648', 'pageSize'],
    ['pageSize=99999999999999999999999', 'pageSize'],
    ['pageSize=NaN', 'pageSize'],
    ['pageToken=&pageToken=', 'pageToken (multiple values)'],
    ['pageSize=2147483647', undefined],
    ['unknown=1', undefined],
    ['__proto__=1&constructor=2', undefined],
  ]
  test('include query parameters, without detail', async () => {
    await using node = await startTestNode()
    for (const [query, refused] of queries) {
      const answer = await node.call('GET', `/v2/users?${query}`)
      if (refused === undefined) assert.equal(answer.status, 200, query)
      else assert.deepEqual(refusalOf(answer), [400, `Invalid value for: query parameter ${refused}`], query)
    }
  })
})

describe('an error', () => {
  const keys = [
    'code',
    'cause',
    'correlationId',
    'traceId',
    'context',
    'resources',
    'errorCategory',
    'grpcCodeValue',
    'retryInfo',
    'definiteAnswer',
  ]

  test('has its ten keys in order, whatever raised it', async () => {
    await using node = await startTestNode()
    const answers = [
      await node.call('GET', '/v2/users/nobody'), // By the ledger.
      await node.call('GET', '/v2/users/%20'), // Before the ledger.
      await node.call('GET', '/v2/users', { token: null }), // Without a token.
      await node.call('POST', '/v2/users', { body: {} }), // With a missing field.
    ]
    for (const { json, type } of answers) {
      assert.deepEqual(Object.keys(json), keys)
      assert.equal(type.split(';')[0], 'application/json')
    }
    assert.deepEqual(
      answers.map(({ status }) => status),
      [404, 400, 401, 400],
    )
  })

  const known = '0af7651916cd43dd8448eb211c80319c'
  const traces: [traceparent: string | undefined, isTaken: boolean][] = [
    [`00-${known}-b7ad6b7169203331-01`, true],
    [`00-${known}-b7ad6b7169203331-00`, true],
    [`01-${known}-b7ad6b7169203331-01-more`, true],
    [undefined, false],
    ['', false],
    [known, false],
    [`00-${known.toUpperCase()}-b7ad6b7169203331-01`, false],
    [`00-${'0'.repeat(32)}-b7ad6b7169203331-01`, false],
    [`00-${known}-b7ad6b7169203331`, false],
    [`ff-${known}-b7ad6b7169203331-01`, false],
    [`00-${known}-${'0'.repeat(16)}-01`, false],
  ]
  for (const [traceparent, isTaken] of traces) {
    test(`${isTaken ? 'has the trace id of' : 'has a new trace id with'} ${traceparent ?? 'no traceparent'}`, async () => {
      await using node = await startTestNode()
      const headers = traceparent === undefined ? {} : { traceparent }
      const { json } = await node.call('GET', '/v2/users/nobody', { headers })
      if (isTaken) assert.equal(json.traceId, known)
      else assert.notEqual(json.traceId, known)
      assert.match(json.traceId, traceIdPattern)
      assert.notEqual(json.traceId, '0'.repeat(32))
      assert.equal(json.context.tid, json.traceId)
    })
  }

  test('of redacted categories reveals nothing except on a development node', async () => {
    const keys = [{ type: 'hs256', secret: 'a secret of thirty-two bytes, ok' }] as const
    await using silent = await startTestNode({ settings: { development: false, auth: { keys: [...keys] } } })
    const { status, json } = await silent.call('GET', '/v2/users', { token: null })
    assert.equal(status, 401)
    assert.match(json.traceId, traceIdPattern)
    assert.deepEqual(json, {
      code: 'NA',
      cause: 'A security-sensitive error has been received',
      correlationId: json.traceId,
      traceId: json.traceId,
      context: {},
      resources: [],
      errorCategory: -1,
      grpcCodeValue: 16,
      retryInfo: null,
      definiteAnswer: null,
    })
    const forged = await silent.call('GET', '/v2/users', { token: 'not.a.token' })
    assert.deepEqual(refusalOf(forged), [401, 'NA', 'A security-sensitive error has been received'])

    await using open = await startTestNode({ settings: { development: true } })
    const explained = await open.call('GET', '/v2/users', { token: null })
    assert.deepEqual([explained.status, explained.json.code, explained.json.errorCategory], [401, 'NA', -1])
    assert.match(explained.json.cause, /no token/)
  })
})

describe('beside the API', () => {
  test('/livez and /readyz answer without a token', async () => {
    await using node = await startTestNode()
    const livez = await node.call('GET', '/livez', { token: null })
    assert.deepEqual([livez.status, livez.text], [200, ''])
    const readyz = await node.call('GET', '/readyz', { token: null })
    assert.deepEqual([readyz.status, readyz.text], [200, '[+] ledger ok (SERVING)\nreadyz check passed\n'])
  })

  test('/readyz is 503 while the database is unreachable, and requests fail as retryable', async () => {
    await using database = await createTestDatabase()
    await using node = await startOver(database.url)
    const call = (path: string) => fetch(`${node.url}${path}`)
    const token = await node.issueToken!('participant_admin', 60_000)
    const users = () => fetch(`${node.url}/v2/users`, { headers: { authorization: `Bearer ${token}` } })
    assert.equal((await call('/readyz')).status, 200)
    assert.equal((await users()).status, 200)

    const name = new URL(database.url).pathname.slice(1)
    await onServer(database.url, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
    await cutConnections(database.url)
    const look = async () => {
      const answer = await call('/readyz')
      return [answer.status, await answer.text()] as const
    }
    let readyz = await look()
    // Until the node has tried to connect. Before, it may have seen its connections end.
    while (!readyz[1].includes('[-] database failed (the database takes no connections)')) readyz = await look()
    assert.deepEqual(readyz, [
      503,
      '[-] ledger failed (NOT_SERVING: database: the database takes no connections)\n' +
        '[-] database failed (the database takes no connections)\n' +
        'readyz check failed\n',
    ])
    assert.equal((await call('/livez')).status, 200)
    assert.match(await (await call('/metrics')).text(), /^tallystick_part_failing\{part="database"\} 1$/m)
    const refused = await users()
    const body = (await refused.json()) as { code: string; errorCategory: number; retryInfo: string }
    assert.deepEqual(
      [refused.status, body.code, body.errorCategory, body.retryInfo],
      [503, 'INDEX_DB_SQL_TRANSIENT_ERROR', 1, '1 second'],
    )

    await onServer(database.url, `ALTER DATABASE ${name} ALLOW_CONNECTIONS true`)
    await until(async () => (await call('/readyz')).status === 200)
    assert.equal((await users()).status, 200)
    assert.match(await (await call('/metrics')).text(), /^tallystick_part_failing\{part="database"\} 0$/m)
  })

  test('/metrics counts requests by operation, and names no one', async () => {
    await using node = await startTestNode()
    await node.call('GET', '/v2/users/somebody-secret')
    await node.call('GET', '/v2/users/somebody-else')
    await node.call('GET', '/v2/users/participant_admin')
    await node.call('GET', '/v2/secret-path/somebody-secret?token=secret')
    await node.call('PUT', '/v2/users/somebody-secret')
    await node.call('POST', '/v2/parties', { body: 'somebody-secret' })
    const { status, type, text } = await node.call('GET', '/metrics', { token: null })
    assert.equal(status, 200)
    assert.match(type, /^text\/plain/)
    const expected = [
      'tallystick_http_requests_total{operation="GET /v2/users/{user-id}",status="404"} 2',
      'tallystick_http_requests_total{operation="GET /v2/users/{user-id}",status="200"} 1',
      'tallystick_http_requests_total{operation="POST /v2/parties",status="400"} 1',
      'tallystick_http_requests_total{operation="unknown path",status="404"} 1',
      'tallystick_http_requests_total{operation="wrong method",status="405"} 1',
      'tallystick_http_request_duration_seconds_count{operation="GET /v2/users/{user-id}"} 3',
    ]
    const lines = text.split('\n')
    for (const line of expected) assert.ok(lines.includes(line), line)
    assert.doesNotMatch(text, /secret|somebody|participant_admin|Bearer|eyJ/)
    assert.match(text, /^nodejs_eventloop_lag_seconds \d/m)
    assert.match(text, /^process_resident_memory_bytes \d/m)
  })

  test('/v2/version names the tracked release and its features', async () => {
    await using node = await startTestNode({ settings: { limits: { userRightsMax: 18 } } })
    const { status, json } = await node.call('GET', '/v2/version', { token: null })
    assert.equal(status, 200)
    assert.match(json.version, /^3\.5\.\d+$/)
    assert.deepEqual(json.features, {
      experimental: { staticTime: { supported: false }, commandInspectionService: { supported: true } },
      userManagement: { supported: true, maxRightsPerUser: 18, maxUsersPageSize: 1000 },
      partyManagement: { maxPartiesPageSize: 10_000 },
      offsetCheckpoint: {
        maxOffsetCheckpointEmissionDelay: { seconds: 75, nanos: 0, unknownFields: { fields: {} } },
      },
      packageFeature: { maxVettedPackagesPageSize: 100 },
    })
  })

  test('/v2/version needs no token, but refuses one whose user it does not know', async () => {
    await using node = await startTestNode()
    const status = async (headers: Record<string, string>) =>
      (await node.call('GET', '/v2/version', { token: null, headers })).status
    const bearer = async (userId: string) => ({ authorization: `Bearer ${await node.token(userId)}` })
    assert.equal(await status({}), 200)
    assert.equal(await status({ authorization: 'Bearer no.such.token' }), 200)
    assert.equal(await status(await bearer('participant_admin')), 200)
    assert.equal(await status({ authorization: 'Bearer ' }), 400)
    assert.equal(await status(await bearer('nobody')), 403)
  })

  for (const compatibility of ['specification', 'canton-3.5'] as const) {
    test(`/v2/version has only fields that Canton's has, and our version in a header (${compatibility})`, async () => {
      await using node = await startTestNode({ settings: { compatibility } })
      const answer = await fetch(`${node.url}/v2/version`)
      assert.deepEqual(Object.keys((await answer.json()) as object), ['version', 'features'])
      assert.match(answer.headers.get('tallystick-version') ?? '', /^\d+\.\d+\.\d+/)
    })
  }

  test('/docs leads to the explorer of a node that has one', async () => {
    await using node = await startTestNode()
    const { status, headers } = await fetch(`${node.url}/docs`, { redirect: 'manual' })
    assert.deepEqual(
      [status, headers.get('location'), headers.get('cache-control')],
      [307, '/explorer/api', 'no-store'],
    )
  })

  test('/docs and its documents are rendered once, and not sent again to clients that have them', async () => {
    await using node = await startTestNode({ settings: { explorer: false } })
    for (const path of ['/docs', '/docs/openapi', '/docs/asyncapi', '/docs/openapi?package=quickstart']) {
      const headers = { authorization: `Bearer ${node.adminToken}` }
      const first = await fetch(`${node.url}${path}`, { headers })
      const etag = first.headers.get('etag')!
      assert.match(etag, /^"[\w-]{27}"$/, path)
      const text = await first.text()
      const before = process.cpuUsage() // Includes the node, which runs in this process.
      for (let turn = 0; turn < 20; turn += 1) {
        const known = await fetch(`${node.url}${path}`, { headers: { ...headers, 'if-none-match': `W/${etag}, "x"` } })
        assert.deepEqual([known.status, known.headers.get('etag'), await known.text()], [304, etag, ''], path)
      }
      const { user, system } = process.cpuUsage(before)
      assert.ok(user + system < 2_000_000, `${path} took ${user + system} µs of the processor`)
      const other = await fetch(`${node.url}${path}`, { headers: { ...headers, 'if-none-match': '"x"' } })
      assert.deepEqual([other.status, await other.text()], [200, text], path)
    }
    assert.equal((await node.call('GET', '/docs/openapi?package=quickstart', { token: null })).status, 401)
  })

  test('/docs and /docs/openapi describe every operation', async () => {
    await using node = await startTestNode({ settings: { explorer: false } })
    const page = await node.call('GET', '/docs', { token: null })
    assert.deepEqual([page.status, page.type], [200, 'text/html; charset=utf-8'])
    assert.doesNotMatch(page.text, /<script|(src|href)="https?:/i)
    const document = await node.call('GET', '/docs/openapi', { token: null })
    assert.equal(document.status, 200)
    for (const route of allRoutes('0.0.0')) {
      assert.ok(document.json.paths[route.path]?.[route.method.toLowerCase()], operationOf(route))
      assert.ok(page.text.includes(`<code>${route.path}</code>`), operationOf(route))
    }
    assert.match(page.text, /Tallystick \d+\.\d+\.\d+/)
    const marked = [...page.text.matchAll(/<code>([^<]+)<\/code>\s*<b class="deprecated">/g)].map(([, path]) => path)
    const deprecated = Object.entries(document.json.paths as Paths).flatMap(([path, methods]) =>
      Object.values(methods).flatMap((operation) => (operation.deprecated ? [path] : [])),
    )
    assert.equal(deprecated.length, 11)
    assert.deepEqual(marked.toSorted(), deprecated.toSorted())
  })
})

type Paths = Record<string, Record<string, { readonly deprecated?: boolean }>>

describe('browsers', () => {
  const preflight = (node: TestNode, origin: string) =>
    fetch(`${node.url}/v2/idps/acme`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'authorization,content-type',
      },
    })

  test('may call from the configured origins', async () => {
    await using node = await startTestNode({ settings: { http: { corsOrigins: ['https://app.example'] } } })
    const allowed = await preflight(node, 'https://app.example')
    assert.equal(allowed.status, 204)
    assert.equal(allowed.headers.get('access-control-allow-origin'), 'https://app.example')
    assert.match(allowed.headers.get('access-control-allow-methods') ?? '', /PATCH/)
    assert.match(allowed.headers.get('access-control-allow-headers') ?? '', /authorization/)
    for (const token of [`Bearer ${node.adminToken}`, '']) {
      const headers = { origin: 'https://app.example', ...(token && { authorization: token }) }
      const answer = await fetch(`${node.url}/v2/users`, { headers })
      assert.equal(answer.headers.get('access-control-allow-origin'), 'https://app.example', `${answer.status}`)
    }
  })

  test('may not call from other origins', async () => {
    await using some = await startTestNode({ settings: { http: { corsOrigins: ['https://app.example'] } } })
    await using none = await startTestNode()
    for (const node of [some, none]) {
      const answer = await preflight(node, 'https://evil.example')
      const allowed = answer.headers.get('access-control-allow-origin')
      assert.ok(allowed === null || allowed === 'https://app.example', String(allowed))
    }
  })

  test('may call from anywhere if the setting allows it', async () => {
    await using node = await startTestNode({ settings: { http: { corsOrigins: ['*'] } } })
    const allowed = (await preflight(node, 'https://any.example')).headers.get('access-control-allow-origin')
    assert.ok(allowed === '*' || allowed === 'https://any.example', String(allowed))
  })
})

describe('TLS', () => {
  const withFiles = (certificate: string, key: string) => {
    const folder = mkdtempSync(join(tmpdir(), 'tallystick-tls-'))
    const files = { certificateFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') }
    writeFileSync(files.certificateFile, certificate)
    writeFileSync(files.keyFile, key)
    return { files, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
  }
  const pair = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const certificate = createCertificate(pair)
  const key = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string

  test('serves https with the certificate and key of the settings', async () => {
    using files = withFiles(certificate, key)
    await using node = await startTestNode({ settings: { http: { tls: files.files } } })
    assert.match(node.url, /^https:/)
    const answer = await new Promise<{ status: number; subject: string }>((resolve, reject) => {
      const request = httpsRequest(`${node.url}/v2/version`, { rejectUnauthorized: false }, (response) => {
        const { socket } = response as unknown as { socket: import('node:tls').TLSSocket }
        resolve({ status: response.statusCode!, subject: String(socket.getPeerCertificate().subject.CN) })
        response.resume()
      })
      request.on('error', reject).end()
    })
    assert.deepEqual(answer, { status: 200, subject: 'test' })
  })

  test('serves WebSockets over it', async () => {
    using files = withFiles(certificate, key)
    await using node = await startTestNode({ settings: { http: { tls: files.files } } })
    await using socket = await openSocket(`${node.url}/v2/commands/command-completions`, {
      protocols: [`jwt.token.${node.adminToken}`, 'daml.ws.auth'],
      request: { parties: ['alice::1220'], beginExclusive: 0 },
    })
    assert.match((await socket.next()).cause, /CanReadAs alice/)
    assert.equal((await socket.ended)[0], 1000)
  })

  const otherKey = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey
  const problems: [what: string, certificate: string, key: string][] = [
    ['is not a certificate', 'nonsense', key],
    ['has no key', certificate, 'nonsense'],
    ['has the key of another', certificate, otherKey.export({ type: 'pkcs8', format: 'pem' }) as string],
  ]
  for (const [what, badCertificate, badKey] of problems) {
    test(`that ${what} is refused in one line`, async () => {
      using files = withFiles(badCertificate, badKey)
      await assert.rejects(startTestNode({ settings: { http: { tls: files.files } } }), isStartError)
    })
  }

  test('with missing files is refused in one line', async () => {
    const tls = { certificateFile: '/nowhere/cert.pem', keyFile: '/nowhere/key.pem' }
    await assert.rejects(startTestNode({ settings: { http: { tls } } }), isStartError)
  })
})

describe('a request that must wait', () => {
  test('is answered 503 in plain text after the timeout', async () => {
    await using database = await createTestDatabase()
    await using node = await startOver(database.url, { limits: { requestTimeoutMs: 400 } })
    await using _writer = await holdWriterLock(database.url)
    const { status, text } = await allocate(node, 'slow')
    assert.deepEqual(
      [status, text],
      [
        503,
        'The server was not able to produce a timely response to your request.\r\nPlease try again in a short while!',
      ],
    )
  })

  test('is answered by a stopping node, which accepts no others and then exits at once', async () => {
    await using database = await createTestDatabase()
    // A stop that waited for its deadline would not end.
    const limits = { stopWithinMs: 240_000, requestTimeoutMs: 240_000 }
    const node = await startOver(database.url, { limits }, clockWithout(limits.stopWithinMs / 2))
    const url = new URL(node.url)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    await over(agent, url, '/livez') // This connection stays open.
    const writer = await holdWriterLock(database.url)
    const inFlight = allocate(node, 'in-flight')
    await untilWaiting(database.url)

    const stopped = node[Symbol.asyncDispose]()
    const isListening = () => fetch(`${url.href}v2/version`).then(Boolean, () => false)
    while (await isListening()); // Until it takes no new connection.
    const late = await over(agent, url, '/v2/users').catch((error: Error & { code?: string }) => error.code)
    assert.ok(late === 503 || late === 'ECONNREFUSED' || late === 'ECONNRESET', `late: ${late}`)
    await writer[Symbol.asyncDispose]()
    assert.equal((await inFlight).status, 200)
    await stopped
    agent.destroy()
  })

  test('delays a stopping node by at most half of its time to stop', async () => {
    await using database = await createTestDatabase()
    const limits = { stopWithinMs: 240_000, requestTimeoutMs: 240_000 }
    // The queue of commits, which the request waits in, has three eighths of the time.
    const clock = clockWithout(limits.stopWithinMs / 2, 0.375 * limits.stopWithinMs)
    const node = await startOver(database.url, { limits }, clock)
    const writer = await holdWriterLock(database.url)
    const stuck = allocate(node, 'stuck').catch(() => undefined)
    await untilWaiting(database.url)
    let isStopped = false
    const stopped = node[Symbol.asyncDispose]().then(() => (isStopped = true))
    await clock.reached
    assert.equal(isStopped, false)
    clock.pass()
    await stopped
    await writer[Symbol.asyncDispose]()
    await stuck
  })

  test('is cut off when half of the time to stop is over and its body has not arrived; idle connections are cut off, too', async () => {
    await using started = new AsyncDisposableStack()
    const limits = { stopWithinMs: 240_000, requestTimeoutMs: 240_000 }
    const clock = clockWithout(limits.stopWithinMs / 2)
    const settings = testSettings({ ...memorySettings, limits })
    const node = started.use(await startNode(settings, { log: createLog('silent'), clock }))
    const { hostname, port } = new URL(node.url)
    const idle = connect(Number(port), hostname)
    const half = connect(Number(port), hostname)
    await Promise.all([once(idle, 'connect'), once(half, 'connect')])
    const arrived = nextRequest()
    half.write('POST /v2/parties HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"par')
    await arrived
    const closed = Promise.all([once(idle, 'close'), once(half, 'close')])
    const stopped = started.disposeAsync()
    await clock.reached
    clock.pass()
    await Promise.all([stopped, closed])
  })
})

const memorySettings = { http: { port: 0 }, store: { kind: 'memory' }, log: { level: 'silent' } } as const

type SettingsOf = NonNullable<Parameters<typeof testSettings>[0]>

/** The wall clock, but delays of these lengths end only with `pass`. `reached` settles when somebody waits for one. */
function clockWithout(...delaysMs: number[]): Clock & { readonly reached: Promise<void>; pass(): void } {
  const actions = new Set<() => void>()
  let isPassed = false
  const { promise: reached, resolve } = Promise.withResolvers<void>()
  return {
    ...wallClock,
    reached,
    after(ms, action) {
      if (!delaysMs.includes(ms)) return wallClock.after(ms, action)
      if (isPassed) return wallClock.after(0, action)
      actions.add(action)
      resolve()
      return { cancel: () => void actions.delete(action) }
    },
    pass() {
      isPassed = true
      for (const action of actions) action()
    },
  }
}

/** A development node on a PostgreSQL database that the test controls. */
async function startOver(postgresUrl: string, settings: SettingsOf = {}, clock: Clock = wallClock): Promise<Node> {
  const data = mkdtempSync(join(tmpdir(), 'tallystick-test-'))
  const effective = testSettings({
    ...settings,
    development: true,
    http: { port: 0 },
    log: { level: 'silent' },
    store: { ...patientStore, kind: 'postgres', postgresUrl, data },
  })
  const node = await startNode(effective, { log: createLog('silent'), clock })
  return {
    ...node,
    async [Symbol.asyncDispose]() {
      await node[Symbol.asyncDispose]()
      rmSync(data, { recursive: true, force: true })
    },
  }
}

async function allocate(node: Node, partyIdHint: string): Promise<{ status: number; text: string }> {
  const token = await node.issueToken!('participant_admin', 60_000)
  const response = await fetch(`${node.url}/v2/parties`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ partyIdHint }),
  })
  return { status: response.status, text: await response.text() }
}

/** Blocks every writer of the node until disposed. */
async function holdWriterLock(url: string): Promise<AsyncDisposable> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  await client.query('BEGIN; SELECT * FROM shared_state FOR UPDATE')
  let isOpen = true
  return {
    async [Symbol.asyncDispose]() {
      if (isOpen) await client.end()
      isOpen = false
    },
  }
}

async function untilWaiting(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1)
  const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = '${name}' AND wait_event_type = 'Lock'`
  await until(async () => (await onServer(url, waiting)).rows.length > 0)
}

type RawAnswer = {
  status: number
  headers: import('node:http').IncomingHttpHeaders
  type: string
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: answers of all operations pass through here.
  json: any
}

/** A request whose path and headers are sent exactly as written; fetch would normalize them. */
async function send(
  node: TestNode,
  method: string,
  path: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: string } = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(node.url)
  const authorization = `Bearer ${node.adminToken}`
  const options: RequestOptions = { hostname, port, path, method, headers: { authorization, ...headers }, agent: false }
  const request = httpRequest(options).end(body)
  const [response] = (await once(request, 'response')) as [import('node:http').IncomingMessage]
  const text = Buffer.concat(await response.toArray()).toString()
  const type = response.headers['content-type'] ?? ''
  const isJson = type.startsWith('application/json')
  const json = isJson && text !== '' ? JSON.parse(text) : undefined
  return { status: response.statusCode!, headers: response.headers, type, text, json }
}

async function over(agent: Agent, { hostname, port }: URL, path: string): Promise<number> {
  const request = httpRequest({ agent, hostname, port, path }).end()
  const [response] = (await once(request, 'response')) as [import('node:http').IncomingMessage]
  response.resume()
  await once(response, 'end')
  return response.statusCode!
}

async function raw(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.end(bytes)
  return Buffer.concat(await socket.toArray()).toString()
}

function isStartError(error: unknown): true {
  assert.ok(error instanceof StartError, String(error))
  assert.doesNotMatch(error.message, /\n/)
  return true
}
