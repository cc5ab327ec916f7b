// Which tokens the node accepts, over HTTP: every key source, form of payload and time, stored identity providers, and
// key sets behind all kinds of endpoints.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { createTestClock } from '../../src/base/clock.ts'
import { StartError } from '../../src/base/errors.ts'
import type { KeySource } from '../../src/base/settings.ts'
import { issueLocalToken } from '../../src/node/maintenance.ts'
import { createCertificate } from '../fixtures/certificate.ts'
import {
  type Algorithm,
  algorithms,
  type Behaviour,
  generateKeys,
  type Issuer,
  signWith,
  startIssuer,
} from '../fixtures/issuer.ts'
import { type Answer, refusalOf, startTestNode, stores, type TestNode } from '../fixtures/node.ts'

const admin = { sub: 'participant_admin' }
const scope = 'daml_ledger_api'
const audiencePrefix = 'https://daml.com/jwt/aud/participant/'
const secret = 'a secret of thirty-two bytes or more'

/** Whole seconds, so that tokens can be placed exactly at their limits. */
const startClock = () => createTestClock(Math.floor(Date.now() / 1000) * 1000)

const callAs = (node: TestNode, token: string | null) => node.call('GET', '/v2/authenticated-user', { token })

/** The user of the token, or the status of its refusal. */
async function outcomeOf(node: TestNode, token: string): Promise<string | number> {
  const { status, json } = await callAs(node, token)
  return status === 200 ? json.user.id : status
}

function signHs(key: string, claims: Readonly<Record<string, unknown>>, nowMs = Date.now()): Promise<string> {
  const exp = Math.floor(nowMs / 1000) + 240
  return signWith(new TextEncoder().encode(key), { alg: 'HS256' }, { exp, ...claims })
}

/** Settles when this process has received the headers of an answer that it fetched from an issuer. */
function headersReceived(): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const received = (event: unknown): void => {
    if ((event as { request: { path: string } }).request.path !== '/keys') return
    unsubscribe('undici:request:headers', received)
    resolve(event)
  }
  subscribe('undici:request:headers', received)
  return promise
}

function assertRefused(answer: Answer, status: number, reason: string, row = ''): void {
  assert.equal(answer.status, status, `${row} ${answer.text}`)
  assert.ok(answer.json.cause.includes(reason), `${row} expected "${reason}" in "${answer.json.cause}"`)
}

async function addProvider(node: TestNode, issuer: Pick<Issuer, 'issuer' | 'jwksUrl'>, id = 'acme', audience = '') {
  const identityProviderConfig = {
    identityProviderId: id,
    issuer: issuer.issuer,
    jwksUrl: issuer.jwksUrl,
    audience,
    isDeactivated: false,
  }
  const created = await node.call('POST', '/v2/idps', { body: { identityProviderConfig } })
  assert.equal(created.status, 200, created.text)
}

async function addUser(node: TestNode, id: string, identityProviderId = '') {
  const user = { id, identityProviderId }
  const created = await node.call('POST', '/v2/users', { body: { user, rights: [] } })
  assert.equal(created.status, 200, created.text)
}

async function patchProvider(node: TestNode, changes: Readonly<Record<string, unknown>>, path: string) {
  const identityProviderConfig = { identityProviderId: 'acme', ...changes }
  const patched = await node.call('PATCH', '/v2/idps/acme', {
    body: { identityProviderConfig, updateMask: { paths: [path] } },
  })
  assert.equal(patched.status, 200, patched.text)
}

/** Canton takes no others from key sets. */
const isOfCanton = (alg: string) => ['RS256', 'ES256', 'ES512'].includes(alg)

