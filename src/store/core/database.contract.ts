// The guarantees of both database drivers, as one suite: each driver's test calls it, and no test knows which one runs.
import assert from 'node:assert/strict'
import { cpSync, mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { StartError } from '../../base/errors.ts'
import { createStore } from '../records/create-store.ts'
import { migrate, newestSchema } from '../schema/migrate.ts'
import type { Database, Param, Queries } from './database.ts'

const int64Max = 2n ** 63n - 1n
const int64Min = -(2n ** 63n)

/** `open` returns an empty database each time. */
export function databaseContract(name: string, open: () => Promise<Database>): void {
  const withTable = async (columns = 'id BIGINT PRIMARY KEY, n BIGINT NOT NULL') => {
    const database = await open()
    await database.query(`CREATE TABLE things (${columns})`)
    return database
  }

  describe(`${name} as a database`, () => {
    test('stores every type exactly', async () => {
      await using database = await withTable('label TEXT PRIMARY KEY, t TEXT, n BIGINT, b BYTEA')
      const everyByte = Uint8Array.from({ length: 256 }, (_, index) => index)
      const rows: [label: string, text: Param, integer: Param, bytes: Param][] = [
        ['nothing', null, null, null],
        ['empty', '', 0n, new Uint8Array()],
        ['greatest', 'z', int64Max, Uint8Array.of(0)],
        ['least', 'a', int64Min, everyByte],
        ['beyond double', 'x', 2n ** 53n + 1n, Uint8Array.of(255, 0, 255)],
        ['odd text', `'"\\ $1 ?1 \n\t é \u{1f600} \u{ffff}`, -1n, Buffer.from('\\x00')],
        ['long', 'é'.repeat(500_000), 1n, new Uint8Array(1_000_000).fill(7)],
      ]
      for (const row of rows) await database.query('INSERT INTO things VALUES ($1, $2, $3, $4)', ...row)
      for (const [label, text, integer, bytes] of rows) {
        const [row] = await database.query('SELECT t, n, b FROM things WHERE label = $1', label)
        assert.equal(row!.t, text, label)
        assert.equal(row!.n, integer, label)
        assert.deepEqual(bytesOf(row!.b), bytesOf(bytes), label)
      }
    })

    test('refuses an integer that does not fit', async () => {
      await using database = await withTable()
      for (const n of [int64Max + 1n, int64Min - 1n]) {
        await assert.rejects(database.query('INSERT INTO things VALUES (1, $1)', n))
      }
      assert.deepEqual(await database.query('SELECT * FROM things'), [])
    })

    test('reclaims what space it can, and keeps working', async () => {
      await using database = await withTable('id BIGINT PRIMARY KEY, b BYTEA')
      for (let id = 1n; id <= 20n; id++) await database.query('INSERT INTO things VALUES ($1, $2)', id, large)
      await database.query('DELETE FROM things WHERE id > 1')
      await database.reclaim()
      assert.equal(await count(database), 1n)
    })

    test('returns counts as bigint', async () => {
      await using database = await withTable()
      await database.query('INSERT INTO things VALUES (1, 7)')
      const [row] = await database.query('SELECT count(*) AS count, max(n) AS max, 1 AS one FROM things')
      assert.deepEqual({ ...row }, { count: 1n, max: 7n, one: 1n })
    })

    test('accepts more than nine parameters, each used any number of times', async () => {
      await using database = await withTable()
      const values = Array.from({ length: 12 }, (_, index) => BigInt(index + 1))
      const pairs = '($1, $2), ($3, $4), ($5, $6), ($7, $8), ($9, $10), ($11, $12)'
      await database.query(`INSERT INTO things VALUES ${pairs}`, ...values)
      const rows = await database.query('SELECT id, n FROM things WHERE id >= $1 AND n <= $2 AND id >= $1', 9n, 12n)
      assert.deepEqual(
        rows.map(({ id, n }) => [id, n]),
        [
          [9n, 10n],
          [11n, 12n],
        ],
      )
    })

    test('sorts sorted_text by its bytes', async () => {
      await using database = await withTable('name SORTED_TEXT PRIMARY KEY')
      const names = ['', ' ', '-', 'A', 'B', 'Z', '_', 'a', 'a b', 'a-b', 'ab', 'b', 'é', '\u{ffff}', '\u{1f600}']
      for (const text of names.toReversed()) await database.query('INSERT INTO things VALUES ($1)', text)
      const sorted = await database.query('SELECT name FROM things ORDER BY name')
      assert.deepEqual(
        sorted.map((row) => row.name),
        names,
      )
      const after = await database.query('SELECT name FROM things WHERE name > $1 ORDER BY name LIMIT 2', 'a')
      assert.deepEqual(
        after.map((row) => row.name),
        ['a b', 'a-b'],
      )
    })

    test('supports ON CONFLICT and RETURNING', async () => {
      await using database = await withTable()
      const skip = 'INSERT INTO things VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING n'
      const overwrite = 'INSERT INTO things VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET n = excluded.n RETURNING n'
      const answers: [sql: string, params: Param[], want: Param[]][] = [
        [skip, [1n, 10n], [10n]],
        [skip, [1n, 11n], []],
        [overwrite, [1n, 12n], [12n]],
        [overwrite, [2n, 20n], [20n]],
        ['UPDATE things SET n = n + 1 WHERE id = $1 RETURNING n', [1n], [13n]],
        ['DELETE FROM things WHERE n > $1 RETURNING n', [15n], [20n]],
        ['SELECT n FROM things', [], [13n]],
      ]
      for (const [sql, params, want] of answers) {
        const rows = await database.query(sql, ...params)
        assert.deepEqual(
          rows.map((row) => row.n),
          want,
          sql,
        )
      }
    })

    test('updates rows by their key, with values of every type and without', async () => {
      await using database = await withTable('id BIGINT PRIMARY KEY, n BIGINT, word SORTED_TEXT, bytes BYTEA')
      const columns = ['id', 'n', 'word', 'bytes']
      const first: Param[][] = [1n, 2n, 3n, 4n].map((id) => [id, -id, 'old', Uint8Array.of(0)])
      const changed: Param[][] = [
        [1n, 2n ** 62n, '{"é\\', new Uint8Array()],
        [2n, null, '', Uint8Array.of(0, 255)],
        [3n, -1n, null, null],
      ]
      await database.insert('things', columns, first)
      await database.transaction(async (tx) => {
        await tx.update('things', 'id', ['n', 'word', 'bytes'], changed)
        await tx.update('things', 'id', ['n', 'word', 'bytes'], [[9n, 1n, 'none', null]])
        await tx.update('things', 'id', ['word'], [])
        await tx.update('things', 'id', ['word', 'n'], [[4n, 'new', null]])
      })
      const rows = await database.query('SELECT id, n, word, bytes FROM things ORDER BY id')
      assert.deepEqual(
        rows.map(({ id, n, word, bytes }) => [id, n, word, bytes && [...(bytes as Uint8Array)]]),
        [...changed, [4n, null, 'new', first[3]![3]!]].map(([id, n, word, bytes]) => {
          return [id, n, word, bytes && [...(bytes as Uint8Array)]]
        }),
      )
    })

    test('returns the result of a transaction once all of it is visible', async () => {
      await using database = await withTable()
      const result = await database.transaction(async (tx) => {
        await tx.query('INSERT INTO things VALUES (1, 1)')
        await tx.query('INSERT INTO things VALUES (2, 2)')
        return tx.query('SELECT count(*) AS n FROM things')
      })
      assert.equal(result[0]!.n, 2n)
      assert.equal(await count(database), 2n)
    })

    test('rolls back a transaction that throws, and the next one works', async () => {
      await using database = await withTable()
      const failures: [what: string, fail: (tx: Queries) => Promise<unknown>][] = [
        ['an error in the body', () => Promise.reject(new Error('no'))],
        ['a key that is taken', (tx) => tx.query('INSERT INTO things VALUES (1, 1)')],
        ['a syntax error', (tx) => tx.query('SELEKT')],
        ['an unknown function', (tx) => tx.query('SELECT nothing()')],
        ['a NULL in a NOT NULL column', (tx) => tx.query('INSERT INTO things VALUES (9, NULL)')],
      ]
      for (const [what, fail] of failures) {
        const attempt = database.transaction(async (tx) => {
          await tx.query('INSERT INTO things VALUES (1, 1)')
          await fail(tx)
        })
        await assert.rejects(attempt, what)
        assert.equal(await count(database), 0n, what)
        await database.transaction((tx) => tx.query('INSERT INTO things VALUES (1, 1)'))
        await database.transaction((tx) => tx.query('DELETE FROM things'))
      }
    })

    test('does not report a commit that did not happen', async () => {
      await using database = await withTable()
      const outcome = await database
        .transaction(async (tx) => {
          await tx.query('INSERT INTO things VALUES (1, 1)')
          await tx.query('INSERT INTO things VALUES (1, 1)').catch(() => undefined) // Taken; the error is ignored.
          return 'committed'
        })
        .catch(() => 'refused')
      assert.equal(await count(database), outcome === 'committed' ? 1n : 0n)
    })

    test('rolls back a created table, too', async () => {
      await using database = await open()
      const attempt = database.transaction(async (tx) => {
        await tx.query('CREATE TABLE things (id BIGINT)')
        throw new Error('no')
      })
      await assert.rejects(attempt, { message: 'no' })
      await assert.rejects(database.query('SELECT * FROM things'))
    })

    test('runs forty transactions at once without losing an update', async () => {
      await using database = await withTable()
      await database.query('INSERT INTO things VALUES (1, 0)')
      const increment = () =>
        database.transaction(async (tx) => {
          const [row] = await tx.query('SELECT n FROM things WHERE id = 1')
          await setImmediate()
          await tx.query('UPDATE things SET n = $1 WHERE id = 1', (row!.n as bigint) + 1n)
        })
      await Promise.all(Array.from({ length: 40 }, increment))
      const [row] = await database.query('SELECT n FROM things')
      assert.equal(row!.n, 40n)
    })

    test('runs one transaction at a time', async () => {
      await using database = await withTable()
      let inside = 0
      let most = 0
      const body = async (tx: Queries) => {
        await tx.query('SELECT n FROM things')
        inside += 1
        most = Math.max(most, inside)
        await setImmediate()
        inside -= 1
      }
      await Promise.all(Array.from({ length: 20 }, () => database.transaction(body)))
      assert.equal(most, 1)
    })

    test('shows other readers nothing uncommitted', async () => {
      await using database = await withTable()
      let seen: Promise<bigint> | undefined
      const attempt = database.transaction(async (tx) => {
        await tx.query('INSERT INTO things VALUES (1, 1)')
        seen = count(database) // Not awaited: a reader may have to wait for the commit.
        for (let turn = 0; turn < 20; turn += 1) await setImmediate()
        assert.equal((await tx.query('SELECT * FROM things')).length, 1)
        throw new Error('no')
      })
      await assert.rejects(attempt, { message: 'no' })
      assert.equal(await seen, 0n)
    })

    test('enforces foreign keys and cascades deletes', async () => {
      await using database = await withTable()
      await database.query('CREATE TABLE parts (id BIGINT REFERENCES things (id) ON DELETE CASCADE)')
      await assert.rejects(database.query('INSERT INTO parts VALUES (1)'))
      await database.query('INSERT INTO things VALUES (1, 1)')
      await database.query('INSERT INTO parts VALUES (1)')
      await database.query('DELETE FROM things')
      assert.deepEqual(await database.query('SELECT * FROM parts'), [])
    })

    test('runs a script of several statements within the transaction', async () => {
      await using database = await open()
      const sql = `-- A comment; with a semicolon.
        CREATE TABLE things (id BIGINT); INSERT INTO things VALUES (1);
        INSERT INTO things VALUES (2);`
      const attempt = database.transaction(async (tx) => {
        await database.script(tx, sql)
        throw new Error('no')
      })
      await assert.rejects(attempt, { message: 'no' })
      await database.transaction((tx) => database.script(tx, sql))
      assert.equal(await count(database), 2n)
    })

    test('closes after the running transaction', async () => {
      const database = await withTable()
      const { promise: begun, resolve } = Promise.withResolvers<void>()
      const last = database.transaction(async (tx) => {
        await tx.query('INSERT INTO things VALUES (1, 1)')
        resolve()
        await setImmediate()
        return tx.query('SELECT n FROM things')
      })
      await begun
      await database[Symbol.asyncDispose]()
      assert.equal((await last)[0]!.n, 1n)
      await assert.rejects(database.query('SELECT * FROM things'))
    })
  })

  describe(`the schema of ${name}`, () => {
    test('is migrated to the newest version, once', async () => {
      await using database = await open()
      await migrate(database)
      const store = createStore(database)
      await store.node.insert('kept', Uint8Array.of(1, 2))
      await migrate(database)
      await migrate(database)
      assert.deepEqual(bytesOf((await store.node.get('kept')) ?? null), [1, 2])
      assert.equal(await count(database, 'schema_version'), 1n)
    })

    test('is migrated once by concurrent starts', async () => {
      await using database = await open()
      await Promise.all([migrate(database), migrate(database), migrate(database)])
      assert.equal(await count(database, 'schema_version'), 1n)
      await createStore(database).check()
    })

    test('is made and changed by each migration once', async () => {
      await using database = await open()
      using folder = mkdtempDisposableSync(join(tmpdir(), 'tallystick-migrations-'))
      cpSync(new URL('../schema/migrations/', import.meta.url), folder.path, { recursive: true })
      const migrations = pathToFileURL(`${folder.path}/`)
      assert.equal(await migrate(database, migrations), 0n)
      writeFileSync(join(folder.path, '0998-table.sql'), 'CREATE TABLE made (n BIGINT);')
      writeFileSync(join(folder.path, '0999-row.sql'), 'INSERT INTO made VALUES (2);')
      assert.equal(await migrate(database, migrations), newestSchema)
      assert.equal(await migrate(database, migrations), 999n)
      assert.deepEqual(await database.query('SELECT n FROM made'), [{ n: 2n }])
    })

    test('is refused when it is from before the first release', async () => {
      await using database = await open()
      await database.query('CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)')
      await database.query('INSERT INTO schema_version VALUES (14)')
      const words = 'the database has schema version 14, from before the first release, which nothing reads any more'
      await assert.rejects(migrate(database), new StartError(`${words}; start with an empty one`))
    })

    test('is refused when it is newer than this version', async () => {
      await using database = await open()
      await migrate(database)
      const [row] = await database.query('UPDATE schema_version SET version = version + 1000 RETURNING version')
      const found = row!.version as bigint
      await assert.rejects(migrate(database), (error) => {
        assert.ok(error instanceof StartError)
        const words = `the database has schema version ${found}, and this version of Tallystick knows ${found - 1000n}`
        assert.equal(error.message, `${words}; use a newer one`)
        return true
      })
      assert.equal((await database.query('SELECT version FROM schema_version'))[0]!.version, found)
    })
  })
}

const large = new Uint8Array(20_000)

async function count(queries: Queries, table = 'things'): Promise<bigint> {
  const [row] = await queries.query(`SELECT count(*) AS n FROM ${table}`)
  return row!.n as bigint
}

function bytesOf(value: Param | undefined): number[] | null | undefined {
  return value instanceof Uint8Array ? [...value] : (value as null | undefined)
}
