import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createTestClock } from '../base/clock.ts'
import { createStrangers } from './strangers.ts'

function strangersWith({ perSecond = 1_000, waitingMax = 1_000 }: { perSecond?: number; waitingMax?: number }) {
  const clock = createTestClock(0)
  return { clock, strangers: createStrangers({ strangersPerSecondMax: perSecond }, clock, waitingMax) }
}

test('strangers begin a bounded number of requests per turn of the event loop', async () => {
  const { strangers } = strangersWith({})
  let begun = 0
  for (let asked = 0; asked < 100; asked += 1) {
    assert.equal(
      strangers.admit('1.2.3.4', () => {
        begun += 1
      }),
      true,
    )
  }
  const perTurn = begun
  assert.ok(perTurn > 0 && perTurn < 50, `${perTurn} at once`)
  const most: number[] = []
  while (begun < 100) {
    const before = begun
    await setImmediate()
    most.push(begun - before)
  }
  assert.ok(Math.max(...most) <= perTurn, `${most}`)
  assert.deepEqual(strangers.counts.waiting, 0)
})

test('addresses take turns, and each keeps the order of its requests', async () => {
  const { strangers } = strangersWith({})
  const begun: string[] = []
  const ask = (address: string, name: string) => strangers.admit(address, () => void begun.push(name))
  for (let filler = 0; filler < 100; filler += 1) ask('greedy', 'greedy')
  const before = begun.length
  ask('polite', 'polite 1')
  ask('polite', 'polite 2')
  while (strangers.counts.waiting > 0) await setImmediate()
  const after = begun.slice(before)
  assert.ok(after.indexOf('polite 1') <= 1, 'the second address waits for one request of the first')
  assert.ok(after.indexOf('polite 2') <= 3)
})

test('an address that has used up its allowance waits for the clock, and other addresses do not', async () => {
  const { strangers, clock } = strangersWith({ perSecond: 10 })
  let begun = 0
  const begin = () => {
    begun += 1
  }
  for (let asked = 0; asked < 30; asked += 1) strangers.admit('greedy', () => begin())
  for (let turn = 0; turn < 5; turn += 1) await setImmediate()
  assert.equal(begun, 10)
  let isBegun = false
  strangers.admit('polite', () => {
    isBegun = true
  })
  assert.equal(isBegun, true)
  clock.advance(500)
  await setImmediate()
  assert.equal(begun, 15)
  for (let second = 0; second < 2; second += 1) {
    clock.advance(1_000)
    for (let turn = 0; turn < 5; turn += 1) await setImmediate()
  }
  assert.equal(begun, 30)
})

test('a bounded number of requests waits per address, and an IPv6 network counts as one address', () => {
  const { strangers } = strangersWith({ perSecond: 1, waitingMax: 2 })
  const ask = (address: string) => strangers.admit(address, () => undefined)
  assert.deepEqual(['2001:db8:0:1::1', '2001:db8:0:1:2::', '2001:db8::1:0:0:0:9'].map(ask), [true, true, true])
  assert.equal(ask('2001:db8:0:1:ffff:ffff:ffff:ffff'), false)
  assert.equal(ask('2001:db8:0:2::1'), true)
  assert.deepEqual(strangers.counts, { waiting: 2, refused: 1 })
})

test('while connections arrive, waiting strangers skip most turns, but not all', async () => {
  const { strangers } = strangersWith({})
  let begun = 0
  for (let asked = 0; asked < 100; asked += 1) {
    strangers.admit('1.2.3.4', () => {
      begun += 1
    })
  }
  const before = begun
  let turns = 0
  for (; begun === before; turns += 1) {
    strangers.arrived()
    await setImmediate()
  }
  assert.ok(turns > 10 && turns < 40, `${turns} turns`)
  while (begun < 100) await setImmediate()
})

test('the request of a client that has left never begins, and makes room for another', async () => {
  const { strangers, clock } = strangersWith({ perSecond: 1, waitingMax: 1 })
  const begun: string[] = []
  const [first, gone, next] = ['first', 'gone', 'next'].map((name) => () => void begun.push(name))
  assert.equal(strangers.admit('1.2.3.4', first!), true)
  assert.equal(strangers.admit('1.2.3.4', gone!), true)
  assert.equal(strangers.admit('1.2.3.4', next!), false)
  strangers.withdraw('1.2.3.4', gone!)
  assert.equal(strangers.counts.waiting, 0)
  assert.equal(strangers.admit('1.2.3.4', next!), true)
  await setImmediate()
  clock.advance(1_000)
  await setImmediate()
  assert.deepEqual(begun, ['first', 'next'])
})

test('an address may hold a bounded number of bytes', () => {
  const { strangers } = strangersWith({})
  const mebibyte = 1024 * 1024
  assert.equal(strangers.hold('1.2.3.4', 30 * mebibyte), true)
  assert.equal(strangers.hold('1.2.3.4', 3 * mebibyte), false)
  assert.equal(strangers.hold('1.2.3.5', 3 * mebibyte), true)
  strangers.release('1.2.3.4', 30 * mebibyte)
  assert.equal(strangers.hold('1.2.3.4', 3 * mebibyte), true)
})

test('a connection is known as long as its last token was accepted', () => {
  const { strangers } = strangersWith({})
  const connection = {}
  assert.equal(strangers.knows(connection), false)
  strangers.note(connection, true)
  assert.equal(strangers.knows(connection), true)
  strangers.note(connection, false)
  assert.equal(strangers.knows(connection), false)
})
