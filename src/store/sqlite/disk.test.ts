// How a SQLite database handles a disk that is full or failing, and files that are taken away.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { createTestClock } from '../../base/clock.ts'
import { LedgerError } from '../../base/errors.ts'
import { createHealth } from '../../base/health.ts'
import { createLog } from '../../base/log.ts'
import type { Database } from '../core/database.ts'
import { lookAgain } from './damaged-trees.ts'
import { type Flushing, systemFlushing } from './flushing.ts'
import { openSqlite, openSqliteForReading } from './sqlite.ts'
import type { Verdict } from './suspicion.ts'

describe('a flush that fails', () => {
  for (const disk of ['quick', 'slow'] as const) {
    test(`is retried until it succeeds, and nothing is read or written before, on a ${disk} disk`, async () => {
      await using bench = openBench({ isSlow: disk === 'slow' })
      const { database, health, clock, flushing } = bench
      await fill(database)
      flushing.failure = new Error('EIO: i/o error')
      let isTold = false
      const writing = add(database, 2).finally(() => {
        isTold = true
      })
      await advance(clock, 100)
      assert.deepEqual(reasons(health), ['the disk does not take what was committed'])
      await assert.rejects(rowsOf(database), unavailable('the disk does not take what was committed'))
      await assert.rejects(add(database, 3), unavailable('the disk does not take what was committed'))
      await advance(clock, 1000)
      await assert.rejects(rowsOf(database), unavailable('the disk does not take what was committed'))
      assert.equal(isTold, false)
      flushing.failure = undefined
      await advance(clock, 200)
      await writing
      assert.deepEqual(reasons(health), [])
      assert.deepEqual(await rowsOf(database), [1n, 2n], 'what was committed counts once it is on disk')
      await add(database, 3)
      assert.deepEqual(bench.abandoned, [])
      await bench.reopen()
      assert.deepEqual(await rowsOf(bench.database), [1n, 2n, 3n])
    })
  }

  test('rewrites the whole log, because a second flush would succeed without what the first lost', async (t) => {
    await using bench = openBench()
    await fill(bench.database)
    bench.flushing.failure = new Error('EIO: i/o error')
    const writing = add(bench.database, 2)
    await advance(bench.clock, 100)
    const length = fs.statSync(bench.path('ledger.sqlite-wal')).size
    const written = t.mock.method(fs, 'writeSync')
    bench.flushing.failure = undefined
    await advance(bench.clock, 200)
    await writing
    assert.deepEqual(
      written.mock.calls.map(({ arguments: given }) => (given as unknown[]).slice(2)),
      [[0, length, 0]],
    )
  })

  test('ends the process when the log has lost something', async () => {
    await using bench = openBench()
    const { database, flushing, clock } = bench
    await fill(database)
    flushing.failure = new Error('EIO: i/o error')
    const writing = add(database, 2)
    writing.catch(() => undefined)
    await advance(clock, 100)
    const log = fs.openSync(bench.path('ledger.sqlite-wal'), 'r+')
    fs.writeSync(log, new Uint8Array(512), 0, 512, fs.fstatSync(log).size - 512)
    fs.closeSync(log)
    flushing.failure = undefined
    await advance(clock, 200)
    assert.deepEqual(bench.abandoned, ['a flush failed, and the log has lost what was to be written'])
    await assert.rejects(writing, LedgerError)
    await assert.rejects(rowsOf(database), LedgerError)
    // A restart would read what was acknowledged. Closing the first would checkpoint what it believes to be in the log.
    const copy = fs.mkdtempSync(join(tmpdir(), 'tallystick-copy-'))
    for (const file of ['ledger.sqlite', 'ledger.sqlite-wal']) fs.copyFileSync(bench.path(file), join(copy, file))
    {
      await using again = openSqlite(copy)
      assert.deepEqual(await rowsOf(again), [1n])
    }
    fs.rmSync(copy, { recursive: true })
  })

  test('ends the process on a stop while the disk still fails', async () => {
    await using bench = openBench()
    await fill(bench.database)
    bench.flushing.failure = new Error('EIO: i/o error')
    const writing = assert.rejects(add(bench.database, 2), LedgerError)
    await advance(bench.clock, 100)
    await bench.database[Symbol.asyncDispose]()
    await writing
    bench.isClosed = true
    assert.deepEqual(bench.abandoned, ['the disk does not take what was committed'])
  })
})

