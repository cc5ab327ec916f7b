// The policy alone, with simulated threads: which client is served when, for any mix of requests.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../../test/fixtures/seed.ts'
import { createFairQueue, createUsage } from '../../base/fair-queue.ts'
import { createHeavyClients, heavyMs } from './heavy-clients.ts'
import {
  createSchedulingPolicy,
  inHandMax,
  longMs,
  quantumMs,
  quickMs,
  stuckMs,
  type ThreadState,
} from './scheduling-policy.ts'

type Task = {
  readonly name: string
  readonly client: string
  readonly costMs: number
  readonly atMs: number
  stops: number
  isSettled: boolean
  endedMs?: number
}
type Thread = { -readonly [Key in keyof ThreadState<Task>]: ThreadState<Task>[Key] } & {
  inHand: Task[]
  doneMs: number
}

const tickMs = 5
const quickThreads = 2

/** Every thread has a processor of its own, and every thread for long requests exists from the start. */
function simulate(tasks: readonly Task[], untilMs = Infinity): { nowMs: number; wastedMs: number } {
  const policy = createSchedulingPolicy<Task>({ queueMax: 100_000 })
  const threadOf = (lane: Thread['lane']): Thread => {
    const idle = {
      costBy: undefined,
      asking: undefined,
      isBurning: false,
      stoppingMs: undefined,
      waitedMs: 0,
      sinceMs: 0,
      doneMs: 0,
    }
    return { lane, inHand: [], isReady: true, ...idle }
  }
  const threads = [...Array(quickThreads).keys()].flatMap(() => [threadOf('quick'), threadOf('long')])
  const coming = tasks.toSorted((a, b) => a.atMs - b.atMs)
  let left = tasks.length
  let [nowMs, wastedMs] = [0, 0]
  const begin = (thread: Thread) =>
    Object.assign(thread, { sinceMs: nowMs, doneMs: 0, isBurning: thread.lane === 'long' })

  const dispatch = () => {
    for (const [state, handed] of policy.handOut(threads, nowMs)) {
      const thread = state as Thread
      if (thread.inHand.length === 0) begin(thread)
      thread.inHand.push(...handed)
    }
  }
  const advance = (thread: Thread, byMs: number) => {
    for (let restMs = byMs; restMs > 0 && thread.inHand.length > 0; ) {
      const [running] = thread.inHand as [Task]
      const doneMs = Math.min(restMs, running.costMs - thread.doneMs)
      policy.charge(running.client, doneMs)
      thread.doneMs += doneMs
      restMs -= doneMs
      if (thread.doneMs < running.costMs) continue
      thread.inHand.shift()
      Object.assign(running, { isSettled: true, endedMs: nowMs + byMs - restMs })
      left -= 1
      begin(thread)
      if (thread.lane === 'long') return
    }
  }
  while (left > 0 && nowMs < untilMs) {
    while (coming[0] !== undefined && coming[0].atMs <= nowMs) policy.add(coming.shift()!)
    dispatch()
    for (const thread of threads) advance(thread, tickMs)
    nowMs += tickMs
    for (const { inHand } of policy.burning(threads, nowMs)) policy.noteBurning(inHand[0]!.client, nowMs)
    for (const state of policy.toGiveBack(threads, nowMs)) {
      const thread = state as Thread
      thread.isBurning = true
      policy.giveBack(thread.inHand.splice(1))
    }
    for (const state of policy.toStop(threads, nowMs)) {
      const thread = state as Thread
      const stopped = thread.inHand.shift()!
      wastedMs += thread.doneMs
      stopped.stops += 1
      policy.giveBack([stopped])
      begin(thread)
    }
  }
  return { nowMs, wastedMs }
}

const task = (client: string, costMs: number, atMs = 0): Task => {
  return { name: `${client} ${costMs}`, client, costMs, atMs, stops: 0, isSettled: false }
}
const many = (count: number, client: string, costMs: number, everyMs = 0) =>
  Array.from({ length: count }, (_, index) => task(client, costMs, index * everyMs))
