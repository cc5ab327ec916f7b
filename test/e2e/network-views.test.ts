// What each participant of a network sees of a transaction, as the real Canton showed it: node ids, last descendants,
// witnesses and changes of active contracts, for every kind of reader. And contracts that a participant only saw.
//
// An event in short: `E0..3:Keep[alice]-` is an exercise with node id 0 and last descendant 3, seen by alice, that changes
// nothing active; C is a create with its note, A an archive.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { doing, exercise, filtersFor, type Json, type Shape, templateFilter, updateFormat } from '../fixtures/ledger.ts'
import type { TestParticipant } from '../fixtures/network.ts'
import {
  create,
  createdIn,
  type EffectsNetwork,
  fetching,
  given,
  made,
  make,
  run,
  startEffectsNetwork,
  template,
} from '../fixtures/network-effects.ts'

let network: EffectsNetwork
let [alice, bob, carol] = ['', '', '']

before(async () => {
  network = await startEffectsNetwork()
  ;({ alice, bob, carol } = network)
})
after(() => network[Symbol.asyncDispose]())

const transactionOf = (at: TestParticipant, actAs: string, ...commands: readonly object[]) =>
  network.transactionOf(at, actAs, ...commands)

async function contract(signatory: string, observers: readonly string[], note = 'n'): Promise<string> {
  const at = signatory === alice ? network.v1 : network.v2
  return createdIn(await transactionOf(at, signatory, create([signatory], observers, note)))
}

/** A contract that alice and bob have signed. */
async function joint(): Promise<string> {
  const proposed = await contract(alice, [bob])
  const program = make([alice, bob], [], 'both')
  return createdIn(await transactionOf(network.v2, bob, exercise(template, proposed, 'Consume', doing([bob], program))))
}

const hintOf = (party: string) => party.split('::')[0]

async function seen(at: TestParticipant, updateId: string, who: string | undefined, shape: Shape): Promise<string> {
  const filters = who === undefined ? { filtersForAnyParty: {} } : filtersFor([who])
  const body = { updateId, updateFormat: updateFormat(filters, shape) }
  const { status, json, text } = await at.post('/v2/updates/update-by-id', body)
  if (status !== 200) return json.code === 'UPDATE_NOT_FOUND' ? '' : text
  return json.update.Transaction.value.events
    .map((event: Json) => {
      const [kind, fields] = Object.entries(event)[0] as [string, Json]
      const { nodeId, lastDescendantNodeId: end, choice, createArgument, witnessParties, acsDelta } = fields
      const name = choice ?? createArgument?.note
      return (
        `${kind[0]}${nodeId}${end === undefined ? '' : `..${end}`}${name === undefined ? '' : `:${name}`}` +
        `[${witnessParties.map(hintOf)}]${acsDelta === undefined ? '' : acsDelta ? '+' : '-'}`
      )
    })
    .join(' ')
}

/** Rows like `V2 EFFECTS bob` with what is expected there; what is left out is not checked. */
async function check(transaction: Json, expected: Readonly<Record<string, string>>): Promise<void> {
  const { v1, v2, v3 } = network
  const participants: Record<string, TestParticipant> = { V1: v1, V2: v2, V3: v3 }
  const parties: Record<string, string | undefined> = { any: undefined, alice, bob, carol }
  const shapes: Record<string, Shape> = { EFFECTS: 'LEDGER_EFFECTS', DELTA: 'ACS_DELTA' }
  const found: Record<string, string> = {}
  for (const row of Object.keys(expected)) {
    const [where, shape, who] = row.split(' ') as [string, string, string]
    found[row] = await seen(participants[where]!, transaction.updateId, parties[who], shapes[shape]!)
  }
  assert.deepEqual(found, expected)
}

const keep = (contractId: string, ...program: readonly object[]) =>
  exercise(template, contractId, 'Keep', doing([alice], ...program))
const consuming = (contractId: string, ...program: readonly object[]) =>
  run('Consume', given(contractId), doing([alice], ...program))

