// A query store whose database fails over to its standby, and whose participant restarts: nothing is lost and nothing doubled.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openFlakyProxy } from '../fixtures/flaky-proxy.ts'
import { startTestLedger } from '../fixtures/ledger.ts'
import { createTestDatabase, startPostgres } from '../fixtures/postgres.ts'
import { compareActive, compareUpdates, openSession, startFollower } from '../fixtures/query-store.ts'
import { randomCommands } from '../fixtures/random-commands.ts'
import { testSeed } from '../fixtures/seed.ts'

test('a follower goes on when the standby of its database takes over', async () => {
  await using ledger = await startTestLedger()
  const server = await startPostgres()
  try {
    await using standby = await server.addStandby()
    const { port } = new URL(server.url)
    const both = `postgres://test@127.0.0.1:${port},127.0.0.1:${standby.port}/postgres`
    await using follower = startFollower(ledger, both)
    await randomCommands(ledger, testSeed, 6)
    await follower.reached(await ledger.end())
    await server.kill()
    await standby.promote()
    await randomCommands(ledger, testSeed + 1, 6)
    await follower.reached(await ledger.end())
    await using session = await openSession(`postgres://test@127.0.0.1:${standby.port}/postgres`)
    await compareActive(ledger, session, testSeed, 4)
    await compareUpdates(ledger, session)
  } finally {
    await server.stop()
  }
})

test('a follower goes on when its participant restarts elsewhere', async () => {
  await using ledger = await startTestLedger({ store: 'sqlite' })
  await using database = await createTestDatabase()
  await using wire = await openFlakyProxy(ledger.node.url)
  await using follower = startFollower(ledger, database.url, { url: wire.url })
  await randomCommands(ledger, testSeed, 6)
  await follower.reached(await ledger.end())
  await ledger.node.restart()
  wire.retarget(Number(new URL(ledger.node.url).port))
  await randomCommands(ledger, testSeed + 1, 6)
  await follower.reached(await ledger.end())
  assert.equal(follower.state.isStreaming, true)
  await using session = await openSession(database.url)
  await compareActive(ledger, session, testSeed, 4)
  await compareUpdates(ledger, session)
})
