import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { type Fields, order, password, redirect, useOidcIssuer } from '../../test/fixtures/oidc-issuer.ts'

const issuer = useOidcIssuer()
const {
  at,
  post,
  tokenFor,
  authUrl,
  loginUrl,
  signIn,
  redeem,
  parts: { clock },
} = issuer

test('somebody signs in to a page, which redeems its code once', async () => {
  const form = await (await fetch(authUrl(order))).text()
  assert.match(form, /<form id="kc-form-login" method="post" action="\/realms\/Bank\/login-actions\/authenticate\?/)
  const { code, location } = await signIn()
  assert.equal(location.origin + location.pathname, redirect)
  assert.deepEqual(
    [location.searchParams.get('state'), location.searchParams.get('iss')],
    ['a b', `${issuer.base}/realms/Bank`],
  )
  const { status, json } = await redeem(code)
  assert.equal(status, 200)
  const { sub, nonce, aud, name } = decodeJwt(json.id_token)
  assert.deepEqual([sub, nonce, aud, name], ['u-1', 'n-1', 'pages', 'Ann Lee'])
  assert.deepEqual((await redeem(code)).json, { error: 'invalid_grant', error_description: 'Code not valid' })
})

test('a user who has signed in sees no form until the session ends', async () => {
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

test('an authorization code may come back as a fragment', async () => {
  const { location } = await signIn({ ...order, response_mode: 'fragment' })
  assert.match(location.hash, /^#state=a\+b&code=/)
})

const redemptions: readonly [title: string, more: Fields, error: string][] = [
  ['a wrong verifier', { code_verifier: 'w'.repeat(43) }, 'PKCE verification failed'],
  ['no verifier', { code_verifier: '' }, 'PKCE verification failed'],
  ['another redirect', { redirect_uri: `${redirect}/x` }, 'Incorrect redirect_uri'],
  ['no redirect', { redirect_uri: '' }, 'Incorrect redirect_uri'],
  ['another client', { client_id: 'other' }, 'Code not valid'],
]
for (const [title, more, reason] of redemptions) {
  test(`an authorization code with ${title} is refused, and so is its next use`, async () => {
    const { code } = await signIn()
    const { status, json } = await redeem(code, more)
    assert.deepEqual([status, json], [400, { error: 'invalid_grant', error_description: reason }])
    assert.equal((await redeem(code)).status, 400)
  })
}

test('a verifier is refused for a code that was requested without a challenge', async () => {
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
  test(`a sign-in request with ${title} is redirected nowhere`, async () => {
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
  test(`a sign-in request with ${title} goes back to the client with ${error}`, async () => {
    const response = await fetch(authUrl({ ...order, ...fields }), { redirect: 'manual' })
    const location = new URL(response.headers.get('location')!)
    assert.deepEqual([response.status, location.searchParams.get('error')], [302, error])
    assert.equal(location.searchParams.get('state'), 'a b')
    assert.ok(location.href.startsWith(redirect))
  })
}

test('a wrong password shows the sign-in form again', async () => {
  const response = await post(loginUrl(order), { username: 'ann', password: '<b>' })
  assert.equal(response.status, 200)
  assert.match(await response.text(), /<p id="input-error" role="alert">Invalid username or password\.<\/p>/)
  assert.equal(response.headers.get('set-cookie'), null)
})

test('the sign-in page shows values of the request as text', async () => {
  const html = await (await fetch(authUrl({ ...order, state: '"><script>' }))).text()
  assert.ok(!html.includes('<script'))
})

test('authorization codes and sessions expire', async () => {
  const { code } = await signIn()
  const { json } = await tokenFor(password)
  clock.advance(61_000)
  assert.equal((await redeem(code)).json.error_description, 'Code not valid')
  clock.advance(1_800_000)
  const refresh = { grant_type: 'refresh_token', client_id: 'script', refresh_token: json.refresh_token }
  assert.equal((await tokenFor(refresh)).json.error, 'invalid_grant')
})
