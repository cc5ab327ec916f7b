// PostgreSQL passes the database contract and survives connection failures.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { openFlakyProxy } from '../../../test/fixtures/flaky-proxy.ts'
import {
  createTestDatabase,
  cutConnections,
  databaseOf,
  needsPostgres,
  onDatabase,
  onServer,
} from '../../../test/fixtures/postgres.ts'
import { until } from '../../../test/fixtures/until.ts'
import { wallClock } from '../../base/clock.ts'
import { LedgerError, StartError } from '../../base/errors.ts'
import { createHealth } from '../../base/health.ts'
import { createLog, type Log } from '../../base/log.ts'
import { databaseContract } from '../core/database.contract.ts'
import type { Database, Queries } from '../core/database.ts'
import { contractEventsContract } from '../records/contract-events.contract.ts'
import { createStore } from '../records/create-store.ts'
import { pastContractsContract } from '../records/past-contracts.contract.ts'
import { topologyContract } from '../records/topology.contract.ts'
import { migrate } from '../schema/migrate.ts'
import { usualTimes } from './connections.ts'
import { openPostgres } from './postgres.ts'
import { change, deletion } from './rows.ts'
import { keepOthersOut } from './shared-state.ts'

const log: Log = createLog('silent')

describe('the contracts of a database', needsPostgres, () => {
  databaseContract('PostgreSQL', async () => owning(await createTestDatabase()))
  pastContractsContract(
    'PostgreSQL',
    async () => owning(await createTestDatabase()),
    (database, sql, params) =>
      database.transaction(async (tx) => {
        for (const way of ['seqscan', 'bitmapscan']) await tx.query(`SET LOCAL enable_${way} = off`)
        const steps = await tx.query(`EXPLAIN ${sql}`, ...params)
        return steps.map((step) => step['QUERY PLAN']).join('\n')
      }),
  )
  contractEventsContract('PostgreSQL', async () => owning(await createTestDatabase()))
  topologyContract('PostgreSQL', async () => owning(await createTestDatabase()))

  // Most servers sort text by language, not by bytes: names must not depend on it.
  databaseContract('PostgreSQL with a collation of its own', async () => owning(await createTestDatabase(), collated))
})

