import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify } from 'jose'
import { temporaryFolder } from '../../test/fixtures/process.ts'
import { fc } from '../../test/fixtures/seed.ts'
import { createTestClock } from '../base/clock.ts'
import { createLog } from '../base/log.ts'
import { createSeededRandom } from '../base/random.ts'
import { createExpiringMap } from './expiring-map.ts'
import { openIssuer } from './issuer.ts'
import type { Realm } from './realm.ts'

const audience = 'https://ledger.example'
const bank: Realm = {
  name: 'Bank',
  audience,
  clients: [
    { id: 'service', secret: 's3:cret', grants: ['client_credentials'], account: { id: 'u-0', username: 'service' } },
    { id: 'script', grants: ['password'] },
    {
      id: 'pages',
      grants: ['authorization_code'],
      redirectUris: ['http://app.localhost:*', 'https://app.example/back'],
    },
    { id: 'other', grants: ['authorization_code', 'password'], redirectUris: ['http://other.localhost:*'] },
  ],
  accounts: [
    { id: 'u-1', username: 'ann', password: 'abc', email: 'ann@bank.example', firstName: 'Ann', lastName: 'Lee' },
  ],
}
const shop: Realm = { ...bank, name: 'Shop' }

const verifier = 'v'.repeat(43)
const challenge = createHash('sha256').update(verifier).digest('base64url')
const redirect = 'http://app.localhost:3000/callback'

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely.
type Json = any
type Fields = Readonly<Record<string, string>>

