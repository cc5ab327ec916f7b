import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import fs from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { until } from '../../../test/fixtures/until.ts'
import { lookAgain, lookThroughTrees, type TreeReport, type Trees } from './damaged-trees.ts'

const pageBytes = 4096

describe('the trees of a large file', () => {
  const folder = fs.mkdtempSync(join(tmpdir(), 'tallystick-trees-'))
  const [whole, damaged] = [join(folder, 'whole.sqlite'), join(folder, 'damaged.sqlite')]

  before(() => {
    using db = new DatabaseSync(whole)
    db.exec('CREATE TABLE contracts (body); CREATE TABLE parties (party PRIMARY KEY, note) WITHOUT ROWID')
    db.exec('INSERT INTO contracts VALUES (zeroblob(17 * 1024 * 1024))') // No start waits for so much.
    const insert = db.prepare('INSERT INTO parties VALUES (?, zeroblob(500))')
    for (let n = 0; n < 100; n += 1) insert.run(n)
    const { page } = db.prepare("SELECT max(pageno) AS page FROM dbstat WHERE name = 'parties'").get()!
    fs.copyFileSync(whole, damaged)
    const file = fs.openSync(damaged, 'r+')
    fs.writeSync(file, new Uint8Array(pageBytes), 0, pageBytes, (Number(page) - 1) * pageBytes)
    fs.closeSync(file)
  })
  after(() => fs.rmSync(folder, { recursive: true }))

  test('are checked in the background, and one that seems damaged is not read until the file is trusted', async () => {
    const problems: string[] = []
    const trees = lookThroughTrees(damaged, reportTo(problems))
    await trees.looked
    await until(() => problems.length > 0)
    assert.match(problems.join(), /^the table parties: /)
    assert.throws(() => trees.check('SELECT * FROM parties'), { message: 'suspected' })
    trees.check('SELECT * FROM contracts')
    trees.trust()
    trees.check('SELECT * FROM parties')
    await trees.close()
    await trees.close()
  })

  test('keep nobody waiting: a check ends with the ledger', async () => {
    const problems: string[] = []
    const open = () => lookThroughTrees(whole, reportTo(problems))
    for (const trees of [open(), open()] satisfies Trees[]) await trees.close()
    assert.deepEqual(problems, [])
  })

  const onLinux = { skip: process.platform !== 'linux' && 'looks into /proc' }
  test('have the verdict of a process that ended before its message was read', onLinux, async () => {
    const found = childOf(() => lookAgain(whole))
    await untilOneTurnLater(found.child)
    assert.deepEqual(await found.result.verdict, { kind: 'whole' })
  })
})

/** Returns the result of `make`, and the process that it started. */
function childOf<T>(make: () => T): { readonly result: T; readonly child: ChildProcess } {
  let child: ChildProcess | undefined
  const note = (message: unknown) => {
    child ??= (message as { process: ChildProcess }).process
  }
  subscribe('child_process', note)
  const result = make()
  unsubscribe('child_process', note)
  return { result, child: child! }
}

/**
 * One turn of the event loop hears of a signal, and of bytes whose reader waits for the end of the child. Signals come last
 * in a turn and stand for all children, so the end of this one is heard in the same turn and its message only in the next;
 * two times in three, because the signal may come a moment after the end that it tells of.
 */
async function untilOneTurnLater(child: ChildProcess): Promise<void> {
  const near = Promise.withResolvers<Socket>()
  await using server = createServer(near.resolve).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const far = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [socket] = await Promise.all([near.promise, once(far, 'connect')])
  const heard = once(
    far.once('data', () => waitForEndOf(child)),
    'data',
  )
  socket.write('now')
  waitForEndOf(spawn('true', { stdio: 'ignore' }))
  await heard
  far.destroy()
}

/** Without a turn of the event loop. */
function waitForEndOf(child: ChildProcess): void {
  const untilMs = performance.now() + 120_000
  while (isRunning(child)) assert.ok(performance.now() < untilMs, 'the process ends')
}

function isRunning({ pid }: ChildProcess): boolean {
  try {
    return !/\) Z/.test(fs.readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false // On a busy machine, its end was heard before.
  }
}

function reportTo(problems: string[]): TreeReport {
  return {
    damaged: (problem) => void problems.push(problem),
    suspected(problem) {
      problems.push(problem)
      return new Error('suspected')
    },
  }
}