const tookMs = ({ endedMs = Infinity, atMs }: Task) => endedMs - atMs
const longest = (tasks: readonly Task[]) => Math.max(...tasks.map(tookMs))

describe('a fair queue', () => {
  test('serves clients in turns, each in its own order', () => {
    const usage = createUsage()
    const queue = createFairQueue<string>(usage)
    for (const item of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) queue.push(item[0]!, item)
    const order: string[] = []
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      order.push(item)
      usage.charge(item[0]!, 1)
    }
    assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  })

  test('a client that used much waits, one that comes back has saved up nothing', () => {
    const usage = createUsage()
    const queue = createFairQueue<string>(usage)
    usage.charge('greedy', 100)
    queue.push('greedy', 'greedy')
    let before = 0
    for (queue.push('modest', 'modest'); queue.shift() === 'modest'; queue.push('modest', 'modest')) {
      usage.charge('modest', 1)
      before += 1
    }
    assert.equal(before, 100)
    queue.push('late', 'l')
    assert.ok(usage.of('late') >= 90, 'it begins where the others are')
  })

  test('makes room at the expense of the client with the most requests', () => {
    const queue = createFairQueue<string>(createUsage())
    for (const item of ['a1', 'a2', 'a3', 'b1']) queue.push(item[0]!, item)
    assert.equal(queue.popFromLargest('b'), 'a3')
    assert.equal(queue.popFromLargest('a'), undefined)
    assert.equal(queue.popFromLargest('c'), 'a2')
    assert.equal(queue.popFromLargest('c'), undefined, 'nobody has more than it would have')
    assert.equal(queue.size, 2)
  })
})

test('the time a request may run before it is preempted doubles each time', () => {
  assert.deepEqual(
    [0, 1, 2, 3].map((stops) => quantumMs({ stops })),
    [quickMs, longMs, 2 * longMs, 4 * longMs],
  )
})

test('a thread gets enough requests to keep it busy, from all clients', () => {
  const policy = createSchedulingPolicy<Task>({ queueMax: 1000 })
  for (const one of [...many(100, 'a', 1), ...many(3, 'b', 1)]) policy.add(one)
  const thread: Thread = {
    ...{ lane: 'quick', isReady: true, inHand: [], isBurning: false, stoppingMs: undefined },
    ...{ sinceMs: 0, waitedMs: 0, asking: undefined, doneMs: 0, costBy: undefined },
  }
  const [handed] = policy.handOut([thread], 0).values()
  assert.equal(handed?.length, inHandMax)
  assert.deepEqual(
    handed?.slice(0, 6).map(({ client }) => client),
    ['a', 'b', 'a', 'b', 'a', 'b'],
  )
})

test('excess requests of one client are refused, not those of others', () => {
  const policy = createSchedulingPolicy<Task>({ queueMax: 4 })
  for (const one of many(4, 'a', 1)) assert.equal(policy.add(one), undefined)
  const more = task('a', 1)
  assert.equal(policy.add(more), more)
  assert.equal(policy.add(task('b', 1))?.client, 'a')
  assert.equal(policy.waiting(), 4)
})

test('a full queue of preempted requests refuses one of them rather than the first of another client', () => {
  const policy = createSchedulingPolicy<Task>({ queueMax: 3 })
  policy.giveBack(many(3, 'greedy', 1).map((one) => ({ ...one, stops: 1 })))
  assert.equal(policy.add(task('modest', 1))?.client, 'greedy')
})

