// Programs that want the database alone, and what becomes of their claim when they are killed.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openFlakyProxy } from '../../../test/fixtures/flaky-proxy.ts'
import { createTestDatabase, needsPostgres, onDatabase } from '../../../test/fixtures/postgres.ts'
import { until } from '../../../test/fixtures/until.ts'
import { wallClock } from '../../base/clock.ts'
import { isStoreUnavailable } from '../../base/errors.ts'
import { createHealth } from '../../base/health.ts'
import { createLog } from '../../base/log.ts'
import { openPostgres } from './postgres.ts'

const log = createLog('silent')
/** Statements and leases last longer than these tests. */
const times = { connectTimeoutMs: 60_000, queryTimeoutMs: 600_000, watchMs: 100, closeTimeoutMs: 60_000 }
const asNode = (isAlone: boolean) => ({ health: createHealth(wallClock, log), leaseMs: 600_000, isAlone })

async function openAlone() {
  await using parts = new AsyncDisposableStack()
  const { url } = parts.use(await createTestDatabase())
  const proxy = parts.use(await openFlakyProxy(url))
  const database = parts.use(await openPostgres(proxy.url, log, { times, node: asNode(true) }))
  const owned = parts.move()
  return { url, proxy, database, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

const openBeside = (url: string) => openPostgres(url, log, { times, node: asNode(false) })

describe('a program that has the database alone', needsPostgres, () => {
  test('keeps nodes away', async () => {
    await using alone = await openAlone()
    await assert.rejects(openBeside(alone.url), /uses the database at .* alone/)
  })

  test('does not keep nodes away when it was killed in the middle of a long statement', async () => {
    await using alone = await openAlone()
    const long = assert.rejects(alone.database.query('SELECT pg_sleep(500)'), isStoreUnavailable)
    await until(async () => (await sleeping(alone.url)) === 1)
    alone.proxy.refuse()
    await long
    await until(async () => (await sleeping(alone.url)) === 0)
    await using _node = await openBeside(alone.url)
  })

  test('writes nothing beside a node that took it for dead', async () => {
    await using alone = await openAlone()
    await alone.database.query('CREATE TABLE things (n BIGINT NOT NULL)')
    alone.proxy.refuse()
    await using node = await openBeside(alone.url)
    alone.proxy.restore()
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await assert.rejects(alone.database.query('INSERT INTO things VALUES (1)'), isStoreUnavailable)
    }
    await node.query('INSERT INTO things VALUES (2)')
    assert.deepEqual(await node.query('SELECT n FROM things'), [{ n: 2n }])
  })

  test('keeps nodes away for the time of its lease if a pooler hides whether it is connected', async () => {
    await using alone = await openAlone()
    await onDatabase(alone.url, 'UPDATE members SET is_direct = false')
    alone.proxy.refuse()
    await assert.rejects(openBeside(alone.url), /uses the database at .* alone/)
  })
})

describe('the number of nodes', needsPostgres, () => {
  /** Nobody looks by itself. */
  const atLeisure = { ...times, watchMs: 600_000 }
  const open = (url: string) => openPostgres(url, log, { times: atLeisure, node: asNode(false) })

  test('follows nodes that join and leave at once', async () => {
    await using place = await createTestDatabase()
    await using node = await open(place.url)
    const nodes = async () => node.sharing!.counts().nodes
    {
      await using _other = await open(place.url)
      await until(async () => (await nodes()) === 2)
    }
    await until(async () => (await nodes()) === 1)
  })

  test('does not include a node whose connections are gone, but one whose connections a pooler hides', async () => {
    await using place = await createTestDatabase()
    await using node = await open(place.url)
    const member = (id: string, isDirect: boolean) =>
      `('${id}', 1, '', false, ${isDirect}, clock_timestamp(), clock_timestamp())`
    await onDatabase(
      place.url,
      `INSERT INTO members (id, epoch, url, is_alone, is_direct, started_at, seen_at)
        VALUES ${member('killed', true)}, ${member('behind a pooler', false)}; NOTIFY tallystick, 'members'`,
    )
    await until(async () => node.sharing!.counts().nodes !== 1)
    assert.equal(node.sharing!.counts().nodes, 2)
  })
})

async function sleeping(url: string): Promise<number> {
  const sql = "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%pg_sleep(500)' AND state = 'active'"
  return (await onDatabase(url, `${sql} AND datname = current_database() AND pid <> pg_backend_pid()`)).rows.length
}
