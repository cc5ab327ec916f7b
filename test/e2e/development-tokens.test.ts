// POST /dev/tokens: parties, a user and its token in one step, on a development node.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { signCommandLineToken } from '../../src/node/maintenance.ts'
import { startTestNode, type TestNode } from '../fixtures/node.ts'

type Issued = { token: string; userId: string; parties: string[]; readAs: string[] }

async function issue(node: TestNode, body: unknown): Promise<Issued> {
  const { status, json, text } = await node.call('POST', '/dev/tokens', { body })
  assert.equal(status, 200, text)
  return json
}

async function rightsOf(node: TestNode, { token, userId }: Issued): Promise<string[]> {
  const { status, json, text } = await node.call('GET', `/v2/users/${encodeURIComponent(userId)}/rights`, { token })
  assert.equal(status, 200, text)
  return json.rights.map(({ kind }: { kind: Record<string, { value: { party?: string } }> }) => {
    const [name, { value }] = Object.entries(kind)[0]!
    return [name, value.party?.split('::')[0]].filter(Boolean).join(' ')
  })
}

const payloadOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())

describe('POST /dev/tokens', () => {
  test('allocates what is new, makes a user with just these rights, and uses both again', async () => {
    await using node = await startTestNode()
    const first = await issue(node, { parties: ['alice', 'bank'], readAs: ['auditor'] })
    assert.equal(first.userId, 'alice+bank+read-auditor')
    assert.deepEqual(
      first.parties.map((party) => party.split('::')[0]),
      ['alice', 'bank'],
    )
    assert.deepEqual((await rightsOf(node, first)).sort(), ['CanActAs alice', 'CanActAs bank', 'CanReadAs auditor'])
    const again = await issue(node, { parties: [first.parties[0], 'bank'], readAs: ['auditor'] })
    assert.deepEqual([again.userId, again.parties, again.readAs], [first.userId, first.parties, first.readAs])
    const { json } = await node.call('GET', '/v2/parties')
    assert.equal(json.partyDetails.length, 3 + 1) // The participant's own.
    const one = await issue(node, { parties: ['alice'] })
    const { json: user } = await node.call('GET', '/v2/users/alice')
    assert.deepEqual([one.userId, user.user.primaryParty], ['alice', first.parties[0]])
    const administrator = await issue(node, { admin: true })
    assert.deepEqual([administrator.userId, await rightsOf(node, administrator)], ['admin', ['ParticipantAdmin']])
  })

  test('leaves a user alone that has the id but other rights, unless it is named', async () => {
    await using node = await startTestNode()
    const body = { user: { id: 'alice' }, rights: [{ kind: { CanReadAsAnyParty: { value: {} } } }] }
    await node.call('POST', '/v2/users', { body })
    const other = await issue(node, { parties: ['alice'] })
    assert.equal(other.userId, 'alice-2')
    const kept = await issue(node, { userId: 'alice' })
    assert.deepEqual(await rightsOf(node, kept), ['CanReadAsAnyParty'])
    const changed = await issue(node, { userId: 'alice', parties: ['bob'] })
    assert.deepEqual(await rightsOf(node, changed), ['CanActAs bob'])
    const created = await issue(node, { userId: 'new' })
    assert.deepEqual(await rightsOf(node, created), [])
  })

  test('keeps to a lifetime', async () => {
    await using node = await startTestNode()
    const lifetimeOf = async (lifetime?: string) => {
      const { exp, iat } = payloadOf((await issue(node, { userId: 'x', lifetime })).token)
      return exp === undefined ? undefined : exp - iat
    }
    assert.deepEqual(
      [await lifetimeOf(), await lifetimeOf('90s'), await lifetimeOf('P1D'), await lifetimeOf('unlimited')],
      [3600, 90, 86_400, undefined],
    )
  })

  test('allocates a party once for two orders at the same time', async () => {
    await using node = await startTestNode()
    const issued = await Promise.all([1, 2, 3].map(() => issue(node, { parties: ['alice'] })))
    assert.equal(new Set(issued.map(({ userId, parties }) => `${userId} ${parties}`)).size, 1)
  })

  test('refuses what has no meaning, and changes nothing', async () => {
    await using node = await startTestNode()
    const rows: [body: object, cause: RegExp][] = [
      [{}, /give parties, readAs, admin or userId$/],
      [{ parties: [''] }, /Invalid field parties: a party is named by its id or its hint/],
      [{ parties: ['x::1220ab'] }, /Invalid field parties: there is no party 'x::1220ab'/],
      [{ parties: ['a'], userId: 'a b' }, /Invalid field userId: User ID "a b"/],
      [{ parties: ['a'], lifetime: 'soon' }, /Invalid field lifetime: /],
      [{ parties: Array.from({ length: 101 }, (_, index) => `p${index}`) }, /at most 100 parties$/],
      [{ userId: 'participant_admin', readAs: [] as string[], parties: [], admin: false, lifetime: 'x' }, /lifetime/],
    ]
    for (const [body, cause] of rows) {
      const { status, json } = await node.call('POST', '/dev/tokens', { body })
      assert.equal(status, 400, JSON.stringify(body))
      assert.match(json.cause, cause)
    }
    assert.equal((await node.call('GET', '/v2/parties')).json.partyDetails.length, 1, "the participant's own")
    const strip = await node.call('POST', '/dev/tokens', { body: { userId: 'participant_admin', parties: ['a'] } })
    assert.match(strip.json.cause, /is an administrator and would lose that right/)
  })

  test('is for administrators', async () => {
    await using node = await startTestNode()
    const { token } = await issue(node, { parties: ['alice'] })
    const { status } = await node.call('POST', '/dev/tokens', { token, body: { admin: true } })
    assert.equal(status, 403)
  })

  test('works without authentication and on PostgreSQL', async () => {
    await using open = await startTestNode({ settings: { auth: { mode: 'off' } } })
    assert.equal(payloadOf((await issue(open, { parties: ['alice'] })).token).sub, 'alice')
    await using stored = await startTestNode({ store: 'postgres' })
    assert.deepEqual(await rightsOf(stored, await issue(stored, { parties: ['alice'] })), ['CanActAs alice'])
  })

  test('does not exist on other nodes', async () => {
    const keys = [{ type: 'hs256' as const, secret: 'x'.repeat(32) }]
    await using node = await startTestNode({ settings: { development: false, auth: { keys } } })
    const response = await fetch(`${node.url}/dev/tokens`, { method: 'POST', body: '{"admin":true}' })
    assert.equal(response.status, 404)
  })
})

test('tokens of the command line are for the local secret alone', async () => {
  const secret = 'x'.repeat(32)
  const keys = [{ type: 'hs256' as const, secret, tokenLifetimeMaxMs: 'unlimited' as const }]
  for (const development of [true, false]) {
    await using node = await startTestNode({ settings: { development, auth: { keys } } })
    const statusWith = async (key: string) =>
      (await node.call('GET', '/v2/users', { token: await signCommandLineToken(key) })).status
    assert.equal(await statusWith(secret), 401)
    assert.equal(node.node.localSecret === undefined, !development)
    if (development) assert.equal(await statusWith(node.node.localSecret!), 200)
  }
})
