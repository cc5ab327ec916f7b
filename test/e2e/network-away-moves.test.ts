// Contracts that move while a participant of a stakeholder is away from one of the two synchronizers.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { exercise, type Json, proposalType } from '../fixtures/ledger.ts'
import { startTestNetwork, type TestNetwork } from '../fixtures/network.ts'
import {
  assign,
  entriesAt,
  propose,
  reassigned,
  reassignmentAt,
  submitAs,
  unassign,
} from '../fixtures/network-moves.ts'
import { until } from '../fixtures/until.ts'

describe('a contract that moves while the participant of its observer is away', () => {
  let network: TestNetwork
  let [alice, bob] = ['', '']

  before(async () => {
    network = await startTestNetwork()
    const { v1, v2, s1, s2 } = network
    alice = await v1.allocate('alice', s1, s2)
    bob = await v2.allocate('bob', s1, s2)
  })
  after(() => network[Symbol.asyncDispose]())

  const connect = async (alias: string, isConnected: boolean) => {
    await network.v2.ask(`/v2/synchronizers/${alias}/${isConnected ? 'connect' : 'disconnect'}`, {})
  }
  const move = async (contractId: string): Promise<readonly [left: Json, came: Json]> => {
    const { v1, s1, s2 } = network
    const left = await reassigned(v1, alice, unassign(contractId, s1, s2))
    const { reassignmentId } = left.events[0].JsUnassignedEvent.value
    return [left, await reassigned(v1, alice, assign(reassignmentId, s1, s2))]
  }
  const isAt = async ({ updateId }: Json) => (await reassignmentAt(network.v2, updateId)) !== undefined
  /** Kind, synchronizer and counter of the entries at the participant that was away. */
  const entries = async (contractId: string) =>
    (await entriesAt(network.v2, contractId)).map(
      ({ JsActiveContract: active, JsIncompleteUnassigned: leaving, JsIncompleteAssigned: coming }) => {
        if (active) return [active.synchronizerId, active.reassignmentCounter, active.createdEvent.offset]
        return leaving ? 'leaving' : ['coming', coming.assignedEvent.createdEvent.offset]
      },
    )

  test('from the source is on both synchronizers until its unassignment comes', async () => {
    const { v1, v2, s1, s2 } = network
    const contractId = await propose(v1, alice, bob, s1)
    const created = await v2.end()
    await connect('synchronizer-1', false)
    const [left, came] = await move(contractId)
    const arrived = await v2.end()
    assert.equal((await reassignmentAt(v2, came.updateId)).offset, arrived)
    assert.equal(await isAt(left), false)
    assert.deepEqual(await entries(contractId), [
      [s1, 0, created],
      [s2, 1, arrived],
      ['coming', arrived],
    ])
    const { synchronizerId } = await submitAs(v2, bob, [exercise(proposalType, contractId, 'IouProposal_Accept')])
    assert.equal(synchronizerId, s2)

    await connect('synchronizer-1', true)
    await until(() => isAt(left))
    assert.ok((await reassignmentAt(v2, left.updateId)).offset > arrived)
    assert.deepEqual(await entries(contractId), [])
  })

  test('from the source is in one place when its unassignment has come', async () => {
    const { v1, v2, s1, s2 } = network
    const contractId = await propose(v1, alice, bob, s1)
    await connect('synchronizer-1', false)
    const [left] = await move(contractId)
    const arrived = await v2.end()
    await connect('synchronizer-1', true)
    await until(() => isAt(left))
    assert.deepEqual(await entries(contractId), [[s2, 1, arrived]])
    const back = await reassigned(v2, bob, unassign(contractId, s2, s1))
    assert.equal(back.events[0].JsUnassignedEvent.value.reassignmentCounter, 2)
    assert.deepEqual(await entries(contractId), ['leaving'])
  })

  test('from the target stays in transit until its assignment comes', async () => {
    const { v1, s1, s2 } = network
    const contractId = await propose(v1, alice, bob, s1)
    await connect('synchronizer-2', false)
    const [left, came] = await move(contractId)
    assert.equal(await isAt(left), true)
    assert.deepEqual(await entries(contractId), ['leaving'])
    await connect('synchronizer-2', true)
    await until(() => isAt(came))
    const [[synchronizer, counter]] = (await entries(contractId)) as [[string, number]]
    assert.deepEqual([synchronizer, counter], [s2, 1])
  })

  test('is known once, and archived, if it was also created meanwhile', async () => {
    const { v1, v2, s1, s2 } = network
    await connect('synchronizer-1', false)
    const [moved, archived] = [await propose(v1, alice, bob, s1), await propose(v1, alice, bob, s1)]
    const [left] = await move(moved)
    await submitAs(v1, alice, [exercise(proposalType, archived, 'Archive')])
    assert.deepEqual(await entries(moved), [[s2, 1, await v2.end()]])
    const before = await v2.end()
    await connect('synchronizer-1', true)
    await until(async () => (await v2.end()) === before + 4)
    assert.equal(await isAt(left), true)
    assert.deepEqual(await entries(moved), [[s2, 1, before]])
    assert.deepEqual(await entries(archived), [])
  })
})
