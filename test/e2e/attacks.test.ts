// Tokens that must be refused: a table of attacks, each with its status and exact answer on a production node
// (redacted) and on a development node (explained).
import assert from 'node:assert/strict'
import { type KeyObject, randomBytes, sign } from 'node:crypto'
import { mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { CompactEncrypt } from 'jose'
import { createTestClock } from '../../src/base/clock.ts'
import type { KeySource } from '../../src/base/settings.ts'
import { createCertificate } from '../fixtures/certificate.ts'
import { allMethods, openGrpc } from '../fixtures/grpc.ts'
import { generateKeys, type Issuer, type KeyPair, signWith, startIssuer } from '../fixtures/issuer.ts'
import { type StoreKind, startTestNode, stores, type TestNode } from '../fixtures/node.ts'

type Claims = Readonly<Record<string, unknown>>

/** A node with every kind of key, and what an attacker may know or guess about it. */
type Scene = AsyncDisposable & {
  readonly node: TestNode
  readonly now: number
  readonly audience: string
  readonly clock: ReturnType<typeof createTestClock>
  /** The key pair of the certificate, auth.keys[0]. */
  readonly own: KeyPair
  readonly certificate: string
  /** The key set auth.keys[1]. */
  readonly published: Issuer
  /** The issuer of the stored identity provider `acme`, which has its own users. */
  readonly acme: Issuer
  /** A token signed with the certificate's key, valid apart from what a row changes. */
  sign(claims?: Claims): Promise<string>
}

/** All scenes share it: making an RSA pair takes longer than starting a node. */
const own = generateKeys('RS256')

async function startScene(development: boolean, store: StoreKind = 'memory'): Promise<Scene> {
  await using parts = new AsyncDisposableStack()
  const folder = mkdtempDisposableSync(join(tmpdir(), 'tallystick-attacks-'))
  parts.use(folder)
  const clock = createTestClock(Math.floor(Date.now() / 1000) * 1000)
  const published = parts.use(await startIssuer({ clock, algorithms: ['RS256', 'ES256'] }))
  const acme = parts.use(await startIssuer({ clock, algorithms: ['RS256', 'ES256'] }))
  const file = join(folder.path, 'certificate.pem')
  writeFileSync(file, createCertificate(own))
  const keys: KeySource[] = [
    { type: 'certificate', file },
    { type: 'jwks', url: published.jwksUrl },
  ]
  const node = parts.use(
    await startTestNode({ store, clock, settings: { development, auth: { keys }, grpc: { port: 0 } } }),
  )
  const now = clock.nowMs() / 1000
  const audience = `https://daml.com/jwt/aud/participant/${node.node.participantId}`
  const signOwn = (claims: Claims = {}) =>
    signWith(own.privateKey, { alg: 'RS256' }, { sub: 'alice', aud: audience, exp: now + 240, ...claims })

  const token = await signOwn({ sub: 'participant_admin' })
  const succeed = async (method: string, path: string, body: object) => {
    const answer = await node.call(method, path, { token, body })
    assert.equal(answer.status, 200, answer.text)
  }
  const { issuer, jwksUrl } = acme
  await succeed('POST', '/v2/idps', { identityProviderConfig: { identityProviderId: 'acme', issuer, jwksUrl } })
  await succeed('POST', '/v2/users', { user: { id: 'alice' }, rights: [] })
  await succeed('POST', '/v2/users', { user: { id: 'zoe', isDeactivated: true }, rights: [] })
  await succeed('POST', '/v2/users', { user: { id: 'amy', identityProviderId: 'acme' }, rights: [] })
  const owned = parts.move()
  return {
    ...{ node, now, audience, clock, own, published, acme, sign: signOwn },
    certificate: readFileSync(file, 'utf8'),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const pem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString()
const hs256 = (secret: string, claims: Claims) =>
  signWith(Buffer.from(secret), { alg: 'HS256', kid: 'RS256-1' }, claims)
const unsigned = (header: object, claims: Claims, signature = '') => `${base64(header)}.${base64(claims)}.${signature}`

/** The same token with other claims or another header, but the old signature. */
function replacePart(token: string, index: 0 | 1, changes: object): string {
  const parts = token.split('.')
  const current = JSON.parse(Buffer.from(parts[index]!, 'base64url').toString())
  parts[index] = base64({ ...current, ...changes })
  return parts.join('.')
}

/** The attacker's own keys. */
const foreign = generateKeys('RS256')

/** A signature over any header, including those that a library refuses to write. */
function signAs(key: KeyObject, header: object, claims: Claims): string {
  const body = `${base64(header)}.${base64(claims)}`
  return `${body}.${sign('sha256', Buffer.from(body), key).toString('base64url')}`
}

function encrypt({ own }: Scene, claims: Claims): Promise<string> {
  return new CompactEncrypt(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader({ alg: 'RSA-OAEP-256', enc: 'A256GCM' })
    .encrypt(own.publicKey)
}

const traceId = '0af7651916cd43dd8448eb211c80319c'
const traceparent = `00-${traceId}-b7ad6b7169203331-01`

/** The whole answer to a raw request, including requests that fetch would not send. */
function exchange(
  node: TestNode,
  lines: readonly string[],
  request = 'GET /v2/authenticated-user',
): Promise<{ head: string; status: number; body: string }> {
  const { hostname, port } = new URL(node.url)
  const { promise, resolve, reject } = Promise.withResolvers<{ head: string; status: number; body: string }>()
  const socket = connect(Number(port), hostname)
  let text = ''
  socket.setEncoding('utf8')
  socket.on('data', (data: string) => {
    text += data
  })
  socket.on('error', (error) => {
    if (text === '') reject(error) // The node may close the connection before it has read a request that it refuses.
  })
  socket.on('close', () => {
    const [head = '', body = ''] = text.split('\r\n\r\n')
    resolve({ head, status: Number(head.split(' ')[1]), body })
  })
  socket.write([`${request} HTTP/1.1`, 'Host: node', 'Connection: close', ...lines, '', ''].join('\r\n'))
  return promise
}

const call = (node: TestNode, ...authorization: string[]) =>
  exchange(node, [`traceparent: ${traceparent}`, ...authorization.map((value) => `Authorization: ${value}`)])

function sensitive(cause: string, grpcCodeValue: number, context: object = {}): string {
  return JSON.stringify({
    code: 'NA',
    cause,
    correlationId: traceId,
    traceId,
    context,
    resources: [],
    errorCategory: -1,
    grpcCodeValue,
    retryInfo: null,
    definiteAnswer: null,
  })
}

const redacted = 'A security-sensitive error has been received'
const ofToken = { ledger_api_error: 'invalid token' }

const malformed = 'it is not a JSON Web Token'
const misfit = 'its signature does not fit'
const alg = 'its algorithm (alg) is not one this key is for'
const invalid = 'Invalid Compact JWS'
const nameless = 'its header has no kid'
const keyless = 'its issuer publishes no key with its kid'
const anonymous = 'it names no issuer (iss)'
const noToken = 'The request carries no token (Authorization: Bearer …)'

/** Why each key source of a development node refuses: its local secret, certificate, key set, identity providers. */
type Reasons = readonly [local: string, certificate: string, keySet: string, providers: string]

const explained = ([local, certificate, keySet, providers]: Reasons) =>
  `The token was refused by the local development secret: ${local}; by auth.keys[0] (certificate): ${certificate}; ` +
  `by auth.keys[1] (jwks): ${keySet}; by the identity providers: ${providers}`

const good = (scene: Scene): Claims => ({ sub: 'alice', aud: scene.audience, exp: scene.now + 240 })
const ofAcme = (scene: Scene): Claims => ({ sub: 'amy', scope: 'daml_ledger_api', iss: scene.acme.issuer })

const unauthenticated: [attack: string, token: (scene: Scene) => string | Promise<string>, reasons: Reasons][] = [
  ['no algorithm', (scene) => unsigned({ alg: 'none' }, good(scene)), [alg, alg, alg, anonymous]],
  ['no algorithm, in other letters', (scene) => unsigned({ alg: 'nOnE' }, good(scene)), [alg, alg, alg, anonymous]],
  [
    'no algorithm, with a signature of other claims',
    async (scene) => replacePart(await scene.sign(), 0, { alg: 'none' }),
    [alg, alg, alg, anonymous],
  ],
  [
    'no algorithm, in the name of an identity provider',
    (scene) => unsigned({ alg: 'none', kid: 'RS256-1' }, ofAcme(scene)),
    [alg, alg, alg, alg],
  ],
  [
    'no alg header',
    (scene) => unsigned({ typ: 'JWT' }, good(scene), 'AAAA'),
    [
      'JWS "alg" (Algorithm) Header Parameter missing or invalid',
      'JWS "alg" (Algorithm) Header Parameter missing or invalid',
      'JWS "alg" (Algorithm) Header Parameter missing or invalid',
      anonymous,
    ],
  ],
  [
    'no signature',
    (scene) => unsigned({ alg: 'RS256', kid: 'RS256-1' }, good(scene)),
    [alg, misfit, misfit, anonymous],
  ],
  [
    'HS256 with the public key as secret',
    (scene) => hs256(pem(scene.own.publicKey), good(scene)),
    [misfit, alg, alg, anonymous],
  ],
  [
    'HS256 with the certificate as secret',
    (scene) => hs256(scene.certificate, good(scene)),
    [misfit, alg, alg, anonymous],
  ],
  [
    'HS256 with the published key as secret',
    (scene) => hs256(JSON.stringify(scene.published.keySet.keys[0]), good(scene)),
    [misfit, alg, alg, anonymous],
  ],
  [
    'HS256 with the key of an identity provider as secret',
    (scene) => hs256(JSON.stringify(scene.acme.keySet.keys[0]), ofAcme(scene)),
    [misfit, alg, alg, alg],
  ],
  ['HS256 with a secret of one byte', (scene) => hs256('\0', good(scene)), [misfit, alg, alg, anonymous]],
  [
    'tampered claims',
    async (scene) => replacePart(await scene.sign(), 1, { sub: 'participant_admin' }),
    [alg, misfit, nameless, anonymous],
  ],
  [
    'tampered claims of a published key',
    async (scene) => {
      const token = await scene.published.sign({ ...good(scene), iss: undefined })
      return replacePart(token, 1, { sub: 'participant_admin' })
    },
    [alg, misfit, misfit, anonymous],
  ],
  [
    'tampered claims of an identity provider',
    async (scene) => replacePart(await scene.acme.sign(ofAcme(scene)), 1, { scope: 'daml_ledger_api more' }),
    [alg, misfit, misfit, misfit],
  ],
  [
    'another header on the same signature',
    async (scene) => replacePart(await scene.sign(), 0, { typ: 'at+jwt' }),
    [alg, misfit, nameless, anonymous],
  ],
  [
    'a key of the attacker',
    (scene) => signWith(foreign.privateKey, { alg: 'RS256' }, good(scene)),
    [alg, misfit, nameless, anonymous],
  ],
  [
    'a key of the attacker under a published kid',
    (scene) => signWith(foreign.privateKey, { alg: 'RS256', kid: 'RS256-1' }, good(scene)),
    [alg, misfit, misfit, anonymous],
  ],
  [
    'a key of the attacker in the name of an identity provider',
    (scene) => signWith(foreign.privateKey, { alg: 'RS256', kid: 'RS256-1' }, { ...good(scene), ...ofAcme(scene) }),
    [alg, misfit, misfit, misfit],
  ],
  [
    'the key of one issuer in the name of another',
    (scene) => scene.published.sign({ ...ofAcme(scene), scope: undefined }),
    [
      alg,
      misfit,
      'neither its audience (none) is https://daml.com/jwt/aud/participant/<participant id> nor its scope (none) contains daml_ledger_api',
      misfit,
    ],
  ],
  [
    'a key that the header brings along',
    (scene) => {
      const jwk = foreign.publicKey.export({ format: 'jwk' })
      const header = { alg: 'RS256', kid: 'RS256-1', jwk, jku: 'http://127.0.0.1:1/', x5u: 'http://127.0.0.1:1/' }
      return signAs(foreign.privateKey, header, good(scene))
    },
    [alg, misfit, misfit, anonymous],
  ],
  [
    'an elliptic signature of zeros',
    (scene) => unsigned({ alg: 'ES256', kid: 'ES256-1' }, ofAcme(scene), Buffer.alloc(64).toString('base64url')),
    [alg, alg, misfit, misfit],
  ],
  [
    'a key of one algorithm for another',
    async (scene) => replacePart(await scene.acme.sign(ofAcme(scene)), 0, { alg: 'ES256' }),
    [alg, alg, keyless, keyless],
  ],
  [
    'RS512 with the key for RS256',
    (scene) => signWith(scene.own.privateKey, { alg: 'RS512' }, good(scene)),
    [alg, alg, alg, anonymous],
  ],
  [
    'no kid for a key set',
    (scene) => scene.published.sign({ ...good(scene), iss: undefined }, { kid: null }),
    [alg, misfit, nameless, anonymous],
  ],
  [
    'an unknown kid',
    (scene) => scene.published.sign({ ...good(scene), iss: undefined }, { kid: 'unknown' }),
    [alg, misfit, keyless, anonymous],
  ],
  [
    'an unknown kid of an identity provider',
    (scene) => scene.acme.sign(ofAcme(scene), { kid: '../RS256-1' }),
    [alg, misfit, keyless, keyless],
  ],
  [
    'an unknown issuer',
    (scene) => scene.acme.sign({ ...ofAcme(scene), iss: `${scene.acme.issuer}/` }),
    [alg, misfit, misfit, 'none is configured for the issuer {acme}/'],
  ],
  ['expired', (scene) => scene.sign({ exp: scene.now }), [alg, 'it has expired (exp)', nameless, anonymous]],
  [
    'not yet valid',
    (scene) => scene.sign({ nbf: scene.now + 1 }),
    [alg, 'it is not valid yet (nbf)', nameless, anonymous],
  ],
  [
    'issued in the future',
    (scene) => scene.sign({ iat: scene.now + 1 }),
    [alg, 'it was issued in the future (iat)', nameless, anonymous],
  ],
  [
    'too long-lived',
    (scene) => scene.sign({ exp: scene.now + 301 }),
    [alg, 'it lives longer than the 300 s this node allows (exp)', nameless, anonymous],
  ],
  [
    'immortal',
    (scene) => scene.sign({ exp: undefined }),
    [alg, 'it never expires (no exp), and this node limits lifetimes', nameless, anonymous],
  ],
  [
    'for another audience',
    (scene) => scene.sign({ aud: 'https://elsewhere.example', scope: 'openid' }),
    [
      alg,
      'neither its audience (https://elsewhere.example) is https://daml.com/jwt/aud/participant/<participant id> nor its scope (openid) contains daml_ledger_api',
      nameless,
      anonymous,
    ],
  ],
  [
    'no user',
    (scene) => scene.sign({ sub: undefined }),
    [alg, 'it names no user: the claim sub is missing', nameless, anonymous],
  ],
  [
    'a user that is not a string',
    (scene) => scene.sign({ sub: ['alice'] }),
    [alg, 'it names no user: the claim sub is missing', nameless, anonymous],
  ],
  [
    'an unknown critical header',
    (scene) => signAs(scene.own.privateKey, { alg: 'RS256', crit: ['exp'], exp: 1 }, good(scene)),
    [
      'Extension Header Parameter "exp" is not recognized',
      'Extension Header Parameter "exp" is not recognized',
      'Extension Header Parameter "exp" is not recognized',
      anonymous,
    ],
  ],
  ['an encrypted token', (scene) => encrypt(scene, good(scene)), [invalid, invalid, invalid, malformed]],
  ['garbage', () => 'garbage', [invalid, invalid, invalid, malformed]],
  ['two words', () => 'two words', [invalid, invalid, invalid, malformed]],
  [
    'half a token',
    async (scene) => (await scene.sign()).split('.').slice(0, 2).join('.'),
    [invalid, invalid, invalid, malformed],
  ],
]

describe('a token is refused with 401', () => {
  for (const development of [false, true]) {
    describe(development ? 'and explained on a development node' : 'and nothing else on a production node', () => {
      let scene: Scene
      before(async () => {
        scene = await startScene(development)
      })
      after(() => scene[Symbol.asyncDispose]())

      test('by every method of the gRPC API', async () => {
        const tokens = await Promise.all(unauthenticated.map(([, token]) => token(scene)))
        const sendable = tokens.filter((token) => /^[\x21-\x7e]{1,8000}$/.test(token))
        await checkMethods(scene, sendable, 16, development ? /^The token was refused by / : redactedOverGrpc)
      })

      test('while a valid one is accepted', async () => {
        for (const token of [
          await scene.sign(),
          await scene.acme.sign(ofAcme(scene)),
          await scene.published.sign(good(scene)),
        ]) {
          assert.equal((await call(scene.node, `Bearer ${token}`)).status, 200)
        }
      })

      for (const [attack, token, reasons] of unauthenticated) {
        test(attack, async () => {
          const { status, body } = await call(scene.node, `Bearer ${await token(scene)}`)
          const cause = development ? explained(reasons).replace('{acme}', scene.acme.issuer) : redacted
          assert.deepEqual([status, body], [401, sensitive(cause, 16)])
        })
      }
    })
  }
})

/**
 * Each token against some of the methods of the gRPC API, and so each method against many tokens. With
 * TALLYSTICK_ALL_TOKENS, each against each.
 */
async function checkMethods(scene: Scene, tokens: readonly string[], code: number, isTold: RegExp): Promise<void> {
  await using client = openGrpc(scene.node.node.grpcUrl!)
  const methods = [...allMethods().keys()].filter(
    (path) => path.startsWith('/com.daml.ledger.api.v2.') && !path.includes('VersionService'),
  )
  const every = process.env.TALLYSTICK_ALL_TOKENS ? 1 : 10
  const calls = tokens.flatMap((token, index) =>
    methods.filter((_, number) => (index + number) % every === 0).map((path) => [path, token] as const),
  )
  await Promise.all(
    calls.map(async ([path, token]) => {
      const answer = await client.call(path, new Uint8Array(), { token, headers: { traceparent } })
      assert.equal(answer.code, code, `${path}: ${answer.message}`)
      assert.match(answer.message, isTold, path)
      assert.deepEqual(answer.messages, [])
    }),
  )
}

const redactedOverGrpc = new RegExp(
  `^An error occurred. Please contact the operator and inquire about the request <no-correlation-id> with tid ${traceId}$`,
)

type Denied = [attack: string, token: (scene: Scene) => Promise<string>, context: object, cause: string]

const unresolved = (reason: string) => `Could not resolve the token's user: ${reason}`
const otherProvider = (user: string) =>
  unresolved(`the user ${user} belongs to another identity provider than the token`)

const denied: Denied[] = [
  ['an unknown user', (s) => s.sign({ sub: 'nobody' }), ofToken, unresolved('the user nobody does not exist')],
  ['a user in other letters', (s) => s.sign({ sub: 'Alice' }), ofToken, unresolved('the user Alice does not exist')],
  ['a deactivated user', (s) => s.sign({ sub: 'zoe' }), ofToken, unresolved('the user zoe is deactivated')],
  ['a user of an identity provider', (s) => s.sign({ sub: 'amy' }), ofToken, otherProvider('amy')],
  [
    'a user of the default identity provider',
    (s) => s.acme.sign({ ...ofAcme(s), sub: 'alice' }),
    ofToken,
    otherProvider('alice'),
  ],
  [
    'the administrator, by an identity provider',
    (s) => s.acme.sign({ ...ofAcme(s), sub: 'participant_admin' }),
    ofToken,
    otherProvider('participant_admin'),
  ],
  [
    'another participant',
    (s) => s.sign({ aud: 'https://daml.com/jwt/aud/participant/other::1220' }),
    {},
    "Claims are only valid for participantId 'other::1220', actual participantId is '{participant}'",
  ],
  [
    'another participant, by scope',
    (s) => s.sign({ aud: 'participant', scope: 'daml_ledger_api' }),
    {},
    "Claims are only valid for participantId 'participant', actual participantId is '{participant}'",
  ],
]

for (const store of stores) {
  describe(`a well-signed token is refused with 403 on ${store} when it is for`, () => {
    for (const development of [false, true]) {
      test(`another user, ${development ? 'and explained' : 'and nothing else'}`, async () => {
        await using scene = await startScene(development, store)
        for (const [attack, token, context, cause] of denied) {
          const { status, body } = await call(scene.node, `Bearer ${await token(scene)}`)
          const told = development ? cause.replace('{participant}', scene.node.node.participantId) : redacted
          assert.deepEqual([status, body], [403, sensitive(told, 7, context)], attack)
        }
        if (store !== 'sqlite') return
        const tokens = await Promise.all(denied.map(([, token]) => token(scene)))
        await checkMethods(scene, tokens, 7, development ? /user|participantId/ : redactedOverGrpc)
      })
    }

    test('a user that was just deactivated, deleted or moved', async () => {
      await using scene = await startScene(true, store)
      const { node } = scene
      const administrator = await scene.sign({ sub: 'participant_admin' })
      const change = async (method: string, path: string, body?: object) => {
        const answer = await node.call(method, path, { token: administrator, body })
        assert.equal(answer.status, 200, answer.text)
      }
      const token = await scene.sign()
      const statusNow = async () => (await call(node, `Bearer ${token}`)).status
      const setDeactivated = (isDeactivated: boolean) =>
        change('PATCH', '/v2/users/alice', {
          user: { id: 'alice', isDeactivated },
          updateMask: { paths: ['is_deactivated'] },
        })
      const move = (sourceIdentityProviderId: string, targetIdentityProviderId: string) =>
        change('PATCH', '/v2/users/alice/identity-provider-id', {
          userId: 'alice',
          sourceIdentityProviderId,
          targetIdentityProviderId,
        })
      assert.equal(await statusNow(), 200)
      await setDeactivated(true)
      assert.equal(await statusNow(), 403)
      await setDeactivated(false)
      assert.equal(await statusNow(), 200)
      await move('', 'acme')
      assert.equal(await statusNow(), 403)
      await move('acme', '')
      assert.equal(await statusNow(), 200)
      await change('DELETE', '/v2/users/alice')
      assert.equal(await statusNow(), 403)
    })
  })
}

test('an invalid user id is refused with 400, explained on every node', async () => {
  const pattern = "[a-zA-Z0-9@^$.!`\\-#+'~_|:\\(\\)]{1,128}"
  const rows: [sub: string, shown?: string, prefix?: string][] = [
    [''],
    [' alice'],
    ['alice\n', 'alice\n', `INVALID_TOKEN(8,${traceId.slice(0, 8)}): `], // Canton leaves its prefix on causes with line breaks.
    ['a b'],
    ['ali\0ce'],
    ['älice'],
    ["alice';--", "alice';--"],
    ['x'.repeat(129)],
    ['x'.repeat(1000)],
  ]
  for (const development of [false, true]) {
    await using scene = await startScene(development)
    for (const [sub, shown = sub, prefix = ''] of rows) {
      const reason = `token User ID "${shown}" does not match regex "${pattern}"`
      const { status, body } = await call(scene.node, `Bearer ${await scene.sign({ sub })}`)
      const want = {
        code: 'INVALID_TOKEN',
        cause: `${prefix}${shortened(`The submitted request is missing a user-id: ${reason}`)}`,
        correlationId: null,
        traceId,
        context: { ...ofToken, category: '8', tid: traceId, definite_answer: 'false', participant: 'participant' },
        resources: [],
        errorCategory: 8,
        grpcCodeValue: 3,
        retryInfo: null,
        definiteAnswer: null,
      }
      assert.deepEqual([status, JSON.parse(body)], [400, want], JSON.stringify(sub))
    }
  }
})

test('there may be one Authorization header, with Bearer in any case', async () => {
  const missing = [401, sensitive(noToken, 16)]
  const bad = [400, 'Invalid value for: header Authorization']
  await using scene = await startScene(true)
  const token = await scene.sign()
  const rows: [headers: string[], want: unknown[] | 200][] = [
    [[`Authorization: Bearer ${token}`], 200],
    [[`authorization: bearer ${token}`], 200],
    [[`AUTHORIZATION: BEARER   ${token}  `], 200],
    [[], missing],
    [['Authorization:'], missing],
    [[`Authorization: ${token}`], missing],
    [[`Authorization: Bearer${token}`], missing],
    [[`Authorization: Basic ${Buffer.from('participant_admin:').toString('base64')}`], missing],
    [[`Authorization: Token ${token}`], missing],
    [[`Authorization: Negotiate ${token}`], missing],
    [[`Proxy-Authorization: Bearer ${token}`], missing],
    [[`Cookie: Authorization=Bearer ${token}; token=${token}`], missing],
    [['Authorization: Bearer'], bad],
    [['Authorization: Bearer '], bad],
    [['Authorization: bearer \t '], bad],
    [[`Authorization: Bearer ${token}`, `Authorization: Bearer ${token}`], bad],
    [[`Authorization: Bearer ${token}`, 'Authorization: Bearer garbage'], bad],
    [['Authorization: Bearer garbage', `authorization: Bearer ${token}`], bad],
    [[`Authorization: Bearer ${token}`, 'AUTHORIZATION: Bearer'], bad],
  ]
  for (const [headers, want] of rows) {
    const { head, status, body } = await exchange(scene.node, [`traceparent: ${traceparent}`, ...headers])
    if (want === 200) assert.equal(status, 200, `${headers}: ${body}`)
    else assert.deepEqual([status, body], want, String(headers))
    assert.doesNotMatch(head, /www-authenticate/i)
  }
  const inQuery = await exchange(scene.node, [], `GET /v2/authenticated-user?access_token=${token}&token=${token}`)
  assert.equal(inQuery.status, 401)
  await using silent = await startScene(false)
  const { status, body } = await call(silent.node)
  assert.deepEqual([status, body], [401, sensitive(redacted, 16)])
})

test('an invalid user is reported before errors in the body, a bad token after them', async () => {
  await using scene = await startScene(false)
  const post = (token: string, body: string) =>
    exchange(
      scene.node,
      [`traceparent: ${traceparent}`, `Authorization: Bearer ${token}`, `Content-Length: ${body.length}`, '', body],
      'POST /v2/users',
    )
  const nobody = await scene.sign({ sub: 'nobody' })
  const rows: [token: string, body: string, want: unknown[]][] = [
    [nobody, '{"rights":1}', [403, sensitive(redacted, 7, ofToken)]],
    [
      'garbage',
      '{"rights":1}',
      [400, "Invalid value for: body (Got value '1' with wrong type, expecting array at 'rights')"],
    ],
    ['garbage', '{}', [401, sensitive(redacted, 16)]],
    [await scene.sign(), '{}', [403, sensitive(redacted, 7)]],
  ]
  for (const [token, text, want] of rows) {
    const { status, body } = await post(token, text)
    assert.deepEqual([status, body], want, `${token.slice(0, 10)} ${text}`)
  }
})

describe('a token of a megabyte', () => {
  const megabyte = 1024 * 1024

  test('exceeds the header limit, and the node stays up', async () => {
    for (const development of [false, true]) {
      await using scene = await startScene(development)
      const { head, status, body } = await call(scene.node, `Bearer ${randomBytes(megabyte).toString('hex')}`)
      assert.deepEqual([status, body], [431, 'Request Header Fields Too Large'])
      assert.match(head, /content-type: text\/plain/i)
      assert.equal((await call(scene.node, `Bearer ${await scene.sign()}`)).status, 200)
    }
  })

  test('is refused with a short text if the header limit allows it', async () => {
    await using node = await startTestNode({
      settings: {
        limits: { headerBytesMax: 4 * megabyte },
        auth: { keys: [{ type: 'hs256', secret: 'known to the attacker' }] },
      },
    })
    const long = 'x'.repeat(megabyte)
    const exp = Math.floor(Date.now() / 1000) + 240
    const signed = (claims: Claims) => hs256('known to the attacker', { sub: 'alice', exp, ...claims })
    const rows: [what: string, token: string, status: number][] = [
      ['garbage', long, 401],
      ['dots', '.'.repeat(megabyte), 401],
      ['claims', unsigned({ alg: 'RS256' }, { sub: long }, 'AAAA'), 401],
      ['signature', unsigned({ alg: 'HS256' }, { sub: 'alice' }, long), 401],
      ['kid', unsigned({ alg: 'HS256', kid: long }, { sub: 'alice' }, 'AAAA'), 401],
      ['algorithm', unsigned({ alg: long }, { sub: 'alice' }, 'AAAA'), 401],
      ['extension', unsigned({ alg: 'HS256', crit: [long], [long]: 1 }, { sub: 'alice' }, 'AAAA'), 401],
      ['issuer', await signed({ iss: long }), 401],
      ['audience', await signed({ aud: long }), 401],
      ['scope', await signed({ scope: long }), 401],
      ['participant', await signed({ sub: 'participant_admin', aud: long, scope: 'daml_ledger_api' }), 403],
      ['user', await signed({ sub: long, scope: 'daml_ledger_api' }), 400],
    ]
    const got: unknown[] = []
    for (const [what, token] of rows) {
      const { status, body } = await call(node, `Bearer ${token}`)
      got.push([what, status, body.length < 3_000 ? 'few words' : `${body.length} characters`])
    }
    assert.deepEqual(
      got,
      rows.map(([what, , status]) => [what, status, 'few words']),
    )
  })
})

/** As gRPC does it, which Canton's errors cross. */
function shortened(text: string): string {
  return text.length > 512 ? `${text.slice(0, 512)}...` : text
}