describe('tokens are verified', () => {
  test('with a shared secret, on a node without a local secret', async () => {
    const keys: KeySource[] = [
      { type: 'hs256', secret },
      { type: 'hs256', secret: 'short' }, // Canton accepts any length.
    ]
    await using node = await startTestNode({ settings: { development: false, auth: { keys } } })
    assert.equal(node.node.issueToken, undefined)
    assert.equal(await outcomeOf(node, await signHs(secret, { ...admin, scope })), 'participant_admin')
    assert.equal(await outcomeOf(node, await signHs('short', { ...admin, scope })), 'participant_admin')
    assert.equal(await outcomeOf(node, await signHs('another secret altogether, also long', { ...admin, scope })), 401)
  })

  test('with the public key of a certificate, each kind with its own algorithm', async () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'tallystick-certificates-'))
    const pairs = new Map(algorithms.map((alg) => [alg, generateKeys(alg)]))
    const keys = algorithms.map((alg): KeySource => {
      const file = join(folder.path, `${alg}.pem`)
      writeFileSync(file, createCertificate(pairs.get(alg)!))
      return { type: 'certificate', file }
    })
    await using node = await startTestNode({ settings: { development: false, auth: { keys } } })
    const exp = Math.floor(Date.now() / 1000) + 240
    for (const alg of algorithms) {
      const sign = (pair = pairs.get(alg)!) => signWith(pair.privateKey, { alg }, { ...admin, scope, exp })
      assert.equal(await outcomeOf(node, await sign()), 'participant_admin', alg)
      assert.equal(await outcomeOf(node, await sign(generateKeys(alg))), 401, `${alg} with a key of somebody else`)
    }
    for (const alg of ['RS384', 'RS512', 'PS256']) {
      const token = await signWith(pairs.get('RS256')!.privateKey, { alg }, { ...admin, scope, exp })
      assert.equal(await outcomeOf(node, token), 401, `${alg} with the RSA certificate`)
    }
  })

  test('with a configured key set, by kid', async () => {
    await using issuer = await startIssuer({ algorithms })
    const keys: KeySource[] = [{ type: 'jwks', url: issuer.jwksUrl }]
    await using node = await startTestNode({ settings: { auth: { keys } } })
    await using lenient = await startTestNode({ settings: { auth: { keys }, lenient: true } })
    for (const alg of algorithms) {
      const token = await issuer.sign({ ...admin, scope }, { alg })
      assert.equal(await outcomeOf(node, token), isOfCanton(alg) ? 'participant_admin' : 401, alg)
      assert.equal(await outcomeOf(lenient, token), 'participant_admin', alg)
    }
    // The kid decides: the key of another algorithm never matches.
    const mixed = await issuer.sign({ ...admin, scope }, { alg: 'ES256', kid: 'ES384-1' })
    assertRefused(await callAs(node, mixed), 401, 'its issuer publishes no key with its kid')
    const unnamed = await issuer.sign({ ...admin, scope }, { kid: null })
    assertRefused(await callAs(node, unnamed), 401, 'its header has no kid')
  })

  test('with a key set behind a password, which no answer reveals', async () => {
    const clock = startClock()
    await using issuer = await startIssuer({ clock })
    const url = issuer.jwksUrl.replace('//', '//me:s3cret@')
    await using node = await startTestNode({ clock, settings: { auth: { keys: [{ type: 'jwks', url }] } } })
    issuer.behave({ status: 401 })
    const refused = await callAs(node, await issuer.sign({ ...admin, scope }))
    assertRefused(refused, 401, 'the endpoint answered 401')
    assert.doesNotMatch(refused.text, /s3cret/)
    issuer.behave({})
    clock.advance(1_000) // A failing endpoint is left alone for a moment.
    assert.equal(await outcomeOf(node, await issuer.sign({ ...admin, scope })), 'participant_admin')
  })

  test('with the keys of a stored identity provider, for its own users', async () => {
    await using issuer = await startIssuer({ algorithms })
    await using node = await startTestNode()
    await addProvider(node, issuer)
    await addUser(node, 'alice', 'acme')
    for (const alg of algorithms) {
      const outcome = await outcomeOf(node, await issuer.sign({ sub: 'alice', scope }, { alg }))
      assert.equal(outcome, isOfCanton(alg) ? 'alice' : 401, alg)
    }
    const iss = 'https://unknown.example'
    const reason = `none is configured for the issuer ${iss}`
    assertRefused(await callAs(node, await issuer.sign({ sub: 'alice', scope, iss })), 401, reason)
    const anonymous = await issuer.sign({ sub: 'alice', scope, iss: undefined })
    assertRefused(await callAs(node, anonymous), 401, 'it names no issuer (iss)')
  })

  test('without a kid if the identity provider publishes a single key, but not if it could be several', async () => {
    await using single = await startIssuer()
    await using several = await startIssuer({ algorithms: ['RS256', 'ES256'] })
    await using node = await startTestNode()
    await addProvider(node, single)
    await addProvider(node, several, 'other')
    await addUser(node, 'alice', 'acme')
    assert.equal(await outcomeOf(node, await single.sign({ sub: 'alice', scope }, { kid: null })), 'alice')
    const twice = several.keySet.keys.filter((key) => 'alg' in key && key.alg === 'RS256')
    several.behave({ body: JSON.stringify({ keys: [...twice, ...twice] }) })
    const ambiguous = await several.sign({ sub: 'alice', scope }, { kid: null })
    assertRefused(await callAs(node, ambiguous), 401, 'multiple matching keys found in the JSON Web Key Set')
  })

  test('by the first key source that accepts them, configured ones before stored ones', async () => {
    await using issuer = await startIssuer()
    const keys: KeySource[] = [{ type: 'jwks', url: issuer.jwksUrl, targetAudience: 'static' }]
    await using node = await startTestNode({ settings: { auth: { keys } } })
    await addProvider(node, issuer)
    await addUser(node, 'alice', 'acme')
    // As a token of the default identity provider, it is only for that provider's users.
    const both = await issuer.sign({ sub: 'alice', aud: 'static', scope })
    assertRefused(await callAs(node, both), 403, 'the user alice belongs to another identity provider than the token')
    assert.equal(await outcomeOf(node, await issuer.sign({ sub: 'alice', scope })), 'alice')
  })

  test('or the node does not start', async () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'tallystick-certificates-'))
    const file = join(folder.path, 'no-certificate.pem')
    writeFileSync(file, 'no certificate')
    const rows: [keys: KeySource[], message: RegExp][] = [
      [[], /^there is no key to verify tokens: set auth\.keys, or set development to true/],
      [
        [{ type: 'hs256', secret: 'x', privileged: 'admin' }],
        /^auth\.keys\[0\] \(hs256\) has privileged tokens, so it/,
      ],
      [[{ type: 'certificate', file }], /^cannot use the certificate .*no-certificate\.pem: /],
      [[{ type: 'certificate', file: join(folder.path, 'missing.pem') }], /^cannot use the certificate .*ENOENT/],
    ]
    for (const [keys, message] of rows) {
      const started = startTestNode({ settings: { development: false, auth: { keys } } })
      await assert.rejects(started, (error) => {
        assert.ok(error instanceof StartError)
        assert.match(error.message, message)
        return true
      })
    }
  })
})