describe('a participant sees', () => {
  let own = ''
  let both = ''
  before(async () => {
    own = await contract(alice, [], 'a0')
    both = await joint()
  })

  test('an observed create without the exercise around it', async () => {
    const program = [make([alice], [], 'x'), make([alice], [bob], 'y'), make([alice], [], 'z')]
    await check(await transactionOf(network.v1, alice, keep(own, ...program)), {
      'V1 EFFECTS any': 'E0..3:Keep[alice]- C1:x[alice]+ C2:y[alice,bob]+ C3:z[alice]+',
      'V1 EFFECTS bob': 'C2:y[bob]+',
      'V2 EFFECTS any': 'C0:y[alice,bob]+',
      'V2 EFFECTS bob': 'C0:y[bob]+',
      'V2 EFFECTS alice': 'C0:y[alice]+',
      'V2 DELTA any': 'C0:y[alice,bob]+',
      'V3 EFFECTS any': '',
    })
  })

  test('nothing of a non-consuming exercise on a contract that its parties only observe', async () => {
    const observed = await contract(alice, [bob])
    const inner = run('Keep', given(observed), doing([alice], make([alice], [], 'inKeep')))
    await check(await transactionOf(network.v1, alice, keep(own, inner)), { 'V2 EFFECTS any': '', 'V2 DELTA any': '' })
  })

  test('what is below an archive, with the witnesses that follow from it', async () => {
    const observed = await contract(alice, [bob])
    const inner = consuming(observed, make([alice], [], 'inConsume'), make([alice], [carol], 'forCarol'))
    await check(await transactionOf(network.v1, alice, keep(own, inner, make([alice], [], 'after'))), {
      'V1 EFFECTS any':
        'E0..4:Keep[alice]- E1..3:Consume[alice,bob]+ C2:inConsume[alice,bob]+ C3:forCarol[alice,bob,carol]+ C4:after[alice]+',
      'V1 EFFECTS bob': 'E1..3:Consume[bob]+ C2:inConsume[bob]- C3:forCarol[bob]-',
      'V1 EFFECTS carol': 'C3:forCarol[carol]+',
      'V1 DELTA any': 'A1[alice,bob] C2:inConsume[alice]+ C3:forCarol[alice,carol]+ C4:after[alice]+',
      'V1 DELTA bob': 'A1[bob]',
      'V2 EFFECTS any': 'E0..2:Consume[alice,bob]+ C1:inConsume[alice,bob]- C2:forCarol[alice,bob,carol]-',
      'V2 EFFECTS alice': 'E0..2:Consume[alice]+ C1:inConsume[alice]- C2:forCarol[alice]-',
      'V2 EFFECTS carol': 'C2:forCarol[carol]-',
      'V2 DELTA any': 'A0[alice,bob]',
      'V2 DELTA alice': 'A0[alice]',
      'V2 DELTA carol': '',
      'V3 EFFECTS any': 'C0:forCarol[alice,carol]+',
      'V3 EFFECTS alice': 'C0:forCarol[alice]+',
      'V3 EFFECTS bob': '',
      'V3 DELTA any': 'C0:forCarol[alice,carol]+',
    })
  })

  test('separate parts of a tree one after the other', async () => {
    const [third, fourth] = [await contract(alice, [bob]), await contract(alice, [bob])]
    const program = [
      make([alice], [], 'first'),
      consuming(third, make([alice], [], 'in3')),
      make([alice], [], 'between'),
      consuming(fourth, make([alice], [], 'in4'), make([alice], [carol], 'carol4')),
      make([alice], [], 'last'),
    ]
    await check(await transactionOf(network.v1, alice, keep(own, ...program)), {
      'V1 EFFECTS any':
        'E0..8:Keep[alice]- C1:first[alice]+ E2..3:Consume[alice,bob]+ C3:in3[alice,bob]+ C4:between[alice]+ ' +
        'E5..7:Consume[alice,bob]+ C6:in4[alice,bob]+ C7:carol4[alice,bob,carol]+ C8:last[alice]+',
      'V2 EFFECTS any':
        'E0..1:Consume[alice,bob]+ C1:in3[alice,bob]- E2..4:Consume[alice,bob]+ C3:in4[alice,bob]- C4:carol4[alice,bob,carol]-',
      'V2 DELTA any': 'A0[alice,bob] A2[alice,bob]',
      'V3 EFFECTS any': 'C0:carol4[alice,carol]+',
    })
  })

  test('its parts of several roots', async () => {
    const commands = [
      create([alice], [], 'r0'),
      create([alice], [bob], 'r1'),
      keep(own, make([alice], [carol], 'c'), make([alice], [bob], 'b')),
      create([alice], [bob], 'r3'),
    ]
    await check(await transactionOf(network.v1, alice, ...commands), {
      'V1 EFFECTS any':
        'C0:r0[alice]+ C1:r1[alice,bob]+ E2..4:Keep[alice]- C3:c[alice,carol]+ C4:b[alice,bob]+ C5:r3[alice,bob]+',
      'V2 EFFECTS any': 'C0:r1[alice,bob]+ C1:b[alice,bob]+ C2:r3[alice,bob]+',
      'V3 EFFECTS any': 'C0:c[alice,carol]+',
    })
  })

  test('an exercise of others below one that its party sees', async () => {
    const observed = await contract(alice, [bob])
    const inner = run('Keep', given(own), doing([alice], make([alice], [], 'deep')))
    const outer = exercise(template, observed, 'Consume', doing([alice], inner, make([alice], [carol], 'cc')))
    await check(await transactionOf(network.v1, alice, outer), {
      'V2 EFFECTS any': 'E0..3:Consume[alice,bob]+ E1..2:Keep[alice,bob]- C2:deep[alice,bob]- C3:cc[alice,bob,carol]-',
      'V3 EFFECTS any': 'C0:cc[alice,carol]+',
    })
  })

  test('a contract that lives only inside the transaction', async () => {
    const observed = await contract(alice, [bob])
    const archive = { tag: 'Archive', value: made(0) }
    const program = [fetching(observed), make([alice], [bob], 'made'), archive]
    await check(await transactionOf(network.v1, alice, keep(own, ...program)), {
      'V1 EFFECTS any': 'E0..3:Keep[alice]- C2:made[alice,bob]- E3..3:Archive[alice,bob]-',
      'V2 EFFECTS any': 'C0:made[alice,bob]- E1..1:Archive[alice,bob]-',
      'V1 DELTA any': '',
      'V2 DELTA any': '',
    })
    const consumed = run('Consume', made(0), doing([alice], make([alice], [], 'q')))
    const second = [make([alice], [], 'p'), make([alice], [bob], 'tr'), consumed]
    await check(await transactionOf(network.v1, alice, keep(own, ...second)), {
      'V1 EFFECTS any': 'E0..4:Keep[alice]- C1:p[alice]+ C2:tr[alice,bob]- E3..4:Consume[alice,bob]- C4:q[alice,bob]+',
      'V2 EFFECTS any': 'C0:tr[alice,bob]- E1..2:Consume[alice,bob]- C2:q[alice,bob]-',
      'V2 DELTA any': '',
    })
  })

  test('fetches in its node ids, but no update if it sees nothing else', async () => {
    await check(await transactionOf(network.v1, alice, keep(own, fetching(both), make([alice], [bob], 'y'))), {
      'V1 EFFECTS any': 'E0..2:Keep[alice]- C2:y[alice,bob]+',
      'V2 EFFECTS any': 'C1:y[alice,bob]+',
    })
    await check(await transactionOf(network.v1, alice, keep(own, fetching(both))), {
      'V1 EFFECTS any': 'E0..1:Keep[alice]-',
      'V2 EFFECTS any': '',
      'V2 DELTA any': '',
    })
    const inner = run('Keep', given(both), doing([alice], fetching(own), make([alice], [], 'n2')))
    const program = [make([alice], [], 'n1'), inner, make([alice], [bob], 'n3')]
    await check(await transactionOf(network.v1, alice, keep(own, ...program)), {
      'V1 EFFECTS any': 'E0..5:Keep[alice]- C1:n1[alice]+ E2..4:Keep[alice,bob]- C4:n2[alice,bob]+ C5:n3[alice,bob]+',
      'V2 EFFECTS any': 'E0..2:Keep[alice,bob]- C2:n2[alice,bob]- C3:n3[alice,bob]+',
      'V2 DELTA any': 'C3:n3[alice,bob]+',
    })
  })

  test('what was rolled back in its node ids', async () => {
    const body = [run('Keep', given(both), doing([alice])), { tag: 'Throw', value: 'x' }]
    const attempt = { tag: 'Try', value: { body, handler: { tag: 'Handle', value: [] } } }
    await check(await transactionOf(network.v1, alice, keep(own, attempt, make([alice], [bob], 'after'))), {
      'V1 EFFECTS any': 'E0..3:Keep[alice]- C3:after[alice,bob]+',
      'V2 EFFECTS any': 'C2:after[alice,bob]+',
    })
  })

  test('what its party is a choice observer of', async () => {
    const argument = { ...doing([alice], make([alice], [], 'div')), observers: [carol] }
    await check(await transactionOf(network.v1, alice, exercise(template, own, 'Keep', argument)), {
      'V1 EFFECTS any': 'E0..1:Keep[alice,carol]- C1:div[alice,carol]+',
      'V3 EFFECTS any': 'E0..1:Keep[alice,carol]- C1:div[alice,carol]-',
      'V3 DELTA any': '',
    })
  })

  test('as submitter, contracts of others that it makes without being active there', async () => {
    const offer = await contract(bob, [alice], 'offer')
    const accepted = exercise(template, offer, 'Keep', doing([alice], make([bob], [], 'bobs')))
    await check(await transactionOf(network.v1, alice, accepted), {
      'V1 EFFECTS any': 'E0..1:Keep[alice,bob]- C1:bobs[alice,bob]-',
      'V1 DELTA any': '',
      'V2 EFFECTS any': 'E0..1:Keep[alice,bob]- C1:bobs[alice,bob]+',
      'V2 DELTA any': 'C1:bobs[bob]+',
    })
  })
})

