// Two nodes over one PostgreSQL database: what happens at once happens because the other node said so. The campaign
// *several nodes* of `npm run attack` shows that nothing is lost or repeated while nodes are killed, paused and cut off.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import type { Clock } from '../../src/base/clock.ts'
import { wallClock } from '../../src/base/clock.ts'
import { StartError } from '../../src/base/errors.ts'
import { createHealth } from '../../src/base/health.ts'
import { createLog } from '../../src/base/log.ts'
import { openPostgres } from '../../src/store/postgres/postgres.ts'
import { newestSchema } from '../../src/store/schema/migrate.ts'
import {
  archiveIou,
  createTarget,
  effects,
  effectsDar,
  filtersFor,
  type Json,
  move,
  right,
  updateFormat,
} from '../fixtures/ledger.ts'
import { startTestNode, type TestNode } from '../fixtures/node.ts'
import { createTestDatabase, onDatabase } from '../fixtures/postgres.ts'
import { openSession } from '../fixtures/query-store.ts'
import { hourMs, settingsWithoutTimers as settings, startTwoNodes, type TwoNodes } from '../fixtures/two-nodes.ts'
import { until } from '../fixtures/until.ts'
import { openSocket } from '../fixtures/websocket.ts'

const submitAndWait = '/v2/commands/submit-and-wait'
const ended = async (node: TestNode) => (await node.call('GET', '/v2/state/ledger-end')).json.offset as number