test('payloads are accepted by audience and scope', async () => {
  const keys: KeySource[] = [
    { type: 'hs256', secret: 'plain' },
    { type: 'hs256', secret: 'by audience', targetAudience: 'our-node' },
    { type: 'hs256', secret: 'by scope', targetScope: 'ledger' },
    { type: 'hs256', secret: 'by both', targetAudience: 'our-node', targetScope: 'ledger' },
  ]
  await using node = await startTestNode({ settings: { auth: { keys } } })
  const { participantId } = node.node
  const own = `${audiencePrefix}${participantId}`
  const other = `${audiencePrefix}participant::1220${'ab'.repeat(32)}`
  const ok = 'participant_admin'
  const rows: [key: string, claims: object, want: string | number][] = [
    ['plain', { aud: own }, ok],
    ['plain', { aud: [own] }, ok],
    ['plain', { aud: [own, 'https://elsewhere.example'] }, ok],
    ['plain', { aud: own, scope: 'something else' }, ok],
    ['plain', { aud: other }, 403],
    ['plain', { aud: other, scope }, 403], // The audience decides, not the scope.
    ['plain', { aud: [own, other] }, 401],
    ['plain', { aud: [own, other], scope }, 401],
    ['plain', { aud: audiencePrefix }, 401],
    ['plain', { aud: participantId }, 401],
    ['plain', { aud: 'https://elsewhere.example' }, 401],
    ['plain', {}, 401],
    ['plain', { scope }, ok],
    ['plain', { scope: `openid ${scope} email` }, ok],
    ['plain', { scope, aud: [] }, ok],
    ['plain', { scope, aud: participantId }, ok],
    ['plain', { scope, aud: [participantId] }, ok],
    ['plain', { scope, aud: 'somebody' }, 403],
    ['plain', { scope, aud: [participantId, 'somebody'] }, 401],
    ['plain', { scope: `${scope}_` }, 401],
    ['plain', { scope: scope.toUpperCase() }, 401],
    ['plain', { scope: [scope] }, 401],
    ['plain', { scp: [scope] }, ok],
    ['plain', { scp: ['openid', scope] }, ok],
    ['plain', { scp: scope }, ok],
    ['plain', { scope: '', scp: [scope] }, ok],
    ['plain', { scope: 'openid', scp: [scope] }, 401], // scp counts only if scope is absent.
    ['plain', { aud: 'our-node', scope: 'ledger' }, 401],
    ['plain', { 'https://daml.com/ledger-api': { admin: true, participantId } }, 401], // Daml 2 tokens.
    ['by audience', { aud: 'our-node' }, ok],
    ['by audience', { aud: ['their-node', 'our-node'] }, ok],
    ['by audience', { aud: ['our-node', other] }, ok], // Such tokens are not bound to a participant.
    ['by audience', { aud: 'our-node/' }, 401],
    ['by audience', { aud: own }, 401],
    ['by audience', { scope }, 401],
    ['by audience', {}, 401],
    ['by scope', { scope: 'ledger' }, ok],
    ['by scope', { scope: 'openid ledger' }, ok],
    ['by scope', { scp: ['ledger'] }, ok],
    ['by scope', { scope: 'ledger', aud: ['somebody', other] }, ok],
    ['by scope', { scope }, 401],
    ['by scope', { scope: 'ledgers' }, 401],
    ['by scope', { aud: own }, 401],
    ['by both', { aud: 'our-node' }, ok], // With an audience set, the scope does not matter.
    ['by both', { scope: 'ledger' }, 401],
  ]
  for (const [key, claims, want] of rows) {
    const got = await outcomeOf(node, await signHs(key, { ...admin, ...claims }))
    assert.equal(got, want, `${key}: ${JSON.stringify(claims)}`)
  }
})

test('privileged tokens need no stored user', async () => {
  const keys: KeySource[] = [
    { type: 'hs256', secret: 'everything', targetScope: 'root', privileged: 'wildcard' },
    { type: 'hs256', secret: 'administration', targetAudience: 'our-node', privileged: 'admin' },
    { type: 'hs256', secret: 'both', targetAudience: 'our-node', targetScope: 'root', privileged: 'admin' },
  ]
  await using node = await startTestNode({ settings: { auth: { keys } } })
  const party = `alice::${node.node.participantId.split('::')[1]}`
  const rows: [key: string, claims: object, users: number, contracts: number][] = [
    ['everything', { scope: 'openid root' }, 200, 200],
    ['everything', { scope: 'openid' }, 401, 401],
    ['administration', { aud: 'our-node' }, 200, 403],
    ['administration', { aud: 'their-node' }, 401, 401],
    ['both', { scope: 'root' }, 200, 403],
    ['both', { aud: 'our-node' }, 401, 401],
  ]
  const filter = { filtersByParty: { [party]: {} } }
  for (const [key, claims, users, contracts] of rows) {
    const token = await signHs(key, { sub: 'somebody', ...claims })
    const listed = await node.call('GET', '/v2/users', { token })
    const body = { filter, verbose: false, activeAtOffset: 0 }
    const read = await node.call('POST', '/v2/state/active-contracts', { token, body })
    assert.deepEqual([listed.status, read.status], [users, contracts], `${key}: ${JSON.stringify(claims)}`)
  }
})

test('tokens must be for the audience of their identity provider', async () => {
  await using issuer = await startIssuer()
  await using node = await startTestNode()
  await addProvider(node, issuer, 'acme', 'our-node')
  await addUser(node, 'alice', 'acme')
  const own = `${audiencePrefix}${node.node.participantId}`
  const rows: [claims: object, want: string | number][] = [
    [{ aud: 'our-node' }, 'alice'],
    [{ aud: ['our-node', 'their-node'] }, 'alice'],
    [{ aud: own }, 401],
    [{ scope }, 401],
  ]
  for (const [claims, want] of rows) {
    assert.equal(await outcomeOf(node, await issuer.sign({ sub: 'alice', ...claims })), want, JSON.stringify(claims))
  }
})

