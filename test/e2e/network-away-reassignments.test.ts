// Contracts that cannot move yet, because the participant of a signatory is away and has to confirm it.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { wallClock } from '../../src/base/clock.ts'
import { confirmationClock } from '../fixtures/confirmation-clock.ts'
import { exercise, type Json, proposalType } from '../fixtures/ledger.ts'
import { startTestNetwork, type TestNetwork } from '../fixtures/network.ts'
import {
  assign,
  entriesAt,
  propose,
  reassign,
  reassigned,
  reassignmentAt,
  reassignmentIdIn,
  submitAs,
  unassign,
} from '../fixtures/network-moves.ts'
import { until } from '../fixtures/until.ts'

const iouType = '#quickstart:Iou:Iou'

describe('a reassignment that a participant which is away has to confirm', () => {
  const { clock, timeOut, waiting } = confirmationClock()
  let network: TestNetwork
  let [alice, bob] = ['', '']

  before(async () => {
    const limits = { stopWithinMs: 3000, assignmentExclusivityMs: 0 }
    network = await startTestNetwork({ clock, store: 'sqlite', settings: { limits } })
    const { v1, v2, s1, s2 } = network
    alice = await v1.allocate('alice', s1, s2)
    bob = await v2.allocate('bob', s1, s2)
  })
  after(() => network[Symbol.asyncDispose]())

  const connect = async (alias: string, isConnected: boolean) => {
    await network.v2.ask(`/v2/synchronizers/${alias}/${isConnected ? 'connect' : 'disconnect'}`, {})
  }
  const control = (body: object) => network.v1.ask('/dev/network', body)
  const isPending = (count: number) => until(() => waiting() === count)
  /** How many wait in the line of a participant. */
  const areWaiting = (participant: number, synchronizer: number, count: number) =>
    until(async () => {
      const { participants } = await network.v1.ask('/dev/network')
      return participants[participant].synchronizers[synchronizer].waiting === count
    })

  /** An IOU of bob to alice on the first synchronizer, which both sign. */
  async function iou(): Promise<string> {
    const { v1, v2, s1 } = network
    const contractId = await propose(v2, bob, alice, s1)
    const { events } = await submitAs(v1, alice, [exercise(proposalType, contractId, 'IouProposal_Accept')])
    return events.find(({ CreatedEvent }: Json) => CreatedEvent !== undefined).CreatedEvent.contractId
  }

  const show = (contractId: string, synchronizerId: string) =>
    network.v1.post('/v2/commands/submit-and-wait', {
      commands: [exercise(iouType, contractId, 'Iou_Show', { viewers: [] })],
      ...{ commandId: `show-${contractId.slice(-8)}`, userId: 'u', actAs: [alice], synchronizerId },
    })

  const timedOut = (unresponsiveParties: string) => ({
    code: 'MEDIATOR_SAYS_TX_TIMED_OUT',
    cause:
      'Rejected transaction as the mediator did not receive sufficient confirmations within the expected timeframe.',
    correlationId: null,
    traceId: null,
    context: { unresponsiveParties, category: '2' },
    resources: [],
    errorCategory: 2,
    grpcCodeValue: 10,
    retryInfo: '1 second',
    definiteAnswer: null,
  })

  test('is decided when the participant returns; nobody uses the contract meanwhile', async () => {
    const { v1, v2, s1, s2 } = network
    const contractId = await iou()
    await connect('synchronizer-1', false)
    const end = await v1.end()
    const leaving = reassign(v1, alice, unassign(contractId, s1, s2))
    await isPending(1)
    const second = reassign(v1, alice, unassign(contractId, s1, s2))
    await areWaiting(0, 0, 2)
    const used = show(contractId, s1)
    await areWaiting(0, 0, 3)
    assert.equal(await v1.end(), end)
    const [entry] = await entriesAt(v1, contractId)
    assert.equal(entry.JsActiveContract.synchronizerId, s1)

    await connect('synchronizer-1', true)
    const { status, json, text } = await leaving
    assert.equal(status, 200, text)
    const { updateId, recordTime } = json.reassignment
    const refused = await second
    assert.deepEqual(
      [refused.status, refused.json.code, refused.json.cause],
      [
        404,
        'UNASSIGNMENT_ACTIVENESS_CHECK_FAILED',
        `Activeness check failed.reassignment counter for contract id ContractId(${contractId}) is not correct: 1`,
      ],
    )
    assert.deepEqual([(await used).status, (await used).json.code], [409, 'LOCAL_VERDICT_LOCKED_CONTRACTS'])
    const there = await until(async () => (await reassignmentAt(v2, updateId)) as Json)
    assert.equal(there.recordTime, recordTime)
    for (const at of [v1, v2]) assert.ok((await entriesAt(at, contractId))[0].JsIncompleteUnassigned)

    await connect('synchronizer-2', false)
    const reassignmentId = reassignmentIdIn(json.reassignment)
    const coming = reassign(v1, alice, assign(reassignmentId, s1, s2))
    await isPending(1)
    const again = reassign(v1, alice, assign(reassignmentId, s1, s2))
    await areWaiting(0, 1, 2)
    await connect('synchronizer-2', true)
    assert.equal((await coming).status, 200, (await coming).text)
    const locked = await again
    assert.deepEqual(
      [locked.status, locked.json.code, locked.json.context.confirming_parties],
      [409, 'LOCAL_VERDICT_LOCKED_CONTRACTS', [alice, v1.participantId].toSorted().join(', ')],
    )
    await until(async () => (await entriesAt(v2, contractId))[0].JsActiveContract?.synchronizerId === s2)
    assert.equal((await show(contractId, s2)).status, 200)
  })

  test('times out if it does not, and the contract is where it was', async () => {
    const { v1, v2, s1, s2 } = network
    const contractId = await iou()
    await connect('synchronizer-1', false)
    const before = await v2.end()
    const leaving = reassign(v1, alice, unassign(contractId, s1, s2))
    await isPending(1)
    timeOut()
    assert.equal((await leaving).status, 409)
    assert.deepEqual((await leaving).json, timedOut(bob))
    await connect('synchronizer-1', true)
    assert.equal(await v2.end(), before)
    const left = await reassigned(v1, alice, unassign(contractId, s1, s2))

    await connect('synchronizer-2', false)
    const coming = reassign(v1, alice, assign(reassignmentIdIn(left), s1, s2))
    await isPending(1)
    timeOut()
    assert.deepEqual((await coming).json, timedOut(bob))
    for (const at of [v1, v2]) assert.ok((await entriesAt(at, contractId))[0].JsIncompleteUnassigned)
    await connect('synchronizer-2', true)
    await reassigned(v2, bob, assign(reassignmentIdIn(left), s1, s2))
    assert.equal((await show(contractId, s2)).status, 200)
  })

  test('is assigned once, although the participant of the second assignment has not seen the first', async () => {
    const { v1, v2, s1, s2 } = network
    const contractId = await propose(v1, alice, bob, s1)
    const reassignmentId = reassignmentIdIn(await reassigned(v1, alice, unassign(contractId, s1, s2)))
    await control({ participant: 'pebblebox', action: 'delay', delayMs: 600_000 })
    await reassigned(v1, alice, assign(reassignmentId, s1, s2))
    const second = reassign(v2, bob, assign(reassignmentId, s1, s2))
    await areWaiting(1, 1, 2)
    await control({ participant: 'pebblebox', action: 'delay', delayMs: 0 })
    assert.deepEqual([(await second).status, (await second).json.code], [409, 'ASSIGNMENT_ALREADY_COMPLETED'])
    for (const at of [v1, v2]) assert.equal((await entriesAt(at, contractId)).length, 1)
  })
})

test('what a participant assigns as soon as it starts, the others see, too', async () => {
  let heldMs: number | undefined = Date.now()
  const clock = { ...wallClock, nowMs: () => heldMs ?? wallClock.nowMs() }
  const limits = { assignmentExclusivityMs: 1 }
  await using network = await startTestNetwork({ clock, store: 'sqlite', settings: { limits } })
  const { v1, v2, s1, s2 } = network
  const alice = await v1.allocate('alice', s1, s2)
  const bob = await v2.allocate('bob', s1, s2)
  const contractId = await propose(v1, alice, bob, s1)
  await reassigned(v1, alice, unassign(contractId, s1, s2))
  await network.node.restart(() => {
    heldMs = undefined // Now anybody may assign it.
  })
  for (const at of [v1, v2]) {
    await until(async () => {
      const eventFormat = { filtersForAnyParty: {}, verbose: false }
      const body = { activeAtOffset: await at.end(), eventFormat }
      const entries = await at.ask('/v2/state/active-contracts', body)
      return entries.some(({ contractEntry }: Json) => contractEntry.JsActiveContract?.synchronizerId === s2)
    })
  }
})
