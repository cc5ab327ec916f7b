// The desk on a ledger: every test begins with the one of the setup, where alice has 100 EUR.
import { useNode } from 'tallystick/testing'
import * as vitest from 'vitest'
import { NotEnough, openDesk } from '../src/desk.ts'
import { connect } from '../src/ledger.ts'

const { expect, test } = vitest

let [bank, alice, bob, token] = ['', '', '', '']
const node = useNode(vitest, {
  dars: ['quickstart.dar'],
  async setup(started) {
    bank = await started.party('bank')
    alice = await started.party('alice')
    bob = await started.party('bob')
    token = await started.token({ actAs: [bank, alice, bob], userId: 'desk' })
    const desk = openDesk(connect({ url: started.url, token }))
    await desk.issue(bank, alice, '100', 'EUR')
    await desk.acceptAll(alice)
  },
})

const open = () => openDesk(connect({ url: node().url, token, patience: { tries: 3, pauseMs: 1 } }))
const balances = async () => Promise.all([alice, bob].map((owner) => open().balance(owner, 'EUR')))

test('a payment reaches its receiver', async () => {
  await open().pay(alice, bob, '30', 'EUR')
  expect(await balances()).toEqual(['70', '0'])
  await open().acceptAll(bob)
  expect(await balances()).toEqual(['70', '30'])
})

test('nobody pays more than there is', async () => {
  await expect(open().pay(alice, bob, '100.5', 'EUR')).rejects.toThrow(NotEnough)
  expect(await balances()).toEqual(['100', '0'])
})

test('payments at the same time do not spend an IOU twice', async () => {
  await Promise.all(['10', '20', '30'].map((amount) => open().pay(alice, bob, amount, 'EUR')))
  await open().acceptAll(bob)
  expect(await balances()).toEqual(['40', '60'])
})

test('a payment is tried again after contention', async () => {
  await node().orderFault({ times: 2, fail: { code: 'PARTICIPANT_BACKPRESSURE' } })
  await open().pay(alice, bob, '100', 'EUR')
  await open().acceptAll(bob)
  expect(await balances()).toEqual(['0', '100'])
  expect((await node().rejections()).map(({ code }) => code)).toEqual(Array(2).fill('PARTICIPANT_BACKPRESSURE'))
})

test('a payment whose answer was lost is made once', async () => {
  await node().orderFault({ match: { templateId: 'Iou:Iou' }, loseAnswer: true })
  await open().pay(alice, bob, '30', 'EUR')
  await open().acceptAll(bob)
  expect(await balances()).toEqual(['70', '30'])
})

test('it gives up in the end, and nothing has happened', async () => {
  await node().orderFault({ times: 0, fail: { code: 'PARTICIPANT_BACKPRESSURE' } })
  await expect(open().pay(alice, bob, '30', 'EUR')).rejects.toThrow('PARTICIPANT_BACKPRESSURE')
  expect(await balances()).toEqual(['100', '0'])
})

test('an offer that nobody accepts is taken back after a week', async () => {
  const weekMs = 7 * 86_400_000
  await open().pay(alice, bob, '30', 'EUR')
  expect(await open().withdrawOlderThan(alice, weekMs)).toBe(0)
  await node().advanceTime('8d')
  expect(await open().withdrawOlderThan(alice, weekMs)).toBe(1)
  expect(await balances()).toEqual(['100', '0'])
})
