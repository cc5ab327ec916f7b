// Contracts that a participant of a network does not know: those that a client discloses, and what their key finds.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { doing, exercise, filtersFor, type Json, keysDar, templateFilter, updateFormat } from '../fixtures/ledger.ts'
import type { TestParticipant } from '../fixtures/network.ts'
import {
  create,
  createdIn,
  type EffectsNetwork,
  given,
  make,
  run,
  startEffectsNetwork,
  template,
} from '../fixtures/network-effects.ts'

let network: EffectsNetwork
let [alice, bob, carol] = ['', '', '']

before(async () => {
  network = await startEffectsNetwork({}, keysDar)
  ;({ alice, bob, carol } = network)
})
after(() => network[Symbol.asyncDispose]())

type Disclosed = { readonly contractId: string; readonly templateId: string; readonly createdEventBlob: string }

/** Creates a contract and reads what its owner passes on. */
async function disclosed(
  at: TestParticipant,
  owner: string,
  { observers = [], synchronizerId = network.s2 }: { observers?: readonly string[]; synchronizerId?: string } = {},
): Promise<Disclosed> {
  const answer = await network.submit(at, owner, [create([owner], observers, 'lent')], { synchronizerId })
  const { updateId } = answer.json.transaction
  const format = updateFormat(filtersFor([owner], templateFilter(template, true)))
  const { update } = await at.ask('/v2/updates/update-by-id', { updateId, updateFormat: format })
  const { contractId, templateId, createdEventBlob } = update.Transaction.value.events[0].CreatedEvent
  return { contractId, templateId, createdEventBlob }
}

const keep = ({ contractId }: Pick<Disclosed, 'contractId'>, by: string) =>
  exercise(template, contractId, 'Keep', doing([by]))

async function updateAt(at: TestParticipant, updateId: string, party: string, shape: 'ACS_DELTA' | 'LEDGER_EFFECTS') {
  const { json } = await at.post('/v2/updates/update-by-id', {
    updateId,
    updateFormat: updateFormat(filtersFor([party]), shape),
  })
  return json.code ?? json.update.Transaction.value
}

describe('a contract that the participant does not know', () => {
  test('cannot be used without being disclosed', async () => {
    const { v1, v3 } = network
    const contract = await disclosed(v1, alice)
    const { status, json } = await network.submit(v3, carol, [keep(contract, carol)])
    assert.deepEqual([status, json.code], [404, 'CONTRACT_NOT_FOUND'])
  })

  test('can be used if it is disclosed, and its signatory sees that', async () => {
    const { v1, v2, v3, s2 } = network
    const contract = await disclosed(v1, alice)
    for (const fields of [{ synchronizerId: s2 }, { synchronizerId: '' }]) {
      const { status, text, json } = await network.submit(v3, carol, [keep(contract, carol)], {
        ...fields,
        disclosedContracts: [contract],
      })
      assert.equal(status, 200, text)
      const { updateId, recordTime } = json.transaction
      const there = await updateAt(v1, updateId, alice, 'LEDGER_EFFECTS')
      const { choice, witnessParties, acsDelta } = there.events[0].ExercisedEvent
      assert.deepEqual([choice, witnessParties, acsDelta], ['Keep', [alice], false])
      assert.equal(there.recordTime, recordTime)
      assert.equal(await updateAt(v1, updateId, alice, 'ACS_DELTA'), 'UPDATE_NOT_FOUND')
      assert.equal(await updateAt(v3, updateId, carol, 'ACS_DELTA'), 'UPDATE_NOT_FOUND')
      assert.equal(await updateAt(v2, updateId, alice, 'LEDGER_EFFECTS'), 'UPDATE_NOT_FOUND')
    }
  })

  test('on a synchronizer that the participant is not connected to is refused', async () => {
    const { v1, v2, v3, s1, s2 } = network
    const contract = await disclosed(v1, alice, { synchronizerId: s1 })
    const named = { ...contract, synchronizerId: s1 }
    const { status, json } = await network.submit(v3, carol, [keep(contract, carol)], {
      synchronizerId: '',
      disclosedContracts: [named],
    })
    assert.equal(status, 400)
    assert.equal(json.code, 'INVALID_PRESCRIBED_SYNCHRONIZER_ID')
    const short = s1.replace(/::(.{12}).*/, '::$1...')
    assert.equal(
      json.cause,
      `Cannot submit transaction to prescribed synchronizer \`${short}\` because: ` +
        `cannot resolve ${short} to a physical synchronizer id`,
    )
    for (const fields of [{ synchronizerId: s2 }, { synchronizerId: '' }]) {
      const answer = await network.submit(v3, carol, [keep(contract, carol)], {
        ...fields,
        disclosedContracts: [contract],
      })
      checkInactive(answer, [contract.contractId], v1, alice)
    }
    const there = await network.submit(v2, bob, [keep(contract, bob)], {
      synchronizerId: '',
      disclosedContracts: [named],
    })
    assert.equal(there.status, 200, there.text)
    assert.equal(there.json.transaction.synchronizerId, s1)
  })

  test('is inactive if it was archived meanwhile', async () => {
    const { v1, v3 } = network
    const contract = await disclosed(v1, alice)
    await network.transactionOf(v1, alice, exercise(template, contract.contractId, 'Archive'))
    const answer = await network.submit(v3, carol, [keep(contract, carol)], { disclosedContracts: [contract] })
    checkInactive(answer, [contract.contractId], v1, alice)
  })

  test('is archived on every participant that knows it', async () => {
    const { v1, v2, v3 } = network
    const contract = await disclosed(v1, alice, { observers: [bob] })
    const { contractId } = contract
    const command = exercise(template, contractId, 'Consume', doing([carol]))
    const answer = await network.submit(v3, carol, [command], { disclosedContracts: [contract] })
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.json.transaction.events[0].ExercisedEvent.acsDelta, false)
    for (const [at, party] of [
      [v1, alice],
      [v2, bob],
    ] as const) {
      const body = { contractId, eventFormat: filtersFor([party]) }
      const { archived } = await at.ask('/v2/events/events-by-contract-id', body)
      assert.deepEqual(archived.archivedEvent.witnessParties, [party])
    }
    const again = await network.submit(v3, carol, [command], { disclosedContracts: [contract] })
    checkInactive(again, [contractId], v1, alice)
  })

  test('may be one of several that different participants know', async () => {
    const { v1, v2, v3 } = network
    const [hers, his] = [await disclosed(v1, alice), await disclosed(v2, bob)]
    const inner = run('Keep', given(his.contractId), doing([carol]))
    const command = exercise(template, hers.contractId, 'Keep', doing([carol], inner))
    const use = () => network.submit(v3, carol, [command], { disclosedContracts: [hers, his] })
    const answer = await use()
    assert.equal(answer.status, 200, answer.text)
    const { updateId } = answer.json.transaction
    assert.equal((await updateAt(v1, updateId, alice, 'LEDGER_EFFECTS')).events.length, 2)
    assert.equal((await updateAt(v2, updateId, bob, 'LEDGER_EFFECTS')).events.length, 1)
    await network.transactionOf(v2, bob, exercise(template, his.contractId, 'Archive'))
    checkInactive(await use(), [his.contractId], v2, bob)
  })
})

