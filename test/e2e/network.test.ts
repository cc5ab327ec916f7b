// Several participants in one process: what one submits and another sees.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startNode } from '../../src/node/node.ts'
import { participantsOf } from '../../src/node/participants.ts'
import { filtersFor, type Json, transactionFormat } from '../fixtures/ledger.ts'
import { networkSettings, startTestNetwork, type TestNetwork, type TestParticipant } from '../fixtures/network.ts'
import { stores, testSettings } from '../fixtures/node.ts'
import { createTestDatabase, needsPostgres } from '../fixtures/postgres.ts'

const proposal = (issuer: string, owner: string) => ({
  CreateCommand: {
    templateId: '#quickstart:Iou:IouProposal',
    createArguments: { iou: { issuer, owner, amount: '10.0', currency: 'EUR', observers: [] } },
  },
})
const accept = (contractId: string) => ({
  ExerciseCommand: {
    templateId: '#quickstart:Iou:IouProposal',
    contractId,
    choice: 'IouProposal_Accept',
    choiceArgument: {},
  },
})

let last = 0

async function submit(at: TestParticipant, party: string, command: object, fields: object = {}): Promise<Json> {
  const commands = { commands: [command], commandId: `command-${++last}`, userId: 'u', actAs: [party], ...fields }
  const format = transactionFormat({ filtersForAnyParty: {} }, 'LEDGER_EFFECTS')
  const body = { commands, transactionFormat: format }
  return (await at.ask('/v2/commands/submit-and-wait-for-transaction', body)).transaction
}

async function updateAt(at: TestParticipant, updateId: string): Promise<Json> {
  const updateFormat = { includeTransactions: transactionFormat({ filtersForAnyParty: {} }, 'LEDGER_EFFECTS') }
  return (await at.ask('/v2/updates/update-by-id', { updateId, updateFormat })).update.Transaction.value
}

for (const store of stores) {
  describe(`a network of three participants on ${store}`, () => {
    let network: TestNetwork
    let [alice, bob, carol] = ['', '', '']

    before(async () => {
      network = await startTestNetwork({ store })
      const { v1, v2, v3, s1, s2 } = network
      alice = await v1.allocate('alice', s1, s2)
      bob = await v2.allocate('bob', s1, s2)
      carol = await v3.allocate('carol', s2)
    })
    after(() => network[Symbol.asyncDispose]())

    test('knows the parties of its synchronizers everywhere, and where each is local', async () => {
      const local = async (at: TestParticipant, party: string) =>
        (await at.ask(`/v2/parties/${party}`)).partyDetails.map(({ isLocal }: Json) => isLocal)
      assert.deepEqual(await local(network.v1, bob), [false])
      assert.deepEqual(await local(network.v2, bob), [true])
      assert.deepEqual(await local(network.v3, bob), [false])
      assert.deepEqual(await local(network.v1, carol), [false])
    })

    test('shows a transaction to every participant of an informee under its own offset, and to no other', async () => {
      const { v1, v2, v3, s1 } = network
      const sent = await submit(v1, alice, proposal(alice, bob), { synchronizerId: s1 })
      const received = await updateAt(v2, sent.updateId)
      assert.equal(received.commandId, '')
      assert.equal(received.paidTrafficCost, null)
      assert.equal(received.recordTime, sent.recordTime)
      assert.equal(received.offset, await v2.end())
      const { contractId } = sent.events[0].CreatedEvent
      assert.equal(received.events[0].CreatedEvent.contractId, contractId)
      const body = { contractId, eventFormat: filtersFor([bob]) }
      assert.equal((await v3.post('/v2/events/events-by-contract-id', body)).json.code, 'CONTRACT_EVENTS_NOT_FOUND')

      const accepted = await submit(v2, bob, accept(contractId))
      assert.equal((await updateAt(v1, accepted.updateId)).events.length, accepted.events.length)
    })

    test('tells the completion only where a command was submitted', async () => {
      const { v1, v2, s1 } = network
      await submit(v1, alice, proposal(alice, bob), { synchronizerId: s1, commandId: 'mine' })
      const completions = async (at: TestParticipant, party: string) => {
        const body = { userId: 'u', parties: [party], beginExclusive: 0 }
        const found = await at.ask('/v2/commands/completions?stream_idle_timeout_ms=50', body)
        return found.filter(({ completionResponse }: Json) => completionResponse.Completion?.value.commandId === 'mine')
          .length
      }
      assert.equal(await completions(v1, alice), 1)
      assert.equal(await completions(v2, bob), 0)
    })

    test('refuses to submit for a party of another participant', async () => {
      const body = { commands: [proposal(alice, bob)], commandId: 'theirs', userId: 'u', actAs: [alice] }
      const { status, json } = await network.v2.post('/v2/commands/submit-and-wait', body)
      assert.deepEqual([status, json.code], [404, 'NO_SYNCHRONIZER_ON_WHICH_ALL_SUBMITTERS_CAN_SUBMIT'])
    })
  })
}

