import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  allocationFrom,
  balancesOf,
  type Holding,
  holdingFrom,
  offerFrom,
  requestFrom,
  roundFrom,
  servedOf,
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
    const whole = { id: 'trade-1', executors: ['eve'], legs: [payment] }
    assert.deepEqual(allocationFrom({ allocation: { settlement, transferLeg: leg } }), whole)
    assert.deepEqual(requestFrom({ settlement, transferLegs: { one: leg } }), whole)
  })

  test('reads version 2 of the standard, which knows accounts and sides of legs', () => {
    const account = (owner: string) => ({ owner, provider: null, id: '' })
    const holding = { account: account('ann'), instrumentId, amount: '7.5', lock: null }
    assert.deepEqual(holdingFrom(holding), { owner: 'ann', instrument: amulet, amount: '7.5', lock: undefined })
    const executeBefore = '2030-01-02T00:00:00Z'
    const transfer = { ...leg, sender: account('ann'), receiver: account('bob'), executeBefore }
    assert.deepEqual(transferFrom({ transfer, availableActions: [] }), payment)
    const settlement = { executors: ['eve', 'fay'], id: 'trade-1', cid: null }
    const side = { transferLegId: 'one', amount: '5.0', instrumentId: 'Amulet' }
    const allocation = {
      admin: 'DSO',
      authorizer: account('ann'),
      transferLegSides: [{ ...side, side: 'SenderSide', otherside: account('bob') }],
      settlementDeadline: executeBefore,
    }
    const whole = { id: 'trade-1', executors: ['eve', 'fay'], legs: [payment] }
    assert.deepEqual(allocationFrom({ settlement, allocation }), whole)
    const received = {
      ...allocation,
      authorizer: account('bob'),
      transferLegSides: [{ ...side, side: 'ReceiverSide', otherside: account('ann') }],
    }
    assert.deepEqual(requestFrom({ settlement, allocations: [allocation, received] }), {
      ...whole,
      legs: [payment, payment].map((one) => ({ ...one, expiresAt: '' })),
    })
  })

  test('is empty where a package only has the name of another', () => {
    const nothing = { sender: '', receiver: '', amount: '', instrument: { admin: '', id: '' }, expiresAt: '' }
    assert.deepEqual(transferFrom({}), nothing)
    assert.deepEqual(allocationFrom({}).legs, [nothing])
    assert.deepEqual(requestFrom({}), { id: '', executors: [], legs: [] })
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
    const [first, second] = walletInterfaces.holdings
    assert.deepEqual(servedOf([first!, second!], new Set(['splice-api-token-holding-v1'])), [first])
    assert.deepEqual(servedOf([first!, second!], new Set(['splice-api-token-holding-v2'])), [second])
    assert.deepEqual(servedOf([first!, second!], new Set(['quickstart'])), [])
  })
})