describe('a PostgreSQL database', needsPostgres, () => {
  test('finds the rows to change or delete by their keys, however many of the table they are', async () => {
    await using place = await createTestDatabase()
    await using database = await openPostgres(place.url, log)
    await onDatabase(
      place.url,
      `CREATE TABLE many (a BIGINT, b BIGINT, c TEXT, PRIMARY KEY (a, b));
        CREATE UNIQUE INDEX many_by_b ON many (b);
        INSERT INTO many SELECT 1, n, 'text' FROM generate_series(1, 20000) n;
        ANALYZE many`,
    )
    const keys = Array.from({ length: 1_000 }, (_, index) => BigInt(index + 1))
    const statements = [
      deletion(
        'many',
        ['a', 'b'],
        keys.map((key) => [1n, key]),
      ),
      change(
        'many',
        'b',
        ['c'],
        keys.map((key) => [key, 'other']),
      ),
    ]
    for (const { text, values } of statements) {
      const steps = await database.transaction((tx) => tx.query(`EXPLAIN ${text}`, ...values))
      assert.doesNotMatch(steps.map((step) => step['QUERY PLAN']).join('\n'), /Seq Scan on many/)
    }
  })

  test('is migrated once by concurrent starts', async () => {
    await using test = await createTestDatabase()
    const nodes = await Promise.all(Array.from({ length: 6 }, () => openPostgres(test.url, log)))
    await Promise.all(nodes.map((node) => migrate(node)))
    await createStore(nodes[0]!).node.insert('name', Uint8Array.of(1))
    assert.deepEqual([...(await createStore(nodes[5]!).node.get('name'))!], [1])
    assert.equal((await nodes[0]!.query('SELECT version FROM schema_version')).length, 1)
    await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()))
  })

  test('belongs to a program that wants it alone until that ends', async () => {
    await using test = await createTestDatabase()
    const isStartError = (text: RegExp) => (error: unknown) => {
      assert.ok(error instanceof StartError)
      assert.match(error.message, text)
      return true
    }
    const node = await openPostgres(test.url, log, { node: asNode() })
    await (await openPostgres(test.url, log, { node: asNode() }))[Symbol.asyncDispose]()
    await assert.rejects(
      openPostgres(test.url, log, { node: { ...asNode(), isAlone: true } }),
      isStartError(/^another node is already running over the database at postgres:.*; stop it first$/),
    )
    await node[Symbol.asyncDispose]()
    const alone = await openPostgres(test.url, log, { node: { ...asNode(), isAlone: true } })
    await assert.rejects(
      openPostgres(test.url, log, { node: asNode() }),
      isStartError(/^another node or command uses the database at postgres:.* alone; wait until it ends$/),
    )
    await alone.sharing!.open()
    await (await openPostgres(test.url, log, { node: asNode() }))[Symbol.asyncDispose]()
    await alone[Symbol.asyncDispose]()
  })

  test('has transactions beside its writers, for which only a change of the schema waits', async () => {
    await using test = await createTestDatabase()
    await using database = await openPostgres(test.url, log, { node: asNode() })
    await database.query('CREATE TABLE things (id BIGINT PRIMARY KEY)')
    const insert = (id: bigint) => (tx: Queries) => tx.insert('things', ['id'], [[id]])
    await database.transaction(() => database.beside!(insert(1n)))
    await database.beside!(async (tx) => {
      await database.transaction(insert(2n))
      await assert.rejects(onDatabase(test.url, `${keepOthersOut} NOWAIT`), { code: '55P03' })
      await insert(3n)(tx)
    })
    await onDatabase(test.url, `${keepOthersOut} NOWAIT`)
    await assert.rejects(database.beside!((tx) => insert(4n)(tx).then(() => Promise.reject(new Error('no')))))
    const rows = await database.query('SELECT id FROM things ORDER BY id')
    assert.deepEqual(
      rows.map(({ id }) => id),
      [1n, 2n, 3n],
    )
  })

  test('answers a transaction that reads once and writes ten times in four round trips', async () => {
    await using test = await createTestDatabase()
    await using proxy = await openFlakyProxy(test.url)
    await using database = await openPostgres(proxy.url, log)
    await database.query('CREATE TABLE things (id BIGINT PRIMARY KEY, n BIGINT)')
    const before = proxy.asked
    const rows = await database.transaction(async (tx) => {
      await tx.insert('things', ['id', 'n'], [[1n, 1n]])
      for (let n = 2n; n <= 5n; n += 1n) await tx.insert('things', ['id', 'n'], [[n, n]])
      const found = await tx.query('SELECT id FROM things')
      for (let n = 6n; n <= 10n; n += 1n) await tx.query('INSERT INTO things VALUES ($1, $1)', n)
      return found
    })
    assert.equal(proxy.asked - before, 4)
    assert.equal(rows.length, 5)
    assert.equal((await database.query('SELECT id FROM things')).length, 10)
  })

  test('reports the write that failed, not those after it, and writes nothing', async () => {
    await using test = await createTestDatabase()
    await using database = await openPostgres(test.url, log)
    await database.query('CREATE TABLE things (id BIGINT PRIMARY KEY)')
    const ids = (...numbers: bigint[]) => numbers.map((number) => [number])
    for (const readsAfter of [false, true]) {
      const attempt = database.transaction(async (tx) => {
        for (const some of [ids(1n), ids(2n, 2n), ids(3n)]) await tx.insert('things', ['id'], some)
        if (readsAfter) await tx.query('SELECT id FROM things')
      })
      await assert.rejects(attempt, { code: '23505' })
      assert.deepEqual(await database.query('SELECT id FROM things'), [])
    }
    await database.transaction((tx) => tx.insert('things', ['id'], ids(1n)))
  })

  test('has one writer at a time among all nodes', async () => {
    await using test = await createTestDatabase()
    await using one = await openPostgres(test.url, log)
    await using other = await openPostgres(test.url, log)
    await one.query('CREATE TABLE things (n BIGINT NOT NULL)')
    await one.query('INSERT INTO things VALUES (0)')
    const increment = (database: Database) =>
      database.transaction(async (tx) => {
        const [row] = await tx.query('SELECT n FROM things')
        await setImmediate()
        await tx.query('UPDATE things SET n = $1', (row!.n as bigint) + 1n)
      })
    await Promise.all(Array.from({ length: 30 }, (_, index) => increment(index % 2 === 0 ? one : other)))
    assert.equal((await one.query('SELECT n FROM things'))[0]!.n, 30n)
  })

  test('answers readers while many writers wait for each other', async () => {
    await using test = await createTestDatabase()
    await using database = await openPostgres(test.url, log)
    const { promise: release, resolve } = Promise.withResolvers<void>()
    const writers = Array.from({ length: 30 }, () => database.transaction(() => release))
    const reader = database.query('SELECT 1 AS one').then(
      () => 'answered',
      (error: Error) => error.message,
    )
    const outcome = await Promise.race([reader, setTimeout(30_000, 'still waiting', { ref: false })])
    resolve()
    await Promise.all(writers)
    assert.equal(outcome, 'answered')
  })

  test('that cannot be reached is reported in one line', async () => {
    await assert.rejects(openPostgres('postgres://127.0.0.1:1/nowhere', log), (error) => {
      assert.ok(error instanceof StartError)
      const reached = 'cannot reach the database at postgres://127.0.0.1:1/nowhere: '
      assert.equal(error.message, `${reached}connect ECONNREFUSED 127.0.0.1:1`)
      return true
    })
  })

  test('that does not exist is reported in one line', async () => {
    await using test = await createTestDatabase()
    await assert.rejects(openPostgres(`${test.url}_not`, log), (error) => {
      assert.ok(error instanceof StartError)
      assert.match(error.message, /^cannot reach the database at postgres:\S+: database "\S+_not" does not exist$/)
      return true
    })
  })

  const secretive = [
    'postgres://me:s3cret@127.0.0.1:1/db',
    'postgresql://me:s3cret@127.0.0.1:1/db',
    'postgres://me:s3cret:s3cret@127.0.0.1:1/db',
    'postgres://me:s3cret%40s3cret@127.0.0.1:1/db',
    'postgres://:s3cret@127.0.0.1:1/db',
    'postgres://127.0.0.1:1/db?user=me&password=s3cret',
    'postgres://me:s3cret@127.0.0.1:99999/db',
    'postgres://me:s3cret@[nowhere/db',
  ]
  for (const url of secretive) {
    test(`is named without its password: ${url}`, async () => {
      await assert.rejects(openPostgres(url, log), (error: Error) => {
        assert.doesNotMatch(error.message, /s3cret/)
        assert.ok(error instanceof StartError, String(error))
        return true
      })
    })
  }

  test('is reconnected after it cuts idle connections', async () => {
    await using test = await createTestDatabase()
    await using database = await openPostgres(test.url, log)
    await Promise.all(Array.from({ length: 5 }, () => database.query('SELECT pg_sleep(0.01)')))
    await cutConnections(test.url)
    await recovers(database)
  })

  test('that cuts off a statement causes a transient error and recovers', async () => {
    await using test = await createTestDatabase()
    await using database = await openPostgres(test.url, log)
    await database.query('CREATE TABLE things (n BIGINT)')
    const query = database.query('SELECT pg_sleep(30)')
    const transaction = database.transaction(async (tx) => {
      await tx.query('INSERT INTO things VALUES (1)')
      await tx.query('SELECT pg_sleep(30)')
    })
    const refused = Promise.all([assert.rejects(query, isTransient), assert.rejects(transaction, isTransient)])
    await untilBusy(test.url, 2)
    await cutConnections(test.url)
    await refused
    await recovers(database)
    assert.deepEqual(await database.query('SELECT * FROM things'), [])
  })

  test('that cuts off a transaction between two statements causes a transient error and recovers', async () => {
    await using test = await createTestDatabase()
    await using database = await openPostgres(test.url, log)
    await database.query('CREATE TABLE things (n BIGINT)')
    const transaction = database.transaction(async (tx) => {
      await tx.query('INSERT INTO things VALUES (1)')
      await cutConnections(test.url)
      await setTimeout(100) // The connection breaks while it is idle.
      await tx.query('INSERT INTO things VALUES (2)')
    })
    await assert.rejects(transaction, isTransient)
    await recovers(database)
    assert.deepEqual(await database.query('SELECT * FROM things'), [])
  })

  test('that is gone causes a transient error for every request', async () => {
    const gone = await createTestDatabase()
    await using database = await openPostgres(gone.url, log)
    await gone[Symbol.asyncDispose]()
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await assert.rejects(database.query('SELECT 1'), isTransient)
      await assert.rejects(
        database.transaction((tx) => tx.query('SELECT 1')),
        isTransient,
      )
    }
  })
})

