// How the node serves the explorer: its page and files, the links that sign in, the types of packages.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { describe, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { createTestClock } from '../../src/base/clock.ts'
import type { PackageTypes } from '../../src/codegen/type-description.ts'
import { quickstart } from '../fixtures/ledger.ts'
import { startTestNode, type TestNode } from '../fixtures/node.ts'

type Raw = { status: number; headers: IncomingHttpHeaders; body: Buffer }

/** As it is on the wire: fetch would follow, decompress and normalise. */
async function raw(node: TestNode, path: string, headers: Record<string, string> = {}): Promise<Raw> {
  const { hostname, port } = new URL(node.url)
  const request = httpRequest({ hostname, port, path, headers, agent: false }).end()
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return {
    status: response.statusCode!,
    headers: response.headers,
    body: Buffer.concat(await response.toArray()),
  }
}

describe('the explorer', () => {
  test('is served as a page that loads nothing from elsewhere, and as files that never change', async () => {
    await using node = await startTestNode()
    const page = await raw(node, '/explorer')
    assert.deepEqual([page.status, page.headers['content-type']], [200, 'text/html; charset=utf-8'])
    assert.equal(page.headers['cache-control'], 'no-cache')
    const text = page.body.toString()
    assert.doesNotMatch(text, /<script(?![^>]*\bsrc=)|<style|\son\w+=|https?:/)
    const files = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path!)
    assert.deepEqual(files.map((path) => path.split('.').at(-1)).sort(), ['css', 'js', 'svg'])
    for (const path of ['/explorer', ...files]) {
      const plain = await raw(node, path)
      assert.equal(plain.status, 200, path)
      const { headers } = plain
      const policy = headers['content-security-policy'] as string
      for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"]) {
        assert.ok(policy.split('; ').includes(rule), `${path}: ${rule}`)
      }
      assert.doesNotMatch(policy, /unsafe|\*|https?:/)
      assert.deepEqual([headers['x-content-type-options'], headers['referrer-policy']], ['nosniff', 'no-referrer'])
      if (path !== '/explorer') assert.match(headers['cache-control']!, /immutable/)
      for (const [encoding, decoded] of [
        ['br', brotliDecompressSync],
        ['gzip', gunzipSync],
      ] as const) {
        const packed = await raw(node, path, { 'accept-encoding': `identity, ${encoding}` })
        assert.equal(packed.headers['content-encoding'], encoding)
        assert.ok(packed.headers.etag !== headers.etag && decoded(packed.body).equals(plain.body), path)
        const known = await raw(node, path, { 'accept-encoding': encoding, 'if-none-match': packed.headers.etag! })
        assert.deepEqual([known.status, known.body.length], [304, 0])
      }
      assert.equal((await raw(node, path, { 'accept-encoding': 'br;q=0' })).headers['content-encoding'], undefined)
    }
  })

  test('is what / leads to, and what any path below it shows', async () => {
    await using node = await startTestNode()
    const root = await raw(node, '/')
    assert.deepEqual([root.status, root.headers.location], [307, '/explorer'])
    const page = await raw(node, '/explorer')
    for (const path of ['/explorer/updates', '/explorer/updates/12?kind=x', '/explorer/a/b%2Fc/%', '/explorer/']) {
      const { status, body } = await raw(node, path)
      assert.equal(status, 200, path)
      assert.ok(body.equals(page.body), path)
    }
    for (const name of ['x.js', '../main.mjs', '..%2fmain.mjs', 'files.json', 'constructor', '__proto__', '']) {
      assert.equal((await raw(node, `/explorer/files/${name}`)).status, name === '' ? 200 : 404, name)
    }
    assert.equal((await node.call('POST', '/explorer')).status, 405)
  })

  const nodes: [title: string, settings: object, isServed: boolean][] = [
    ['a development node', {}, true],
    ['no other node', { development: false, auth: { mode: 'off' } }, false],
    ['another node whose settings say so', { development: false, explorer: true, auth: { mode: 'off' } }, true],
    ['no development node whose settings say so', { explorer: false }, false],
  ]
  for (const [title, settings, isServed] of nodes) {
    test(`is served by ${title}`, async () => {
      await using node = await startTestNode({ settings })
      const statuses = [(await raw(node, '/')).status, (await raw(node, '/explorer/x')).status]
      assert.deepEqual(statuses, isServed ? [307, 200] : [404, 404])
      assert.equal(node.node.explorerLink() !== undefined, isServed)
    })
  }

  test('first loads at most 150 kB of JavaScript', async () => {
    await using node = await startTestNode()
    const first = await raw(node, '/explorer')
    const pending = [...first.body.toString().matchAll(/src="([^"]+\.js)"/g)].map(([, path]) => path!)
    const seen = new Set(pending)
    let bytes = 0
    for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
      const { body } = await raw(node, path, { 'accept-encoding': 'br' })
      bytes += body.length
      // Also what is loaded on demand: all pages together.
      for (const [, name] of brotliDecompressSync(body)
        .toString()
        .matchAll(/"\.\/([\w-]+\.js)"/g)) {
        const next = `/explorer/files/${name}`
        if (!seen.has(next)) pending.push(next)
        seen.add(next)
      }
    }
    assert.ok(bytes > 5_000 && bytes <= 150_000, `${bytes} bytes`)
  })
})