test('tokens are valid in their time, plus or minus the leeway', async () => {
  const keys: KeySource[] = [
    { type: 'hs256', secret: 'strict' },
    { type: 'hs256', secret: 'lenient', tokenLeewayMs: 10_000 },
    { type: 'hs256', secret: 'long', tokenLifetimeMaxMs: 3_600_000 },
  ]
  const clock = startClock()
  await using node = await startTestNode({ clock, settings: { development: true, auth: { keys } } })
  const now = clock.nowMs() / 1000
  const expired = 'it has expired (exp)'
  const early = 'it is not valid yet (nbf)'
  const future = 'it was issued in the future (iat)'
  const tooLong = (seconds: number) => `it lives longer than the ${seconds} s this node allows (exp)`
  const rows: [key: string, claims: object, refusal?: string][] = [
    ['strict', { exp: now + 1 }],
    ['strict', { exp: now }, expired],
    ['strict', { exp: now - 1 }, expired],
    ['strict', { exp: 0 }, expired],
    ['strict', { exp: -1 }, expired],
    ['strict', { exp: now + 300 }],
    ['strict', { exp: now + 301 }, tooLong(300)],
    ['strict', { exp: Number.MAX_VALUE }, tooLong(300)],
    ['strict', { exp: undefined }, 'it never expires (no exp), and this node limits lifetimes'],
    ['strict', { exp: String(now + 100) }, '"exp" claim must be a number'],
    ['strict', { exp: null }, '"exp" claim must be a number'],
    ['strict', { nbf: now }],
    ['strict', { nbf: now + 1 }, early],
    ['strict', { nbf: String(now) }, '"nbf" claim must be a number'],
    ['strict', { iat: now }],
    ['strict', { iat: now - 1_000_000 }], // Only the remaining time matters, not the age.
    ['strict', { iat: now + 1 }, future],
    ['strict', { iat: String(now) }, '"iat" claim must be a number'],
    ['lenient', { exp: now - 9 }],
    ['lenient', { exp: now - 10 }, expired],
    ['lenient', { nbf: now + 10 }],
    ['lenient', { nbf: now + 11 }, early],
    ['lenient', { iat: now + 10 }],
    ['lenient', { iat: now + 11 }, future],
    ['lenient', { exp: now + 301 }, tooLong(300)],
    ['long', { exp: now + 3600 }],
    ['long', { exp: now + 3601 }, tooLong(3600)],
  ]
  for (const [key, claims, refusal] of rows) {
    const row = `${key}: ${JSON.stringify(claims)}`
    const answer = await callAs(node, await signHs(key, { ...admin, scope, ...claims }, clock.nowMs()))
    if (refusal === undefined) assert.equal(answer.status, 200, `${row} ${answer.text}`)
    else assertRefused(answer, 401, refusal, row)
  }
})

test('identity providers use the general lifetime and leeway', async () => {
  const clock = startClock()
  await using issuer = await startIssuer({ clock })
  const limits = { tokenLifetimeMaxMs: 60_000, tokenLeewayMs: 5_000 }
  await using node = await startTestNode({ clock, settings: { limits } })
  await addProvider(node, issuer)
  await addUser(node, 'alice', 'acme')
  const now = clock.nowMs() / 1000
  const rows: [exp: number | undefined, want: string | number][] = [
    [now - 4, 'alice'],
    [now - 5, 401],
    [now + 60, 'alice'],
    [now + 61, 401],
    [undefined, 401],
  ]
  for (const [exp, want] of rows) {
    assert.equal(await outcomeOf(node, await issuer.sign({ sub: 'alice', scope, exp })), want, `exp ${exp}`)
  }
})

test('a token expires even while its verification is cached', async () => {
  const clock = startClock()
  const keys: KeySource[] = [{ type: 'hs256', secret }]
  await using node = await startTestNode({ clock, settings: { auth: { keys } } })
  const token = await signHs(secret, { ...admin, scope, exp: clock.nowMs() / 1000 + 2 }, clock.nowMs())
  assert.equal(await outcomeOf(node, token), 'participant_admin')
  clock.advance(1_999)
  assert.equal(await outcomeOf(node, token), 'participant_admin')
  clock.advance(1)
  assertRefused(await callAs(node, token), 401, 'The token has expired (exp)')
})

describe('local development tokens', () => {
  test('may live longer than other tokens, until they expire', async () => {
    const clock = startClock()
    await using node = await startTestNode({ clock })
    const token = await node.node.issueToken!('participant_admin', 86_400_000)
    clock.advance(86_399_999)
    assert.equal(await outcomeOf(node, token), 'participant_admin')
    clock.advance(1)
    assertRefused(await callAs(node, token), 401, 'expired (exp)')
  })

  test('come from the data folder too, and stay valid after a restart', async () => {
    await using node = await startTestNode({ store: 'sqlite' })
    await addUser(node, 'alice')
    const folder = node.node.storeName.replace('SQLite in ', '')
    const request = { folder, userId: 'alice', audience: undefined, lifetimeMs: 60_000 }
    const token = await issueLocalToken(request)
    const misdirected = await issueLocalToken({ ...request, audience: 'nobody' })
    assert.equal(await outcomeOf(node, token), 'alice')
    assert.equal(await outcomeOf(node, misdirected), 401)
    await node.restart()
    assert.equal(await outcomeOf(node, token), 'alice')
    assert.equal(await outcomeOf(node, node.adminToken), 'participant_admin')
  })

  test('are valid only for the node that created them', async () => {
    await using node = await startTestNode()
    await using other = await startTestNode()
    assertRefused(await callAs(node, other.adminToken), 401, 'by the local development secret: its signature does not')
    await node.restart() // A store in memory keeps neither the ledger nor the secret.
    assert.equal(await outcomeOf(node, node.adminToken), 401)
  })
})