function asNode() {
  return { health: createHealth(wallClock, log) }
}

async function owning(
  test: { url: string } & AsyncDisposable,
  prepare: (url: string) => Promise<void> = async () => undefined,
): Promise<Database> {
  await prepare(test.url)
  const database = await openPostgres(test.url, log, { times: { ...usualTimes, closeTimeoutMs: 60_000 } })
  return {
    ...database,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]()
      await test[Symbol.asyncDispose]()
    },
  }
}

/** The same database with an English collation. */
async function collated(url: string): Promise<void> {
  const name = databaseOf(url)
  await onServer(url, `DROP DATABASE ${name}`)
  await onServer(url, `CREATE DATABASE ${name} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'`)
}

async function untilBusy(url: string, statements: number): Promise<void> {
  const name = databaseOf(url)
  const busy = `SELECT 1 FROM pg_stat_activity WHERE datname = '${name}' AND wait_event = 'PgSleep'`
  await until(async () => (await onServer(url, busy)).rows.length === statements)
}

/** A broken connection may be handed out for a moment; then everything works again. */
async function recovers(database: Database): Promise<void> {
  const rows = await until(() => database.transaction((tx) => tx.query('SELECT 1 AS one')).catch(() => undefined))
  assert.deepEqual(
    rows.map((row) => row.one),
    [1n],
  )
}

function isTransient(error: unknown): true {
  assert.ok(error instanceof LedgerError, String((error as Error).stack))
  assert.equal(error.code, 'INDEX_DB_SQL_TRANSIENT_ERROR')
  return true
}