describe('an issuer', () => {
  const clock = createTestClock(Date.parse('2030-01-01T00:00:00Z'))
  const log = createLog('silent')
  const random = createSeededRandom('issuer')
  let server: Server
  let base: string

  before(async () => {
    const url = 'http://keycloak.localhost:8082'
    const issuer = await openIssuer({ realms: [bank, shop], url, folder: undefined, clock, random, log })
    server = createServer(issuer.handle)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(() => {
    server.close()
    server.closeAllConnections()
  })

  const at = (path: string, realm = 'Bank') => `${base}/realms/${realm}/protocol/openid-connect/${path}`

  async function post(url: string, form: Fields | string, headers: Fields = {}): Promise<Response> {
    const body = typeof form === 'string' ? form : new URLSearchParams(form).toString()
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    return fetch(url, { method: 'POST', body, headers: { ...type, ...headers }, redirect: 'manual' })
  }

  async function tokenFor(form: Fields, headers: Fields = {}): Promise<{ status: number; json: Json }> {
    const response = await post(at('token'), form, headers)
    return { status: response.status, json: await response.json() }
  }

  const password = { grant_type: 'password', client_id: 'script', username: 'ann', password: 'abc', scope: 'openid' }
  const order = {
    client_id: 'pages',
    redirect_uri: redirect,
    response_type: 'code',
    scope: 'openid',
    state: 'a b',
    nonce: 'n-1',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  }
  const authUrl = (fields: Fields) => `${at('auth')}?${new URLSearchParams(fields)}`
  const loginUrl = (fields: Fields) => `${base}/realms/Bank/login-actions/authenticate?${new URLSearchParams(fields)}`

  async function signIn(fields: Fields = order): Promise<{ code: string; cookie: string; location: URL }> {
    const response = await post(loginUrl(fields), { username: 'ann', password: 'abc' })
    assert.equal(response.status, 302)
    const location = new URL(response.headers.get('location')!)
    const [cookie] = response.headers.get('set-cookie')!.split(';')
    return { code: location.searchParams.get('code')!, cookie: cookie!, location }
  }

  const redeem = (code: string, more: Fields = {}) =>
    tokenFor({
      grant_type: 'authorization_code',
      client_id: 'pages',
      code,
      redirect_uri: redirect,
      code_verifier: verifier,
      ...more,
    })

  test('says where its endpoints are, under the name by which it is asked', async () => {
    const own = (await (await fetch(`${base}/realms/Bank/.well-known/openid-configuration`)).json()) as Json
    assert.equal(own.issuer, `${base}/realms/Bank`)
    assert.equal(own.token_endpoint, at('token'))
    assert.deepEqual(own.code_challenge_methods_supported, ['plain', 'S256'])
    assert.equal((await fetch(own.jwks_uri)).status, 200)
  })

  test('signs tokens with the key that it publishes', async () => {
    const keys = createLocalJWKSet((await (await fetch(at('certs'))).json()) as JSONWebKeySet)
    const { json } = await tokenFor(password)
    const currentDate = new Date(clock.nowMs())
    const { payload, protectedHeader } = await jwtVerify(json.access_token, keys, { audience, currentDate })
    assert.deepEqual([protectedHeader.alg, payload.sub, payload.iss], ['RS256', 'u-1', `${base}/realms/Bank`])
    assert.deepEqual([payload.typ, payload.azp, payload.preferred_username], ['Bearer', 'script', 'ann'])
    assert.equal(payload.exp! - payload.iat!, 300)
    assert.equal(decodeJwt(json.id_token).aud, 'script')
  })

  for (const [where, form, headers] of [
    ['the form', { client_id: 'service', client_secret: 's3:cret' }, {}],
    ['the header', {}, { authorization: `Basic ${Buffer.from('service:s3%3Acret').toString('base64')}` }],
  ] as const) {
    test(`a service gets a token for its credentials in ${where}, and no session`, async () => {
      const { status, json } = await tokenFor({ grant_type: 'client_credentials', ...form }, headers)
      assert.deepEqual([status, json.token_type, json.expires_in], [200, 'Bearer', 300])
      assert.equal(decodeJwt(json.access_token).sub, 'u-0')
      assert.deepEqual([json.refresh_token, json.id_token], [undefined, undefined])
    })
  }

  test('somebody signs in to a page, which redeems its code once', async () => {
    const form = await (await fetch(authUrl(order))).text()
    assert.match(form, /<form id="kc-form-login" method="post" action="\/realms\/Bank\/login-actions\/authenticate\?/)
    const { code, location } = await signIn()
    assert.equal(location.origin + location.pathname, redirect)
    assert.deepEqual(
      [location.searchParams.get('state'), location.searchParams.get('iss')],
      ['a b', `${base}/realms/Bank`],
    )
    const { status, json } = await redeem(code)
    assert.equal(status, 200)
    const { sub, nonce, aud, name } = decodeJwt(json.id_token)
    assert.deepEqual([sub, nonce, aud, name], ['u-1', 'n-1', 'pages', 'Ann Lee'])
    assert.deepEqual((await redeem(code)).json, { error: 'invalid_grant', error_description: 'Code not valid' })
  })

  test('whoever is signed in gets on without the form, until the session ends', async () => {
    const { cookie, code } = await signIn()
    const again = await fetch(authUrl({ ...order, prompt: 'none' }), { headers: { cookie }, redirect: 'manual' })
    const second = new URL(again.headers.get('location')!).searchParams.get('code')!
    assert.equal((await redeem(second)).status, 200)
    assert.equal((await fetch(authUrl({ ...order, prompt: 'login' }), { headers: { cookie } })).status, 200)
    const { json } = await redeem(code)
    const query = new URLSearchParams({ id_token_hint: json.id_token, post_logout_redirect_uri: redirect, state: 'x' })
    const out = await fetch(`${at('logout')}?${query}`, { headers: { cookie }, redirect: 'manual' })
    assert.deepEqual([out.status, out.headers.get('location')], [302, `${redirect}?state=x`])
    assert.match(out.headers.get('set-cookie')!, /tallystick_session=; .*Max-Age=0/)
    const refused = await fetch(authUrl({ ...order, prompt: 'none' }), { headers: { cookie }, redirect: 'manual' })
    assert.match(refused.headers.get('location')!, /error=login_required/)
    const refresh = { grant_type: 'refresh_token', client_id: 'pages', refresh_token: json.refresh_token }
    assert.deepEqual((await tokenFor(refresh)).json, {
      error: 'invalid_grant',
      error_description: 'Session not active',
    })
  })

  test('a code may come back as a fragment', async () => {
    const { location } = await signIn({ ...order, response_mode: 'fragment' })
    assert.match(location.hash, /^#state=a\+b&code=/)
  })

  test('refresh tokens go on with the session, and end with it', async () => {
    const { json } = await tokenFor(password)
    const refresh = { grant_type: 'refresh_token', client_id: 'script', refresh_token: json.refresh_token }
    const next = await tokenFor(refresh)
    assert.equal(next.status, 200)
    const info = (token: string) => fetch(at('userinfo'), { headers: { authorization: `Bearer ${token}` } })
    assert.deepEqual(await (await info(next.json.access_token)).json(), {
      sub: 'u-1',
      preferred_username: 'ann',
      name: 'Ann Lee',
      given_name: 'Ann',
      family_name: 'Lee',
      email: 'ann@bank.example',
      email_verified: true,
    })
    const out = await post(at('logout'), { client_id: 'script', refresh_token: json.refresh_token })
    assert.equal(out.status, 204)
    assert.equal((await tokenFor(refresh)).json.error, 'invalid_grant')
    assert.equal((await info(next.json.access_token)).status, 401)
  })

  const rows: readonly [title: string, form: Fields, status: number, error: string, headers?: Fields][] = [
    ['no grant type', { client_id: 'script' }, 400, 'invalid_request'],
    ['an unknown grant type', { client_id: 'script', grant_type: 'magic' }, 400, 'unsupported_grant_type'],
    ['no client', { grant_type: 'password' }, 401, 'invalid_client'],
    ['an unknown client', { ...password, client_id: 'nobody' }, 401, 'invalid_client'],
    [
      'a wrong secret',
      { grant_type: 'client_credentials', client_id: 'service', client_secret: 'x' },
      401,
      'invalid_client',
    ],
    ['no secret', { grant_type: 'client_credentials', client_id: 'service' }, 401, 'invalid_client'],
    [
      'a header that is not Basic',
      { grant_type: 'client_credentials' },
      401,
      'invalid_client',
      { authorization: 'Basic %%%' },
    ],
    [
      'a public client that acts on its own',
      { ...password, grant_type: 'client_credentials' },
      400,
      'unauthorized_client',
    ],
    ['a client that may not use passwords', { ...password, client_id: 'pages' }, 400, 'unauthorized_client'],
    ['a wrong password', { ...password, password: 'x' }, 400, 'invalid_grant'],
    ['an unknown user', { ...password, username: 'bob' }, 400, 'invalid_grant'],
    ['no password', { grant_type: 'password', client_id: 'script', username: 'ann' }, 400, 'invalid_grant'],
    ['no username', { grant_type: 'password', client_id: 'script', password: 'abc' }, 400, 'invalid_request'],
    ['an unknown scope', { ...password, scope: 'openid everything' }, 400, 'invalid_scope'],
    ['a foreign code', { grant_type: 'authorization_code', client_id: 'pages', code: 'x' }, 400, 'invalid_grant'],
    [
      'a refresh token that is none',
      { grant_type: 'refresh_token', client_id: 'script', refresh_token: 'x.y.z' },
      400,
      'invalid_grant',
    ],
    ['a parameter that is too long', { ...password, username: 'a'.repeat(9000) }, 400, 'invalid_request'],
  ]
  for (const [title, form, status, error, headers] of rows) {
    test(`refuses ${title} by ${error}`, async () => {
      const answer = await tokenFor(form, headers)
      assert.deepEqual([answer.status, answer.json.error], [status, error])
      assert.equal(typeof answer.json.error_description, 'string')
    })
  }

  const redemptions: readonly [title: string, more: Fields, error: string][] = [
    ['a wrong verifier', { code_verifier: 'w'.repeat(43) }, 'PKCE verification failed'],
    ['no verifier', { code_verifier: '' }, 'PKCE verification failed'],
    ['another redirect', { redirect_uri: `${redirect}/x` }, 'Incorrect redirect_uri'],
    ['no redirect', { redirect_uri: '' }, 'Incorrect redirect_uri'],
    ['another client', { client_id: 'other' }, 'Code not valid'],
  ]
  for (const [title, more, reason] of redemptions) {
    test(`a code is worth nothing with ${title}, nor afterwards`, async () => {
      const { code } = await signIn()
      const { status, json } = await redeem(code, more)
      assert.deepEqual([status, json], [400, { error: 'invalid_grant', error_description: reason }])
      assert.equal((await redeem(code)).status, 400)
    })
  }

  test('a verifier is refused for a code that was asked for without a challenge', async () => {
    const { code_challenge: _, code_challenge_method: __, ...plain } = order
    assert.equal((await redeem((await signIn(plain)).code)).json.error_description, 'PKCE verification failed')
    assert.equal((await redeem((await signIn(plain)).code, { code_verifier: '' })).status, 200)
  })

  const shown: readonly [title: string, fields: Fields, message: string][] = [
    ['an unknown client', { client_id: 'nobody' }, 'Client not found.'],
    ['a foreign redirect', { redirect_uri: 'http://evil.example/' }, 'Invalid parameter: redirect_uri'],
    [
      'credentials before the host',
      { redirect_uri: 'http://app.localhost:1@evil.example/' },
      'Invalid parameter: redirect_uri',
    ],
    [
      'a name before the host',
      { redirect_uri: 'http://app.localhost:@evil.example/' },
      'Invalid parameter: redirect_uri',
    ],
    ['a redirect with a fragment', { redirect_uri: `${redirect}#x` }, 'Invalid parameter: redirect_uri'],
    ['more than a whole redirect', { redirect_uri: 'https://app.example/back/x' }, 'Invalid parameter: redirect_uri'],
    ['a script as redirect', { redirect_uri: 'javascript:alert(1)' }, 'Invalid parameter: redirect_uri'],
    ['no redirect', { redirect_uri: '' }, 'Invalid parameter: redirect_uri'],
  ]
  for (const [title, fields, message] of shown) {
    test(`a request with ${title} is redirected nowhere`, async () => {
      for (const response of [
        await fetch(authUrl({ ...order, ...fields }), { redirect: 'manual' }),
        await post(loginUrl({ ...order, ...fields }), { username: 'ann', password: 'abc' }),
      ]) {
        assert.equal(response.status, 400)
        assert.ok((await response.text()).includes(message))
      }
    })
  }

  const returned: readonly [title: string, fields: Fields, error: string][] = [
    ['no response type', { response_type: '' }, 'invalid_request'],
    ['an implicit response', { response_type: 'token' }, 'unsupported_response_type'],
    ['an unknown response mode', { response_mode: 'form_post' }, 'invalid_request'],
    ['an unknown challenge method', { code_challenge_method: 'S512' }, 'invalid_request'],
    ['an unknown scope', { scope: 'everything' }, 'invalid_scope'],
    ['nobody signed in and no form wanted', { prompt: 'none' }, 'login_required'],
  ]
  for (const [title, fields, error] of returned) {
    test(`the client is told about ${title} by ${error}`, async () => {
      const response = await fetch(authUrl({ ...order, ...fields }), { redirect: 'manual' })
      const location = new URL(response.headers.get('location')!)
      assert.deepEqual([response.status, location.searchParams.get('error')], [302, error])
      assert.equal(location.searchParams.get('state'), 'a b')
      assert.ok(location.href.startsWith(redirect))
    })
  }

  test('a wrong password shows the form again', async () => {
    const response = await post(loginUrl(order), { username: 'ann', password: '<b>' })
    assert.equal(response.status, 200)
    assert.match(await response.text(), /<p id="input-error" role="alert">Invalid username or password\.<\/p>/)
    assert.equal(response.headers.get('set-cookie'), null)
  })

  test('what a page shows of a request is text', async () => {
    const html = await (await fetch(authUrl({ ...order, state: '"><script>' }))).text()
    assert.ok(!html.includes('<script'))
  })

  test('tokens of one kind, one realm or one session are no others', async () => {
    const { json } = await tokenFor(password)
    const info = async (token: string, realm?: string) =>
      (await fetch(at('userinfo', realm), { headers: { authorization: `Bearer ${token}` } })).status
    assert.deepEqual(
      [
        await info(json.access_token),
        await info(json.access_token, 'Shop'),
        await info(json.id_token),
        await info(json.refresh_token),
        await info(''),
      ],
      [200, 401, 401, 401, 401],
    )
    const refresh = { grant_type: 'refresh_token', client_id: 'script', refresh_token: json.access_token }
    assert.equal((await tokenFor(refresh)).json.error, 'invalid_grant')
    const elsewhere = await post(at('token', 'Shop'), { ...refresh, refresh_token: json.refresh_token })
    assert.equal(((await elsewhere.json()) as Json).error, 'invalid_grant')
    const { json: bare } = await tokenFor({ ...password, scope: '' })
    assert.equal(await info(bare.access_token), 403)
  })

  const broken: readonly [title: string, path: string, init: RequestInit, status: number][] = [
    ['an unknown realm', '/realms/Nowhere/protocol/openid-connect/certs', {}, 404],
    ['an unknown path', '/realms/Bank/protocol/openid-connect/nothing', {}, 404],
    ['a path that cannot be decoded', '/realms/%zz/protocol/openid-connect/certs', {}, 404],
    ['a parameter twice', '/realms/Bank/protocol/openid-connect/auth?client_id=pages&client_id=pages', {}, 400],
    [
      'a form that is too large',
      '/realms/Bank/protocol/openid-connect/token',
      { method: 'POST', body: 'a='.padEnd(40_000, 'x') },
      413,
    ],
  ]
  for (const [title, path, init, status] of broken) {
    test(`${title} is answered with ${status}`, async () => {
      assert.equal((await fetch(base + path, init)).status, status)
    })
  }

  test('no request makes it fail', async () => {
    const word = fc.oneof(
      fc.constantFrom(
        'pages',
        'script',
        'service',
        'ann',
        'abc',
        redirect,
        'code',
        'openid',
        'S256',
        'none',
        'fragment',
      ),
      fc.constantFrom(
        'authorization_code',
        'password',
        'client_credentials',
        'refresh_token',
        'a.b.c',
        'Basic eA==',
        '%',
      ),
      fc.constantFrom('é', '\u0000', '\u{10ffff}', '"><script>', '\r\nlocation: x'),
      fc.string({ maxLength: 40 }),
    )
    const name = fc.constantFrom(
      ...[
        'client_id',
        'client_secret',
        'grant_type',
        'redirect_uri',
        'response_type',
        'response_mode',
        'scope',
        'state',
      ],
      ...['code', 'code_verifier', 'code_challenge', 'code_challenge_method', 'prompt', 'username', 'password'],
      ...['refresh_token', 'id_token_hint', 'post_logout_redirect_uri', 'access_token', '__proto__'],
    )
    const fields = fc.array(fc.tuple(name, word), { maxLength: 8 })
    const path = fc.constantFrom(
      ...['auth', 'token', 'userinfo', 'logout', 'certs'].map((one) => `/realms/Bank/protocol/openid-connect/${one}`),
      '/realms/Bank/login-actions/authenticate',
      '/admin/realms/Bank/users',
      '/realms/Bank/.well-known/openid-configuration',
    )
    const json = fc.option(fc.json({ maxDepth: 2 }), { nil: undefined })
    await fc.assert(
      fc.asyncProperty(path, fields, fields, json, fc.boolean(), async (place, query, form, body, isPost) => {
        const headers = { authorization: `Bearer ${'x'.repeat(query.length)}`, cookie: `tallystick_session=${place}` }
        const type = { 'content-type': body === undefined ? 'application/x-www-form-urlencoded' : 'application/json' }
        const response = await fetch(`${base}${place}?${new URLSearchParams(query)}`, {
          redirect: 'manual',
          headers: { ...headers, ...type },
          ...(isPost && { method: 'POST', body: body ?? new URLSearchParams(form).toString() }),
        })
        await response.text()
        assert.ok(response.status < 500, `${place}: ${response.status}`)
      }),
      { numRuns: 150 },
    )
  })

  test('an administrator makes accounts, which sign in', async () => {
    const admin = { grant_type: 'password', client_id: 'admin-cli', username: 'admin', password: 'admin' }
    const { access_token: token } = (await (await post(at('token', 'master'), admin)).json()) as Json
    const create = (body: string, bearer = token) =>
      fetch(`${base}/admin/realms/Bank/users`, {
        method: 'POST',
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
        body,
      })
    const credentials = [{ type: 'password', value: 'pass', temporary: false }]
    const bob = { username: 'bob', email: 'bob@x', enabled: true, attributes: { partyId: ['p::1'] }, credentials }
    const made = await create(JSON.stringify(bob))
    const [, id] = /^http:.*\/admin\/realms\/Bank\/users\/([0-9a-f-]{36})$/.exec(made.headers.get('location')!)!
    const { json } = await tokenFor({ ...password, username: 'bob', password: 'pass' })
    const { sub, party_id: party } = decodeJwt(json.access_token)
    assert.deepEqual([made.status, sub, party], [201, id, 'p::1'])
    assert.equal((await create(JSON.stringify(bob))).status, 409)
    assert.equal((await create(JSON.stringify({ ...bob, username: 'b2' }))).status, 409)
    for (const body of ['', '[]', '{', '{"username":"x"}', `{"username":"${'x'.repeat(300)}"}`]) {
      assert.equal((await create(body)).status, 400)
    }
    assert.equal((await create(JSON.stringify(bob), json.access_token)).status, 401)
    assert.equal((await create(JSON.stringify(bob), '')).status, 401)
  })

  test('codes and sessions end in time', async () => {
    const { code } = await signIn()
    const { json } = await tokenFor(password)
    clock.advance(61_000)
    assert.equal((await redeem(code)).json.error_description, 'Code not valid')
    clock.advance(1_800_000)
    const refresh = { grant_type: 'refresh_token', client_id: 'script', refresh_token: json.refresh_token }
    assert.equal((await tokenFor(refresh)).json.error, 'invalid_grant')
  })

  test('a kept key is used again, and a broken one is named', async () => {
    using folder = temporaryFolder()
    const parts = { realms: [bank], url: base, folder: folder.path, clock, random, log }
    const first = await openIssuer(parts)
    const { json } = await keysOf(first)
    assert.deepEqual((await keysOf(await openIssuer(parts))).json, json)
    writeFileSync(join(folder.path, 'oidc-key.pem'), 'nothing')
    await assert.rejects(openIssuer(parts), /cannot use the key of the OIDC issuer in .*oidc-key\.pem/)
  })
})

test('an expiring map drops what is old, and the oldest of too many', () => {
  const clock = createTestClock(0)
  const map = createExpiringMap<number>(clock, 2, 1000)
  map.set('a', 1)
  clock.advance(600)
  map.set('b', 2)
  map.set('a', 3) // It lives on.
  map.set('c', 4)
  assert.deepEqual([map.get('a'), map.get('b'), map.get('c')], [3, undefined, 4])
  clock.advance(1000)
  assert.deepEqual([map.get('a'), map.get('c')], [undefined, undefined])
})

/** The key set, over a connection of its own. */
async function keysOf({ handle }: Awaited<ReturnType<typeof openIssuer>>): Promise<{ json: Json }> {
  const server = createServer(handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const response = await fetch(`http://127.0.0.1:${port}/realms/Bank/protocol/openid-connect/certs`)
  const json = await response.json()
  server.close()
  server.closeAllConnections()
  return { json }
}
