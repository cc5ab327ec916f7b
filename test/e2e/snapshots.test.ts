// Snapshots of a development node: after a restore everything is as it was, and nobody sees half of each.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { type Clock, createTestClock, wallClock } from '../../src/base/clock.ts'
import {
  archiveIou,
  createTarget,
  effectsDar,
  type Json,
  startTestLedger,
  type TestLedger,
  updateFormat,
} from '../fixtures/ledger.ts'
import { refusalOf, startTestNode } from '../fixtures/node.ts'
import { openSocket } from '../fixtures/websocket.ts'

const kinds = ['memory', 'sqlite'] as const
const allUpdates = { beginExclusive: 0, updateFormat: updateFormat({ filtersForAnyParty: {} }, 'LEDGER_EFFECTS') }

/** Everything that an administrator and a reader of everything can see. */
async function everythingOf({ node, post, end }: TestLedger): Promise<Json> {
  const paths = ['/v2/parties', '/v2/users', '/v2/users/app/rights', '/v2/packages', '/v2/idps', '/v2/synchronizers']
  const listed = await Promise.all(paths.map((path) => node.call('GET', path)))
  const offset = await end()
  const range = { ...allUpdates, endInclusive: offset }
  const active = { eventFormat: { filtersForAnyParty: {}, verbose: true }, activeAtOffset: offset }
  const read = [
    await post('/v2/updates', range),
    await post('/v2/state/active-contracts', active),
    await node.call('GET', '/v2/package-vetting', { body: {} }),
  ]
  return [offset, ...[...listed, ...read].map(({ status, json }) => [status, json])]
}

const take = (ledger: TestLedger, name = '') => ledger.node.call('POST', '/dev/snapshots', { body: { name } })
const restore = ({ node }: TestLedger, name: string) => node.call('POST', `/dev/snapshots/${name}/restore`)

for (const store of kinds) {
  describe(`snapshots on ${store}`, () => {
    test('bring everything back: contracts, offsets, people, packages and deduplication', async () => {
      await using ledger = await startTestLedger({ store })
      const { contractId } = await ledger.submit([ledger.createIou()], { commandId: 'once' })
      const before = await everythingOf(ledger)
      const taken = await take(ledger, 'before')
      assert.equal(taken.json.snapshot.offset, await ledger.end())

      await ledger.submit([archiveIou(contractId)])
      await ledger.userWith('late')
      await ledger.node.call('POST', '/v2/parties', { body: { partyIdHint: 'late' } })
      await ledger.node.call('POST', '/v2/dars', { body: readFileSync(effectsDar) })
      const idp = { identityProviderId: 'late', issuer: 'late', jwksUrl: 'http://127.0.0.1/jwks' }
      await ledger.node.call('POST', '/v2/idps', { body: { identityProviderConfig: idp } })
      const after = await everythingOf(ledger)
      await take(ledger, 'after')

      assert.equal((await restore(ledger, 'before')).status, 200)
      assert.deepEqual(await everythingOf(ledger), before)
      const again = await ledger.post(
        '/v2/commands/submit-and-wait',
        ledger.commandsOf([ledger.createIou()], { commandId: 'once' }),
      )
      assert.equal(refusalOf(again)[1], 'DUPLICATE_COMMAND')
      await ledger.submit([archiveIou(contractId)]) // It is active again.

      assert.equal((await restore(ledger, 'after')).status, 200)
      assert.deepEqual(await everythingOf(ledger), after)
    })

    test('can be listed, deleted, downloaded and added again', async () => {
      await using ledger = await startTestLedger({ store })
      const { node } = ledger
      assert.deepEqual(refusalOf(await restore(ledger, 'none')), [
        404,
        'SNAPSHOT_NOT_FOUND',
        "There is no snapshot 'none'",
      ])
      assert.equal((await take(ledger)).json.snapshot.name, 'snapshot-1')
      assert.equal((await take(ledger, 'mine')).status, 200)
      assert.equal(refusalOf(await take(ledger, 'mine'))[1], 'SNAPSHOT_ALREADY_EXISTS')
      for (const name of ['../mine', 'Mine', '@first-start', '.hidden', 'a'.repeat(65)]) {
        assert.equal(refusalOf(await take(ledger, name))[1], 'INVALID_FIELD', name)
      }
      const content = await fetch(`${node.url}/dev/snapshots/mine/content`, {
        headers: { authorization: `Bearer ${node.adminToken}` },
      })
      const bytes = new Uint8Array(await content.arrayBuffer())
      assert.equal((await node.call('POST', '/dev/snapshots/copy/content', { body: bytes })).status, 200)
      assert.equal((await node.call('DELETE', '/dev/snapshots/snapshot-1')).status, 200)
      assert.equal((await node.call('DELETE', '/dev/snapshots/snapshot-1')).status, 404)
      const names = (await node.call('GET', '/dev/snapshots')).json.snapshots.map(({ name }: Json) => name)
      assert.deepEqual(names, ['mine', 'copy'])
      assert.equal((await restore(ledger, 'copy')).status, 200)
      await ledger.submit([ledger.createIou()])
    })

    test('end open streams with one error', async () => {
      await using ledger = await startTestLedger({ store, settings: { limits: { offsetCheckpointMs: 3_600_000 } } })
      await take(ledger, 'here')
      await using socket = await openSocket(`${ledger.node.url}/v2/updates`, {
        protocols: [`jwt.token.${ledger.token}`, 'daml.ws.auth'],
        request: { ...allUpdates, beginExclusive: await ledger.end() },
      })
      await ledger.submit([ledger.createIou()])
      assert.ok('update' in (await socket.next()))
      await restore(ledger, 'here')
      assert.deepEqual(
        (await socket.rest()).map(({ code }) => code),
        ['LEDGER_REPLACED'],
      )
    })

    test('wait neither for each other nor for a list that waits for updates', async () => {
      const still = createTestClock(Date.now())
      // A list has a moment to end on its own. Requests that are waited for have a second, which does not pass here.
      const after: Clock['after'] = (delayMs, action) => (delayMs < 1_000 ? wallClock : still).after(delayMs, action)
      await using ledger = await startTestLedger({ store, clock: { ...still, after } })
      const { node } = ledger
      await take(ledger, 'here')
      const waiting = ledger.post('/v2/updates', { ...allUpdates, beginExclusive: await ledger.end() })
      const answers = await Promise.all([
        restore(ledger, 'here'),
        node.call('GET', '/dev/snapshots'),
        restore(ledger, 'here'),
        take(ledger, 'there'),
        node.call('POST', '/dev/reset'),
        node.call('GET', '/dev/snapshots'),
      ])
      const statuses = answers.map(({ status }) => status)
      assert.deepEqual(statuses, [200, 200, 200, 200, 200, 200])
      assert.equal(refusalOf(await waiting)[1], 'LEDGER_REPLACED')
    })

    test('have no package that was uploaded later, vetted or not', async () => {
      await using ledger = await startTestLedger({ store })
      const upload = (query: string) =>
        ledger.node.call('POST', `/v2/packages${query}`, { body: readFileSync(effectsDar) })
      const attempt = () =>
        ledger.post('/v2/commands/submit-and-wait', ledger.commandsOf([createTarget([ledger.alice])]))
      await take(ledger, 'here')
      for (const [query, code] of [
        ['', undefined],
        ['?vetAllPackages=false', 'NO_SYNCHRONIZER_FOR_SUBMISSION'],
      ] as const) {
        assert.equal((await upload(query)).status, 200)
        assert.equal((await attempt()).json.code, code)
        await restore(ledger, 'here')
        assert.deepEqual(refusalOf(await attempt()).slice(0, 2), [404, 'TEMPLATES_OR_INTERFACES_NOT_FOUND'])
      }
    })

    test('include one of the first start, to which a reset returns', async () => {
      await using ledger = await startTestLedger({ store })
      const { participantId } = ledger.node.node
      assert.equal((await ledger.node.call('POST', '/dev/reset')).status, 200)
      assert.equal(await ledger.end(), 0)
      const parties = await ledger.node.call('GET', '/v2/parties')
      assert.deepEqual(
        parties.json.partyDetails.map(({ party }: { party: string }) => party),
        [participantId],
      )
      const { json } = await ledger.node.call('GET', '/v2/parties/participant-id')
      assert.equal(json.participantId, participantId)
    })
  })
}

