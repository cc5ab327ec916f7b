// The dispatcher over threads that do what the test says: what a thread does and what the pool hears of it come in any order.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '../../base/clock.ts'
import { createDispatcher } from './dispatcher.ts'
import { noRequest, type Outcome, type ToWorker } from './messages.ts'
import { createEngineCounters } from './pool-metrics.ts'
import { createSchedulingPolicy, patienceMs, quickMs } from './scheduling-policy.ts'
import { createTask, type Task } from './tasks.ts'
import type { ThreadEvents, WorkerThread } from './thread.ts'
import { createThreadEvents } from './thread-events.ts'
import { createThreadSet } from './thread-set.ts'

/** A thread that begins and reports what the test says. */
type Puppet = ReturnType<typeof createPuppet>

function createPuppet({ hear, lose }: ThreadEvents) {
  const sent: ToWorker[] = []
  let running = noRequest
  let toStop = noRequest
  const worker: WorkerThread = {
    send: (message) => void sent.push(message),
    answer: () => undefined,
    stop(number) {
      toStop = number
    },
    running: () => running,
    terminate: () => Promise.resolve(0),
  }
  const report = (outcome: Outcome) =>
    hear({ kind: 'outcomes', outcomes: [outcome], effort: { steps: 0, compileMs: 0, compiledCharacters: 0 } })
  return {
    worker,
    ready: () => hear({ kind: 'ready' }),
    /** The numbers of the requests that it got, in their order. */
    got: () => sent.flatMap((message) => (message.kind === 'work' ? message.requests.map(({ number }) => number) : [])),
    dropped: () => sent.flatMap((message) => (message.kind === 'drop' ? message.numbers : [])),
    begin(number: number) {
      running = number
    },
    isStopped: () => toStop === running,
    reportDone: (number: number) => report({ kind: 'answer', number, result: [] }),
    reportStopped: (number: number) => report({ kind: 'stopped', number }),
    lose: () => lose(new Error('lost')),
  }
}

function openPool() {
  const clock = createTestClock(0)
  const puppets: Puppet[] = []
  const policy = createSchedulingPolicy<Task>({ queueMax: 100 })
  const counters = createEngineCounters()
  const settings = { stackMb: 1, heapMb: 1, stepsMax: 1, wallClockMs: 60_000 }
  const threads = createThreadSet<Task>(settings, clock, (_, events) => {
    const puppet = createPuppet(events)
    puppets.push(puppet)
    return puppet.worker
  })
  const dispatcher = createDispatcher({ policy, threads, counters, quickThreads: 2, wallClockMs: 60_000, clock })
  threads.listen(createThreadEvents({ policy, threads, dispatcher, counters, clock }))
  for (let count = 0; count < 2; count += 1) threads.start('quick')
  return { clock, puppets, dispatcher, counters }
}

type Pool = ReturnType<typeof openPool>

/** Submits a request of `client`. Its outcome comes later. */
function submit({ dispatcher }: Pool, client: string): { outcome: string } {
  const ledger = { number: 0, access: {} as never }
  const { task, result } = createTask(
    { work: { kind: 'plans', names: [] }, ledger, client, signal: undefined },
    dispatcher.cancel,
  )
  const fate = { outcome: 'waits' }
  result.then(
    () => (fate.outcome = 'answered'),
    (error: Error) => (fate.outcome = error.message),
  )
  dispatcher.submit(task)
  return fate
}

const settled = () => new Promise(setImmediate)

/**
 * Two requests in one thread, of which the second is given back while the first seems to run. In truth the first has
 * ended and the second has begun.
 */
async function withStray() {
  const pool = openPool()
  const [busy] = pool.puppets as [Puppet, Puppet]
  busy.ready()
  const fates = [submit(pool, 'greedy'), submit(pool, 'greedy')]
  await settled()
  const [first, stray] = busy.got() as [number, number]
  busy.begin(stray)
  pool.clock.advance(patienceMs + 5)
  assert.deepEqual(busy.dropped(), [stray])
  return { ...pool, busy, other: pool.puppets[1]!, first, stray, fates }
}

test('a request that began before its thread heard that it was given back is stopped there, and done elsewhere', async () => {
  const pool = await withStray()
  const { busy, other, clock, fates } = pool
  other.ready()
  const [again] = other.got() as [number]
  assert.notEqual(again, pool.stray, 'an outcome of the stray one is not taken for its own')
  busy.reportDone(pool.first)
  const modest = submit(pool, 'modest')
  await settled()
  const [, , next] = busy.got() as [number, number, number]
  clock.advance(5)
  assert.ok(busy.isStopped(), 'it holds up the next request of its thread')

  busy.reportStopped(pool.stray)
  busy.begin(next)
  clock.advance(5)
  assert.ok(!busy.isStopped(), 'the next request is not stopped')
  busy.reportDone(next)
  other.begin(again)
  other.reportDone(again)
  await settled()
  assert.deepEqual(
    [...fates, modest].map(({ outcome }) => outcome),
    Array(3).fill('answered'),
  )
})

test('a request is not taken to burn because of the stray one before it', async () => {
  const pool = await withStray()
  const { busy, clock } = pool
  busy.reportDone(pool.first)
  submit(pool, 'modest')
  clock.advance(quickMs + 20)
  busy.reportStopped(pool.stray)
  const before = busy.got().length
  submit(pool, 'another')
  await settled()
  assert.equal(busy.got().length, before + 1, 'its thread takes more')
})

test('a thread that is lost with a stray request costs none of those behind it', async () => {
  const pool = await withStray()
  const { busy, other, fates } = pool
  busy.reportDone(pool.first)
  const modest = submit(pool, 'modest')
  await settled()
  busy.lose()
  other.ready()
  for (const number of other.got()) {
    other.begin(number)
    other.reportDone(number)
  }
  await settled()
  assert.deepEqual(
    [...fates, modest].map(({ outcome }) => outcome),
    Array(3).fill('answered'),
  )
})