test('a participant rejects for the confirming parties that it hosts', async () => {
  const { v1, v2 } = network
  const proposed = createdIn(await network.transactionOf(v1, alice, create([alice], [bob], 'p')))
  const sign = exercise(template, proposed, 'Consume', doing([bob], make([alice, bob], [], 'both')))
  const contractId = createdIn(await network.transactionOf(v2, bob, sign))
  const { createdEvent } = await v1.ask('/v2/contracts/contract-by-id', { contractId, queryingParties: [alice] })
  const { templateId, createdEventBlob } = createdEvent
  await network.transactionOf(v1, alice, exercise(template, contractId, 'Consume', doing([alice])))
  const { status, json } = await network.submit(v1, alice, [keep({ contractId }, alice)], {
    disclosedContracts: [{ contractId, templateId, createdEventBlob }],
  })
  assert.deepEqual([status, json.code], [404, 'LOCAL_VERDICT_INACTIVE_CONTRACTS'])
  const { reported_by_participant_id: reporter, confirming_parties: parties } = json.context
  assert.equal(reporter, `PAR::${v1.participantId}`)
  assert.deepEqual(parties.split(', ').sort(), [alice, v1.participantId].sort())
})

function checkInactive({ status, json }: Json, ids: readonly string[], by: TestParticipant, party: string): void {
  assert.deepEqual([status, json.code], [404, 'LOCAL_VERDICT_INACTIVE_CONTRACTS'])
  const { tid, psid, ...context } = json.context
  assert.match(psid, /^synchronizer-2::.{12}\.\.\.::35-0$/)
  assert.deepEqual(context, {
    participant: 'sidebox',
    CONTRACT_ID: `List(${ids.join(', ')})`,
    reported_by_participant_id: `PAR::${by.participantId}`,
    confirming_parties: party,
    category: '11',
    definite_answer: 'false',
  })
}

describe('a key', () => {
  const keyedType = '#keys-lf23:Keys:Keyed'
  const keyOf = (name: string) => ({ maintainers: [alice], name, maintainersFault: 'Fine', last: null })
  const keyed = (name: string, observers: readonly string[], note: string) => ({
    CreateCommand: {
      templateId: keyedType,
      createArguments: { signatories: [alice], observers, key: keyOf(name), keyFault: 'Fine', note },
    },
  })
  const byKey = (name: string, choice: string, by: string) => ({
    ExerciseByKeyCommand: {
      templateId: keyedType,
      contractKey: keyOf(name),
      choice,
      choiceArgument: choice === 'Archive' ? {} : { controllers: [by], program: [] },
    },
  })

  test('finds the contracts that the submitting participant knows', async () => {
    const { v1, v2, v3 } = network
    const known = createdIn(await network.transactionOf(v1, alice, keyed('k', [bob], 'one')))
    const newer = createdIn(await network.transactionOf(v1, alice, keyed('k', [], 'two')))
    const { events } = await network.transactionOf(v2, bob, byKey('k', 'Keep', bob))
    assert.equal(events[0].ExercisedEvent.contractId, known)
    const { status, json } = await network.submit(v3, carol, [byKey('k', 'Keep', carol)])
    assert.deepEqual([status, json.code], [404, 'CONTRACT_KEY_NOT_FOUND'])

    const other = createdIn(await network.transactionOf(v1, alice, keyed('j', [bob], 'own')))
    const program = [{ tag: 'Query', value: { count: '5', key: keyOf('k') } }]
    const query = exercise(keyedType, other, 'Keep', { controllers: [bob], program })
    const { events: queried } = await network.transactionOf(v2, bob, query)
    assert.deepEqual(queried[0].ExercisedEvent.exerciseResult.log, ['one'])

    const archived = await network.transactionOf(v1, alice, byKey('k', 'Archive', alice))
    assert.equal(archived.events[0].ExercisedEvent.contractId, newer)
    const last = await network.transactionOf(v1, alice, byKey('k', 'Archive', alice))
    assert.equal(last.events[0].ExercisedEvent.contractId, known)
    const gone = await network.submit(v2, bob, [byKey('k', 'Keep', bob)])
    assert.equal(gone.json.code, 'CONTRACT_KEY_NOT_FOUND')
  })
})