test('snapshots outlive the node', async () => {
  await using ledger = await startTestLedger({ store: 'sqlite' })
  await take(ledger, 'kept')
  const before = await everythingOf(ledger)
  await ledger.submit([ledger.createIou()])
  await ledger.node.restart()
  await restore(ledger, 'kept')
  assert.deepEqual(await everythingOf(ledger), before)
})

test('a snapshot of a node on SQLite can be restored by one in memory', async () => {
  await using ledger = await startTestLedger({ store: 'sqlite' })
  await ledger.submit([ledger.createIou()])
  await take(ledger, 'carried')
  const headers = { authorization: `Bearer ${ledger.node.adminToken}` }
  const content = await fetch(`${ledger.node.url}/dev/snapshots/carried/content`, { headers })
  await using other = await startTestNode({ settings: { auth: { mode: 'off' } } })
  const body = new Uint8Array(await content.arrayBuffer())
  assert.equal((await other.call('POST', '/dev/snapshots/carried/content', { body })).status, 200)
  assert.equal((await other.call('POST', '/dev/snapshots/carried/restore')).status, 200)
  assert.equal((await other.call('GET', '/v2/state/ledger-end')).json.offset, await ledger.end())
})

test('a node on PostgreSQL says why it has no snapshots and no reset', async () => {
  await using node = await startTestNode({ store: 'postgres' })
  const reason =
    "A ledger in PostgreSQL has no snapshots and no reset: its database is not only this node's, and copying it takes " +
    'rights that a node does not need. Copy it with pg_dump, or develop with SQLite or --memory'
  const calls: [method: string, path: string, body?: unknown][] = [
    ['POST', '/dev/snapshots', {}],
    ['GET', '/dev/snapshots'],
    ['DELETE', '/dev/snapshots/any'],
    ['POST', '/dev/snapshots/any/restore'],
    ['GET', '/dev/snapshots/any/content'],
    ['POST', '/dev/snapshots/any/content', 'any'],
    ['POST', '/dev/reset'],
  ]
  for (const [method, path, body] of calls) {
    const answer = await node.call(method, path, body === undefined ? {} : { body })
    assert.deepEqual(refusalOf(answer), [400, 'SNAPSHOTS_UNAVAILABLE', reason], path)
  }
  assert.equal((await node.call('GET', '/v2/state/ledger-end')).status, 200)
})

test('snapshots are for administrators', async () => {
  await using ledger = await startTestLedger()
  const token = await ledger.userWith('somebody')
  assert.equal((await ledger.node.call('POST', '/dev/reset', { token })).status, 403)
  assert.equal((await ledger.node.call('POST', '/dev/reset', { token: null })).status, 401)
})

test('other nodes have no such paths', async () => {
  await using node = await startTestNode({ settings: { development: false, auth: { mode: 'off' } } })
  assert.equal((await node.call('POST', '/dev/reset')).status, 404)
})