describe('the ledger of a network', () => {
  test('is there after a restart, and is refused without one of its participants', async () => {
    await using network = await startTestNetwork({ store: 'sqlite' })
    const { node, v1, v2, s1 } = network
    const [alice, bob] = [await v1.allocate('alice', s1), await v2.allocate('bob', s1)]
    const { updateId } = await submit(v1, alice, proposal(alice, bob))
    await node.restart()
    assert.equal((await v2.get('/readyz')).status, 200) // The last update has no completion here.
    assert.equal((await updateAt(v2, updateId)).updateId, updateId)
    const { participants } = networkSettings.network
    const settings = testSettings({
      ...networkSettings,
      network: { participants: participants.filter(({ name }) => name !== 'pebblebox') },
      store: { kind: 'sqlite', data: node.folder },
      http: { port: 0 },
      log: { level: 'silent' },
    })
    let refusal: unknown
    await node.node[Symbol.asyncDispose]()
    await startNode(settings).catch((error: unknown) => {
      refusal = error
    })
    await node.restart()
    assert.match(String(refusal), /the ledger has the participant pebblebox, which the settings do not name/)
    assert.equal((await updateAt(v2, updateId)).updateId, updateId)
  })
})

describe('two processes of a network on PostgreSQL', needsPostgres, () => {
  test('show what the other one has committed at once, on every participant', async () => {
    await using database = await createTestDatabase()
    const options = { store: 'postgres' as const, postgresUrl: database.url }
    await using one = await startTestNetwork(options)
    await using other = await startTestNetwork(options)
    const alice = await one.v1.allocate('alice', one.s1)
    const bob = await other.v2.allocate('bob', one.s1)
    for (let round = 0; round < 5; round += 1) {
      const sent = await submit(one.v1, alice, proposal(alice, bob))
      const { contractId } = sent.events[0].CreatedEvent
      assert.equal((await updateAt(other.v2, sent.updateId)).updateId, sent.updateId)
      const accepted = await submit(other.v2, bob, accept(contractId))
      assert.equal((await updateAt(one.v1, accepted.updateId)).updateId, accepted.updateId)
    }
    assert.equal(await one.v2.end(), await other.v2.end())
  })
})

const refused: readonly [network: object, problem: RegExp][] = [
  [[{ name: 'a' }, { name: 'a' }], /two participants are called a/],
  [
    [
      { name: 'a', port: 1000 },
      { name: 'b', port: 1000 },
    ],
    /the participants a and b have the port 1000 twice/,
  ],
  [[{ name: 'a', synchronizers: ['elsewhere'] }], /the participant a names the synchronizer elsewhere/],
  [[{ name: 'a', synchronizers: [] }], /the participant a is connected to no synchronizer/],
]

describe('settings of a network', () => {
  for (const [participants, problem] of refused) {
    test(`are refused: ${problem.source}`, () => {
      const settings = testSettings({ network: { participants: participants as [] } })
      assert.throws(() => participantsOf(settings), problem)
    })
  }
})

describe('the metrics of a network', () => {
  test('carry the name of the participant, and nothing is there twice', async () => {
    await using network = await startTestNetwork()
    const { v1, v2, s1 } = network
    const [alice, bob] = [await v1.allocate('alice', s1), await v2.allocate('bob', s1)]
    await submit(v1, alice, proposal(alice, bob))
    const lines = (await v2.get('/metrics')).text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    const end = await v2.end()
    assert.ok(lines.includes(`tallystick_ledger_end_offset{participant="pebblebox"} ${end}`), lines.join('\n'))
    const names = lines.map((line) => line.slice(0, line.lastIndexOf(' ')))
    assert.equal(new Set(names).size, names.length)
  })
})
