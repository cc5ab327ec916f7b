import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  allocationFrom,
  balancesOf,
  type Holding,
  holdingFrom,
  isServed,
  offerFrom,
  requestFrom,
  roundFrom,
  transferFrom,
  walletInterfaces,
} from './wallet.ts'

const instrumentId = { admin: 'DSO', id: 'Amulet' }
const amulet = { admin: 'DSO', id: 'Amulet' }
const leg = { sender: 'ann', receiver: 'bob', amount: '5.0', instrumentId, meta: { values: {} } }
const settlement = { executor: 'eve', settlementRef: { id: 'trade-1' }, settleBefore: '2030-01-02T00:00:00Z' }
const payment = { sender: 'ann', receiver: 'bob', amount: '5.0', instrument: amulet, expiresAt: '2030-01-02T00:00:00Z' }

describe('a wallet', () => {
  test('has holdings, which may be locked', () => {
    const view = { owner: 'ann', instrumentId, amount: '7.5', lock: null, meta: { values: {} } }
    assert.deepEqual(holdingFrom(view), { owner: 'ann', instrument: amulet, amount: '7.5', lock: undefined })
    const lock = { holders: ['DSO'], expiresAt: '2030-01-01T00:00:00Z', expiresAfter: null, context: 'swap' }
    assert.deepEqual(holdingFrom({ ...view, lock }).lock, { holders: ['DSO'], expiresAt: '2030-01-01T00:00:00Z' })
    assert.equal(holdingFrom({ ...view, lock: { holders: [] } }).lock?.expiresAt, undefined)
  })

  test('has transfers, offers and settlements on their way', () => {
    const transfer = { ...leg, executeBefore: '2030-01-02T00:00:00Z' }
    assert.deepEqual(
      transferFrom({ transfer, status: { tag: 'TransferPendingReceiverAcceptance', value: {} } }),
      payment,
    )
    const offer = { sender: 'ann', receiver: 'bob', dso: 'DSO', expiresAt: '2030-01-02T00:00:00Z' }
    assert.deepEqual(offerFrom({ ...offer, amount: { amount: '5.0', unit: 'AmuletUnit' } }), payment)
    const whole = { id: 'trade-1', executor: 'eve', legs: [payment] }
    assert.deepEqual(allocationFrom({ allocation: { settlement, transferLeg: leg } }), whole)
    assert.deepEqual(requestFrom({ settlement, transferLegs: { one: leg } }), whole)
  })

  test('is empty where a package only has the name of another', () => {
    const nothing = { sender: '', receiver: '', amount: '', instrument: { admin: '', id: '' }, expiresAt: '' }
    assert.deepEqual(transferFrom({}), nothing)
    assert.deepEqual(allocationFrom({}).legs, [nothing])
    assert.deepEqual(requestFrom({}), { id: '', executor: '', legs: [] })
    assert.deepEqual(roundFrom({}), { number: '', price: '', opensAt: '', closesAt: '' })
  })

  test('adds up each instrument exactly', () => {
    const holding = (amount: string, lock?: Holding['lock'], id = 'Amulet'): Holding => {
      return { owner: 'ann', instrument: { admin: 'DSO', id }, amount, lock }
    }
    const lock = { holders: ['DSO'], expiresAt: undefined }
    const holdings = [
      holding('0.1'),
      holding('0.2000000000'),
      holding('9007199254740993.0000000001'),
      holding('3', lock),
      holding('4', undefined, 'EUR'),
    ]
    assert.deepEqual(balancesOf(holdings), [
      { instrument: amulet, available: '9007199254740993.3000000001', locked: '3' },
      { instrument: { admin: 'DSO', id: 'EUR' }, available: '4', locked: '0' },
    ])
  })

  test('is served by ledgers that have its packages', () => {
    assert.equal(isServed(walletInterfaces.holdings, new Set(['splice-api-token-holding-v1'])), true)
    assert.equal(isServed(walletInterfaces.holdings, new Set(['quickstart'])), false)
  })
})
