import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Database } from '../core/database.ts'
import { migrate } from '../schema/migrate.ts'
import { openFolderShelf } from '../snapshots/in-files.ts'
import type { SnapshotShelf } from '../snapshots/snapshots.ts'
import { removeUnfinished, unfinished } from './data-folder.ts'
import { quickCopyIn } from './file-copies.ts'
import { systemFlushing } from './flushing.ts'
import { openSqlite, openSqliteFile, openSqliteForReading, openSqliteUnchanging } from './sqlite.ts'

const canLink = await (async () => {
  const folder = fs.mkdtempSync(join(tmpdir(), 'tallystick-links-'))
  const way = await quickCopyIn(folder, unfinished)
  fs.rmSync(folder, { recursive: true })
  return way === 'link'
})()
const skip = canLink ? false : 'this file system copies in another way'

describe('a snapshot that shares the file of the ledger', { skip }, () => {
  test('costs no copy, and never changes, whatever the ledger does', async () => {
    await using bench = await openBench()
    await bench.add(1)
    await bench.shelf.take(bench.database, 'one')
    assert.deepEqual(bench.shelfFiles(), ['one.base', 'one.changes'])
    assert.equal(fs.statSync(bench.place('snapshots/one.base')).ino, fs.statSync(bench.place('ledger.sqlite')).ino)
    const before = bench.digest('one')
    await bench.add(2)
    assert.equal(bench.digest('one'), before)
    await bench.reopen() // Closing does not write to the file, either.
    assert.equal(bench.digest('one'), before)
    assert.deepEqual(await bench.rows(), [1, 2])
    await bench.addUntilOwn(3)
    assert.equal(bench.digest('one'), before)
    assert.equal(fs.statSync(bench.place('snapshots/one.base')).nlink, 1)
    const rows = await bench.rows()
    await bench.reopen()
    assert.deepEqual(await bench.rows(), rows)
    assert.deepEqual(await bench.rowsOf('one'), [1])
    assert.deepEqual(bench.files(), [
      'ledger.sqlite',
      'ledger.sqlite-shm',
      'ledger.sqlite-wal',
      'lock.sqlite',
      'snapshots',
    ])
  })

  test('holds what was in the log, too, and each of several brings its own state back', async () => {
    await using bench = await openBench()
    for (const n of [1, 2, 3]) {
      await bench.add(n)
      await bench.shelf.take(bench.database, `at-${n}`)
    }
    const links = ['at-1', 'at-2', 'at-3'].map((name) => fs.statSync(bench.place(`snapshots/${name}.base`)).ino)
    assert.equal(new Set(links).size, 1, 'nothing was copied')
    for (const n of [2, 3, 1, 1, 3, 2]) {
      await bench.restore(`at-${n}`)
      assert.deepEqual(await bench.rows(), [1, 2, 3].slice(0, n))
      await bench.add(10 * n)
      if (n === 3) await bench.addUntilOwn(100)
      if (n === 2) await bench.reopen()
    }
    await bench.shelf.delete('at-1')
    await bench.restore('at-3')
    assert.deepEqual(await bench.rows(), [1, 2, 3])
    const listed = await bench.shelf.list()
    assert.deepEqual(
      listed.map(({ name, problem }) => [name, problem]),
      [
        ['at-2', undefined],
        ['at-3', undefined],
      ],
    )
  })

  test('is exported as one file, which is whole', async () => {
    await using bench = await openBench()
    await bench.add(1)
    await bench.shelf.take(bench.database, 'one')
    for (let n = 2; n < 40; n += 1) await bench.add(n)
    await bench.shelf.take(bench.database, 'two')
    for (const [name, count] of [
      ['one', 1],
      ['two', 39],
    ] as const) {
      const content = (await bench.shelf.read(name))!
      const bytes = Buffer.concat(await content.stream.toArray())
      assert.equal(bytes.length, content.bytes)
      await bench.receive(`${name}-copy`, bytes) // Checks it.
      assert.equal((await bench.rowsOf(`${name}-copy`)).length, count)
    }
  })

  test('can be deleted, and the ledger has its file for itself again', async () => {
    await using bench = await openBench()
    await bench.add(1)
    await bench.shelf.take(bench.database, 'one')
    const { ino, size } = fs.statSync(bench.place('ledger.sqlite'))
    for (let n = 2; n < 5; n += 1) await bench.add(n)
    await bench.shelf.delete('one')
    await bench.addUntil(10, () => fs.statSync(bench.place('ledger.sqlite')).size > size)
    assert.equal(fs.statSync(bench.place('ledger.sqlite')).ino, ino, 'nothing was copied')
    await bench.shelf.take(bench.database, 'two')
    const rows = await bench.rows()
    await bench.add(0)
    await bench.restore('two')
    assert.deepEqual(await bench.rows(), rows)
  })

  test('stays as it is when a thread or the garbage collector closes the connection', async () => {
    await using bench = await openBench()
    await bench.add(1)
    await bench.shelf.take(bench.database, 'one')
    const before = bench.digest('one')
    await bench.add(2)
    await bench.database[Symbol.asyncDispose]() // Closes it as they do, because SQLite knows no other way.
    assert.equal(bench.digest('one'), before)
    assert.ok(fs.statSync(bench.place('ledger.sqlite-wal')).size > 0)
    bench.open()
  })

  test('stays as it is when the ledger is opened again over a log of any length', async () => {
    await using bench = await openBench({ logPagesMax: 10_000 })
    await bench.add(1)
    await bench.shelf.take(bench.database, 'one')
    const before = bench.digest('one')
    await bench.add(2, 'x'.repeat(checkpointedPages * 4096)) // SQLite by itself would checkpoint it at the next commit.
    await bench.reopen()
    await bench.add(3)
    assert.equal(bench.digest('one'), before)
    assert.deepEqual(await bench.rows(), [1, 2, 3])
    await bench.restore('one')
    assert.deepEqual(await bench.rows(), [1])
    assert.deepEqual(await bench.rowsOf('one'), [1])
  })

  test('is edited as a copy, and leaves the ledger alone', async () => {
    await using bench = await openBench()
    await bench.add(1)
    await bench.shelf.take(bench.database, 'one')
    await bench.add(2)
    await bench.shelf.edit('one', async (copy) => {
      await copy.query("INSERT INTO things (n, note) VALUES (100, '')")
    })
    assert.deepEqual(bench.shelfFiles(), ['one.sqlite'])
    assert.deepEqual(await bench.rows(), [1, 2])
    assert.deepEqual(await bench.rowsOf('one'), [1, 100])
  })

  test('of an older schema is copied, because a migration would change it', async () => {
    await using bench = await openBench()
    await bench.add(1)
    await bench.shelf.take(bench.database, 'one')
    const before = bench.digest('one')
    await bench.restore('one', async (copy) => {
      await copy.query("INSERT INTO things (n, note) VALUES (7, '')")
    })
    assert.deepEqual(await bench.rows(), [1, 7])
    assert.equal(fs.statSync(bench.place('ledger.sqlite')).nlink, 1)
    assert.equal(bench.digest('one'), before)
  })

  test('is refused once another program has written to it, and the ledger is not', async () => {
    await using bench = await openBench()
    await bench.add(1)
    await bench.shelf.take(bench.database, 'one')
    const bytes = Buffer.concat(await (await bench.shelf.read('one'))!.stream.toArray())
    await bench.receive('received', bytes)
    const listed = async () => (await bench.shelf.list()).map(({ name, problem }) => [name, problem !== undefined])
    for (const name of ['one', 'received']) {
      await bench.restore(name)
      assert.deepEqual(bench.shelfFiles().includes(`${name}.base`), true)
      await bench.add(2)
      assert.equal(fs.statSync(bench.place(`snapshots/${name}.base`)).nlink, 2)
      await bench.reopen(() => {
        using other = new DatabaseSync(bench.place('ledger.sqlite')) // As the tool of SQLite does.
        assert.equal(other.prepare('SELECT n FROM things').all().length, 2)
      })
      assert.deepEqual(await bench.rows(), [1, 2])
      await assert.rejects(bench.restore(name), /another program has written to/)
      await assert.rejects(bench.shelf.read(name), /another program has written to/)
    }
    assert.deepEqual(await listed(), [
      ['one', true],
      ['received', true],
    ])
    for (const name of ['one', 'received']) assert.ok(await bench.shelf.delete(name))
    await bench.reopen()
    assert.deepEqual(await bench.rows(), [1, 2])
  })

  test('keeps when it was taken if it came as one file', async () => {
    await using bench = await openBench()
    await bench.add(1)
    await bench.shelf.take(bench.database, 'one')
    const bytes = Buffer.concat(await (await bench.shelf.read('one'))!.stream.toArray())
    await bench.receive('received', bytes)
    const [, before] = await bench.shelf.list()
    await bench.restore('received')
    const [, afterwards] = await bench.shelf.list()
    assert.equal(afterwards!.name, 'received')
    assert.ok(Math.abs(afterwards!.takenAtMs - before!.takenAtMs) < 1)
  })

  test('does not hide commits from other processes', async () => {
    await using bench = await openBench()
    await bench.add(1)
    await bench.shelf.take(bench.database, 'one')
    await bench.add(2)
    await using reader = openSqliteForReading(bench.place(''))
    assert.equal((await reader.query('SELECT n FROM things')).length, 2)
  })

  test('is taken while a reader keeps the log from being written back', async () => {
    await using bench = await openBench()
    await bench.add(1)
    const reader = new DatabaseSync(bench.place('ledger.sqlite'), { readOnly: true })
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM things').get()
    await bench.add(2)
    await bench.shelf.take(bench.database, 'two')
    await bench.add(3)
    assert.deepEqual(await bench.rowsOf('two'), [1, 2])
    reader.close()
    await bench.addUntilOwn(4)
    await bench.restore('two')
    assert.deepEqual(await bench.rows(), [1, 2])
  })

  test('costs nothing that was committed if somebody deletes the log', async () => {
    await using bench = await openBench()
    await bench.add(1)
    await bench.shelf.take(bench.database, 'one')
    const before = bench.digest('one')
    await bench.add(2)
    fs.rmSync(bench.place('ledger.sqlite-wal'))
    await assert.rejects(bench.add(3))
    await bench.reopen()
    assert.deepEqual((await bench.rows()).slice(0, 2), [1, 2])
    assert.equal(bench.digest('one'), before)
  })

  test('is neither taken nor restored on a full disk, and the ledger goes on', async (t) => {
    const folder = fs.mkdtempSync(join(tmpdir(), 'tallystick-full-'))
    using cleanUp = new DisposableStack()
    cleanUp.defer(() => fs.rmdirSync(folder))
    if (!mountSmall(folder)) return t.skip('mounting is not permitted here')
    cleanUp.defer(() => execFileSync('umount', [folder]))
    await using bench = await openBench({ folder, logPagesMax: 10_000 })
    const full = /the disk is full/
    const fill = (bytesLeft: number) => {
      const { bavail, bsize } = fs.statfsSync(folder)
      fs.writeFileSync(bench.place('ballast'), new Uint8Array(bavail * bsize - bytesLeft))
    }
    const empty = () => fs.rmSync(bench.place('ballast'))
    await bench.add(1)
    await quickCopyIn(folder, unfinished)
    fill(0)
    await assert.rejects(bench.shelf.take(bench.database, 'one'), full)
    assert.deepEqual(bench.shelfFiles(), [])
    empty()
    await bench.shelf.take(bench.database, 'one')
    for (let n = 2; n < 20; n += 1) await bench.add(n)
    await bench.shelf.take(bench.database, 'two')
    const rows = await bench.rows()
    const [filesBefore, shelfBefore] = [bench.files(), bench.shelfFiles()]
    for (const bytesLeft of [0, 128 * 1024]) {
      fill(bytesLeft)
      await assert.rejects(bench.shelf.take(bench.database, 'three'), full)
      await assert.rejects(bench.restore('two'), full)
      assert.deepEqual(await bench.rows(), rows)
      empty()
      assert.deepEqual([bench.files(), bench.shelfFiles()], [filesBefore, shelfBefore])
    }
    await bench.add(20)
    await bench.restore('one')
    assert.deepEqual(await bench.rows(), [1])
    await bench.restore('two')
    assert.deepEqual(await bench.rows(), rows)
  })

  test('that a node died over is complete, or not there', async () => {
    await using bench = await openBench()
    await bench.add(1)
    await bench.shelf.take(bench.database, 'one')
    await bench.add(2)
    await bench.reopen(() => {
      // What each step of a take, a restore and a copy in the background leaves behind.
      fs.linkSync(bench.place('ledger.sqlite'), bench.place('snapshots/two.base.part'))
      fs.writeFileSync(bench.place('snapshots/two.changes'), 'half')
      for (const name of ['own.base.part', 'own.log.part', 'restored.log.part', 'restored.log']) {
        fs.writeFileSync(bench.place(name), 'half')
      }
      fs.linkSync(bench.place('ledger.sqlite'), bench.place('held.sqlite'))
      fs.linkSync(bench.place('snapshots/one.base'), bench.place('restored.base.part'))
    })
    assert.deepEqual(await bench.rows(), [1, 2])
    assert.deepEqual(bench.shelfFiles(), ['one.base', 'one.changes'])
    assert.deepEqual(bench.files(), [
      'ledger.sqlite',
      'ledger.sqlite-shm',
      'ledger.sqlite-wal',
      'lock.sqlite',
      'snapshots',
    ])
    // From the last step on, the next start completes a restore.
    await bench.reopen(() => fs.linkSync(bench.place('snapshots/one.base'), bench.place('restored.base')))
    assert.deepEqual(await bench.rows(), [1])
  })
})

