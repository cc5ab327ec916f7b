// SQLite passes the database contract, and a data folder belongs to one process at a time.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs, { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { wallClock } from '../../base/clock.ts'
import { StartError } from '../../base/errors.ts'
import { databaseContract } from '../core/database.contract.ts'
import type { Database } from '../core/database.ts'
import { contractEventsContract } from '../records/contract-events.contract.ts'
import { pastContractsContract } from '../records/past-contracts.contract.ts'
import { topologyContract } from '../records/topology.contract.ts'
import { busyMs, ledgerName } from './data-folder.ts'
import { memoryCopies } from './memory-copies.ts'
import { openSqlite, openSqliteForReading, openSqliteInMemory } from './sqlite.ts'

databaseContract('SQLite in memory', async () => openSqliteInMemory())
pastContractsContract(
  'SQLite',
  async () => openSqliteInMemory(),
  async (database, sql, params) => {
    const steps = await database.query(`EXPLAIN QUERY PLAN ${sql}`, ...params)
    return steps.map(({ detail }) => detail).join('\n')
  },
)
contractEventsContract('SQLite', async () => openSqliteInMemory())
topologyContract('SQLite', async () => openSqliteInMemory())

databaseContract('SQLite in memory, over a lent connection', async () => memoryCopies(await emptyContent())())

describe('copies in memory', () => {
  test('begin with the same content, whatever the one before did', async () => {
    await using original = openSqliteInMemory()
    await original.query('CREATE TABLE things (id INTEGER PRIMARY KEY)')
    await original.query('INSERT INTO things VALUES (1)')
    const open = memoryCopies(await original.content!())
    for (let round = 0n; round < 3n; round += 1n) {
      await using copy = open()
      await using beside = open()
      await copy.transaction((tx) => tx.insert('things', ['id'], [[2n + round]]))
      const failing = copy.transaction(async (tx) => {
        await tx.query('DELETE FROM things')
        throw new Error('no')
      })
      await assert.rejects(failing, { message: 'no' })
      await copy.query('INSERT INTO things VALUES (9)')
      const idsIn = async (database: Database) =>
        (await database.query('SELECT id FROM things ORDER BY id')).map(({ id }) => id)
      assert.deepEqual(await idsIn(copy), [1n, 2n + round, 9n])
      assert.deepEqual(await idsIn(beside), [1n])
      await using kept = openSqliteInMemory(await copy.content!())
      assert.deepEqual(await idsIn(kept), [1n, 2n + round, 9n])
    }
  })
})

async function emptyContent(): Promise<Uint8Array> {
  await using database = openSqliteInMemory()
  await database.query('CREATE TABLE unused (id INTEGER)') // SQLite has no file for nothing at all.
  return database.content!()
}