describe('two nodes over one database', () => {
  let pair: TwoNodes
  before(async () => {
    pair = await startTwoNodes()
  })
  after(() => pair[Symbol.asyncDispose]())

  test('show each other what they commit', async () => {
    const { a, b, post } = pair
    for (let round = 0; round < 5; round += 1) {
      const { transaction, contractId } = await a.submit([a.createIou()])
      assert.ok((await ended(b)) >= transaction.offset)
      const format = { eventFormat: filtersFor([a.alice]), activeAtOffset: transaction.offset }
      assert.match((await post('/v2/state/active-contracts', format)).text, new RegExp(contractId))
      const back = await post(submitAndWait, a.commandsOf([archiveIou(contractId)]))
      assert.equal(back.status, 200, back.text)
      assert.equal(back.json.completionOffset, transaction.offset + 1)
      assert.ok((await a.end()) >= back.json.completionOffset)
    }
  })

  test('refuse a command that the other has accepted', async () => {
    const { a, post } = pair
    const commands = a.commandsOf([a.createIou()], { commandId: 'on both' })
    const answers = await Promise.all([a.post(submitAndWait, commands), post(submitAndWait, commands)])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
    const again = await post(submitAndWait, commands)
    assert.equal(again.json.code, 'DUPLICATE_COMMAND')
  })

  test('let one of them archive a contract', async () => {
    const { a, post } = pair
    for (let round = 0; round < 5; round += 1) {
      const { contractId } = await a.submit([a.createIou()])
      const answers = await Promise.all([
        a.post(submitAndWait, a.commandsOf([archiveIou(contractId)])),
        post(submitAndWait, a.commandsOf([archiveIou(contractId)])),
      ])
      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    }
  })

  test('stream what the other commits, complete and in order', async () => {
    const { a, b, token, post } = pair
    const begin = await a.end()
    const request = { beginExclusive: begin, updateFormat: updateFormat(filtersFor([a.alice])) }
    const protocols = [`jwt.token.${token}`, 'daml.ws.auth']
    await using socket = await openSocket(`${b.url}/v2/updates`, { protocols, request })
    const work = Array.from({ length: 20 }, (_, n) =>
      (n % 2 === 0 ? a.post : post)(submitAndWait, a.commandsOf([a.createIou()])),
    )
    const offsets = (await Promise.all(work)).map(({ json }) => json.completionOffset as number)
    const seen: number[] = []
    while (seen.length < 20) {
      const { offset } = ((await socket.next()) as Json).update.Transaction?.value ?? {}
      if (offset !== undefined) seen.push(offset)
    }
    assert.deepEqual(
      seen,
      offsets.toSorted((one, other) => one - other),
    )
    assert.deepEqual(
      seen,
      seen.map((_, n) => begin + 1 + n),
    )
  })

  test('know the rights that the other grants and revokes, and end streams', async () => {
    const { a, b } = pair
    await a.userWith('reader', right('CanReadAs', a.alice))
    const token = await b.token('reader')
    const offset = await a.end()
    const list = () =>
      b.call('POST', '/v2/state/active-contracts', {
        token,
        body: { eventFormat: filtersFor([a.alice]), activeAtOffset: offset },
      })
    assert.equal((await list()).status, 200)
    const request = { beginExclusive: offset, updateFormat: updateFormat(filtersFor([a.alice])) }
    const protocols = [`jwt.token.${token}`, 'daml.ws.auth']
    await using socket = await openSocket(`${b.url}/v2/updates`, { protocols, request })
    const rights = { body: { userId: 'reader', rights: [right('CanReadAs', a.alice)] } }
    assert.equal((await a.node.call('PATCH', '/v2/users/reader/rights', rights)).status, 200)
    await until(async () => (await list()).status === 403)
    await socket.ended
    assert.equal((await a.node.call('POST', '/v2/users/reader/rights', rights)).status, 200)
    await until(async () => (await list()).status === 200)
  })

  test('act for a party that the other has allocated', async () => {
    const { a, b, post } = pair
    const { json } = await b.call('POST', '/v2/parties', { body: { partyIdHint: 'dora', userId: 'app' } })
    const { party } = json.partyDetails
    const command = a.createIou({ issuer: party, owner: party })
    const answer = await until(async () => {
      const tried = await a.post(submitAndWait, a.commandsOf([command], { actAs: [party] }))
      return tried.status === 200 ? tried : undefined
    })
    assert.ok((await ended(b)) >= answer.json.completionOffset)
    assert.equal((await post(submitAndWait, a.commandsOf([command], { actAs: [party] }))).status, 200)
  })

  test('use a package that the other has uploaded, and not what it has unvetted', async () => {
    const { a, b, post } = pair
    const command = createTarget([a.alice])
    const tryIt = (on: typeof post) => on(submitAndWait, a.commandsOf([command], { actAs: [a.alice] }))
    assert.equal((await tryIt(post)).status, 404)
    const uploaded = await a.node.call('POST', '/v2/packages', { body: readFileSync(effectsDar) })
    assert.equal(uploaded.status, 200, uploaded.text)
    await until(async () => (await tryIt(post)).status === 200)
    const change = {
      changes: [
        {
          operation: { Unvet: { value: { packages: [{ packageId: effects, packageName: '', packageVersion: '' }] } } },
        },
      ],
      dryRun: false,
      synchronizerId: '',
      updateVettedPackagesForceFlags: [],
    }
    const unvetted = await b.call('POST', '/v2/package-vetting/update', { body: change })
    assert.equal(unvetted.status, 200, unvetted.text)
    await until(async () => (await tryIt(a.post)).status !== 200)
  })

  test('know the identity providers that the other adds and removes', async () => {
    const { a, b } = pair
    const config = {
      identityProviderId: 'acme',
      isDeactivated: false,
      issuer: 'https://acme.example',
      jwksUrl: 'http://127.0.0.1:1/keys',
      audience: '',
    }
    const created = await a.node.call('POST', '/v2/idps', { body: { identityProviderConfig: config } })
    assert.equal(created.status, 200, created.text)
    const user = { user: { id: 'of-acme', identityProviderId: 'acme' }, rights: [] }
    assert.equal((await b.call('POST', '/v2/users', { body: user })).status, 200)
    assert.equal((await a.node.call('DELETE', '/v2/idps/acme')).status, 400)
  })

  test('prune for both, and the one that leads deletes', async () => {
    const { a, b, url } = pair
    const upTo = await ended(b)
    await a.submit([a.createIou()])
    const pruned = await b.call('POST', '/v2/pruning', { body: { pruneUpTo: upTo } })
    assert.equal(pruned.status, 200, pruned.text)
    await until(async () => {
      const { json } = await a.node.call('GET', '/v2/state/latest-pruned-offsets')
      return json.participantPrunedUpToInclusive === upTo
    })
    await until(async () => {
      const left = await onDatabase(url, `SELECT 1 FROM updates WHERE update_offset <= ${upTo}`)
      return left.rows.length === 0
    })
  })
})

