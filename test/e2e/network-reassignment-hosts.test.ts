// Reassignments for parties that have other participants on one synchronizer than on the other: who sees which half, and
// what is refused.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { queryLedger } from '../../src/node/maintenance.ts'
import { call } from '../fixtures/command.ts'
import { exercise, proposalType } from '../fixtures/ledger.ts'
import { startTestNetwork, type TestNetwork, type TestParticipant } from '../fixtures/network.ts'
import {
  assign,
  delivered,
  entriesAt,
  failed,
  propose,
  reassign,
  reassigned,
  reassignmentAt,
  reassignmentIdIn,
  submitAs,
  unassign,
} from '../fixtures/network-moves.ts'
import { testSettings } from '../fixtures/node.ts'
import { allocatePath } from '../fixtures/onboarding.ts'
import { createSigner } from '../fixtures/signer.ts'
import { generated, onboard, runSigned } from '../fixtures/signing-participants.ts'

describe('a reassignment for a party whose participants differ from synchronizer to synchronizer', () => {
  let network: TestNetwork
  let alice = ''

  before(async () => {
    network = await startTestNetwork({ store: 'sqlite', settings: { hints: true } })
    const { v1, s1, s2 } = network
    alice = await v1.allocate('alice', s1, s2)
  })
  after(() => network[Symbol.asyncDispose]())

  /** A party of the first participant on the first synchronizer, and of others on the second. */
  async function host(partyHint: string, at: TestParticipant, others: object, more: readonly TestParticipant[] = []) {
    const { v1, s1, s2 } = network
    const signer = createSigner()
    const pat = await onboard(v1, signer, partyHint, s1)
    const topology = await generated(at, signer, { partyHint, synchronizer: s2, ...others })
    for (const one of [at, ...more]) await one.ask(allocatePath, { synchronizer: s2, ...topology })
    return pat
  }

  /** As the explorer counts the active contracts. */
  async function counted(at: TestParticipant) {
    return (await at.ask('/explorer/find/contracts', { eventFormat: { filtersForAnyParty: {} } })).total
  }

  /** In SQL. */
  const askedAt = ({ name: participant }: TestParticipant, sql: string) => {
    const settings = testSettings({ store: { kind: 'sqlite', data: network.node.folder } })
    return queryLedger(settings, { sql, participant }, async ({ rows }) => (await Array.fromAsync(rows)).flat())
  }

  /** What `tallystick contract` says of its state. */
  async function stateAt({ url }: TestParticipant, contractId: string) {
    const { output } = await call(['contract', contractId, '--url', url])
    return /^state +(.*)$/m.exec(output)?.[1]
  }

  const eventsAt = (at: TestParticipant, contractId: string) =>
    at.post('/v2/events/events-by-contract-id', { contractId, eventFormat: { filtersForAnyParty: {} } })

  test('gives one of the target the contract with its assignment, and takes it away when it leaves', async () => {
    const { v1, v3, s1, s2 } = network
    const { party } = await host('pat', v1, { observingParticipantUids: [v3.participantId] }, [v3])
    const contractId = await propose(v1, alice, party, s1)
    const left = await reassigned(v1, alice, unassign(contractId, s1, s2))
    assert.equal(await reassignmentAt(v3, left.updateId), undefined)
    const came = await reassigned(v1, alice, assign(reassignmentIdIn(left), s1, s2))
    const arrived = await v3.end()
    const there = await reassignmentAt(v3, came.updateId)
    assert.deepEqual(there, delivered(came, arrived))
    const [{ JsActiveContract: active }, ...others] = await entriesAt(v3, contractId)
    assert.deepEqual(others, [])
    assert.deepEqual([active.synchronizerId, active.reassignmentCounter], [s2, 1])
    assert.equal(active.createdEvent.offset, arrived)
    assert.deepEqual(await counted(v3), { count: 1, is: 'exact' })
    const { status, json } = await eventsAt(v3, contractId) // Canton shows those of contracts that were created here.
    assert.deepEqual([status, json.code], [404, 'CONTRACT_EVENTS_NOT_FOUND'])
    assert.match(json.context.hint, /^this contract came to the participant by an assignment/)
    assert.equal((await eventsAt(v1, contractId)).status, 200)
    assert.equal(await stateAt(v3, contractId), 'active')

    const back = await reassigned(v1, alice, unassign(contractId, s2, s1))
    const gone = await reassignmentAt(v3, back.updateId)
    assert.equal(gone.events[0].JsUnassignedEvent.value.assignmentExclusivity, null)
    assert.deepEqual(await entriesAt(v3, contractId), [])
    assert.deepEqual(await counted(v3), { count: 0, is: 'exact' })
    assert.equal(await stateAt(v3, contractId), 'not active here')
    assert.equal(await stateAt(v1, contractId), 'active')
    assert.deepEqual(await askedAt(v3, 'SELECT is_active FROM contracts'), [[0n]])
    assert.deepEqual(await askedAt(v3, 'SELECT number FROM active_contracts'), [])
    assert.deepEqual(await askedAt(v3, 'SELECT party FROM stakeholders'), [])
    await reassigned(v1, alice, assign(reassignmentIdIn(back), s2, s1))
    assert.deepEqual(await entriesAt(v3, contractId), [])
    const again = await reassigned(v1, alice, unassign(contractId, s1, s2))
    await reassigned(v1, alice, assign(reassignmentIdIn(again), s1, s2))
    const [returned] = await entriesAt(v3, contractId)
    assert.equal(returned.JsActiveContract.reassignmentCounter, 3)
    assert.deepEqual(await askedAt(v3, 'SELECT is_active FROM contracts'), [[1n]])
    assert.deepEqual(await counted(v3), { count: 1, is: 'exact' })
    await submitAs(v1, alice, [exercise(proposalType, contractId, 'Archive')])
    assert.deepEqual(await entriesAt(v3, contractId), [])
  })

  test('is refused if no participant of the party is on both', async () => {
    const { v1, v3, s1, s2 } = network
    const { party } = await host('elsewhere', v3, {})
    const contractId = await propose(v1, alice, party, s1)
    const { json } = await reassign(v1, alice, unassign(contractId, s1, s2))
    assert.equal(
      json.cause,
      failed(`The following stakeholders are not hosted on any reassigning participants: TreeSet(${party})`),
    )
  })

  test('is refused if too few participants of a signatory are on both', async () => {
    const { v1, v3, s1, s2 } = network
    const others = { otherConfirmingParticipantUids: [v3.participantId], confirmationThreshold: 2 }
    const pat = await host('twofold', v1, others, [v3])
    const iou = { issuer: pat.party, owner: alice, amount: '10.0', currency: 'EUR', observers: [] }
    const create = { CreateCommand: { templateId: proposalType, createArguments: { iou } } }
    const made = await runSigned(v1, [pat], create, { synchronizerId: s1 })
    assert.equal(made.status, 200, made.text)
    const { contractId } = made.json.transaction.events[0].CreatedEvent
    const { json } = await reassign(v1, alice, unassign(contractId, s1, s2))
    const words = 'requires at least 2 signatory reassigning participants on synchronizer target'
    assert.equal(json.cause, failed(`Signatory ${pat.party} ${words}, but only 1 are available`))
  })
})
