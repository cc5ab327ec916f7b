import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { bank, type Json, password, redirect, useOidcIssuer } from '../../test/fixtures/oidc-issuer.ts'
import { temporaryFolder } from '../../test/fixtures/process.ts'
import { fc } from '../../test/fixtures/seed.ts'
import { openIssuer } from './issuer.ts'

const issuer = useOidcIssuer()
const {
  at,
  post,
  tokenFor,
  parts: { clock, log, random },
} = issuer

test('the issuer says where its endpoints are, under the name by which it is asked', async () => {
  const own = (await (await fetch(`${issuer.base}/realms/Bank/.well-known/openid-configuration`)).json()) as Json
  assert.equal(own.issuer, `${issuer.base}/realms/Bank`)
  assert.equal(own.token_endpoint, at('token'))
  assert.deepEqual(own.code_challenge_methods_supported, ['plain', 'S256'])
  assert.equal((await fetch(own.jwks_uri)).status, 200)
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
  test(`the issuer answers ${title} with ${status}`, async () => {
    assert.equal((await fetch(issuer.base + path, init)).status, status)
  })
}

test('no request makes the issuer fail', async () => {
  const word = fc.oneof(
    fc.constantFrom('pages', 'script', 'service', 'ann', 'abc', redirect, 'code', 'openid', 'S256', 'none', 'fragment'),
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
    ...['client_id', 'client_secret', 'grant_type', 'redirect_uri', 'response_type', 'response_mode', 'scope', 'state'],
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
      const response = await fetch(`${issuer.base}${place}?${new URLSearchParams(query)}`, {
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

test('an administrator creates accounts, which sign in', async () => {
  const admin = { grant_type: 'password', client_id: 'admin-cli', username: 'admin', password: 'admin' }
  const { access_token: token } = (await (await post(at('token', 'master'), admin)).json()) as Json
  const create = (body: string, bearer = token) =>
    fetch(`${issuer.base}/admin/realms/Bank/users`, {
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

test('the issuer uses a kept key again, and names the file of a broken one', async () => {
  using folder = temporaryFolder()
  const parts = { realms: [bank], url: issuer.base, folder: folder.path, clock, random, log }
  const first = await openIssuer(parts)
  const { json } = await keysOf(first)
  assert.deepEqual((await keysOf(await openIssuer(parts))).json, json)
  writeFileSync(join(folder.path, 'oidc-key.pem'), 'nothing')
  await assert.rejects(openIssuer(parts), /cannot use the key of the OIDC issuer in .*oidc-key\.pem/)
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