describe('a node over a database', () => {
  test('goes on when another one stops, and takes over its work', async () => {
    await using pair = await startTwoNodes({ settings: { store: { postgresWatchMs: 50, postgresLeaseMs: 60_000 } } })
    const { a, b, post } = pair
    const { contractId } = await a.submit([a.createIou()])
    assert.match((await a.node.call('GET', '/metrics')).text, /^tallystick_leads 1$/m)
    await until(async () => /^tallystick_nodes 2$/m.test((await b.call('GET', '/metrics')).text))
    await a.node.node[Symbol.asyncDispose]()
    assert.equal((await post(submitAndWait, a.commandsOf([archiveIou(contractId)]))).status, 200)
    await until(async () => /^tallystick_leads 1$/m.test((await b.call('GET', '/metrics')).text))
    assert.match((await b.call('GET', '/metrics')).text, /^tallystick_nodes 1$/m)
  })

  test('assigns for all of them when it leads', async () => {
    await using pair = await startTwoNodes({
      settings: { ...settings, limits: { ...settings.limits, assignmentExclusivityMs: 300 } },
    })
    const { a, b, post } = pair
    assert.match((await a.node.call('GET', '/metrics')).text, /^tallystick_leads 1$/m)
    const { contractId } = await a.submit([a.createIou()])
    await move({ ...a, node: b, post }, contractId, false)
    await until(async () => {
      const request = { eventFormat: filtersFor([a.alice]), activeAtOffset: await ended(b) }
      const { json } = await post('/v2/state/active-contracts', request)
      const entry = json.find(({ contractEntry }: Json) => JSON.stringify(contractEntry).includes(contractId))
      return entry?.contractEntry.JsActiveContract?.reassignmentCounter === 1
    })
    assert.doesNotMatch((await b.call('GET', '/metrics')).text, /^tallystick_leads 1$/m)
  })

  test('agrees on the time with another whose clock is ahead by a minute and a half', async () => {
    const ahead: Clock = { ...wallClock, nowMs: () => wallClock.nowMs() + 90_000 }
    await using pair = await startTwoNodes({ clock: ahead })
    const { a, post } = pair
    for (let round = 0; round < 3; round += 1) {
      const created = await post(submitAndWait, a.commandsOf([a.createIou()]))
      assert.equal(created.status, 200, created.text)
      await a.end() // As a client does that goes on where it was.
      await a.submit([a.createIou()])
    }
    const updates = await a.post('/v2/updates?stream_idle_timeout_ms=50', {
      beginExclusive: 0,
      endInclusive: await a.end(),
      updateFormat: updateFormat(filtersFor([a.alice])),
    })
    const times = updates.json.flatMap(({ update }: Json) => update.Transaction?.value.recordTime.slice(0, -1) ?? [])
    assert.equal(times.length, 6)
    assert.deepEqual(times, times.toSorted())
    assert.equal(new Set(times).size, 6)
  })

  test('ends with the reason when another version has migrated the database, and writes nothing before', async () => {
    await using pair = await startTwoNodes()
    const { a, b, url } = pair
    // The node waits for the lock that the migration holds.
    await using migration = await openSession(url)
    await migration.query('BEGIN; SELECT 1 FROM shared_state FOR UPDATE')
    await migration.query('UPDATE schema_version SET version = version + 1')
    const late = pair.post('/v2/parties', { partyIdHint: 'late' }, { token: b.adminToken })
    const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    await until(async () => (await onDatabase(url, waiting)).rows[0])
    await migration.query('COMMIT')
    const { status, json } = await late
    assert.deepEqual([status, json.code], [503, 'INDEX_DB_SQL_TRANSIENT_ERROR'])
    assert.match(json.cause, /another version of Tallystick has migrated the database to schema version \d+/)
    assert.match(await b.node.lost, /this one knows \d+/)
    await onDatabase(url, "NOTIFY tallystick, 'the new one'")
    assert.match(await a.node.node.lost, /start the new version/)
    assert.equal((await onDatabase(url, "SELECT 1 FROM parties WHERE party LIKE 'late%'")).rows.length, 0)
  })

  test('learns without notifications what others did', async () => {
    await using pair = await startTwoNodes({
      settings: { ...settings, store: { postgresWatchMs: 50, postgresLeaseMs: 60_000 } },
    })
    const { a, b, url } = pair
    await a.userWith('reader')
    const token = await b.token('reader')
    const rights = () => b.call('GET', '/v2/users/reader', { token })
    assert.equal((await rights()).status, 200)
    // As if a node wrote whose notifications are lost.
    await onDatabase(url, "DELETE FROM users WHERE id = 'reader'")
    await onDatabase(url, 'UPDATE shared_state SET users_version = users_version + 1')
    await until(async () => (await rights()).status !== 200)
  })
})

