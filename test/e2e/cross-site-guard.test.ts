// A web page that a developer visits can do nothing to a node without tokens. Clients that send no Origin are served.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { startTestNode, type TestNode } from '../fixtures/node.ts'

type Headers = Readonly<Record<string, string>>

/** As browsers do, with headers that Node's fetch would not send. */
async function send(node: TestNode, method: string, path: string, headers: Headers, body = '') {
  const request = httpRequest(`${node.url}${path}`, { method, headers })
  request.end(body)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return { status: response.statusCode, text: await text(response) }
}

const off = { auth: { mode: 'off' as const } }
const adminBody = JSON.stringify({
  user: { id: 'mallory' },
  rights: [{ kind: { ParticipantAdmin: { value: {} } } }],
})
const isThere = async (node: TestNode) => (await node.call('GET', '/v2/users/mallory', { token: null })).status === 200

describe('on a node without tokens', () => {
  const pages: [title: string, headers: Headers][] = [
    ['a form of another page', { origin: 'https://evil.example', 'content-type': 'text/plain' }],
    ['a page without an origin of its own', { origin: 'null', 'content-type': 'text/plain' }],
    ['a page of another port of another machine', { origin: 'http://192.0.2.1:80', 'content-type': 'text/plain' }],
    [
      'a page whose name was made to mean this machine',
      { host: 'evil.example:7575', origin: 'http://evil.example:7575' },
    ],
    ['the same without an origin', { host: 'evil.example' }],
    ['a name that only ends like ours', { host: 'localhost.evil.example' }],
    ['a browser that tells of no origin', { 'sec-fetch-site': 'cross-site' }],
    ['no name at all', { host: '@' }],
  ]
  for (const [title, headers] of pages) {
    test(`${title} creates no administrator`, async () => {
      await using node = await startTestNode({ settings: off })
      const { status, text } = await send(node, 'POST', '/v2/users', headers, adminBody)
      assert.equal(status, 403)
      const { code, cause } = JSON.parse(text)
      assert.ok(['FOREIGN_PAGE', 'HOST_NAME_UNKNOWN'].includes(code), code)
      assert.match(cause, /^This node requires no token, so it answers only .*http\.(corsOrigins|hostNames)/)
      assert.equal(await isThere(node), false)
    })
  }

  test('a page whose host name resolves to this machine reads nothing', async () => {
    await using node = await startTestNode({ settings: off })
    for (const path of ['/v2/users', '/v2/state/ledger-end', '/docs', '/nowhere']) {
      assert.equal((await send(node, 'GET', path, { host: 'evil.example' })).status, 403, path)
    }
    for (const path of ['/livez', '/readyz', '/metrics']) {
      assert.equal((await send(node, 'GET', path, { host: 'monitored.example' })).status, 200, path)
    }
  })

  const others: [title: string, headers: Headers, http: object][] = [
    ['curl', {}, {}],
    ['a client that calls it localhost', { host: 'localhost:7575' }, {}],
    ['a client that calls it by an address', { host: '192.168.1.20:7575' }, {}],
    ['a client that calls it by an address of IPv6', { host: '[fe80::1]:7575' }, {}],
    ['a page of this machine', { origin: 'http://localhost:3000' }, {}],
    ['a page of its own', { host: '192.168.1.20:7575', origin: 'http://192.168.1.20:7575' }, {}],
    ['a page that is named', { origin: 'https://app.example' }, { corsOrigins: ['https://app.example'] }],
    ['a container that calls it by its name', { host: 'Ledger:7575' }, { hostNames: ['ledger'] }],
    [
      'anybody, where the settings say so',
      { host: 'x.example', origin: 'http://y.example' },
      { hostNames: ['*'], corsOrigins: ['*'] },
    ],
  ]
  for (const [title, headers, http] of others) {
    test(`${title} is served`, async () => {
      await using node = await startTestNode({ settings: { ...off, http } })
      assert.equal((await send(node, 'POST', '/v2/users', headers, adminBody)).status, 200)
    })
  }
})

test('on a node with tokens, pages and names do not matter: nothing is done without a token', async () => {
  await using node = await startTestNode()
  const headers = { host: 'evil.example', origin: 'http://evil.example' }
  assert.equal((await send(node, 'POST', '/v2/users', headers, adminBody)).status, 401)
  assert.equal((await send(node, 'GET', '/v2/version', headers)).status, 200)
})