test('without authorization, tokens are required and verified but rights are not checked', async () => {
  const keys: KeySource[] = [{ type: 'hs256', secret }]
  await using node = await startTestNode({ settings: { auth: { authorization: false, keys } } })
  const list = (token: string | null) => node.call('GET', '/v2/users', { token })
  const exp = Math.floor(Date.now() / 1000) - 1
  const missing = 'The submitted request is missing a user-id: '
  const rows: [what: string, call: () => Promise<Answer>, status: number, cause?: string][] = [
    ['no token', () => list(null), 401, 'The request carries no token (Authorization: Bearer …)'],
    ['garbage', () => list('garbage'), 401],
    ['expired', async () => list(await signHs(secret, { ...admin, scope, exp })), 401],
    ['foreign key', async () => list(await signHs('no such secret', { ...admin, scope })), 401],
    ['no user', async () => list(await signHs(secret, { scope })), 401],
    [
      'bad user',
      async () => list(await signHs(secret, { sub: 'a b', scope })),
      400,
      `${missing}token User ID "a b" does not match regex "[a-zA-Z0-9@^$.!\`\\-#+'~_|:\\(\\)]{1,128}"`,
    ],
    ['other participant', async () => list(await signHs(secret, { ...admin, aud: `${audiencePrefix}other` })), 403],
    ['unknown user', async () => list(await signHs(secret, { sub: 'nobody', scope })), 200],
    [
      'who am I',
      async () => callAs(node, await signHs(secret, { sub: 'nobody', scope })),
      400,
      `${missing}requests with an empty user-id are only supported if there is an authenticated user`,
    ],
  ]
  for (const [what, call, status, cause] of rows) {
    const answer = await call()
    assert.equal(answer.status, status, `${what}: ${answer.text}`)
    if (cause !== undefined) assert.equal(answer.json.cause, cause, what)
  }
  const body = { user: { id: 'bob' }, rights: [{ kind: { ParticipantAdmin: { value: {} } } }] }
  const created = await node.call('POST', '/v2/users', { token: await signHs(secret, { sub: 'nobody', scope }), body })
  assert.equal(created.status, 200, created.text)
})

test('with auth.mode off, no token is needed and none is read', async () => {
  await using node = await startTestNode({ settings: { auth: { mode: 'off' } } })
  assert.equal(node.node.issueToken, undefined)
  for (const token of [null, 'garbage', await signHs(secret, { sub: 'nobody' })]) {
    const listed = await node.call('GET', '/v2/users', { token })
    assert.deepEqual([listed.status, listed.json.users[0].id], [200, 'participant_admin'])
    assert.deepEqual(refusalOf(await callAs(node, token)), [
      400,
      'INVALID_TOKEN',
      'The submitted request is missing a user-id: requests with an empty user-id are only supported if there is an ' +
        'authenticated user',
    ])
  }
})

for (const store of stores) {
  test(`a changed identity provider takes effect at once on ${store}`, async () => {
    const clock = startClock() // It stands still, so nothing here can wait for a cache.
    await using acme = await startIssuer({ clock })
    await using moved = await startIssuer({ clock })
    await using node = await startTestNode({ store, clock, settings: { development: true } })
    await addProvider(node, acme)
    await addUser(node, 'alice', 'acme')
    const token = await acme.sign({ sub: 'alice', scope })
    const want = async (expected: string | number, of = token) => assert.equal(await outcomeOf(node, of), expected)
    await want('alice')

    await patchProvider(node, { isDeactivated: true }, 'is_deactivated')
    assertRefused(await callAs(node, token), 401, 'by the identity providers: acme is deactivated')
    await patchProvider(node, { isDeactivated: false }, 'is_deactivated')
    await want('alice')

    const iss = 'https://acme.example'
    const renamed = await acme.sign({ sub: 'alice', scope, iss })
    await want(401, renamed)
    await patchProvider(node, { issuer: iss }, 'issuer')
    await want('alice', renamed)
    await want(401)
    await patchProvider(node, { issuer: acme.issuer }, 'issuer')
    await want(401, renamed)
    await want('alice')

    const signedAnew = await moved.sign({ sub: 'alice', scope, iss: acme.issuer }, { kid: 'ES256-1' })
    await want(401, signedAnew)
    await patchProvider(node, { jwksUrl: moved.jwksUrl }, 'jwks_url')
    await want('alice', signedAnew)
    await want(401)
    await patchProvider(node, { jwksUrl: acme.jwksUrl }, 'jwks_url')
    await want(401, signedAnew)
    await want('alice')

    const addressed = await acme.sign({ sub: 'alice', aud: 'our-node' })
    await want(401, addressed)
    await patchProvider(node, { audience: 'our-node' }, 'audience')
    await want('alice', addressed)
    await want(401)
    await patchProvider(node, { audience: '' }, 'audience')
    await want(401, addressed)
    await want('alice')

    const back = { userId: 'alice', sourceIdentityProviderId: 'acme', targetIdentityProviderId: '' }
    const freed = await node.call('PATCH', '/v2/users/alice/identity-provider-id', { body: back })
    assert.equal(freed.status, 200, freed.text)
    await want(403)
    assert.equal((await node.call('DELETE', '/v2/idps/acme')).status, 200)
    await want(401)
    await addProvider(node, acme)
    await want(403)
    const forth = { userId: 'alice', sourceIdentityProviderId: '', targetIdentityProviderId: 'acme' }
    await node.call('PATCH', '/v2/users/alice/identity-provider-id', { body: forth })
    await want('alice')
    await node.restart()
    await want('alice')
  })
}

