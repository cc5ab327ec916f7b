import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify } from 'jose'
import { audience, type Fields, type Json, password, useOidcIssuer } from '../../test/fixtures/oidc-issuer.ts'

const issuer = useOidcIssuer()
const {
  at,
  post,
  tokenFor,
  parts: { clock },
} = issuer

test('the issuer signs tokens with the key that it publishes', async () => {
  const keys = createLocalJWKSet((await (await fetch(at('certs'))).json()) as JSONWebKeySet)
  const { json } = await tokenFor(password)
  const currentDate = new Date(clock.nowMs())
  const { payload, protectedHeader } = await jwtVerify(json.access_token, keys, { audience, currentDate })
  assert.deepEqual([protectedHeader.alg, payload.sub, payload.iss], ['RS256', 'u-1', `${issuer.base}/realms/Bank`])
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

test('a refresh token works until its session ends', async () => {
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
  test(`the token endpoint refuses ${title} with ${error}`, async () => {
    const answer = await tokenFor(form, headers)
    assert.deepEqual([answer.status, answer.json.error], [status, error])
    assert.equal(typeof answer.json.error_description, 'string')
  })
}

test('a token of another kind, realm or scope is refused', async () => {
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