describe('links that sign in', () => {
  test('have a key in their fragment, which is exchanged for a token until it expires', async () => {
    const clock = createTestClock(1_700_000_000_000)
    await using node = await startTestNode({ clock })
    const link = new URL(node.node.explorerLink()!)
    const key = new URLSearchParams(link.hash.slice(1)).get('key')!
    assert.deepEqual([link.origin, link.pathname, link.search], [node.url, '/explorer', ''])
    const exchange = (given: string) => node.call('POST', '/dev/sign-in', { token: null, body: { key: given } })
    for (let turn = 0; turn < 2; turn += 1) {
      const { status, json } = await exchange(key)
      assert.equal(status, 200)
      assert.equal((await node.call('GET', '/v2/users', { token: json.token })).status, 200)
      const body = { eventFormat: { filtersForAnyParty: {} } }
      assert.equal(
        (await node.call('POST', '/v2/state/active-contracts-page', { token: json.token, body })).status,
        200,
      )
    }
    for (const other of ['', 'x', key.slice(1), '__proto__']) {
      const { status, json } = await exchange(other)
      assert.deepEqual([status, json.code], [400, 'INVALID_ARGUMENT'])
      assert.ok(other === '' || other === 'x' || !json.cause.includes(other))
    }
    const { json: made } = await node.call('POST', '/dev/sign-in-keys')
    assert.equal((await exchange(made.key)).status, 200)
    assert.equal(made.expiresAt, '2023-11-14T23:13:20Z')
    clock.advance(60 * 60 * 1000)
    for (const expired of [key, made.key]) assert.equal((await exchange(expired)).status, 400)
  })

  test('are made for administrators only, and have no key where no token is required', async () => {
    await using node = await startTestNode()
    await node.call('POST', '/v2/users', { body: { user: { id: 'clerk' } } })
    assert.equal((await node.call('POST', '/dev/sign-in-keys', { token: await node.token('clerk') })).status, 403)
    assert.equal((await node.call('POST', '/dev/sign-in-keys', { token: null })).status, 401)
    await using open = await startTestNode({ settings: { auth: { mode: 'off' } } })
    assert.equal(open.node.explorerLink(), `${open.url}/explorer`)
  })
})

