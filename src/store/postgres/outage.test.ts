// What happens to transactions when the network or the server fails during them.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { type FlakyProxy, openFlakyProxy } from '../../../test/fixtures/flaky-proxy.ts'
import { createTestDatabase, cutConnections, needsPostgres, onDatabase } from '../../../test/fixtures/postgres.ts'
import { until } from '../../../test/fixtures/until.ts'
import { wallClock } from '../../base/clock.ts'
import { isStoreUnavailable } from '../../base/errors.ts'
import { createHealth, type Health } from '../../base/health.ts'
import { createLog } from '../../base/log.ts'
import type { Database, Row } from '../core/database.ts'
import { createStore } from '../records/create-store.ts'
import { migrate } from '../schema/migrate.ts'
import { openPostgres } from './postgres.ts'

const log = createLog('silent')
const times = { connectTimeoutMs: 5_000, queryTimeoutMs: 5_000, watchMs: 100 }

type Bench = AsyncDisposable & {
  readonly database: Database
  readonly proxy: FlakyProxy
  readonly health: Health
  readonly url: string
  /** Adds a row in a transaction. */
  add(n: bigint): Promise<string>
  rows(): Promise<Row[]>
}

async function openBench(given = times, leaseMs = 60_000): Promise<Bench> {
  await using parts = new AsyncDisposableStack()
  const { url } = parts.use(await createTestDatabase())
  const proxy = parts.use(await openFlakyProxy(url))
  const health = createHealth(wallClock, log)
  const node = { health, leaseMs }
  const database = parts.use(await openPostgres(proxy.url, log, { times: given, node }))
  await database.query('CREATE TABLE things (n BIGINT NOT NULL)')
  const owned = parts.move()
  return {
    database,
    proxy,
    health,
    url,
    add: (n) =>
      database.transaction(async (tx) => {
        await tx.query('INSERT INTO things VALUES ($1)', n)
        return `added ${n}`
      }),
    rows: () => database.query('SELECT n FROM things ORDER BY n'),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Retries while the database is unreachable. */
async function insist<T>(run: () => Promise<T>): Promise<T> {
  const untilMs = performance.now() + 60_000
  for (;;) {
    try {
      return await run()
    } catch (error) {
      if (!isStoreUnavailable(error) || performance.now() > untilMs) throw error
      await setTimeout(20)
    }
  }
}

/** Each has a database of its own, and waits most of the time. */
describe('a transaction', { ...needsPostgres, concurrency: 3 }, () => {
  for (const then of ['drop', 'cut', 'refuse'] as const) {
    test(`whose answer to COMMIT is lost is found committed when the database is back (${then})`, async () => {
      await using bench = await openBench()
      const lost = bench.proxy.loseAnswer('COMMIT', then)
      const outcome = bench.add(1n)
      await lost
      await setTimeout(1_500)
      bench.proxy.restore()
      assert.equal(await outcome, 'added 1')
      assert.deepEqual(await insist(bench.rows), [{ n: 1n }])
    })
  }

  test('whose COMMIT does not arrive is found not committed', async () => {
    await using bench = await openBench()
    const held = bench.proxy.holdBefore('COMMIT')
    const outcome = assert.rejects(bench.add(1n), isStoreUnavailable)
    await held
    bench.proxy.drop() // The held COMMIT is never delivered; the server still waits for it, with the lock.
    bench.proxy.restore()
    await outcome
    assert.deepEqual(await insist(bench.rows), [])
    assert.equal(await insist(() => bench.add(2n)), 'added 2')
  })

  test('whose COMMIT arrives late is committed once', async () => {
    await using bench = await openBench()
    const held = bench.proxy.holdBefore('COMMIT')
    const outcome = bench.add(1n).then(
      () => 1,
      () => 0,
    )
    await held
    await setTimeout(times.queryTimeoutMs / 2)
    bench.proxy.restore()
    const count = await outcome
    assert.equal((await insist(bench.rows)).length, count)
  })

  test('does not wait for locks of a dropped connection', async () => {
    await using bench = await openBench()
    const stuck = bench.database.transaction(async (tx) => {
      await tx.query('INSERT INTO things VALUES (1)')
      bench.proxy.drop()
      await tx.query('INSERT INTO things VALUES (2)')
    })
    await assert.rejects(stuck, isStoreUnavailable)
    bench.proxy.restore()
    assert.equal(await insist(() => bench.add(3n)), 'added 3')
    assert.deepEqual(await bench.rows(), [{ n: 3n }])
  })

  test('passes on the errors of its body', async () => {
    await using bench = await openBench()
    await assert.rejects(
      bench.database.transaction(async () => {
        throw new Error('mine')
      }),
      { message: 'mine' },
    )
    await assert.rejects(bench.database.query('INSERT INTO things VALUES (NULL)'), /null value/)
    await bench.database.query('VACUUM things') // VACUUM cannot run in a transaction.
    await bench.database.reclaim()
    assert.deepEqual(bench.health.failing(), [])
  })
})

describe('the membership of a node', needsPostgres, () => {
  test('outlives its connections', async () => {
    await using bench = await openBench()
    for (let round = 0; round < 3; round += 1) {
      await cutConnections(bench.url)
      assert.equal(await insist(() => bench.add(BigInt(round))), `added ${round}`)
      await until(async () => (await members(bench.url)).length === 1)
    }
    await until(() => bench.health.failing().length === 0)
    assert.equal(bench.database.sharing!.counts().claims, 1)
  })

  test('is kept while the server still keeps the connection that showed its life', async () => {
    await using bench = await openBench()
    bench.proxy.drop()
    await until(() => bench.health.failing().some(({ name }) => name === 'database'))
    bench.proxy.restore()
    await until(() => bench.health.failing().length === 0)
    assert.equal(await insist(() => bench.add(1n)), 'added 1')
  })

  test('is kept without trying each connection that was dropped along with it', async () => {
    // Statements wait longer than this test does.
    await using bench = await openBench({ ...times, queryTimeoutMs: 600_000 })
    await Promise.all([bench.rows(), bench.rows(), bench.rows()])
    bench.proxy.drop()
    await until(() => bench.health.failing().length > 0)
    bench.proxy.restore()
    await until(() => bench.health.failing().length === 0)
    assert.equal((await Promise.all([bench.rows(), bench.rows(), bench.rows()])).length, 3)
  })

  test('is lost without a sign of life: writes fail until it is claimed again', async () => {
    await using bench = await openBench(times, 1_000)
    await using other = await openPostgres(bench.url, log, { times, node: asNode() })
    await insist(() => bench.add(1n))
    await until(() => other.sharing!.counts().nodes === 2)
    const before = await members(bench.url)
    bench.proxy.refuse()
    await until(() => other.sharing!.counts().nodes === 1)
    await until(() => other.sharing!.leads())
    await assert.rejects(bench.add(2n), isStoreUnavailable)
    assert.throws(() => bench.health.checkCommands(), isStoreUnavailable)
    await until(async () => (await members(bench.url)).length === 1)
    bench.proxy.restore()
    assert.equal(await insist(() => bench.add(3n)), 'added 3')
    assert.ok(bench.database.sharing!.counts().claims >= 2)
    assert.deepEqual(await other.query('SELECT n FROM things ORDER BY n'), [{ n: 1n }, { n: 3n }])
    assert.notDeepEqual(await members(bench.url), before)
    await until(() => bench.health.failing().length === 0)
  })

  test('is checked in every transaction', async () => {
    await using bench = await openBench({ ...times, watchMs: 60_000 })
    await bench.add(1n)
    await onDatabase(bench.url, 'UPDATE members SET epoch = epoch + 1')
    await assert.rejects(bench.add(2n), /showed no sign of life/)
    assert.equal(await insist(() => bench.add(3n)), 'added 3')
    assert.deepEqual(await bench.rows(), [{ n: 1n }, { n: 3n }])
  })

  test('does not stay with a node that is paused in the middle of a transaction', async () => {
    await using bench = await openBench({ ...times, queryTimeoutMs: 60_000 })
    const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const late = bench.database.transaction(async (tx) => {
      await tx.query('INSERT INTO things VALUES (1)')
      bench.proxy.hold() // Nothing of this node arrives any more.
      held.resolve()
      await release.promise
    })
    late.catch(() => undefined)
    await held.promise
    await using other = await openPostgres(bench.url, log, {
      times: { ...times, queryTimeoutMs: 60_000 },
      node: asNode(),
    })
    await other.query('INSERT INTO things VALUES (2)') // Waits until the first is taken for dead, not for its end.
    bench.proxy.restore()
    release.resolve()
    await assert.rejects(late, isStoreUnavailable)
    assert.equal(await insist(() => bench.add(3n)), 'added 3')
    assert.deepEqual(await other.query('SELECT n FROM things ORDER BY n'), [{ n: 2n }, { n: 3n }])
  })
})

describe('what one node changes', needsPostgres, () => {
  test('is dropped by another before it writes, and soon in any case', async () => {
    await using bench = await openBench({ ...times, watchMs: 60_000 })
    await using other = await openPostgres(bench.url, log, {
      times: { ...times, watchMs: 60_000 },
      node: asNode(60_000),
    })
    await migrate(other)
    const dropped: string[] = []
    const ends: unknown[] = []
    await bench.database.sharing!.follow({
      drop: async (changed) => void dropped.push(...changed),
      advance: ({ state }) => void ends.push(state.end),
    })
    await until(() => dropped.length === 6) // The migration may have changed anything.
    dropped.length = 0
    await other.query("DELETE FROM users WHERE id = 'nobody'")
    await until(() => dropped.length > 0)
    assert.deepEqual(dropped.splice(0), ['users'])
    bench.proxy.hold() // Notifications do not arrive.
    await other.query("DELETE FROM parties WHERE party = 'nobody'")
    assert.deepEqual(dropped, [])
    const { notifications } = bench.database.sharing!.counts()
    bench.proxy.restore()
    await bench.add(1n)
    assert.deepEqual(dropped.splice(0), ['parties'])
    // A look between a commit and its answer would take the change for another node's, and drop it needlessly.
    await until(() => bench.database.sharing!.counts().notifications > notifications)
    await bench.database.sharing!.look()
    await bench.database.query("DELETE FROM users WHERE id = 'nobody'")
    const { state } = createStore(other)
    await state.put({ ...(await state.get()), end: 7n })
    await until(() => ends.at(-1) === 7n)
    assert.deepEqual(dropped, []) // Its own changes are known.
  })
})

const members = async (url: string) => (await onDatabase(url, 'SELECT id, epoch FROM members ORDER BY id')).rows

/** The lease is that after which this node takes others for dead. */
function asNode(leaseMs = 1_000) {
  return { health: createHealth(wallClock, log), leaseMs }
}