describe('a node that would migrate the database', () => {
  /** A node of the version before, as far as the database knows. */
  async function startOlder() {
    await using parts = new AsyncDisposableStack()
    const { url } = parts.use(await createTestDatabase())
    const log = createLog('silent')
    const node = { health: createHealth(wallClock, log), leaseMs: hourMs }
    const older = await openPostgres(url, log, { node })
    const running = parts.use(new AsyncDisposableStack())
    running.defer(() => older[Symbol.asyncDispose]())
    older.sharing!.announce('http://127.0.0.1:7575')
    await onDatabase(url, 'UPDATE members SET schema_version = schema_version - 1')
    const isMigrated = async () =>
      (await onDatabase(url, "SELECT to_regclass('updates') IS NOT NULL AS found")).rows[0].found
    const start = (postgresStartMs: number) =>
      startTestNode({ store: 'postgres', postgresUrl: url, settings: { store: { postgresStartMs } } })
    const owned = parts.move()
    const stopOlder = () => running.disposeAsync()
    return { url, stopOlder, isMigrated, start, [Symbol.asyncDispose]: () => owned.disposeAsync() }
  }

  test('does not start beside a node of an older version, and names it', async () => {
    await using place = await startOlder()
    await assert.rejects(place.start(0), (error) => {
      assert.ok(error instanceof StartError)
      assert.match(error.message, /^nodes of an older version still run: .*http:\/\/127\.0\.0\.1:7575/)
      return true
    })
    assert.equal(await place.isMigrated(), false)
  })

  test('starts when the last node of the older version has stopped', async () => {
    await using place = await startOlder()
    const starting = place.start(hourMs)
    const waiting = "SELECT 1 FROM members WHERE url = '' AND schema_version = "
    await until(async () => (await onDatabase(place.url, `${waiting}${newestSchema}`)).rows[0])
    await place.stopOlder()
    await using _newer = await starting
    assert.equal(await place.isMigrated(), true)
  })

  test('does not wait for a node of an older version that was killed', async () => {
    await using place = await startOlder()
    await place.stopOlder()
    // As a killed node leaves its row behind, seen just now and without a connection.
    await onDatabase(
      place.url,
      `INSERT INTO members (id, epoch, url, is_alone, is_direct, started_at, seen_at)
        VALUES ('killed', 1, '', false, true, clock_timestamp(), clock_timestamp())`,
    )
    await using _newer = await place.start(0)
    assert.equal(await place.isMigrated(), true)
  })

  test('starts beside others of its own version', async () => {
    await using place = await startOlder()
    await place.stopOlder()
    const nodes = await Promise.all([place.start(0), place.start(0), place.start(0)])
    for (const node of nodes) await node[Symbol.asyncDispose]()
    assert.equal(await place.isMigrated(), true)
  })
})
