// A node whose PostgreSQL goes away and comes back: what callers and /readyz report meanwhile, and how the node
// recovers. The campaign *PostgreSQL faults* of `npm run attack` shows that nothing is lost or repeated under load.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { openFlakyProxy } from '../fixtures/flaky-proxy.ts'
import { startTestLedger, type TestLedger } from '../fixtures/ledger.ts'
import { startTestNode } from '../fixtures/node.ts'
import { createTestDatabase, cutConnections, databaseOf, onDatabase, onServer } from '../fixtures/postgres.ts'
import { start } from '../fixtures/process.ts'
import { until } from '../fixtures/until.ts'

/** Short timeouts for short tests; the code that handles them is the same. */
const times = { postgresConnectTimeoutMs: 5_000, postgresQueryTimeoutMs: 5_000, postgresWatchMs: 100 }

const submitAndWait = '/v2/commands/submit-and-wait'
const submit = '/v2/commands/async/submit'

/** Each has a database of its own, and waits most of the time. */
describe('a node without its database', { concurrency: 3 }, () => {
  test('reports silently dropped connections, refuses commands, and recovers', async () => {
    await using database = await createTestDatabase()
    await using proxy = await openFlakyProxy(database.url)
    await using ledger = await startTestLedger(over(proxy.url))
    await ledger.submit([ledger.createIou()])
    proxy.drop()
    const waiting = ledger.post(submitAndWait, ledger.commandsOf([ledger.createIou()], { commandId: 'waiting' }))
    waiting.catch(() => undefined)
    await untilReadyz(ledger.node.url, /^\[-\] (database|commits) failed \(the database does not answer\)$/m)
    const refused = await ledger.post(submit, ledger.commandsOf([ledger.createIou()], { commandId: 'refused' }))
    assert.deepEqual(
      [refused.status, refused.json.code, refused.json.errorCategory, refused.json.retryInfo],
      [503, 'INDEX_DB_SQL_TRANSIENT_ERROR', 1, '1 second'],
    )
    assert.equal((await ledger.node.call('GET', '/livez')).status, 200)
    proxy.restore()
    await untilReadyz(ledger.node.url, /check passed/)
    await waiting
    await ledger.submit([ledger.createIou()])
    assert.deepEqual(await codesOf(ledger, 'refused'), [])
    assert.deepEqual((await codesOf(ledger, 'waiting')).length < 2, true)
  })

  for (const then of ['drop', 'cut', 'refuse'] as const) {
    test(`resolves a lost answer to COMMIT from the database (${then})`, async () => {
      await using database = await createTestDatabase()
      await using proxy = await openFlakyProxy(database.url)
      await using ledger = await startTestLedger(over(proxy.url))
      await ledger.submit([ledger.createIou()])
      const lost = proxy.loseAnswer('COMMIT', then)
      const answer = ledger.post(submitAndWait, ledger.commandsOf([ledger.createIou()], { commandId: 'in doubt' }))
      await lost
      await setTimeout(1_000) // Longer than a few attempts.
      proxy.restore()
      const { status, json } = await answer
      assert.equal(status, 200, JSON.stringify(json))
      assert.deepEqual(await codesOf(ledger, 'in doubt'), [0])
    })
  }

  test('waits at its start for a database that is away, or goes away meanwhile', async () => {
    await using database = await createTestDatabase()
    await using proxy = await openFlakyProxy(database.url)
    proxy.refuse()
    const starting = startTestNode(over(proxy.url))
    await setTimeout(300) // Longer than an attempt.
    const lost = proxy.loseAnswer('INSERT INTO schema_version', 'cut')
    proxy.restore()
    await lost
    await using node = await starting
    assert.equal((await node.call('GET', '/readyz')).status, 200)
  })

  test('waits while it is read-only after a failover', async () => {
    await using database = await createTestDatabase()
    await using ledger = await startTestLedger(over(database.url))
    await ledger.submit([ledger.createIou()])
    const name = databaseOf(database.url)
    await onServer(database.url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    await cutConnections(database.url)
    await untilReadyz(ledger.node.url, /\[-\] database failed \(the database is read-only\)/)
    const refused = await ledger.post(submit, ledger.commandsOf([ledger.createIou()]))
    assert.deepEqual([refused.status, refused.json.code], [503, 'INDEX_DB_SQL_TRANSIENT_ERROR'])
    const user = await ledger.node.call('POST', '/v2/users', { body: { user: { id: 'new' }, rights: [] } })
    assert.deepEqual([user.status, user.json.code], [503, 'INDEX_DB_SQL_TRANSIENT_ERROR'])
    await onServer(database.url, `ALTER DATABASE ${name} RESET default_transaction_read_only`)
    await untilReadyz(ledger.node.url, /check passed/)
    await ledger.submit([ledger.createIou()])
  })

  test('that others took for dead is not ready, and goes on when it is back', async () => {
    await using database = await createTestDatabase()
    await using proxy = await openFlakyProxy(database.url)
    await using first = await startTestLedger(over(proxy.url, 6_000))
    await using second = await startTestNode(over(database.url, 6_000))
    await first.submit([first.createIou()])
    proxy.refuse()
    await untilMembers(database.url, 1)
    assert.equal((await first.node.call('GET', '/readyz')).status, 503)
    const refused = await first.post(submit, first.commandsOf([first.createIou()]))
    assert.deepEqual([refused.status, refused.json.code], [503, 'INDEX_DB_SQL_TRANSIENT_ERROR'])
    const party = await first.node.call('POST', '/v2/parties', { body: { partyIdHint: 'late' } })
    assert.equal(party.status, 503)
    assert.equal((await second.call('GET', '/readyz')).status, 200)
    proxy.restore()
    await untilReadyz(first.node.url, /check passed/)
    await untilMembers(database.url, 2)
    await first.submit([first.createIou()])
    assert.doesNotMatch((await second.call('GET', '/v2/parties')).text, /late::/)
  })

  test('keeps its place when its connections are cut', async () => {
    await using database = await createTestDatabase()
    await using ledger = await startTestLedger(over(database.url, 60_000))
    const members = async () => (await onDatabase(database.url, 'SELECT id, epoch FROM members')).rows
    const before = await members()
    await cutConnections(database.url)
    // The node may learn of it only when a command uses such a connection; then it answers 503.
    const { status, text } = await until(async () => {
      const answer = await ledger.post(submitAndWait, ledger.commandsOf([ledger.createIou()]))
      return answer.status !== 503 && answer
    })
    assert.equal(status, 200, text)
    assert.deepEqual(await members(), before)
  })

  test('stops when told to, even if nothing answers', async () => {
    await using database = await createTestDatabase()
    await using proxy = await openFlakyProxy(database.url)
    await using node = await start(['--postgres', proxy.url, '--auth', 'off'], {
      TALLYSTICK_LIMITS_STOP_WITHIN_MS: '3000',
    })
    proxy.drop()
    const stuck = fetch(`${node.url}/v2/parties`, { method: 'POST', body: '{"partyIdHint":"stuck"}' }).catch(
      () => undefined,
    )
    await setTimeout(200)
    const outcome = await node.stop('SIGTERM')
    // 1 if a part had to be abandoned, which depends on what waited for the database at that moment.
    assert.ok(outcome === 0 || outcome === 1, `it ended with ${outcome}`)
    await stuck
  })

  test('that was paused past its lease writes only when it has claimed its place again', async () => {
    await using database = await createTestDatabase()
    const lease = { TALLYSTICK_STORE_POSTGRES_LEASE_MS: '6000', TALLYSTICK_STORE_POSTGRES_WATCH_MS: '100' }
    await using other = await startTestNode(over(database.url, 6_000))
    await using node = await start(['--postgres', database.url, '--auth', 'off'], lease)
    const allocate = async (url: string, partyIdHint: string) => {
      const answer = await fetch(`${url}/v2/parties`, { method: 'POST', body: JSON.stringify({ partyIdHint }) })
      return { status: answer.status, text: await answer.text() }
    }
    /** On a busy machine a node may be taken for dead at any time. */
    const insist = async (partyIdHint: string) => {
      await until(async () => (await allocate(node.url, partyIdHint)).status !== 503)
    }
    await insist('before')
    await untilMembers(database.url, 2)
    const epoch = async () => (await onDatabase(database.url, 'SELECT sum(epoch) AS epoch FROM members')).rows[0].epoch
    const before = await epoch()
    process.kill(node.pid, 'SIGSTOP')
    const late = allocate(node.url, 'late')
    await untilMembers(database.url, 1)
    const meanwhile = { body: { partyIdHint: 'meanwhile' } }
    await until(async () => (await other.call('POST', '/v2/parties', meanwhile)).status === 200)
    process.kill(node.pid, 'SIGCONT')
    const { status, text } = await late
    assert.ok(status === 200 || (status === 503 && /INDEX_DB_SQL_TRANSIENT_ERROR/.test(text)), `${status} ${text}`)
    await untilReadyz(node.url, /check passed/)
    await untilMembers(database.url, 2)
    assert.notEqual(await epoch(), before)
    await insist('after')
    const { text: parties } = await other.call('GET', '/v2/parties')
    for (const hint of ['before', 'meanwhile', 'after']) assert.match(parties, new RegExp(`"${hint}::`))
    assert.equal(/"late::/.test(parties), status === 200)
  })
})

async function untilMembers(url: string, count: number): Promise<void> {
  await until(async () => (await onDatabase(url, 'SELECT id FROM members')).rows.length === count)
}

async function untilReadyz(url: string, wanted: RegExp): Promise<void> {
  await until(async () => wanted.test(await (await fetch(`${url}/readyz`)).text()))
}

function over(postgresUrl: string, postgresLeaseMs?: number) {
  const store = postgresLeaseMs === undefined ? times : { ...times, postgresLeaseMs }
  return { store: 'postgres', postgresUrl, settings: { store } } as const
}

/** Status codes of all completions of a command. */
async function codesOf(ledger: TestLedger, commandId: string): Promise<number[]> {
  const completions = await ledger.completions()
  return completions.filter((one) => one.commandId === commandId).map(({ status }) => status.code)
}