describe('key sets', () => {
  const minute = 60_000

  async function startSetting(limits: object = {}, alg: Algorithm = 'ES256') {
    const clock = startClock()
    await using parts = new AsyncDisposableStack()
    const issuer = parts.use(await startIssuer({ clock, algorithms: [alg] }))
    const node = parts.use(await startTestNode({ clock, settings: { limits } }))
    await addProvider(node, issuer)
    await addUser(node, 'alice', 'acme')
    const owned = parts.move()
    return {
      clock,
      issuer,
      node,
      /** A token that was never seen before. */
      sign: () => issuer.sign({ sub: 'alice', scope, jti: randomUUID() }),
      [Symbol.asyncDispose]: () => owned.disposeAsync(),
    }
  }

  test('are fetched once for many tokens, and again when they expire', async () => {
    await using setting = await startSetting()
    const { clock, issuer, node, sign } = setting
    const tokens = await Promise.all(Array.from({ length: 20 }, sign))
    const outcomes = await Promise.all(tokens.map((token) => outcomeOf(node, token)))
    assert.deepEqual(new Set(outcomes), new Set(['alice']))
    assert.equal(issuer.fetches, 1)
    clock.advance(5 * minute - 1)
    assert.equal(await outcomeOf(node, await sign()), 'alice')
    assert.equal(issuer.fetches, 1)
    clock.advance(1)
    assert.equal(await outcomeOf(node, await sign()), 'alice')
    assert.equal(issuer.fetches, 2)
  })

  test('rotate: a new key counts at once, and the old one no longer', async () => {
    await using setting = await startSetting()
    const { clock, issuer, node, sign } = setting
    const old = await sign()
    assert.equal(await outcomeOf(node, old), 'alice')
    clock.advance(1_000) // The minimum time between two fetches.
    issuer.rotate()
    assert.equal(await outcomeOf(node, await sign()), 'alice')
    assert.equal(issuer.fetches, 2)
    clock.advance(5_000) // The time for which a verified token is cached.
    assertRefused(await callAs(node, old), 401, 'its issuer publishes no key with its kid')
  })

  test('drop a removed key when they expire, even if no new one appeared', async () => {
    await using setting = await startSetting()
    const { clock, issuer, node, sign } = setting
    assert.equal(await outcomeOf(node, await sign()), 'alice')
    clock.advance(2 * minute)
    const old = await sign()
    issuer.rotate()
    assert.equal(await outcomeOf(node, old), 'alice')
    clock.advance(3 * minute)
    assertRefused(await callAs(node, old), 401, 'its issuer publishes no key with its kid')
    assert.equal(issuer.fetches, 2)
  })

  const outages: [what: string, behaviour: Behaviour][] = [
    ['answers 500', { status: 500 }],
    ['breaks connections', { drop: true }],
    ['never answers', { hang: 'headers' }],
    ['answers nonsense', { body: 'Sorry!' }],
  ]
  for (const [what, behaviour] of outages) {
    test(`still serve for an hour in which their endpoint ${what}`, async () => {
      const jwksTimeoutMs = 100
      await using setting = await startSetting({ jwksTimeoutMs })
      const { clock, issuer, node, sign } = setting
      assert.equal(await outcomeOf(node, await sign()), 'alice')
      issuer.behave(behaviour)
      /** How long an attempt takes. */
      const lostMs = behaviour.hang === undefined ? 0 : jwksTimeoutMs
      const attempt = async (): Promise<Answer> => {
        const arrived = issuer.nextFetch()
        const answer = callAs(node, await sign())
        await arrived
        clock.advance(lostMs)
        return answer
      }
      clock.advance(5 * minute)
      assert.equal((await attempt()).json.user.id, 'alice')
      assert.equal(issuer.fetches, 2)
      assert.equal(await outcomeOf(node, await sign()), 'alice')
      assert.equal(issuer.fetches, 2, 'a failing endpoint is left alone for a moment')
      clock.advance(60 * minute - 1 - 2 * lostMs)
      assert.equal((await attempt()).json.user.id, 'alice')
      assert.equal(issuer.fetches, 3)
      clock.advance(1_000)
      assertRefused(await attempt(), 401, 'the keys of its issuer could not be fetched')
      // The old keys do not come back between two attempts either.
      assertRefused(await callAs(node, await sign()), 401, 'the keys of its issuer could not be fetched')
      clock.advance(1_000)
      issuer.behave({})
      assert.equal(await outcomeOf(node, await sign()), 'alice')
    })
  }

  const unreachable = 'the keys of its issuer could not be fetched: '

  test('that do not arrive within the timeout mean 401, until they do', async () => {
    const jwksTimeoutMs = 10_000
    await using setting = await startSetting({ jwksTimeoutMs })
    const { clock, issuer, node, sign } = setting
    const timesOut = async (what: string, inFlight: Promise<unknown>): Promise<void> => {
      const before = issuer.fetches
      const answer = callAs(node, await sign())
      await inFlight
      assert.equal(await outcomeOf(node, node.adminToken), 'participant_admin', 'others do not wait')
      clock.advance(jwksTimeoutMs)
      assertRefused(await answer, 401, `${unreachable}The operation was aborted due to timeout`, what)
      assert.equal(issuer.fetches, before + 1, what)
    }
    issuer.behave({ hang: 'headers' })
    await timesOut('never answers', issuer.nextFetch())
    issuer.behave({ hang: 'body' })
    await timesOut('never ends', headersReceived())
    issuer.behave({})
    issuer.pause()
    await timesOut('is too late', issuer.nextFetch())
    issuer.resume()
    assert.equal(await outcomeOf(node, await sign()), 'alice')
  })

  test('that cannot be fetched mean 401, until they can', async () => {
    await using setting = await startSetting()
    const { clock, issuer, node, sign } = setting
    const notKeys = `${unreachable}the answer is not a JSON Web Key Set`
    const elsewhere = `${issuer.jwksUrl}/elsewhere`
    const rows: [what: string, behaviour: Behaviour, reason: string][] = [
      ['breaks off', { drop: true }, `${unreachable}fetch failed (`],
      ['answers 500', { status: 500 }, `${unreachable}the endpoint answered 500`],
      ['answers 404', { status: 404 }, `${unreachable}the endpoint answered 404`],
      ['redirects', { status: 302, headers: { location: elsewhere } }, `${unreachable}fetch failed (`],
      ['redirects for good', { status: 308, headers: { location: elsewhere } }, `${unreachable}fetch failed (`],
      ['is huge', { body: ' '.repeat(2 ** 20 + 1) }, `${unreachable}the answer is larger than 1048576 bytes`],
      ['is not JSON', { body: '<html></html>' }, `${unreachable}Unexpected token '<'`],
      ['is empty', { body: '' }, `${unreachable}Unexpected end of JSON input`],
      ['is null', { body: 'null' }, notKeys],
      ['is a list', { body: '[]' }, notKeys],
      ['has no keys', { body: '{}' }, notKeys],
      ['has other keys', { body: '{"keys":{}}' }, notKeys],
      ['has malformed keys', { body: '{"keys":[null,1,"x"]}' }, `${unreachable}JSON Web Key Set malformed`],
    ]
    for (const [what, behaviour, reason] of rows) {
      const before = issuer.fetches
      issuer.behave(behaviour)
      assertRefused(await callAs(node, await sign()), 401, reason, what)
      assert.equal(issuer.fetches, before + 1, `${what}: one request, and none where a redirect leads`)
      assert.equal(await outcomeOf(node, node.adminToken), 'participant_admin')
      clock.advance(1_000)
    }
    issuer.behave({})
    assert.equal(await outcomeOf(node, await sign()), 'alice')
  })

  test('hold up to a thousand keys', async () => {
    await using setting = await startSetting()
    const { clock, issuer, node, sign } = setting
    const [key] = issuer.keySet.keys
    const publish = (others: number) => {
      const keys = Array.from({ length: others }, (_, index) => ({ ...key, kid: `other-${index}` }))
      issuer.behave({ body: JSON.stringify({ keys: [...keys, key] }) })
    }
    publish(1_000)
    const reason = 'the keys of its issuer could not be fetched: the answer holds more than 1000 keys'
    assertRefused(await callAs(node, await sign()), 401, reason)
    clock.advance(1_000)
    publish(999)
    assert.equal(await outcomeOf(node, await sign()), 'alice')
  })

  test('refuse tokens of unusable keys', async () => {
    await using setting = await startSetting({ jwksCacheMs: 1_000 }, 'RS256')
    const { clock, issuer, node, sign } = setting
    const [good] = issuer.keySet.keys as [Record<string, string>]
    const rows: [what: string, key: object][] = [
      ['an invalid number', { ...good, n: '!' }],
      ['a key that is too short', { ...good, n: 'AQAB' }],
      ['no number at all', { ...good, n: undefined }],
      ['a shared secret', { kty: 'oct', kid: good.kid, k: Buffer.from(secret).toString('base64url') }],
      ['a key for encryption', { ...good, use: 'enc' }],
      ['a key for other operations', { ...good, key_ops: ['sign'] }],
      ['a key for another algorithm', { ...good, alg: 'RS512' }],
      ['an unknown type', { ...good, kty: 'quantum' }],
    ]
    for (const [what, key] of rows) {
      issuer.behave({ body: JSON.stringify({ keys: [key] }) })
      assert.equal(await outcomeOf(node, await sign()), 401, what)
      clock.advance(1_000)
    }
    issuer.behave({})
    assert.equal(await outcomeOf(node, await sign()), 'alice')
  })

  test('are not fetched more often, however many unknown kids arrive', async () => {
    await using setting = await startSetting()
    const { clock, issuer, node } = setting
    const flood = async () => {
      const kids = Array.from({ length: 50 }, () => randomUUID())
      const tokens = await Promise.all(kids.map((kid) => issuer.sign({ sub: 'alice', scope }, { kid })))
      return new Set(await Promise.all(tokens.map((token) => outcomeOf(node, token))))
    }
    assert.deepEqual(await flood(), new Set([401]))
    assert.equal(issuer.fetches, 1)
    assert.deepEqual(await flood(), new Set([401]))
    assert.equal(issuer.fetches, 1)
    clock.advance(1_000)
    assert.deepEqual(await flood(), new Set([401]))
    assert.equal(issuer.fetches, 2)
  })

  /** Sends a token with an unknown kid every second; returns the seconds in which that caused a fetch. */
  async function fetchesDuring(
    { clock, issuer, node }: Awaited<ReturnType<typeof startSetting>>,
    seconds: number,
  ): Promise<number[]> {
    const at: number[] = []
    for (let second = 1; second <= seconds; second += 1) {
      clock.advance(1_000)
      const before = issuer.fetches
      const token = await issuer.sign({ sub: 'alice', scope }, { kid: randomUUID() })
      assertRefused(await callAs(node, token), 401, 'its issuer publishes no key with its kid')
      if (issuer.fetches > before) at.push(second)
    }
    return at
  }

  test('are fetched less and less often while unknown kids arrive and nothing new is found', async () => {
    await using setting = await startSetting()
    const { node, sign } = setting
    assert.equal(await outcomeOf(node, await sign()), 'alice')
    assert.deepEqual(await fetchesDuring(setting, 200), [1, 3, 7, 15, 31, 63, 127, 191])
  })

  test('are found after a rotation despite many unknown kids before, and then fetched at once again', async () => {
    await using setting = await startSetting()
    const { clock, issuer, node, sign } = setting
    assert.equal(await outcomeOf(node, await sign()), 'alice')
    await fetchesDuring(setting, 130)
    issuer.rotate()
    assert.equal(await outcomeOf(node, await sign()), 401, 'the endpoint was asked 3 s ago')
    clock.advance(61_000)
    assert.equal(await outcomeOf(node, await sign()), 'alice')
    clock.advance(1_000)
    issuer.rotate()
    assert.equal(await outcomeOf(node, await sign()), 'alice')
  })

  test('are fetched at once after a quiet minute, twice', async () => {
    await using setting = await startSetting()
    const { clock, issuer, node, sign } = setting
    assert.equal(await outcomeOf(node, await sign()), 'alice')
    await fetchesDuring(setting, 130)
    clock.advance(64_000)
    assert.deepEqual(await fetchesDuring(setting, 1), [1])
    clock.advance(1_000)
    issuer.rotate()
    assert.equal(await outcomeOf(node, await sign()), 401)
    clock.advance(1_000)
    assert.equal(await outcomeOf(node, await sign()), 'alice')
  })

  test('in another order count as unchanged', async () => {
    await using setting = await startSetting()
    const { issuer, node, sign } = setting
    const [key] = issuer.keySet.keys
    const keys = [key, { ...key, kid: 'other' }]
    issuer.behave({ body: JSON.stringify({ keys }) })
    assert.equal(await outcomeOf(node, await sign()), 'alice')
    issuer.behave({ body: JSON.stringify({ keys: keys.toReversed() }) })
    assert.deepEqual(await fetchesDuring(setting, 3), [1, 3])
    issuer.behave({ body: JSON.stringify({ keys }) })
    assert.deepEqual(await fetchesDuring(setting, 6), [4])
  })
})

