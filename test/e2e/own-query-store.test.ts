// `store.queries`: a node over PostgreSQL keeps a query store in its own database, whichever of several nodes leads, and
// begins anew when it does not fit the ledger.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type pg from 'pg'
import { StartError } from '../../src/base/errors.ts'
import { startTestLedger, type TestLedger } from '../fixtures/ledger.ts'
import { startTestNode } from '../fixtures/node.ts'
import { createMigratedDatabase, onDatabase, type TestDatabase } from '../fixtures/postgres.ts'
import { compareActive, compareUpdates, openSession, type ReadLedger } from '../fixtures/query-store.ts'
import { randomCommands } from '../fixtures/random-commands.ts'
import { until } from '../fixtures/until.ts'

const store = { queries: true, postgresWatchMs: 50, postgresLeaseMs: 60_000 }

let database: TestDatabase
let ledger: TestLedger
let session: pg.Client & AsyncDisposable

before(async () => {
  database = await createMigratedDatabase()
  ledger = await startTestLedger({ store: 'postgres', postgresUrl: database.url, settings: { store } })
  session = await openSession(database.url)
  await session.query('SET search_path TO queries')
})

after(async () => {
  await session[Symbol.asyncDispose]()
  await ledger[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const one = async (sql: string, reader = session) => Object.values((await reader.query(sql)).rows[0] ?? {})[0]

/** Settles when the store has everything that the ledger has. */
async function caughtUp(read: Pick<ReadLedger, 'end'> = ledger, reader = session): Promise<void> {
  const end = await read.end()
  await until(async () => Number((await one('SELECT latest_offset()', reader)) ?? -1) >= end)
}

test('the store is right behind the ledger', async () => {
  await randomCommands(ledger, 1, 25)
  await caughtUp()
  await compareActive(ledger, session, 1, 8)
  await compareUpdates(ledger, session)
  await until(async () => {
    const { text } = await ledger.node.call('GET', '/metrics')
    return /^tallystick_query_store_lag_offsets 0$/m.test(text)
  })
})

test('lost connections lose nothing and repeat nothing', async () => {
  const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'tallystick query-store'`
  const commands = randomCommands(ledger, 7, 25)
  for (let round = 0; round < 4; round += 1) await until(async () => ((await session.query(cut)).rowCount ?? 0) > 0)
  await commands
  await caughtUp()
  await compareActive(ledger, session, 7, 4)
  await compareUpdates(ledger, session)
})

test('what a node lacks when it stops, the next one adds', async () => {
  await using other = await startTestNode({ store: 'postgres', postgresUrl: database.url, settings: { store } })
  await randomCommands(ledger, 2, 5)
  await ledger.node.node[Symbol.asyncDispose]() // It leads.
  const token = await other.token('app')
  const through: ReadLedger = {
    ...{ node: other, token },
    post: (path, body, options = {}) => other.call('POST', path, { token, body, ...options }),
    end: async () => (await other.call('GET', '/v2/state/ledger-end')).json.offset,
  }
  for (let round = 0; round < 3; round += 1) {
    const answer = await through.post('/v2/commands/submit-and-wait', ledger.commandsOf([ledger.createIou()]))
    assert.equal(answer.status, 200, answer.text)
  }
  await caughtUp(through)
  await compareActive(through, session, 2, 4)
  await compareUpdates(through, session)
  await ledger.node.restart()
})

test('a store that is not of this ledger begins anew and keeps the indexes of its users', async () => {
  await session.query("CALL create_index_for_contract('currency', 'Iou', '(payload->>''currency'')', 'btree')")
  await caughtUp()
  await ledger.node.node[Symbol.asyncDispose]()
  await session.query(
    "UPDATE __transactions SET transaction_id = 'other' WHERE ix = (SELECT max(ix) FROM __transactions)",
  )
  await session.query("UPDATE __contracts SET payload = '{}'")
  await ledger.node.restart()
  await until(async () => (await one("SELECT count(*) FROM __transactions WHERE transaction_id = 'other'")) === 0)
  await caughtUp()
  await compareActive(ledger, session, 3, 4)
  await compareUpdates(ledger, session)
  assert.equal(await one("SELECT count(*) FROM pg_indexes WHERE indexname LIKE '%_currency_idx'"), 1)
})

test('a ledger that was pruned beyond the store gives it what is active', async () => {
  await using own = await createMigratedDatabase()
  const options = { store: 'postgres', postgresUrl: own.url } as const
  await using other = await startTestLedger({ ...options, settings: { store } })
  await using reader = await openSession(own.url)
  await reader.query('SET search_path TO queries')
  await other.submit([other.createIou()])
  await caughtUp(other, reader)
  await other.node.node[Symbol.asyncDispose]()
  {
    await using without = await startTestNode(options)
    const token = await without.token('app')
    const create = async (amount: string): Promise<number> => {
      const body = other.commandsOf([other.createIou({ amount })])
      return (await without.call('POST', '/v2/commands/submit-and-wait', { token, body })).json.completionOffset
    }
    const offset = await create('4711')
    await create('4712')
    const pruned = await without.call('POST', '/v2/pruning', { body: { pruneUpTo: offset } })
    assert.equal(pruned.status, 200, pruned.text)
    assert.ok(Number(await one('SELECT latest_offset()', reader)) < offset)
  }
  await other.node.restart()
  await caughtUp(other, reader)
  await compareActive(other, reader, 4, 4)
  assert.equal(await one("SELECT count(*) FROM active('Iou') WHERE payload->>'amount' LIKE '4711.%'", reader), 1)
})

test('somebody else who writes to the store loses it to the node', async () => {
  await session.query("UPDATE __watermark SET instance_id = 'somebody'")
  await ledger.submit([ledger.createIou()])
  await caughtUp()
  assert.notEqual(await one('SELECT instance_id FROM __watermark'), 'somebody')
  await compareActive(ledger, session, 5, 3)
})

test('a node without the setting has no schema for it, and a changed schema ends the start', async () => {
  await using plain = await createMigratedDatabase()
  {
    await using _ = await startTestNode({ store: 'postgres', postgresUrl: plain.url })
    const { rows } = await onDatabase(plain.url, "SELECT to_regnamespace('queries') AS found")
    assert.equal(rows[0].found, null)
  }
  await onDatabase(plain.url, 'CREATE SCHEMA queries; CREATE TABLE queries.__contract_tpe ()')
  await assert.rejects(
    startTestNode({ store: 'postgres', postgresUrl: plain.url, settings: { store: { queries: true } } }),
    (error) => error instanceof StartError && /has the tables of another query store/.test(error.message),
  )
})

test('a ledger in SQLite has none', async () => {
  await assert.rejects(
    startTestNode({ store: 'sqlite', settings: { store: { queries: true } } }),
    (error) => error instanceof StartError && /store.queries needs PostgreSQL/.test(error.message),
  )
})