describe('a disk that is full', () => {
  test('causes retryable errors, allows reads, and is noticed when it has room again', async () => {
    await using bench = openBench()
    const { database, health, clock } = bench
    await fill(database)
    await database.query('PRAGMA max_page_count = 10')
    const large = () => database.insert('blobs', ['bytes'], [[new Uint8Array(100_000)]])
    await assert.rejects(large, unavailable('the disk is full'))
    assert.deepEqual(reasons(health), ['the disk is full'])
    assert.deepEqual(await rowsOf(database), [1n])
    await database.query('PRAGMA max_page_count = 1000000')
    await untilWorking(clock, health)
    await large()
  })

  test('is recognized on a real file system', async (t) => {
    const folder = fs.mkdtempSync(join(tmpdir(), 'tallystick-full-'))
    using cleanUp = new DisposableStack()
    cleanUp.defer(() => fs.rmdirSync(folder))
    if (!mountSmall(folder)) return t.skip('mounting is not permitted here')
    cleanUp.defer(() => execFileSync('umount', [folder]))
    const clock = createTestClock(0)
    const health = createHealth(clock, createLog('silent'))
    await using database = openSqlite(folder, { clock, health: health.part('store', { stopsCommands: true }) })
    await fill(database)
    fs.writeFileSync(join(folder, 'ballast'), new Uint8Array(1_800_000))
    const large = () => database.insert('blobs', ['bytes'], [[new Uint8Array(400_000)]])
    await assert.rejects(large, /transient database error: the disk (is full|does not read or write)/)
    await advance(clock, 500)
    assert.equal(reasons(health).length, 1)
    assert.deepEqual(await rowsOf(database), [1n])
    fs.rmSync(join(folder, 'ballast'))
    await untilWorking(clock, health)
    await large()
    assert.deepEqual(fs.readdirSync(folder).sort(), [
      'ledger.sqlite',
      'ledger.sqlite-shm',
      'ledger.sqlite-wal',
      'lock.sqlite',
    ])
  })
})