test('a quick thread that does not stop is replaced when others wait for it', () => {
  const policy = createSchedulingPolicy<Task>({ queueMax: 10 })
  const stuck: Thread = {
    ...{ lane: 'quick', isReady: true, inHand: [task('a', 1_000)], isBurning: true, stoppingMs: 50 },
    ...{ sinceMs: 0, waitedMs: 0, asking: undefined, doneMs: 0, costBy: undefined },
  }
  assert.equal(policy.toReplace([stuck], 50 + stuckMs + 1), undefined, 'nobody waits')
  policy.add(task('b', 1))
  assert.equal(policy.toReplace([stuck], 50 + stuckMs), undefined, 'it may still stop')
  assert.equal(policy.toReplace([stuck], 50 + stuckMs + 1), stuck)
  const starting: Thread = { ...stuck, isReady: false, inHand: [], isBurning: false, stoppingMs: undefined }
  assert.equal(policy.toReplace([stuck, starting], 50 + stuckMs + 1), undefined, 'another is coming')
})

const quickThread = (inHand: Task[] = [], isBurning = false): Thread => ({
  ...{ lane: 'quick', isReady: true, inHand, isBurning, stoppingMs: undefined },
  ...{ sinceMs: 0, waitedMs: 0, asking: undefined, doneMs: 0, costBy: undefined },
})

test('a client that cost a thread leaves one to the others', () => {
  const policy = createSchedulingPolicy<Task>({ queueMax: 100 })
  const [one, other] = [quickThread(), quickThread()]
  policy.noteBurning('a', 0)
  for (const next of [...many(40, 'a', 1_000), ...many(3, 'b', 1)]) policy.add(next)
  const handed = policy.handOut([one, other], 0)
  const clientsOf = (thread: Thread) => [...new Set(handed.get(thread)?.map(({ client }) => client))]
  assert.deepEqual([one, other].map(clientsOf), [['a'], ['b']])
})

test('clients that burnt do not wait for each other', () => {
  for (const other of [quickThread([task('a', 1_000)], true), { ...quickThread(), isReady: false, costBy: 'a' }]) {
    const policy = createSchedulingPolicy<Task>({ queueMax: 100 })
    for (const client of ['a', 'b']) {
      policy.noteBurning(client, 0)
      policy.add(task(client, 1))
    }
    const [handed] = policy.handOut([other, quickThread()], 0).values()
    assert.deepEqual(
      handed?.map(({ client }) => client),
      ['b'],
    )
  }
})

test('a burner waits while the other thread starts, and until it burnt nothing for a while', () => {
  const policy = createSchedulingPolicy<Task>({ queueMax: 100 })
  const starting: Thread = { ...quickThread(), isReady: false, costBy: 'a' }
  policy.noteBurning('a', 0)
  for (const next of many(2, 'a', 1)) policy.add(next)
  assert.equal(policy.handOut([starting, quickThread()], heavyMs - 1).size, 0)
  assert.equal(policy.handOut([starting, quickThread()], heavyMs).size, 1)
})

test('a client whose own request holds its only thread gets it back, and nobody else is stopped', () => {
  const policy = createSchedulingPolicy<Task>({ queueMax: 100 })
  const [own, free] = [quickThread([task('a', 1_000)], true), quickThread()]
  policy.noteBurning('a', 0)
  policy.add(task('a', 1))
  assert.equal(policy.handOut([own, free], quickMs).size, 0)
  assert.deepEqual(policy.toStop([own, free], quickMs), [])
  assert.deepEqual(policy.toStop([own, free], quickMs + 1), [own])
})

test('nobody is preempted for a client that costs one thread after the other', () => {
  const policy = createSchedulingPolicy<Task>({ queueMax: 100 })
  const starting: Thread = { ...quickThread(), isReady: false, costBy: 'a' }
  policy.noteBurning('a', 0)
  policy.add(task('a', 1))
  const others = quickThread([task('b', 1_000)], true)
  assert.deepEqual(policy.toStop([starting, others], 2 * quickMs), [])
  policy.add(task('c', 1))
  assert.deepEqual(policy.toStop([starting, others], 2 * quickMs), [others])
})

