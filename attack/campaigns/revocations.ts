// Rights that are revoked while a client reads: once the administrator has the answer, nothing more is served, neither
// on open streams nor to new requests.
import assert from 'node:assert/strict'
import { createDice, pick } from '../../test/fixtures/dice.ts'
import { type Issuer, startIssuer } from '../../test/fixtures/issuer.ts'
import { filtersFor, right, startTestLedger, type TestLedger, updateFormat } from '../../test/fixtures/ledger.ts'
import { openSocket } from '../../test/fixtures/websocket.ts'
import type { Campaign } from '../campaign.ts'
import { runRounds } from '../rounds.ts'
import { pause } from '../target/besieged.ts'

export const revocations: Campaign = {
  name: 'revocations',
  attack: 'a reader with open streams loses its right, its user or its identity provider while updates arrive',
  invariant: 'Nothing that happens after the answer to the administrator is served; streams end, requests are refused',
  unit: 'revocations',
  full: 300,
  short: 4,
  run: (plan) => runRounds(plan, revoke, { timesPerRound: 10, sideBySide: 2, failureKind: 'leaked' }),
}

/** Streams end at once, but a machine that runs tests may need a moment. */
const endMsMax = 60_000
const path = '/v2/updates'

type Way = {
  readonly name: string
  /** Where the users belong: only administrators of an identity provider can delete its users. */
  readonly provider: 'default' | 'stored'
  take(scene: Scene): Promise<void>
}
type Scene = { readonly ledger: TestLedger; readonly userId: string; readonly providerId: string }

const admin = async (ledger: TestLedger, method: string, at: string, body?: object) => {
  const { status, text } = await ledger.node.call(method, at, body === undefined ? {} : { body })
  assert.equal(status, 200, text)
}

const ways: readonly Way[] = [
  {
    name: 'the right is revoked',
    provider: 'stored',
    async take({ ledger, userId, providerId: identityProviderId }) {
      const rights = [right('CanReadAs', ledger.alice)]
      await admin(ledger, 'PATCH', `/v2/users/${userId}/rights`, { userId, rights, identityProviderId })
    },
  },
  {
    name: 'the user is deleted',
    provider: 'default',
    take: ({ ledger, userId }) => admin(ledger, 'DELETE', `/v2/users/${userId}`),
  },
  {
    name: 'the user is deactivated',
    provider: 'stored',
    async take({ ledger, userId, providerId: identityProviderId }) {
      const user = {
        id: userId,
        isDeactivated: true,
        identityProviderId,
        metadata: { resourceVersion: '', annotations: {} },
      }
      await admin(ledger, 'PATCH', `/v2/users/${userId}`, { user, updateMask: { paths: ['is_deactivated'] } })
    },
  },
  {
    name: 'the identity provider is deactivated',
    provider: 'stored',
    async take({ ledger, providerId: identityProviderId }) {
      const identityProviderConfig = { identityProviderId, isDeactivated: true, issuer: '', jwksUrl: '' }
      const body = { identityProviderConfig, updateMask: { paths: ['is_deactivated'] } }
      await admin(ledger, 'PATCH', `/v2/idps/${identityProviderId}`, body)
    },
  },
]

async function revoke(seed: number, count: number): Promise<number> {
  const dice = createDice(seed)
  await using issuer = await startIssuer()
  await using ledger = await startTestLedger()
  for (let index = 0; index < count; index += 1) {
    const way = pick(dice, ways)
    try {
      await once(ledger, issuer, way, { name: `${seed}-${index}`, waitMs: dice(40) })
    } catch (error) {
      throw new Error(way.name, { cause: error })
    }
  }
  return count
}

async function once(
  ledger: TestLedger,
  issuer: Issuer,
  way: Way,
  { name, waitMs }: { readonly name: string; readonly waitMs: number },
): Promise<void> {
  const scene = { ledger, userId: `reader-${name}`, providerId: way.provider === 'default' ? '' : `idp-${name}` }
  const token = await setUp(scene, issuer)
  const marker = `before-${name}`
  const { transaction } = await ledger.submit([ledger.createIou({ currency: marker })])
  const request = { beginExclusive: transaction.offset - 1, updateFormat: updateFormat(filtersFor([ledger.alice])) }
  await using socket = await openSocket(`${ledger.node.url}${path}`, {
    headers: { authorization: `Bearer ${token}` },
    request,
  })
  const lines = readLines(`${ledger.node.url}${path}`, token, request)
  const list = ledger.node.call('POST', `${path}?stream_idle_timeout_ms=120000&limit=2`, { token, body: request })
  assert.match(JSON.stringify(await socket.next()), new RegExp(marker), 'the stream works before')
  await pause(waitMs)

  await way.take(scene)
  await ledger.submit([ledger.createIou({ currency: `after-${name}` })])

  const refused = await ledger.node.call('POST', '/v2/state/active-contracts', {
    token,
    body: { activeAtOffset: transaction.offset, eventFormat: filtersFor([ledger.alice]) },
  })
  assert.ok([401, 403].includes(refused.status), `a request is answered ${refused.status}: ${refused.text}`)
  const ended = await Promise.race([socket.ended, pause(endMsMax)])
  assert.ok(ended !== undefined, 'the WebSocket ends')
  const received = JSON.stringify(await socket.rest())
  assert.ok(!received.includes(`after-${name}`), `the WebSocket told what happened afterwards: ${received}`)
  const text = await Promise.race([lines, pause(endMsMax)])
  assert.ok(text !== undefined, 'the lines end')
  assert.ok(!text.includes(`after-${name}`), `the lines told what happened afterwards: ${text}`)
  const answer = await Promise.race([list, pause(endMsMax)])
  assert.ok(answer !== undefined, 'the list ends')
  assert.ok([401, 403, 409].includes(answer.status), `a list that waits is answered ${answer.status}`)
  assert.ok(!answer.text.includes(`after-${name}`), `the list told what happened afterwards: ${answer.text}`)
}

async function setUp({ ledger, userId, providerId }: Scene, issuer: Issuer): Promise<string> {
  const rights = [right('CanReadAs', ledger.alice)]
  if (providerId === '') return ledger.userWith(userId, ...rights)
  const { jwksUrl } = issuer
  const iss = `${issuer.issuer}/${providerId}`
  const identityProviderConfig = { identityProviderId: providerId, issuer: iss, jwksUrl }
  await admin(ledger, 'POST', '/v2/idps', { identityProviderConfig })
  await admin(ledger, 'POST', '/v2/users', { user: { id: userId, identityProviderId: providerId }, rights })
  return issuer.sign({ iss, sub: userId, scope: 'daml_ledger_api' })
}

/** All lines, after the end of the response. */
async function readLines(url: string, token: string, request: object): Promise<string> {
  const response = await fetch(`${url}?stream_idle_timeout_ms=240000`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, accept: 'application/x-ndjson' },
    body: JSON.stringify(request),
  })
  return response.text()
}
