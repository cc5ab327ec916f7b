// Reassignments of contracts whose stakeholders are on several participants: what each of them sees.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { exercise, type Json, proposalType, quickstart, transactionFormat } from '../fixtures/ledger.ts'
import { startTestNetwork, type TestNetwork, type TestParticipant } from '../fixtures/network.ts'
import {
  anybody,
  assign,
  delivered,
  entriesAt,
  failed,
  propose,
  reassign,
  reassigned,
  reassignmentAt,
  submitAs,
  unassign,
} from '../fixtures/network-moves.ts'
import { stores } from '../fixtures/node.ts'
import { until } from '../fixtures/until.ts'

const completionsAt = async (at: TestParticipant, party: string): Promise<Json[]> => {
  const body = { userId: 'u', parties: [party], beginExclusive: 0 }
  const found: Json[] = await at.ask('/v2/commands/completions?stream_idle_timeout_ms=50', body)
  return found.flatMap(({ completionResponse }) => completionResponse.Completion?.value ?? [])
}

for (const store of stores) {
  describe(`a reassignment of a contract with stakeholders on two participants, on ${store}`, () => {
    let network: TestNetwork
    let [alice, bob] = ['', '']

    before(async () => {
      network = await startTestNetwork({ store })
      const { v1, v2, s1, s2 } = network
      alice = await v1.allocate('alice', s1, s2)
      bob = await v2.allocate('bob', s1, s2)
    })
    after(() => network[Symbol.asyncDispose]())

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
      const { reported_by_participant_id: reporter, confirming_parties: confirming, participant } = early.json.context
      assert.deepEqual([participant, reporter], [v2.name, `PAR::${v2.participantId}`])
      assert.equal(confirming, v2.participantId)
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
}

describe('an unassignment in a network', () => {
  let network: TestNetwork
  let [alice, bob, carol] = ['', '', '']
  const short = (id: string) => `${id.slice(0, id.indexOf('::') + 14)}...`

  before(async () => {
    network = await startTestNetwork()
    const { v1, v2, v3, s1, s2 } = network
    alice = await v1.allocate('alice', s1, s2)
    bob = await v2.allocate('bob', s1, s2)
    carol = await v3.allocate('carol', s2)
  })
  after(() => network[Symbol.asyncDispose]())

  test('is refused if a stakeholder is not on the target', async () => {
    const { v1, s1, s2 } = network
    const contractId = await propose(v1, alice, carol, s2)
    const { status, json } = await reassign(v1, alice, unassign(contractId, s2, s1))
    assert.deepEqual([status, json.code], [400, 'INVALID_ARGUMENT'])
    assert.equal(
      json.cause,
      failed(`The following stakeholders are not active on the target synchronizer: TreeSet(${carol})`),
    )
  })

  test('is refused for a party of another participant', async () => {
    const { v1, s1, s2 } = network
    const contractId = await propose(v1, alice, bob, s1)
    const { json } = await reassign(v1, bob, unassign(contractId, s1, s2))
    const who = `${bob} is not hosted on PAR::${short(v1.participantId)}`
    assert.equal(json.cause, failed(`For unassignment of Set(ContractId(${contractId})): ${who}`))
    const left = await reassigned(v1, alice, unassign(contractId, s1, s2))
    const { reassignmentId } = left.events[0].JsUnassignedEvent.value
    const { json: assigned } = await reassign(v1, bob, assign(reassignmentId, s1, s2))
    assert.equal(assigned.cause, failed(`For assignment ReassignmentId(${reassignmentId}): ${who}`))
  })

  test('is refused until every participant of a stakeholder has vetted the package on the target', async () => {
    const { v1, v2, s1, s2 } = network
    const contractId = await propose(v1, alice, bob, s1)
    const vet = async (at: TestParticipant, operation: 'Vet' | 'Unvet') => {
      const packages = [{ packageId: quickstart }]
      const body = { changes: [{ operation: { [operation]: { value: { packages } } } }], synchronizerId: s2 }
      await at.ask('/v2/package-vetting', body)
    }
    for (const at of [v1, v2]) await vet(at, 'Unvet')
    const text = (...participants: readonly TestParticipant[]) =>
      failed(
        `Cannot unassign contracts \`Set(ContractId(${contractId}))\` on synchronizer \`${short(s2)}::35-0\`: ` +
          participants
            .map(
              ({ participantId }) =>
                `Participant PAR::${short(participantId)} has not vetted ${quickstart.slice(0, 12)}...`,
            )
            .join(', '),
      )
    assert.equal((await reassign(v1, alice, unassign(contractId, s1, s2))).json.cause, text(v1, v2))
    await vet(v1, 'Vet')
    assert.equal((await reassign(v1, alice, unassign(contractId, s1, s2))).json.cause, text(v2))
    await vet(v2, 'Vet')
    await reassigned(v1, alice, unassign(contractId, s1, s2))
  })
})

describe('contracts in transit in a network', () => {
  const pass = async ({ v1 }: TestNetwork, minutes: number) => {
    const { currentTime } = await v1.ask('/v2/time')
    const newTime = new Date(Date.parse(currentTime) + minutes * 60_000).toISOString()
    await v1.ask('/v2/time', { currentTime, newTime })
  }
  const placeAt = async (at: TestParticipant, contractId: string) =>
    (await entriesAt(at, contractId)).map((entry) => entry.JsActiveContract?.synchronizerId)

  test('are assigned once, by the participant of the party that unassigned them', async () => {
    await using network = await startTestNetwork({ settings: { time: { kind: 'static' } } })
    const { v1, v2, s1, s2 } = network
    const [alice, bob] = [await v1.allocate('alice', s1, s2), await v2.allocate('bob', s1, s2)]
    const contractId = await propose(v1, alice, bob, s1)
    await reassigned(v2, bob, unassign(contractId, s1, s2), { commandId: 'left' })
    const before = await v1.end()
    await pass(network, 2)
    await until(async () => (await placeAt(v1, contractId)).includes(s2))
    assert.deepEqual(await placeAt(v2, contractId), [s2])
    const ofBob = await completionsAt(v2, bob)
    assert.deepEqual(
      ofBob.map(({ commandId, submissionId, status }) => [commandId, submissionId === '', status.code]),
      [
        ['left', false, 0],
        ['left', true, 0],
      ],
    )
    assert.equal(await v1.end(), before + 1)
  })

  test('are assigned by a stakeholder on another participant once the time of the submitter is over', async () => {
    await using network = await startTestNetwork({
      settings: { time: { kind: 'static' }, limits: { assignmentExclusivityMs: 0 } },
    })
    const { v1, v2, s1, s2 } = network
    const [alice, bob] = [await v1.allocate('alice', s1, s2), await v2.allocate('bob', s1, s2)]
    const contractId = await propose(v1, alice, bob, s1)
    const left = await reassigned(v1, alice, unassign(contractId, s1, s2))
    const { reassignmentId } = left.events[0].JsUnassignedEvent.value
    const came = await reassigned(v2, bob, assign(reassignmentId, s1, s2))
    assert.equal(came.events[0].JsAssignmentEvent.submitter, bob)
    const there = await reassignmentAt(v1, came.updateId)
    assert.deepEqual([there.commandId, there.events[0].JsAssignmentEvent.submitter], ['', bob])
    assert.deepEqual([await placeAt(v1, contractId), await placeAt(v2, contractId)], [[s2], [s2]])
  })
})

describe('a command with contracts on two synchronizers of a network', () => {
  let network: TestNetwork
  let [alice, bob, carol] = ['', '', '']

  before(async () => {
    network = await startTestNetwork()
    const { v1, v2, v3, s1, s2 } = network
    alice = await v1.allocate('alice', s1, s2)
    bob = await v2.allocate('bob', s1, s2)
    carol = await v3.allocate('carol', s2)
  })
  after(() => network[Symbol.asyncDispose]())

  /** The kinds of updates that a participant shows after an offset. */
  const kindsAfter = async (at: TestParticipant, beginExclusive: number): Promise<string[]> => {
    const format = { includeReassignments: anybody, includeTransactions: transactionFormat(anybody) }
    const found: Json[] = await at.ask('/v2/updates', {
      beginExclusive,
      endInclusive: await at.end(),
      updateFormat: format,
    })
    return found.flatMap(({ update: { Reassignment, Transaction } }) => {
      if (Reassignment !== undefined) return Object.keys(Reassignment.value.events[0])
      return Transaction === undefined ? [] : ['Transaction']
    })
  }
  const archive = (contractId: string) => exercise(proposalType, contractId, 'Archive')

  test('moves them to the synchronizer of all parties, and each participant sees what concerns it', async () => {
    const { v1, v2, v3, s1, s2 } = network
    const [moving, staying] = [await propose(v1, alice, bob, s1), await propose(v1, alice, carol, s2)]
    const before = [await v1.end(), await v2.end(), await v3.end()] as const
    const done = await submitAs(v1, alice, [archive(moving), archive(staying)], { commandId: 'gathering' })
    assert.equal(done.synchronizerId, s2)
    const all = ['JsUnassignedEvent', 'JsAssignmentEvent', 'Transaction']
    assert.deepEqual(await kindsAfter(v1, before[0]), all)
    assert.deepEqual(await kindsAfter(v2, before[1]), all)
    assert.deepEqual(await kindsAfter(v3, before[2]), ['Transaction'])
    const periods = async (at: TestParticipant, party: string) =>
      (await completionsAt(at, party))
        .filter(({ commandId }) => commandId === 'gathering')
        .map(({ deduplicationPeriod }) => Object.keys(deduplicationPeriod)[0])
    assert.deepEqual(await periods(v1, alice), ['Empty', 'Empty', 'DeduplicationOffset'])
    assert.deepEqual(await periods(v2, bob), [])
  })

  test('moves them for an observer on its own participant', async () => {
    const { v1, v2, s1, s2 } = network
    const [here, there] = [await propose(v1, alice, bob, s1), await propose(v1, alice, bob, s2)]
    const before = await v1.end()
    const accept = (contractId: string) => exercise(proposalType, contractId, 'IouProposal_Accept')
    const { synchronizerId } = await submitAs(v2, bob, [accept(here), accept(there)])
    assert.ok([s1, s2].includes(synchronizerId))
    assert.deepEqual(await kindsAfter(v1, before), ['JsUnassignedEvent', 'JsAssignmentEvent', 'Transaction'])
  })

  test('is refused on a synchronizer where a stakeholder is not, and nothing moves', async () => {
    const { v1, v2, s1, s2 } = network
    const [here, there] = [await propose(v1, alice, bob, s1), await propose(v1, alice, carol, s2)]
    const before = await v2.end()
    const body = { commands: [archive(here), archive(there)], commandId: 'stuck', userId: 'u', actAs: [alice] }
    const { json } = await v1.post('/v2/commands/submit-and-wait', { ...body, synchronizerId: s1 })
    assert.equal(json.code, 'INVALID_PRESCRIBED_SYNCHRONIZER_ID')
    assert.equal(await v2.end(), before)
  })
})