databaseContract('SQLite in a file', async () => {
  const folder = temporaryFolder()
  const database = openSqlite(folder.path)
  return {
    ...database,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
})

describe('a SQLite data folder', () => {
  test('reclaims space in small steps, without a long log', async () => {
    using folder = temporaryFolder()
    {
      await using filling = openSqlite(folder.path)
      await filling.query('CREATE TABLE things (id INTEGER PRIMARY KEY, b BYTEA)')
      const row = new Uint8Array(1_000_000)
      for (let id = 1n; id <= 60n; id++) await filling.query('INSERT INTO things VALUES ($1, $2)', id, row)
    }
    await using database = openSqlite(folder.path) // With a fresh log.
    await database.query('DELETE FROM things WHERE id <= 30') // The pages at the end move into the gap.
    const sizeOf = (name: string) => fs.statSync(join(folder.path, name)).size
    let [longest, turns, isDone] = [0, 0, false]
    const look = () => {
      if (isDone) return
      longest = Math.max(longest, sizeOf('ledger.sqlite-wal'))
      turns += 1
      setImmediate(look)
    }
    look()
    await database.reclaim()
    isDone = true
    assert.ok(sizeOf('ledger.sqlite') < 35e6, `${sizeOf('ledger.sqlite')} bytes are left`)
    assert.equal(sizeOf('ledger.sqlite-wal'), 0)
    assert.ok(longest < 24e6, `the log had ${longest} bytes`)
    // A step frees at most 500 of the 7,300 pages, and waits for a turn of the event loop.
    assert.ok(turns >= 15, `others had ${turns} turns`)
    assert.equal((await database.query('SELECT count(*) AS n FROM things'))[0]!.n, 30n)
  })

  test('lets other work run while many rows are written, and shows it none of them', async () => {
    using folder = temporaryFolder()
    let elapsedMs = 0
    const slow = { ...wallClock, elapsedMs: () => (elapsedMs += 1000) } // Whenever it is read, a second has passed.
    await using database = openSqlite(folder.path, { clock: slow })
    await database.query('CREATE TABLE things (id INTEGER PRIMARY KEY, note TEXT)')
    let [turns, isDone] = [0, false]
    const look = () => {
      turns += 1
      if (!isDone) setImmediate(look)
    }
    const rows = Array.from({ length: 3200 }, (_, index) => [BigInt(index), 'note'.repeat(20)])
    const written = database.transaction(async (tx) => {
      look()
      await tx.insert('things', ['id', 'note'], rows)
      await tx.delete(
        'things',
        ['id'],
        rows.slice(1).map(([id]) => [id!]),
      )
      isDone = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    const seen = database.query('SELECT count(*) AS n FROM things')
    await written
    // The time is read after each 32 statements: of 400 inserts of eight rows, and of 3,199 deletions.
    assert.ok(turns >= 12 + 99, `others had ${turns} turns`)
    assert.equal((await seen)[0]!.n, 1n)
  })

  test('is created if it does not exist, and keeps what was committed', async () => {
    using folder = temporaryFolder()
    const path = join(folder.path, 'not', 'there', 'yet')
    const database = openSqlite(path)
    await fill(database)
    await database[Symbol.asyncDispose]()
    await using again = openSqlite(path)
    assert.equal((await again.query('SELECT n FROM things'))[0]!.n, 1n)
  })

  test('is refused to a second node until the first is closed', async () => {
    using folder = temporaryFolder()
    const first = openSqlite(folder.path)
    const taken = `another node is already running over ${folder.path}; stop it, or give this one its own folder with --data`
    assert.throws(() => openSqlite(folder.path), startError(taken))
    assert.throws(() => openSqlite(folder.path), startError(taken)) // A refusal leaves the first node's lock alone.
    await fill(first)
    await first[Symbol.asyncDispose]()
    await using second = openSqlite(folder.path)
    assert.equal((await second.query('SELECT n FROM things'))[0]!.n, 1n)
  })

  test('is refused while another process has it, until that is killed', async () => {
    using folder = temporaryFolder()
    const other = await openInChild(folder.path)
    try {
      assert.throws(() => openSqlite(folder.path), /another node is already running/)
    } finally {
      other.kill('SIGKILL')
      await once(other, 'exit')
    }
    await using database = openSqlite(folder.path)
    // What the killed process had committed is there; the rest is gone.
    const rows = await database.query('SELECT n FROM things ORDER BY n')
    assert.deepEqual(
      rows.map((row) => row.n),
      [1n],
    )
  })

  test('waits for a program that looks into the file while it is empty', async () => {
    using folder = temporaryFolder()
    const other = new DatabaseSync(join(folder.path, ledgerName))
    other.exec('BEGIN; SELECT * FROM sqlite_schema')
    const startMs = performance.now()
    assert.throws(() => openSqlite(folder.path), /database is locked/)
    assert.ok(performance.now() - startMs >= busyMs)
    other.close()
    await using _ = openSqlite(folder.path)
  })

  test('can be read while a node writes', async () => {
    using folder = temporaryFolder()
    await using database = openSqlite(folder.path)
    await fill(database)
    await using reader = openSqliteForReading(folder.path)
    assert.equal((await reader.query('SELECT n FROM things'))[0]!.n, 1n)
    await assert.rejects(reader.query('INSERT INTO things VALUES (2)'), /read-only/)
    await database.query('INSERT INTO things VALUES (2)')
    assert.equal((await reader.query('SELECT n FROM things')).length, 2)
  })

  for (const disk of ['quick', 'slow'] as const) {
    test(`reports and shows a commit only when it is on disk, a ${disk} one`, async (t) => {
      using folder = temporaryFolder()
      const order: string[] = []
      const held = Promise.withResolvers<void>()
      let until: Promise<unknown> = Promise.resolve()
      const { fdatasync, fdatasyncSync } = fs
      t.mock.method(fs, 'fdatasyncSync', (log: number) => {
        if (disk === 'slow') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
        fdatasyncSync(log)
        order.push('flushed')
      })
      t.mock.method(fs, 'fdatasync', (async (log: number, done: fs.NoParamCallback) => {
        await Promise.all([until, setTimeout(5)])
        fdatasync(log, (error) => {
          order.push('flushed')
          done(error)
        })
      }) as unknown as typeof fdatasync)
      await using database = openSqlite(folder.path)
      await fill(database)
      assert.deepEqual({ ...(await database.query('PRAGMA journal_mode'))[0] }, { journal_mode: 'wal' })
      order.length = 0
      if (disk === 'slow') until = held.promise
      const writing = database.transaction((tx) => tx.query('INSERT INTO things VALUES (2)'))
      const written = writing.then(() => order.push('written'))
      await setTimeout(20)
      const read = database.query('SELECT n FROM things').then((rows) => order.push(`read ${rows.length}`))
      await setTimeout(20)
      const before = [...order]
      held.resolve()
      await Promise.all([written, read])
      if (disk === 'slow') assert.deepEqual(before, [])
      assert.deepEqual(order, ['flushed', 'written', 'read 2'])
    })
  }

  test('checkpoints its log, so that it does not grow without bound', async () => {
    using folder = temporaryFolder()
    const bytes = 1_000_000
    const commitsMax = 1000
    let commits = 0
    const logBytes = () => fs.statSync(join(folder.path, 'ledger.sqlite-wal')).size
    {
      await using database = openSqlite(folder.path)
      await database.query('CREATE TABLE blobs (n INTEGER PRIMARY KEY, bytes BLOB)')
      // On a busy machine the checkpoint thread may start late.
      while (commits < 60 || (commits < commitsMax && logBytes() > (commits * bytes) / 2)) {
        await database.insert('blobs', ['n', 'bytes'], [[BigInt(commits), new Uint8Array(bytes)]])
        commits += 1
      }
      assert.ok(commits < commitsMax, `the log has ${logBytes()} bytes`)
    }
    await using database = openSqlite(folder.path)
    const [row] = await database.query('SELECT count(*) AS count, sum(length(bytes)) AS bytes FROM blobs')
    assert.deepEqual({ ...row }, { count: BigInt(commits), bytes: BigInt(commits * bytes) })
  })

  const problems: [what: string, prepare: (folder: string) => string, message: RegExp][] = [
    [
      'lies under a file',
      (folder) => {
        writeFileSync(join(folder, 'file'), '')
        return join(folder, 'file', 'data')
      },
      /^cannot use the data folder .*file.data: /,
    ],
    [
      'is a file itself',
      (folder) => {
        writeFileSync(join(folder, 'file'), '')
        return join(folder, 'file')
      },
      /^cannot use the data folder .*file: /,
    ],
    [
      'cannot be locked',
      (folder) => {
        mkdirSync(join(folder, 'lock.sqlite'))
        return folder
      },
      /^cannot write to the data folder /,
    ],
    [
      'holds something else',
      (folder) => {
        writeFileSync(join(folder, 'ledger.sqlite'), 'this is not a database, however long it may be'.repeat(100))
        return folder
      },
      /^cannot open the ledger in .*not a database/,
    ],
  ]
  for (const [what, prepare, message] of problems) {
    test(`that ${what} is refused in one line`, () => {
      using folder = temporaryFolder()
      assert.throws(() => openSqlite(prepare(folder.path)), startError(message))
    })
  }

  test('is not left locked if it could not be opened', async () => {
    using folder = temporaryFolder()
    const file = join(folder.path, 'ledger.sqlite')
    writeFileSync(file, 'nonsense'.repeat(1000))
    assert.throws(() => openSqlite(folder.path), StartError)
    rmSync(file)
    await using database = openSqlite(folder.path)
    await fill(database)
  })

  test('without a ledger cannot be read', () => {
    using folder = temporaryFolder()
    const message = `there is no ledger in ${folder.path}; start a node there first`
    assert.throws(() => openSqliteForReading(folder.path), startError(message))
  })
})

function temporaryFolder(): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), 'tallystick-sqlite-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

async function fill(database: Database): Promise<void> {
  await database.query('CREATE TABLE things (n BIGINT)')
  await database.query('INSERT INTO things VALUES (1)')
}

/** A process that has the folder open, with one row committed and one not. */
async function openInChild(folder: string): Promise<ChildProcess> {
  const script = `
    import { openSqlite } from ${JSON.stringify(import.meta.resolve('./sqlite.ts'))}
    const database = openSqlite(${JSON.stringify(folder)})
    await database.query('CREATE TABLE things (n BIGINT)')
    await database.transaction((tx) => tx.query('INSERT INTO things VALUES (1)'))
    await database.transaction(async (tx) => {
      await tx.query('INSERT INTO things VALUES (2)')
      process.stdout.write('open')
      await new Promise((resolve) => process.stdin.once('data', resolve))
    })`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  await Promise.race([
    once(child.stdout!, 'data'),
    once(child, 'exit').then(() => assert.fail('the other process did not open the folder')),
  ])
  return child
}

function startError(message: string | RegExp): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof StartError, String(error))
    if (typeof message === 'string') assert.equal(error.message, message)
    else assert.match(error.message, message)
    assert.doesNotMatch(error.message, /\n/)
    return true
  }
}