describe('a page that SQLite cannot make sense of', () => {
  const suspected = 'the disk does not read, or the database is damaged: the file is being checked'

  test('stops writing until the file is found whole, because SQLite reports a read error in the same way', async () => {
    await using bench = await openWithBlobs()
    const content = ruinBlobs(bench)
    await assert.rejects(bytesOf(bench.database), unavailable(suspected))
    assert.deepEqual(reasons(bench.health), [suspected])
    await assert.rejects(add(bench.database, 2), unavailable(suspected))
    assert.deepEqual(await rowsOf(bench.database), [1n], 'everything else is still read')
    fs.writeFileSync(bench.path('ledger.sqlite'), content)
    bench.clock.advance(500)
    await bench.worksAgain()
    assert.equal(await bytesOf(bench.database), 100_000n)
    await add(bench.database, 2)
    assert.deepEqual(reasons(bench.health), [])
  })

  test('is damage when the file can be read and a second look finds the same', async () => {
    await using bench = await openWithBlobs()
    ruinBlobs(bench)
    await assert.rejects(bytesOf(bench.database), unavailable(suspected))
    bench.clock.advance(500)
    await bench.changesReason()
    assert.deepEqual(reasons(bench.health), ['the database is damaged'])
    await assert.rejects(bytesOf(bench.database), { code: 'INDEX_DB_INVALID_RESULT_SET' })
    await assert.rejects(add(bench.database, 2), unavailable('the database is damaged'))
    assert.deepEqual(await rowsOf(bench.database), [1n])
    await advance(bench.clock, 3_600_000, 600_000)
    assert.deepEqual(reasons(bench.health), ['the database is damaged'], 'nobody looks again')
  })

  test('is looked at after longer and longer pauses if SQLite complains although the file is whole', async () => {
    await using bench = await openWithBlobs()
    for (const delayMs of [500, 1000, 2000, 4000]) {
      const content = ruinBlobs(bench)
      await assert.rejects(bytesOf(bench.database), unavailable(suspected))
      fs.writeFileSync(bench.path('ledger.sqlite'), content)
      bench.clock.advance(delayMs - 1)
      assert.equal(bench.looks(), 0)
      bench.clock.advance(1)
      assert.equal(bench.looks(), 1)
      await bench.worksAgain()
    }
  })

  test('is looked at again while the file cannot be read, which says nothing about the data', async () => {
    const verdicts: Verdict[] = [{ kind: 'unreadable', problem: 'EIO: i/o error, read' }, { kind: 'whole' }]
    const look = () => ({ verdict: Promise.resolve(verdicts.shift()!), end: async () => undefined })
    await using bench = await openWithBlobs(look)
    const content = ruinBlobs(bench)
    await assert.rejects(bytesOf(bench.database), unavailable(suspected))
    fs.writeFileSync(bench.path('ledger.sqlite'), content)
    await advance(bench.clock, 500)
    assert.deepEqual(reasons(bench.health), ['the disk does not read or write'])
    await assert.rejects(add(bench.database, 2), unavailable('the disk does not read or write'))
    await advance(bench.clock, 1000)
    assert.deepEqual(reasons(bench.health), [])
    await add(bench.database, 2)
  })

  async function openWithBlobs(look = lookAgain): Promise<Bench> {
    const bench = openBench({ look })
    await fill(bench.database)
    await bench.database.insert('blobs', ['bytes'], [[new Uint8Array(100_000)]])
    await bench.reopen() // With an empty log and nothing in memory.
    return bench
  }

  /** Returns the content of the file before. */
  function ruinBlobs(bench: Bench): Uint8Array {
    const path = bench.path('ledger.sqlite')
    const content = fs.readFileSync(path)
    const file = fs.openSync(path, 'r+')
    fs.writeSync(file, new Uint8Array(4096).fill(0xa5), 0, 4096, (rootOfBlobs(path) - 1) * 4096)
    fs.closeSync(file)
    return content
  }

  function rootOfBlobs(path: string): number {
    using db = new DatabaseSync(path, { readOnly: true })
    return Number(db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'blobs'").get()!.rootpage)
  }

  async function bytesOf(database: Database): Promise<unknown> {
    return (await database.query('SELECT sum(length(bytes)) AS bytes FROM blobs'))[0]!.bytes
  }
})

describe('files that are taken away', () => {
  const file = 'ledger.sqlite'
  const ways: [what: string, reason: string, take: (path: (name: string) => string) => void][] = [
    ['the folder', `${file}-wal was deleted or moved`, (path) => fs.rmSync(path(''), { recursive: true })],
    ['the folder, renamed', `${file}-wal was deleted or moved`, (path) => fs.renameSync(path(''), path('../new'))],
    ['the log', `${file}-wal was deleted or moved`, (path) => fs.rmSync(path(`${file}-wal`))],
    ['the database', `${file} was deleted or moved`, (path) => fs.rmSync(path(file))],
    ['the lock', 'lock.sqlite was deleted or moved', (path) => fs.rmSync(path('lock.sqlite'))],
    [
      'the database, replaced by a copy',
      `${file} was replaced`,
      (path) => {
        fs.copyFileSync(path(file), path('copy'))
        fs.renameSync(path('copy'), path(file))
      },
    ],
  ]
  for (const [what, reason, take] of ways) {
    test(`are noticed within a second, and nothing is accepted from then on: ${what}`, async () => {
      await using bench = openBench()
      const { database, health, clock } = bench
      await fill(database)
      take(bench.path)
      await advance(clock, 800)
      const told = `${reason} while the node ran`
      assert.deepEqual(reasons(health), [told])
      await assert.rejects(add(database, 2), unavailable(told))
      await assert.rejects(rowsOf(database), unavailable(told))
      await advance(clock, 10_000)
      assert.deepEqual(reasons(health), [told])
    })
  }

  test('are reported until the end, even if a commit was running', async () => {
    await using bench = openBench()
    await fill(bench.database)
    const held = Promise.withResolvers<void>()
    const writing = bench.database.transaction(async (tx) => {
      await held.promise
      return tx.query('INSERT INTO things VALUES (2)')
    })
    writing.catch(() => undefined)
    fs.rmSync(bench.path(''), { recursive: true })
    await advance(bench.clock, 800)
    held.resolve()
    await assert.rejects(writing, LedgerError)
    assert.equal(reasons(bench.health).length, 1)
  })

  test('are noticed before the next commit is acknowledged', async () => {
    for (const [what, , take] of ways.slice(0, 3)) {
      await using bench = openBench()
      await fill(bench.database)
      take(bench.path)
      await assert.rejects(add(bench.database, 2), LedgerError, what)
    }
  })

  test('lose nothing acknowledged if only the log is deleted', async () => {
    await using bench = openBench()
    await fill(bench.database)
    for (let n = 2; n < 100; n += 1) await add(bench.database, n)
    fs.rmSync(bench.path(`${file}-wal`))
    await advance(bench.clock, 800)
    await using reader = openSqliteForReading(bench.path(''))
    assert.equal((await rowsOf(reader)).length, 99)
  })
})

type Bench = AsyncDisposable & {
  database: Database
  readonly clock: ReturnType<typeof createTestClock>
  readonly health: ReturnType<typeof createHealth>
  readonly flushing: Flushing & { failure: Error | undefined }
  readonly abandoned: string[]
  /** How often the file was looked at since the last call. */
  looks(): number
  /** Settles when the database says the next time that it works. */
  worksAgain(): Promise<void>
  /** Settles when it gives the next reason why it does not. */
  changesReason(): Promise<void>
  isClosed: boolean
  path(name: string): string
  reopen(): Promise<void>
}

function openBench({ isSlow = false, look = lookAgain } = {}): Bench {
  const root = fs.mkdtempSync(join(tmpdir(), 'tallystick-disk-'))
  const folder = join(root, 'data')
  const clock = createTestClock(0)
  const health = createHealth(clock, createLog('silent'))
  const flushing: Bench['flushing'] = {
    ...systemFlushing,
    failure: undefined,
    now(log) {
      if (isSlow) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
      if (flushing.failure !== undefined) throw flushing.failure
      systemFlushing.now(log)
    },
    async aside(log) {
      flushing.now(log)
    },
  }
  const abandoned: string[] = []
  const told = { work: Promise.withResolvers<void>(), fail: Promise.withResolvers<void>() }
  let looks = 0
  const part = health.part('store', { stopsCommands: true })
  const open = () =>
    openSqlite(folder, {
      health: {
        fail(reason, detail) {
          part.fail(reason, detail)
          told.fail.resolve()
        },
        work() {
          part.work()
          told.work.resolve()
        },
      },
      clock,
      flushing,
      lookAgain(file) {
        looks += 1
        return look(file)
      },
      abandon: (reason) => void abandoned.push(reason),
    })
  const next = (event: 'work' | 'fail') => {
    told[event] = Promise.withResolvers()
    return told[event].promise
  }
  const bench: Bench = {
    database: open(),
    clock,
    health,
    flushing,
    abandoned,
    looks() {
      const count = looks
      looks = 0
      return count
    },
    worksAgain: () => next('work'),
    changesReason: () => next('fail'),
    isClosed: false,
    path: (name) => join(folder, name),
    async reopen() {
      await bench.database[Symbol.asyncDispose]()
      bench.database = open()
    },
    async [Symbol.asyncDispose]() {
      if (!bench.isClosed) await bench.database[Symbol.asyncDispose]()
      fs.rmSync(root, { recursive: true, force: true })
    },
  }
  return bench
}

async function fill(database: Database): Promise<void> {
  await database.query('CREATE TABLE things (n BIGINT)')
  await database.query('CREATE TABLE blobs (bytes BLOB)')
  await add(database, 1)
}

function add(database: Database, n: number): Promise<unknown> {
  return database.transaction((tx) => tx.query('INSERT INTO things VALUES ($1)', BigInt(n)))
}

async function rowsOf(database: Database): Promise<unknown[]> {
  return (await database.query('SELECT n FROM things ORDER BY n')).map(({ n }) => n)
}

function reasons(health: Bench['health']): string[] {
  return health.failing().map(({ reason }) => reason)
}

/** Advances the clock in steps, with time for the effects of each step. */
async function advance(clock: Bench['clock'], byMs: number, stepMs = 100): Promise<void> {
  for (let ms = 0; ms < byMs; ms += stepMs) {
    clock.advance(stepMs)
    await new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)))
  }
}

/** A probe flushes in a thread of its own, which takes as long as it takes: time goes on until one has ended well. */
async function untilWorking(clock: Bench['clock'], health: Bench['health']): Promise<void> {
  while (reasons(health).length > 0) await advance(clock, 100)
}

function unavailable(reason: string): { code: string; message: string } {
  const message = `Processing the request failed due to a transient database error: ${reason}`
  return { code: 'INDEX_DB_SQL_TRANSIENT_ERROR', message }
}

function mountSmall(folder: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