describe('a contract that a participant only saw', () => {
  let divulged = ''
  let updateId = ''
  const blobs = (party: string) => filtersFor([party], templateFilter(template, true))
  const blobOf = (text: string) => /"createdEventBlob":"([^"]+)"/.exec(text)?.[1]

  before(async () => {
    const observed = await contract(alice, [bob])
    const transaction = await transactionOf(
      network.v1,
      alice,
      exercise(template, observed, 'Consume', doing([alice], make([alice], [], 'div'))),
    )
    divulged = createdIn(transaction)
    updateId = transaction.updateId
  })

  test('is in the update, with its blob', async () => {
    const shape = (party: string) => updateFormat(blobs(party), 'LEDGER_EFFECTS')
    const { text: there } = await network.v2.post('/v2/updates/update-by-id', { updateId, updateFormat: shape(bob) })
    const { text: here } = await network.v1.post('/v2/updates/update-by-id', { updateId, updateFormat: shape(alice) })
    assert.notEqual(blobOf(there), undefined)
    assert.equal(blobOf(there), blobOf(here))
  })

  test('is found by its id for stakeholders only', async () => {
    const find = (at: TestParticipant, party: string) =>
      at.post('/v2/contracts/contract-by-id', { contractId: divulged, queryingParties: [party] })
    assert.equal((await find(network.v2, bob)).json.code, 'CONTRACT_PAYLOAD_NOT_FOUND')
    assert.equal((await find(network.v1, bob)).json.code, 'CONTRACT_PAYLOAD_NOT_FOUND')
    assert.equal((await find(network.v3, alice)).json.code, 'CONTRACT_PAYLOAD_NOT_FOUND')
    const { status, json } = await find(network.v2, alice)
    assert.equal(status, 200)
    const { offset, nodeId, witnessParties, acsDelta, createdEventBlob } = json.createdEvent
    assert.deepEqual([offset, nodeId, witnessParties, acsDelta], [1, 0, [alice], false])
    assert.notEqual(createdEventBlob, '')
  })

  test('has no events by its id, and is not active', async () => {
    for (const eventFormat of [filtersFor([bob]), filtersFor([alice]), { filtersForAnyParty: {} }]) {
      const answer = await network.v2.post('/v2/events/events-by-contract-id', { contractId: divulged, eventFormat })
      assert.equal(answer.json.code, 'CONTRACT_EVENTS_NOT_FOUND')
    }
    const body = { activeAtOffset: await network.v2.end(), eventFormat: { filtersForAnyParty: {} } }
    assert(!(await network.v2.post('/v2/state/active-contracts', body)).text.includes(divulged))
  })

  test('cannot be used by a command', async () => {
    const mine = await contract(bob, [], 'b0')
    const uses = [
      [exercise(template, divulged, 'Keep', doing([bob]))],
      [exercise(template, mine, 'Keep', doing([bob], fetching(divulged)))],
    ]
    for (const commands of uses) {
      for (const fields of [{}, { readAs: [alice] }]) {
        const { status, json } = await network.submit(network.v2, bob, commands, fields)
        assert.deepEqual([status, json.code], [404, 'CONTRACT_NOT_FOUND'])
      }
    }
  })

  test('can be used if it is disclosed', async () => {
    const contractId = await contract(alice, [bob])
    const { events } = await transactionOf(
      network.v1,
      alice,
      exercise(template, contractId, 'Consume', doing([alice], make([alice], [], 'lent'))),
    )
    const lent = createdIn({ events })
    const body = { contractId: lent, queryingParties: [alice] }
    const { createdEvent } = await network.v2.ask('/v2/contracts/contract-by-id', body)
    const disclosedContracts = [
      { contractId: lent, templateId: createdEvent.templateId, createdEventBlob: createdEvent.createdEventBlob },
    ]
    const answer = await network.submit(network.v2, bob, [exercise(template, lent, 'Consume', doing([bob]))], {
      disclosedContracts,
    })
    assert.equal(answer.status, 200, answer.text)
    const { archived } = await network.v1.ask('/v2/events/events-by-contract-id', {
      contractId: lent,
      eventFormat: filtersFor([alice]),
    })
    assert.equal(archived.archivedEvent.contractId, lent)
  })
})