describe('a slow key set endpoint delays no other tokens', () => {
  /** Names in the order in which the calls end; the slow call waits until all others are done. */
  async function orderOf(issuer: Issuer, slow: () => Promise<Answer>, others: Record<string, () => Promise<Answer>>) {
    const order: string[] = []
    const note = async (name: string, call: () => Promise<Answer>) => {
      const { status } = await call()
      order.push(`${name}: ${status}`)
    }
    issuer.pause()
    const arrived = issuer.nextFetch()
    const waiting = note('slow', slow)
    await arrived
    const limit = AbortSignal.timeout(8_000) // Bounds the wait.
    limit.addEventListener('abort', () => issuer.resume())
    for (const [name, call] of Object.entries(others)) await note(name, call)
    issuer.resume()
    await waiting
    return order
  }

  test('while the keys are fetched for the first time', async () => {
    await using slow = await startIssuer()
    await using quick = await startIssuer()
    await using node = await startTestNode()
    await addProvider(node, slow, 'slow')
    await addProvider(node, quick, 'quick')
    await addUser(node, 'sam', 'slow')
    await addUser(node, 'quinn', 'quick')
    const [sam, quinn] = [await slow.sign({ sub: 'sam', scope }), await quick.sign({ sub: 'quinn', scope })]
    const order = await orderOf(slow, () => callAs(node, sam), {
      administrator: () => callAs(node, node.adminToken),
      'other provider': () => callAs(node, quinn),
      'no token': () => callAs(node, null),
      'the provider itself': () => node.call('GET', '/v2/idps/slow'),
    })
    assert.deepEqual(order, [
      'administrator: 200',
      'other provider: 200',
      'no token: 401',
      'the provider itself: 200',
      'slow: 200',
    ])
  })

  test('even with a known key, while an unknown one is fetched', async () => {
    const clock = startClock()
    await using issuer = await startIssuer({ clock })
    await using node = await startTestNode({ clock })
    await addProvider(node, issuer)
    await addUser(node, 'alice', 'acme')
    assert.equal(await outcomeOf(node, await issuer.sign({ sub: 'alice', scope })), 'alice')
    clock.advance(1_000)
    const unknown = await issuer.sign({ sub: 'alice', scope }, { kid: 'unknown' })
    const known = await issuer.sign({ sub: 'alice', scope, jti: 'another' })
    const order = await orderOf(issuer, () => callAs(node, unknown), { known: () => callAs(node, known) })
    assert.deepEqual(order, ['known: 200', 'slow: 401'])
  })

  test('with a known key whose set is due to be fetched again', async () => {
    const clock = startClock()
    await using issuer = await startIssuer({ clock })
    await using node = await startTestNode({ clock, settings: { limits: { tokenLifetimeMaxMs: 3_600_000 } } })
    await addProvider(node, issuer)
    await addUser(node, 'alice', 'acme')
    const fresh = (jti: string) => issuer.sign({ sub: 'alice', scope, jti })
    assert.equal(await outcomeOf(node, await fresh('1')), 'alice')
    clock.advance(300_000)
    const order = await orderOf(
      issuer,
      async () => {
        const arrived = issuer.nextFetch()
        const first = callAs(node, await fresh('2'))
        await arrived
        clock.advance(200) // How long the first waits for the endpoint.
        const answer = await first
        assert.equal(answer.status, 200)
        return callAs(node, await issuer.sign({ sub: 'alice', scope }, { kid: 'unknown' }))
      },
      {
        another: async () => callAs(node, await fresh('3')),
        'and another': async () => callAs(node, await fresh('4')),
      },
    )
    assert.deepEqual(order, ['another: 200', 'and another: 200', 'slow: 401'])
    assert.equal(issuer.fetches, 2, 'one request at a time')
  })

  test('with a known key of a key set configured after it', async () => {
    const clock = startClock()
    await using slow = await startIssuer({ clock })
    await using quick = await startIssuer({ clock })
    const keys: KeySource[] = [
      { type: 'jwks', url: slow.jwksUrl },
      { type: 'jwks', url: quick.jwksUrl },
    ]
    await using node = await startTestNode({ clock, settings: { auth: { keys } } })
    const ofQuick = () => quick.sign({ ...admin, scope, jti: randomUUID() }, { kid: 'ES256-1' })
    slow.behave({ status: 500 })
    assert.equal(await outcomeOf(node, await ofQuick()), 'participant_admin')
    const token = await slow.sign({ ...admin, scope })
    slow.behave({})
    clock.advance(1_000)
    const order = await orderOf(slow, () => callAs(node, token), { quick: async () => callAs(node, await ofQuick()) })
    assert.deepEqual(order, ['quick: 200', 'slow: 200'])
  })

  test('for a key source configured after it', async () => {
    await using slow = await startIssuer()
    const keys: KeySource[] = [
      { type: 'jwks', url: slow.jwksUrl },
      { type: 'hs256', secret },
    ]
    await using node = await startTestNode({ settings: { auth: { keys } } })
    const token = await slow.sign({ ...admin, scope })
    const shared = await signHs(secret, { ...admin, scope })
    const order = await orderOf(slow, () => callAs(node, token), {
      'shared secret': () => callAs(node, shared),
      garbage: () => callAs(node, 'garbage'),
    })
    assert.deepEqual(order, ['shared secret: 200', 'garbage: 401', 'slow: 200'])
  })
})
