// Freeing space as a role that owns the ledger's tables and nothing else.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { createTestDatabase, needsPostgres, onDatabase } from '../../../test/fixtures/postgres.ts'
import { createLog } from '../../base/log.ts'
import { migrate } from '../schema/migrate.ts'
import { openPostgres } from './postgres.ts'
import { vacuum } from './vacuum.ts'

test('a role without other rights frees the space of its own tables without a warning', needsPostgres, async () => {
  await using place = await createTestDatabase()
  const role = `plain_${process.pid}`
  await onDatabase(place.url, `CREATE ROLE ${role} LOGIN; GRANT ALL ON SCHEMA public TO ${role}`)
  await using parts = new AsyncDisposableStack()
  parts.defer(async () => void (await onDatabase(place.url, `DROP OWNED BY ${role} CASCADE; DROP ROLE ${role}`)))
  const url = new URL(place.url)
  url.username = role
  {
    await using database = await openPostgres(url.href, createLog('silent'))
    await migrate(database)
  }
  await onDatabase(place.url, 'ALTER TABLE completions OWNER TO test')
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  parts.defer(() => client.end())
  const warnings: string[] = []
  client.on('notice', ({ message }) => void warnings.push(message ?? ''))

  /** PostgreSQL counts rows when it vacuums a table; before, it says -1. */
  const rowsOf = async (table: string) => {
    const { rows } = await client.query(`SELECT reltuples FROM pg_class WHERE oid = to_regclass('${table}')`)
    return rows[0].reltuples
  }
  assert.equal(await rowsOf('schema_version'), -1)
  await vacuum(client)
  assert.deepEqual(warnings, [])
  assert.equal(await rowsOf('schema_version'), 1)
  assert.equal(await rowsOf('completions'), -1, 'it belongs to another role')
  await client.query('VACUUM')
  assert.ok(warnings.length > 0, 'a vacuum of everything warns')
})