test('nothing is lost when a thread has no room', () => {
  const policy = createSchedulingPolicy<Task>({ queueMax: 100 })
  for (const next of many(2 * inHandMax, 'a', 1)) policy.add(next)
  policy.handOut([quickThread([task('b', 1_000)], true)], 0)
  assert.equal(policy.waiting(), 2 * inHandMax)
  policy.handOut([quickThread()], 0)
  assert.equal(policy.waiting(), inHandMax)
})

test('heavyClients are forgotten after a while, the oldest at once when there are too many', () => {
  const heavyClients = createHeavyClients()
  for (let index = 0; index < 2_000; index += 1) heavyClients.add(`client ${index}`, 0)
  assert.ok(!heavyClients.has('client 0') && heavyClients.has('client 1999'))
  heavyClients.forget(heavyMs)
  assert.ok(heavyClients.isEmpty)
})

test('a large command finishes while medium ones keep coming', () => {
  for (const client of ['a', 'b']) {
    const large = task('a', 2_000)
    simulate([large, ...many(2_000, client, 100, 60)], 60_000)
    assert.ok(tookMs(large) < 20_000, `${client}: ${tookMs(large)} ms`)
    assert.ok(large.stops <= 6, `stopped ${large.stops} times`)
  }
})

test('small commands are answered soon despite any number of heavy ones of another client', () => {
  const small = many(200, 'b', 1, 25)
  simulate([...many(500, 'a', 10_000), ...small], 10_000)
  assert.ok(longest(small) < 150, `${longest(small)} ms`)
})

test('small commands of the same client are answered soon, too', () => {
  const small = many(100, 'a', 1, 25)
  simulate([...many(20, 'a', 10_000), ...small], 10_000)
  assert.ok(longest(small) < 1_500, `${longest(small)} ms`)
})

test('medium commands of one client get past the endless ones of another', () => {
  const medium = many(20, 'b', 200, 500)
  simulate([...many(100, 'a', 10_000), ...medium], 30_000)
  assert.ok(longest(medium) < 2_000, `${longest(medium)} ms`)
})

test('clients with equal work finish at about the same time', () => {
  const [a, b] = [many(20, 'a', 500), many(20, 'b', 500)]
  simulate([...a, ...b])
  const [last, other] = [a, b].map((tasks) => Math.max(...tasks.map(({ endedMs }) => endedMs!))) as [number, number]
  assert.ok(Math.abs(last - other) < 0.25 * last, `${last} and ${other} ms`)
})

test('everything finishes, and wasted work stays below three times the useful work', () => {
  const input = fc.array(
    fc.record({
      client: fc.constantFrom('a', 'b', 'c'),
      costMs: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 3_000 })),
      atMs: fc.integer({ min: 0, max: 2_000 }),
    }),
    { minLength: 1, maxLength: 60 },
  )
  const property = fc.property(input, (given) => {
    const tasks = given.map(({ client, costMs, atMs }) => task(client, costMs, atMs))
    const totalMs = tasks.reduce((sum, { costMs }) => sum + costMs, 0)
    const { nowMs, wastedMs } = simulate(tasks, 1_000_000)
    assert.ok(tasks.every(({ isSettled }) => isSettled))
    // Quanta double, so those in vain are less than twice the work; and one that nobody waited for may have been longer.
    // Each stop may come a little late.
    const lateMs = tasks.reduce((sum, { stops }) => sum + quickMs + 2 * tickMs * (stops + 1), 0)
    assert.ok(wastedMs <= 3 * totalMs + lateMs, `${wastedMs} of ${totalMs} ms in vain`)
    assert.ok(nowMs <= 2_000 + 4 * totalMs + lateMs, `${nowMs} ms for ${totalMs}`)
    for (const { stops, costMs } of tasks) assert.ok(quantumMs({ stops: stops - 1 }) <= 2 * costMs + quickMs)
  })
  fc.assert(property, { numRuns: 200 })
})
