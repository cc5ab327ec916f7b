import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type ByteAccount, createByteBudget } from './byte-budget.ts'
import { createTestClock } from './clock.ts'

const never = new AbortController().signal

function budget() {
  const clock = createTestClock(0)
  const cut: string[] = []
  const bytes = createByteBudget({ bytesMax: 100, freeBytes: 10, stalledMs: 120_000, clock })
  const granted: string[] = []
  return {
    clock,
    cut,
    bytes,
    granted,
    open: (name: string, owner = name) => bytes.open(() => cut.push(name), owner),
    /** Records when it is granted. */
    take(name: string, account: ByteAccount, count: number, signal = never) {
      const waiting = account.take(count, signal)
      if (waiting === undefined) granted.push(name)
      else void waiting.then(() => granted.push(name))
    },
  }
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('a budget of bytes', () => {
  test('charges each owner for what exceeds its free part', () => {
    const { bytes, open } = budget()
    const [a, b] = [open('a'), open('b')]
    for (const [account, count, charged] of [
      [a, 10, 0],
      [b, 8, 0],
      [b, 8, 6],
      [a, 30, 36],
    ] as const) {
      assert.equal(account.take(count, never), undefined)
      assert.equal(bytes.chargedBytes(), charged)
    }
    a.give(35)
    assert.equal(bytes.chargedBytes(), 6)
    b[Symbol.dispose]()
    assert.equal(bytes.chargedBytes(), 0)
  })

  test('queues requests that find no room', async () => {
    const { bytes, open, take, granted } = budget()
    const [a, b, c, d, e] = [open('a'), open('b'), open('c'), open('d'), open('e')]
    take('a', a, 60)
    take('b', b, 60)
    take('c', c, 60) // This one overdraws, and only one may.
    take('d', d, 60)
    take('e', e, 20) // There is no room for it either, and it came later.
    take('free', open('f'), 10)
    await settled()
    assert.deepEqual(granted, ['a', 'b', 'free', 'c'])
    assert.deepEqual([bytes.chargedBytes(), bytes.waiting()], [150, 2])
    a.give(60)
    await settled()
    assert.deepEqual(granted, ['a', 'b', 'free', 'c'])
    b.give(60)
    await settled()
    assert.deepEqual(granted, ['a', 'b', 'free', 'c', 'd'])
    c.give(60)
    await settled()
    assert.deepEqual([granted.at(-1), bytes.chargedBytes(), bytes.waiting()], ['e', 60, 0])
  })

  test('serves a request larger than the whole budget, alone', async () => {
    const { open, take, granted } = budget()
    const [a, b] = [open('a'), open('b')]
    take('a', a, 1_000)
    take('a again', a, 1_000)
    take('b', b, 20)
    await settled()
    assert.deepEqual(granted.sort(), ['a', 'a again'])
    a[Symbol.dispose]()
    await settled()
    assert.deepEqual(granted, ['a', 'a again', 'b'])
  })

  test('lets accounts that hold some and want more proceed one after the other', async () => {
    const { open, take, granted, bytes } = budget()
    const accounts = Array.from({ length: 10 }, (_, index) => open(String(index)))
    for (const [index, account] of accounts.entries()) take(`${index}`, account, 20)
    for (const [index, account] of accounts.entries()) take(`${index} more`, account, 20)
    for (const [index, account] of accounts.entries()) {
      await settled()
      assert.ok(granted.includes(`${index} more`), `${index}: ${granted}`)
      account[Symbol.dispose]()
    }
    assert.deepEqual([bytes.chargedBytes(), bytes.waiting()], [0, 0])
  })

  test('forgets aborted requests', async () => {
    const { open, take, granted, bytes } = budget()
    const gone = new AbortController()
    const [a, b, c] = [open('a'), open('b'), open('c')]
    take('a', a, 200)
    take('b', b, 50, gone.signal)
    take('c', c, 50)
    gone.abort()
    await settled()
    assert.deepEqual([granted, bytes.waiting()], [['a', 'b'], 1]) // It got nothing; the aborted signal says so.
    b[Symbol.dispose]()
    c[Symbol.dispose]()
    a[Symbol.dispose]()
    assert.deepEqual([bytes.chargedBytes(), bytes.waiting()], [0, 0])
    assert.equal(a.take(500, never), undefined)
    assert.equal(bytes.chargedBytes(), 0)
  })

  test('grants large requests one at a time, alternating between owners', async () => {
    const bytes = createByteBudget({
      bytesMax: 100_000_000,
      freeBytes: 1_000_000,
      stalledMs: 120_000,
      clock: createTestClock(0),
    })
    const taken: string[] = []
    let turn = 0
    const turns: number[] = []
    const isOver = new AbortController()
    const count = () => {
      turn += 1
      if (!isOver.signal.aborted) setImmediate(count)
    }
    setImmediate(count)
    const owners = ['a', 'a', 'a', 'b']
    await Promise.all(
      owners.map(async (owner) => {
        await bytes.open(() => undefined, owner).take(500_000, never)
        taken.push(owner)
        turns.push(turn)
      }),
    )
    isOver.abort()
    assert.deepEqual(taken, ['a', 'b', 'a', 'a'])
    assert.equal(new Set(turns).size, owners.length)
  })

  test('grants one owner three quarters of it, however many accounts it opens, and lets others pass', async () => {
    const { bytes, open, take, granted } = budget()
    const ofOne = Array.from({ length: 250 }, (_, index) => open(`${index}`, 'one'))
    for (const [index, account] of ofOne.entries()) take(`${index}`, account, 20)
    take('other', open('other'), 20)
    await settled()
    assert.deepEqual(granted, ['0', '1', '2', '3', '4', 'other']) // The fifth overdraws.
    assert.deepEqual([bytes.chargedBytes(), bytes.waiting()], [100, 245])
    for (const account of ofOne) account[Symbol.dispose]()
    assert.deepEqual([bytes.chargedBytes(), bytes.waiting()], [10, 0])
  })

  test('counts what waits for a client although nobody asked for it before', () => {
    const { bytes, open } = budget()
    const slow = open('slow')
    slow.hold(70)
    assert.equal(bytes.chargedBytes(), 60)
    slow.give(65)
    assert.equal(bytes.chargedBytes(), 0)
  })

  test('cuts off a client that takes nothing for two minutes, even if nobody waits', () => {
    const { open, clock, cut } = budget()
    const [stalled, slow, done] = [open('stalled'), open('slow'), open('done')]
    for (const account of [stalled, slow, done]) {
      account.hold(5)
      account.sending(true)
    }
    clock.advance(100_000)
    slow.sending(true) // It has taken something.
    done.sending(false)
    clock.advance(60_000)
    assert.deepEqual(cut, ['stalled'])
    clock.advance(120_000)
    assert.deepEqual(cut, ['stalled', 'slow'])
  })

  test('cuts off a client that does not read much sooner while others wait', async () => {
    const { open, take, clock, cut } = budget()
    const [slow, quick, other] = [open('slow'), open('quick'), open('other')]
    take('slow', slow, 100)
    take('quick', quick, 15)
    await settled()
    slow.sending(true)
    quick.sending(true)
    clock.advance(60_000)
    assert.deepEqual(cut, [])
    take('other', other, 100)
    take('another', open('another'), 100)
    quick.sending(false)
    clock.advance(2_000)
    assert.deepEqual(cut, ['slow'])
  })
})
