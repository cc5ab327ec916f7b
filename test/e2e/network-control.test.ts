// /dev/network: participants that a developer disconnects, stops and delays.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Clock, wallClock } from '../../src/base/clock.ts'
import type { Json } from '../fixtures/ledger.ts'
import { startTestNetwork, type TestNetwork, type TestParticipant } from '../fixtures/network.ts'
import { until } from '../fixtures/until.ts'

const delayMs = 123_456

/** The wall clock, but a delayed participant goes on when the test says so. */
function delayClock() {
  let [held, aheadMs]: [(() => void)[], number] = [[], 0]
  const clock: Clock = {
    ...wallClock,
    elapsedMs: () => wallClock.elapsedMs() + aheadMs,
    after(ms, action) {
      if (ms < delayMs / 2) return wallClock.after(ms, action)
      held.push(action)
      return {
        cancel() {
          held = held.filter((other) => other !== action)
        },
      }
    },
  }
  const pass = () => {
    aheadMs += delayMs
    for (const action of held.splice(0)) action()
  }
  return { clock, pass }
}

describe('/dev/network', () => {
  const { clock, pass } = delayClock()
  let network: TestNetwork
  let [alice, bob] = ['', '']

  before(async () => {
    const limits = { confirmationMs: 1_000_000 }
    network = await startTestNetwork({ clock, settings: { limits } })
    const { v1, v2, s1, s2 } = network
    alice = await v1.allocate('alice', s1, s2)
    bob = await v2.allocate('bob', s1, s2)
  })
  after(() => network[Symbol.asyncDispose]())

  const control = (body: object) => network.v1.ask('/dev/network', body)

  async function stateOf(name: string): Promise<Json> {
    const { participants } = await network.v1.ask('/dev/network')
    return participants.find(({ participant }: Json) => participant === name)
  }

  let last = 0
  async function propose(at: TestParticipant, from: string, to: string, synchronizerId: string): Promise<Json> {
    const iou = { issuer: from, owner: to, amount: '10.0', currency: 'EUR', observers: [] }
    const create = { CreateCommand: { templateId: '#quickstart:Iou:IouProposal', createArguments: { iou } } }
    last += 1
    const commands = { commands: [create], commandId: `c-${last}`, userId: 'u', actAs: [from], synchronizerId }
    return (await at.ask('/v2/commands/submit-and-wait-for-transaction', { commands })).transaction
  }

  test('lists the participants and their synchronizers', async () => {
    const { participants } = await network.v1.ask('/dev/network')
    const short = participants.map(({ participant, isStopped, delayMs, synchronizers }: Json) => [
      participant,
      isStopped,
      delayMs,
      synchronizers.map(({ synchronizerAlias, isConnected, waiting }: Json) => [
        synchronizerAlias,
        isConnected,
        waiting,
      ]),
    ])
    const both = [
      ['synchronizer-1', true, 0],
      ['synchronizer-2', true, 0],
    ]
    assert.deepEqual(short, [
      ['sandbox', false, 0, both],
      ['pebblebox', false, 0, both],
      ['sidebox', false, 0, [['synchronizer-2', true, 0]]],
    ])
  })

  test('disconnects a participant: it is ready until nothing is left, and reads go on', async () => {
    const { v1, v2, s1, s2 } = network
    await control({ participant: 'pebblebox', action: 'disconnect', synchronizerAlias: 'synchronizer-1' })
    assert.equal((await v2.get('/readyz')).status, 200)
    const prescribed = await refused(v2, s1)
    assert.deepEqual([prescribed.status, prescribed.json.code], [400, 'INVALID_PRESCRIBED_SYNCHRONIZER_ID'])
    await control({ participant: 'pebblebox', action: 'disconnect' })
    assert.equal((await v2.get('/readyz')).status, 503)
    assert.deepEqual(await v2.ask('/v2/state/connected-synchronizers'), { connectedSynchronizers: [] })
    assert.ok((await v2.end()) > 0)
    const nowhere = await refused(v2, undefined)
    assert.deepEqual(
      [nowhere.status, nowhere.json.code, nowhere.json.cause],
      [400, 'NOT_CONNECTED_TO_ANY_SYNCHRONIZER', 'This participant is not connected to any synchronizer.'],
    )
    const allocation = await v2.post('/v2/parties', { partyIdHint: 'erin' })
    assert.deepEqual(
      [allocation.status, allocation.json.code],
      [400, 'PARTY_ALLOCATION_WITHOUT_CONNECTED_SYNCHRONIZER'],
    )
    await propose(v1, alice, bob, s2)
    assert.deepEqual(
      (await stateOf('pebblebox')).synchronizers.map(({ waiting }: Json) => waiting),
      [0, 1],
    )
    const metrics = (await v1.get('/metrics')).text
    assert.match(metrics, /^tallystick_waiting_updates\{participant="pebblebox"\} 1$/m)
    const end = await v2.end()
    await control({ participant: 'pebblebox', action: 'connect' })
    await until(async () => (await v2.end()) > end)
    assert.equal((await v2.get('/readyz')).status, 200)
  })

  async function refused(at: TestParticipant, synchronizerId: string | undefined) {
    const iou = { issuer: bob, owner: bob, amount: '10.0', currency: 'EUR', observers: [] }
    const create = { CreateCommand: { templateId: '#quickstart:Iou:IouProposal', createArguments: { iou } } }
    const commands = { commands: [create], commandId: 'refused', userId: 'u', actAs: [bob], synchronizerId }
    return at.post('/v2/commands/submit-and-wait', commands)
  }

  test('stops a participant: it answers nothing, and catches up when it is resumed', async () => {
    const { v1, v2, s1 } = network
    const before = await v2.end()
    await control({ participant: 'pebblebox', action: 'stop' })
    const { status, json } = await v2.get('/v2/state/ledger-end')
    assert.deepEqual([status, json.code], [503, 'SERVICE_NOT_RUNNING'])
    const { updateId } = await propose(v1, alice, bob, s1)
    assert.equal((await stateOf('pebblebox')).isStopped, true)
    await v2.ask('/dev/network', { participant: 'pebblebox', action: 'resume' })
    await until(async () => (await v2.end()) > before)
    const updateFormat = {
      includeTransactions: { eventFormat: { filtersForAnyParty: {} }, transactionShape: 'TRANSACTION_SHAPE_ACS_DELTA' },
    }
    assert.ok(await v2.ask('/v2/updates/update-by-id', { updateId, updateFormat }))
  })

  test('delays a participant: it receives and confirms later', async () => {
    const { v1, v2, s1 } = network
    const before = await v2.end()
    await control({ participant: 'pebblebox', action: 'delay', delayMs })
    const proposed = await propose(v1, alice, bob, s1)
    await until(async () => (await stateOf('pebblebox')).synchronizers[0].waiting === 1)
    assert.equal(await v2.end(), before)
    pass()
    await until(async () => (await v2.end()) > before)
    await control({ participant: 'pebblebox', action: 'delay', delayMs: 0 })
    assert.equal((await propose(v1, alice, bob, s1)).offset, proposed.offset + 1)
    assert.equal(await v2.end(), before + 2)
  })

  const problems: readonly [body: object, problem: RegExp][] = [
    [
      { participant: 'nobody', action: 'stop' },
      /there is no participant 'nobody'; there are sandbox, pebblebox, sidebox/,
    ],
    [{ participant: 'sandbox', action: 'sleep' }, /it must be connect, disconnect, stop, resume or delay/],
    [{ participant: 'sandbox', action: 'delay', delayMs: -1 }, /it must be between 0 and 600000/],
    [{ participant: 'sandbox', action: 'stop', synchronizerAlias: 'x' }, /it is only for connect and disconnect/],
    [{ participant: 'sandbox', action: 'connect', synchronizerAlias: 'x' }, /The synchronizer with alias x is unknown/],
  ]
  for (const [body, problem] of problems) {
    test(`refuses ${JSON.stringify(body)}`, async () => {
      const { status, text } = await network.v1.post('/dev/network', body)
      assert.ok(status >= 400 && status < 500)
      assert.match(text, problem)
    })
  }
})