type Bench = AsyncDisposable & {
  database: Database
  readonly shelf: SnapshotShelf
  place(name: string): string
  files(): string[]
  shelfFiles(): string[]
  open(): void
  reopen(meanwhile?: () => void): Promise<void>
  receive(name: string, bytes: Uint8Array): Promise<void>
  restore(name: string, check?: (copy: Database) => Promise<void>): Promise<void>
  add(n: number, text?: string): Promise<void>
  addUntil(from: number, isEnough: () => boolean): Promise<void>
  /** Until the ledger has a file of its own. */
  addUntilOwn(from: number): Promise<void>
  rows(): Promise<number[]>
  rowsOf(snapshot: string): Promise<number[]>
  /** Of all files of a snapshot. */
  digest(snapshot: string): string
}

const note = 'x'.repeat(20_000)
/** The default of wal_autocheckpoint. */
const checkpointedPages = 1_000

function temporary(): string {
  return fs.mkdtempSync(join(tmpdir(), 'tallystick-sharing-'))
}

function mountSmall(folder: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

async function openBench({ logPagesMax = 60, folder = temporary() } = {}): Promise<Bench> {
  const flushing = { ...systemFlushing, logPagesMax }
  const warnings: string[] = []
  const openLedger = () => openSqlite(folder, { flushing, warn: (reason) => void warnings.push(reason) })
  const place = (name: string) => join(folder, name)
  const listed = async (database: Database) =>
    (await database.query('SELECT n FROM things ORDER BY n')).map(({ n }) => Number(n))
  const bench: Bench = {
    database: openLedger(),
    shelf: openFolderShelf(folder, {
      openLedger,
      openFile: openSqliteFile,
      openUnchanging: openSqliteUnchanging,
      copiedBytesMax: 0,
    }),
    place,
    files: () => fs.readdirSync(folder).sort(),
    shelfFiles: () => fs.readdirSync(place('snapshots')).sort(),
    open() {
      bench.database = openLedger()
      removeUnfinished(folder)
    },
    async reopen(meanwhile) {
      await bench.database[Symbol.asyncDispose]()
      meanwhile?.()
      bench.open()
    },
    async receive(name, bytes) {
      const received = await bench.shelf.receive(
        (async function* () {
          yield bytes
        })(),
      )
      await received.keep(name)
    },
    async restore(name, check = async () => undefined) {
      const openNext = await bench.shelf.prepare(name, check)
      await bench.database[Symbol.asyncDispose]()
      bench.database = await openNext!()
    },
    async add(n, text = note) {
      await bench.database.transaction((tx) => tx.insert('things', ['n', 'note'], [[BigInt(n), text]]))
    },
    async addUntil(from, isEnough) {
      const untilMs = performance.now() + 120_000
      for (let n = from; performance.now() < untilMs; n += 1) {
        await bench.add(n)
        await setTimeout(1)
        if (isEnough()) return
      }
      assert.fail(`it did not come to that: ${warnings}`)
    },
    async addUntilOwn(from) {
      await bench.addUntil(from, () => fs.statSync(place('ledger.sqlite')).nlink === 1)
    },
    rows: () => listed(bench.database),
    async rowsOf(snapshot) {
      const content = (await bench.shelf.read(snapshot))!
      const file = place('read.sqlite')
      fs.writeFileSync(file, Buffer.concat(await content.stream.toArray()))
      try {
        await using database = openSqliteFile(file)
        const [checked] = await database.query('PRAGMA integrity_check')
        assert.equal(checked!.integrity_check, 'ok')
        return await listed(database)
      } finally {
        fs.rmSync(file)
      }
    },
    digest(snapshot) {
      const hash = createHash('sha256')
      for (const ending of ['base', 'changes']) hash.update(fs.readFileSync(place(`snapshots/${snapshot}.${ending}`)))
      return hash.digest('hex')
    },
    async [Symbol.asyncDispose]() {
      await bench.database[Symbol.asyncDispose]()
      for (const name of fs.readdirSync(folder)) fs.rmSync(place(name), { recursive: true })
      if (fs.statSync(folder).dev === fs.statSync(join(folder, '..')).dev) fs.rmdirSync(folder)
    },
  }
  await migrate(bench.database)
  await bench.database.query('CREATE TABLE things (n BIGINT, note TEXT)')
  return bench
}
