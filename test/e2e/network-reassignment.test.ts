// Reassignments of contracts whose stakeholders are on several participants: what each of them sees.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { exercise, type Json, proposalType } from '../fixtures/ledger.ts'
import { startTestNetwork, type TestNetwork, type TestParticipant } from '../fixtures/network.ts'
import {
  anybody,
  assign,
  entriesAt,
  propose,
  reassign,
  reassigned,
  reassignmentAt,
  submitAs,
  unassign,
} from '../fixtures/network-moves.ts'

describe('a reassignment of a contract with stakeholders on two participants', () => {
  let network: TestNetwork
  let [alice, bob] = ['', '']

  before(async () => {
    network = await startTestNetwork()
    const { v1, v2, s1, s2 } = network
    alice = await v1.allocate('alice', s1, s2)
    bob = await v2.allocate('bob', s1, s2)
  })
  after(() => network[Symbol.asyncDispose]())

  /** As the other participant has to show it. */
  const delivered = (update: Json, offset: number): Json => {
    const text = JSON.stringify({ ...update, offset, commandId: '', paidTrafficCost: null })
    return JSON.parse(text.replaceAll(`"offset":${update.offset}`, `"offset":${offset}`))
  }

  test('is the same update at both, with its own offset and without its command at the other', async () => {
    const { v1, v2, v3, s1, s2 } = network
    const contractId = await propose(v1, alice, bob, s1)
    const left = await reassigned(v1, alice, unassign(contractId, s1, s2), { workflowId: 'w' })
    assert.deepEqual(await reassignmentAt(v2, left.updateId), delivered(left, await v2.end()))
    assert.equal(await reassignmentAt(v3, left.updateId), undefined)
    const { reassignmentId } = left.events[0].JsUnassignedEvent.value

    for (const at of [v1, v2]) {
      const [entry, ...others] = await entriesAt(at, contractId)
      assert.deepEqual(others, [])
      assert.equal(entry.JsIncompleteUnassigned.unassignedEvent.reassignmentId, reassignmentId)
      assert.equal(entry.JsIncompleteUnassigned.unassignedEvent.offset, await at.end())
    }

    const came = await reassigned(v1, alice, assign(reassignmentId, s1, s2), { workflowId: 'w' })
    assert.deepEqual(await reassignmentAt(v2, came.updateId), delivered(came, await v2.end()))
    for (const at of [v1, v2]) {
      const [{ JsActiveContract: active }] = await entriesAt(at, contractId)
      assert.deepEqual([active.synchronizerId, active.reassignmentCounter], [s2, 1])
      assert.equal(active.createdEvent.offset, await at.end())
    }
    const { synchronizerId } = await submitAs(v2, bob, [exercise(proposalType, contractId, 'IouProposal_Accept')])
    assert.equal(synchronizerId, s2)
    for (const at of [v1, v2]) assert.deepEqual(await entriesAt(at, contractId), [])
  })

  test('shows each participant its contracts as they were at an earlier offset', async () => {
    const { v1, v2, s1, s2 } = network
    const contractId = await propose(v1, alice, bob, s1)
    const created = await v2.end()
    const left = await reassigned(v1, alice, unassign(contractId, s1, s2))
    const { reassignmentId } = left.events[0].JsUnassignedEvent.value
    const unassigned = await v2.end()
    await reassigned(v1, alice, assign(reassignmentId, s1, s2))
    const kinds = async (at: TestParticipant, offset: number) =>
      (await entriesAt(at, contractId, offset)).map((entry) => Object.keys(entry)[0])
    assert.deepEqual(await kinds(v2, created), ['JsActiveContract'])
    assert.deepEqual(await kinds(v2, unassigned), ['JsIncompleteUnassigned'])
    assert.deepEqual(await kinds(v2, await v2.end()), ['JsActiveContract'])
  })

  test('may be begun and ended by an observer on its own participant', async () => {
    const { v1, v2, s1, s2 } = network
    const contractId = await propose(v1, alice, bob, s1)
    const left = await reassigned(v2, bob, unassign(contractId, s1, s2))
    assert.deepEqual(await reassignmentAt(v1, left.updateId), delivered(left, await v1.end()))
    const { reassignmentId } = left.events[0].JsUnassignedEvent.value
    const came = await reassigned(v2, bob, assign(reassignmentId, s1, s2))
    assert.deepEqual(await reassignmentAt(v1, came.updateId), delivered(came, await v1.end()))
    const back = await reassigned(v1, alice, unassign(contractId, s2, s1))
    assert.equal(back.events[0].JsUnassignedEvent.value.reassignmentCounter, 2)
    assert.deepEqual(await reassignmentAt(v2, back.updateId), delivered(back, await v2.end()))
  })

  test('refuses the contract in transit at both, and an assignment by others before its time', async () => {
    const { v1, v2, s1, s2 } = network
    const contractId = await propose(v1, alice, bob, s1)
    const left = await reassigned(v1, alice, unassign(contractId, s1, s2))
    const { reassignmentId } = left.events[0].JsUnassignedEvent.value
    for (const [at, party, choice] of [
      [v1, alice, 'Archive'],
      [v2, bob, 'IouProposal_Accept'],
    ] as const) {
      const commands = [exercise(proposalType, contractId, choice)]
      const body = { commands, commandId: `in-transit-${at.name}`, userId: 'u', actAs: [party] }
      const { json } = await at.post('/v2/commands/submit-and-wait', body)
      assert.equal(json.code, 'UNKNOWN_CONTRACT_SYNCHRONIZERS')
    }
    const early = await reassign(v2, bob, assign(reassignmentId, s1, s2))
    assert.equal(early.status, 404)
    assert.equal(early.json.code, 'REASSIGNMENT_VALIDATION_FAILED')
    const until = left.events[0].JsUnassignedEvent.value.assignmentExclusivity
    const words =
      `Validation check failed. Cannot assign \`ReassignmentId(${reassignmentId})\`: only ${alice} can initiate ` +
      `before exclusivity timeout Target(${until}). Current timestamp is `
    assert.equal(early.json.cause.slice(0, words.length), words)
    await reassigned(v1, alice, assign(reassignmentId, s1, s2))
    const again = await reassign(v2, bob, assign(reassignmentId, s1, s2))
    assert.equal(
      again.json.cause,
      `The submitted request has invalid arguments: Cannot find reassignment data for reassignment ` +
        `\`ReassignmentId(${reassignmentId})\`: reassignment already completed`,
    )
  })

  test('has a created event with its blob for the other participant, which can disclose it', async () => {
    const { v1, v2, v3, s1, s2 } = network
    const contractId = await propose(v1, alice, bob, s1)
    const left = await reassigned(v1, alice, unassign(contractId, s1, s2))
    const { reassignmentId } = left.events[0].JsUnassignedEvent.value
    const { updateId } = await reassigned(v1, alice, assign(reassignmentId, s1, s2))
    const identifierFilter = { WildcardFilter: { value: { includeCreatedEventBlob: true } } }
    const format = { filtersForAnyParty: { cumulative: [{ identifierFilter }] } }
    const [here, there] = await Promise.all([v1, v2].map((at) => reassignmentAt(at, updateId, format)))
    const blob = (update: Json) => update.events[0].JsAssignmentEvent.createdEvent.createdEventBlob
    assert.ok(blob(here).length > 0)
    assert.equal(blob(there), blob(here))
    assert.equal(await reassignmentAt(v3, updateId, format), undefined)
    assert.equal(await reassignmentAt(v3, left.updateId, anybody), undefined)
  })
})
