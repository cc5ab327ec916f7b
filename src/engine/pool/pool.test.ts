// The pool under hostile load: a request that burns time, recurses, grows or crashes harms only itself.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type HostileChoice, hostilePackage } from '../../../test/support/engine/hostile-package.ts'
import { ledgerOf } from '../../../test/support/engine/ledger.ts'
import { requestOf } from '../../../test/support/engine/requests.ts'
import { createTestClock, wallClock } from '../../base/clock.ts'
import type { ServedInterpretation } from './interpretation-messages.ts'
import { type EnginePoolSettings, openEnginePool } from './pool.ts'

const { dalf, command } = hostilePackage()
const hostileLedger = ledgerOf({ dalfs: [{ bytes: dalf }] })
const unlimited = 1e15

/** Opens a pool with its first thread started, so that the next request runs at once. */
async function openPool(settings: Partial<EnginePoolSettings> = {}) {
  const pool = openEnginePool({
    threads: 2,
    stackMb: 64,
    heapMb: 256,
    stepsMax: 20_000_000,
    wallClockMs: 600_000,
    queueMax: 100,
    ledger: hostileLedger,
    clock: wallClock,
    ...settings,
  })
  const run = (choice: HostileChoice, size = 0, signal?: AbortSignal, client?: string) =>
    pool.interpret(requestOf({ commands: [command(choice, size)], actAs: ['Alice'] }), signal, client)
  // The first run compiles, which on a busy machine takes longer than some tests allow.
  for (let isWarm = false; !isWarm; ) isWarm = await run('Quick').then(Boolean, () => false)
  return { run, counts: pool.counts, [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose]() }
}

function assertDone({ served }: ServedInterpretation): void {
  assert.equal(JSON.parse(served.facts).events.length, 2)
}

const exceeded = (reason: string) => ({
  code: 'INTERPRETATION_TIME_EXCEEDED',
  message: `The command ${reason} than this node allows`,
})

const hostile: [choice: HostileChoice, size: number, reason: string][] = [
  ['Loop', 0, 'needs more steps'],
  ['Same', 45, 'needs more steps'],
  ['Fork', 45, 'needs more steps'],
  ['Recurse', 0, 'recurses deeper'],
  ['Grow', 0, 'makes larger values'],
  ['Flood', 0, 'needs more steps'],
]

test('every way to use up a budget ends in a clear error, and the next request is answered', async () => {
  await using pool = await openPool()
  for (const [choice, size, reason] of hostile) {
    await assert.rejects(pool.run(choice, size), exceeded(reason), choice)
    assertDone(await pool.run('Quick'))
  }
})

test('a command that runs out of memory takes its thread with it, and nothing else', async () => {
  await using pool = await openPool({ heapMb: 32, stepsMax: unlimited })
  const others = Array.from({ length: 8 }, () => pool.run('Quick'))
  await assert.rejects(pool.run('Pile'), exceeded('needs more memory'))
  for (const other of await Promise.all(others)) assertDone(other)
  assertDone(await pool.run('Quick'))
  // The first time, the heap might have been full before it began.
  assert.ok(pool.counts().lostThreads >= 2)
})

test('a command that takes too long is stopped by its own thread', async () => {
  await using pool = await openPool({ stepsMax: unlimited, wallClockMs: 50 })
  await assert.rejects(pool.run('Loop'), exceeded('needs more time'))
})

test('a thread that does not stop is replaced', async () => {
  const clock = createTestClock(0)
  await using pool = await openPool({ threads: 1, stepsMax: unlimited, clock })
  const burning = assert.rejects(pool.run('Loop'), exceeded('needs more time'))
  const next = pool.run('Quick')
  clock.advance(601_000) // The clock of the thread itself does not move.
  await burning
  assertDone(await next)
})

test('while some commands burn time, others are answered first', async () => {
  await using pool = await openPool({ stepsMax: unlimited })
  const cancellation = new AbortController()
  const ended: unknown[] = []
  const burning = Array.from({ length: 3 }, () =>
    pool.run('Loop', 0, cancellation.signal).catch((error) => void ended.push(error)),
  )
  for (const small of await Promise.all(Array.from({ length: 20 }, () => pool.run('Quick')))) assertDone(small)
  assert.deepEqual(ended, [])
  cancellation.abort()
  await Promise.all(burning)
})

for (const threads of [1, 2]) {
  test(`a large command finishes while medium ones keep coming, with ${threads} threads`, async () => {
    await using pool = await openPool({ threads, stepsMax: unlimited })
    let isDone = false
    const large = pool.run('Count', 50_000_000).then(() => (isDone = true))
    let mediums = 0
    const keepComing = async () => {
      for (; !isDone && mediums < 400; mediums += 1) await pool.run('Count', 10_000_000, undefined, 'another')
    }
    await Promise.all(Array.from({ length: 4 }, keepComing))
    assert.ok(isDone, `not done after ${mediums} medium ones`)
    await large
  })
}

test('a client with small requests is answered first, even if another fills the queue', async () => {
  await using pool = await openPool({ stepsMax: unlimited, queueMax: 3 })
  const cancellation = new AbortController()
  const refused: string[] = []
  const greedy = Array.from({ length: 12 }, () =>
    pool.run('Loop', 0, cancellation.signal, 'greedy').catch(({ code }) => void refused.push(code)),
  )
  for (let count = 0; count < 20; count += 1) assertDone(await pool.run('Quick', 0, undefined, 'modest'))
  assert.ok(refused.length > 0 && refused.length < greedy.length, `${refused.length} of ${greedy.length} were refused`)
  assert.deepEqual(new Set(refused), new Set(['PARTICIPANT_BACKPRESSURE']))
  cancellation.abort()
  await Promise.all(greedy)
})

test('a cancelled request ends at once, and frees its thread', async () => {
  await using pool = await openPool({ threads: 1, stepsMax: unlimited })
  const cancellation = new AbortController()
  const burning = pool.run('Loop', 0, cancellation.signal)
  cancellation.abort(new Error('not wanted'))
  await assert.rejects(burning, { message: 'not wanted' })
  assertDone(await pool.run('Quick'))
})

test('requests beyond the queue limit are refused', async () => {
  await using pool = await openPool({ threads: 1, queueMax: 1, stepsMax: unlimited, wallClockMs: 200 })
  const inHand = Array.from({ length: 4 }, () => pool.run('Loop').catch(() => 'ended'))
  const waits = pool.run('Quick').catch(() => 'ended')
  await assert.rejects(pool.run('Quick'), { code: 'PARTICIPANT_BACKPRESSURE' })
  await Promise.all([...inHand, waits])
})

test('requests that wait when the pool closes are rejected', async () => {
  const pool = await openPool({ stepsMax: unlimited })
  const burning = assert.rejects(pool.run('Loop'), { message: 'the engine is closed' })
  await pool[Symbol.asyncDispose]()
  await burning
})