describe('GET /explorer/session', () => {
  const sessionOf = async (node: TestNode, token: string | null) => {
    const { status, json } = await node.call('GET', '/explorer/session', { token })
    assert.equal(status, 200)
    return json
  }

  test('says whose token it is and what it may do; a token that is refused is no error', async () => {
    await using node = await startTestNode()
    const party = (await node.call('POST', '/v2/parties', { body: { partyIdHint: 'alice' } })).json.partyDetails.party
    const rights = [{ kind: { CanActAs: { value: { party } } } }]
    await node.call('POST', '/v2/users', { body: { user: { id: 'clerk' }, rights } })
    const about = await sessionOf(node, null)
    assert.deepEqual([about.isDevelopment, about.session, about.refusal], [true, undefined, undefined])
    const token = await node.token('clerk')
    const { session } = await sessionOf(node, token)
    assert.deepEqual(
      [session.userId, session.isStoredUser, session.isAdmin, session.actsAs, session.readsAs, session.isForgettable],
      ['clerk', true, false, [party], [party], false],
    )
    await node.call('DELETE', '/v2/users/clerk')
    for (const stale of [token, 'nonsense', await node.token('nobody')]) {
      const answer = await sessionOf(node, stale)
      assert.equal(answer.session, undefined)
      assert.match(answer.refusal, /./)
    }
  })

  test('says that a node without tokens has none, and which nodes are for development', async () => {
    const settings = { development: false, explorer: true, auth: { mode: 'off' } } as const
    await using node = await startTestNode({ settings })
    const { isDevelopment, session } = await sessionOf(node, null)
    assert.deepEqual([isDevelopment, session.userId, session.actsAs, session.readsAs], [false, undefined, 'any', 'any'])
  })

  test('is over for all who have the token once it is signed out, and for nobody else', async () => {
    await using node = await startTestNode()
    const key = new URLSearchParams(new URL(node.node.explorerLink()!).hash.slice(1)).get('key')!
    const signIn = async (): Promise<string> =>
      (await node.call('POST', '/dev/sign-in', { token: null, body: { key } })).json.token
    const [one, other] = [await signIn(), await signIn()]
    assert.equal((await sessionOf(node, one)).session.isForgettable, true)
    assert.equal((await node.call('POST', '/dev/sign-out', { token: one })).status, 200)
    assert.match((await sessionOf(node, one)).refusal, /signed out/)
    assert.equal((await node.call('GET', '/v2/users', { token: one })).status, 401)
    // The same bytes, written another way.
    const last = one.at(-1)!
    const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    for (const like of digits.slice(digits.indexOf(last) & ~3, (digits.indexOf(last) | 3) + 1)) {
      assert.equal((await node.call('GET', '/v2/users', { token: one.slice(0, -1) + like })).status, 401)
    }
    assert.equal((await node.call('GET', '/v2/users', { token: other })).status, 200)
    assert.equal((await node.call('POST', '/dev/sign-out', { token: null })).status, 401)
    const { status, json } = await node.call('POST', '/dev/sign-out')
    assert.deepEqual([status, json.code], [400, 'INVALID_ARGUMENT'])
  })
})

describe('GET /docs/types', () => {
  test('describes the templates, interfaces and types of a package, by its id or its name', async () => {
    await using node = await startTestNode()
    const { json: types }: { json: PackageTypes } = await node.call('GET', `/docs/types?package=${quickstart}`)
    assert.deepEqual([types.packageId, types.name], [quickstart, 'quickstart'])
    const iou = types.templates.find(({ id }) => id === `${quickstart}:Iou:Iou`)!
    assert.deepEqual(types.types[`${quickstart}:Iou:Iou`], {
      kind: 'record',
      parameters: [],
      fields: [
        { name: 'issuer', type: { kind: 'Party' } },
        { name: 'owner', type: { kind: 'Party' } },
        { name: 'amount', type: { kind: 'Numeric', scale: 10 } },
        { name: 'currency', type: { kind: 'Text' } },
        { name: 'observers', type: { kind: 'List', of: { kind: 'Party' } } },
      ],
    })
    const offer = iou.choices.find(({ name }) => name === 'Iou_Offer')!
    assert.deepEqual([offer.consuming, offer.creates], [true, [`${quickstart}:Iou:TransferOffer`]])
    assert.deepEqual(
      types.interfaces.map(({ id }) => id),
      iou.implements,
    )
    const byName = await node.call('GET', '/docs/types?package=quickstart')
    assert.deepEqual(byName.json, types)
    assert.equal((await node.call('GET', '/docs/types?package=quickstart', { token: null })).status, 401)
    assert.equal((await node.call('GET', '/docs/types?package=nothing')).json.code, 'PACKAGE_NAMES_NOT_FOUND')
    assert.equal((await node.call('GET', `/docs/types?package=${'0'.repeat(64)}`)).json.code, 'PACKAGE_NAMES_NOT_FOUND')
  })
})
