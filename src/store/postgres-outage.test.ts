// What happens to transactions when the network or the server fails during them.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { type FlakyProxy, openFlakyProxy } from '../../test/fixtures/flaky-proxy.ts'
import { createTestDatabase, cutConnections, databaseOf, onDatabase, onServer } from '../../test/fixtures/postgres.ts'
import { wallClock } from '../base/clock.ts'
import { isStoreUnavailable } from '../base/errors.ts'
import { createHealth, type Health } from '../base/health.ts'
import { createLog } from '../base/log.ts'
import type { Database, Row } from './database.ts'
import { openPostgres } from './postgres.ts'

const log = createLog('silent')
const times = { connectTimeoutMs: 1_500, queryTimeoutMs: 2_000, watchMs: 100 }

type Bench = AsyncDisposable & {
  readonly database: Database
  readonly proxy: FlakyProxy
  readonly health: Health
  readonly url: string
  /** Why another node took over, if one did. */
  readonly lost: string[]
  /** Adds a row in a transaction. */
  add(n: bigint): Promise<string>
  rows(): Promise<Row[]>
}

async function openBench(given = times): Promise<Bench> {
  await using parts = new AsyncDisposableStack()
  const { url } = parts.use(await createTestDatabase())
  const proxy = parts.use(await openFlakyProxy(url))
  const health = createHealth(wallClock, log)
  const lost: string[] = []
  const node = { health, onLost: (reason: string) => void lost.push(reason) }
  const database = parts.use(await openPostgres(proxy.url, log, { times: given, node }))
  await database.query('CREATE TABLE things (n BIGINT NOT NULL)')
  const owned = parts.move()
  return {
    ...{ database, proxy, health, url, lost },
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
      const isAway = isStoreUnavailable(error) && !/taken over/.test(error.message)
      if (!isAway || performance.now() > untilMs) throw error
      await setTimeout(20)
    }
  }
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const untilMs = performance.now() + 60_000
  while (!(await isSo())) {
    assert.ok(performance.now() < untilMs, `it did not come to ${isSo}`)
    await setTimeout(10)
  }
}

describe('a transaction', () => {
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

describe('the lock of a node', () => {
  test('is taken again after its connection was cut, without a failure', async () => {
    await using bench = await openBench()
    for (let round = 0; round < 3; round += 1) {
      await cutConnections(bench.url)
      assert.equal(await insist(() => bench.add(BigInt(round))), `added ${round}`)
      await until(async () => (await locks(bench.url, nodes)).rows.length === 1)
    }
    await until(() => bench.health.failing().length === 0)
    assert.deepEqual(bench.lost, [])
  })

  test('is taken again while the server still keeps the connection that held it', async () => {
    await using bench = await openBench()
    bench.proxy.drop()
    await until(() => bench.health.failing().some(({ name }) => name === 'database'))
    bench.proxy.restore()
    await until(() => bench.health.failing().length === 0)
    assert.equal(await insist(() => bench.add(1n)), 'added 1')
  })

  test('fences off a node for good after another one has taken over', async () => {
    await using bench = await openBench()
    await bench.add(1n)
    await onDatabase(bench.url, 'UPDATE node_epoch SET epoch = epoch + 1')
    await assert.rejects(bench.add(2n), /another node has taken over the database/)
    await assert.rejects(bench.database.query('INSERT INTO things VALUES (3)'), /another node has taken over/)
    assert.deepEqual(await bench.rows(), [{ n: 1n }])
    await until(() => bench.lost.length > 0)
    assert.deepEqual(bench.lost, ['another node has taken over the database'])
    assert.throws(() => bench.health.checkCommands(), /another node has taken over the database/)
  })

  test('lets a transaction finish that began before the takeover, and none after it', async () => {
    await using bench = await openBench({ ...times, queryTimeoutMs: 20_000 })
    const { promise: release, resolve } = Promise.withResolvers<void>()
    const early = bench.database.transaction(async (tx) => {
      await tx.query('INSERT INTO things VALUES (1)')
      bench.proxy.hold() // The node cannot take its lock again.
      await release
    })
    await until(async () => (await locks(bench.url, writers)).rows.length === 1)
    await onServer(bench.url, `SELECT pg_terminate_backend(pid) FROM (${heldLocks(bench.url, nodes)}) AS held`)
    const node = { health: createHealth(wallClock, log), onLost: () => undefined }
    const opening = openPostgres(bench.url, log, { times: { ...times, queryTimeoutMs: 20_000 }, node })
    await until(async () => (await locks(bench.url, writers)).rows.length === 2) // It waits for the first to end.
    bench.proxy.restore()
    resolve()
    await early
    await using other = await opening
    await assert.rejects(
      insist(() => bench.add(2n)),
      /another node has taken over the database/,
    )
    assert.deepEqual(await other.query('SELECT n FROM things'), [{ n: 1n }])
  })
})

const [writers, nodes] = [7_575_001, 7_575_002]

function heldLocks(url: string, lock: number): string {
  const database = `SELECT oid FROM pg_database WHERE datname = '${databaseOf(url)}'`
  return `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = ${lock} AND database = (${database})`
}

const locks = (url: string, lock: number) => onServer(url, heldLocks(url, lock))
