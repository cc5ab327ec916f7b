// The tools of a development node in a network: faults, watched DARs, SQL and pruning, for every participant.
import assert from 'node:assert/strict'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { startNetwork } from '../../src/kit/start-node.ts'
import { pruneLedger, queryLedger } from '../../src/node/maintenance.ts'
import { call } from '../fixtures/command.ts'
import { doing, effectsDar, exercise, type Json, keysDar } from '../fixtures/ledger.ts'
import { networkSettings, startTestNetwork, type TestNetwork, type TestParticipant } from '../fixtures/network.ts'
import { createdIn, create as createTarget, make, startEffectsNetwork, template } from '../fixtures/network-effects.ts'
import { startTestNode, stores, testSettings } from '../fixtures/node.ts'
import { createTestDatabase } from '../fixtures/postgres.ts'
import { temporaryFolder } from '../fixtures/process.ts'
import { until } from '../fixtures/until.ts'

const iou = (party: string) => ({
  CreateCommand: {
    templateId: '#quickstart:Iou:Iou',
    createArguments: { issuer: party, owner: party, amount: '1', currency: 'EUR', observers: [] },
  },
})

let last = 0
const create = (at: TestParticipant, party: string, synchronizerId: string) =>
  at.post('/v2/commands/submit-and-wait', {
    ...{ commands: [iou(party)], commandId: `c-${++last}`, userId: 'u', actAs: [party], synchronizerId },
  })

describe('faults on order in a network', () => {
  let network: TestNetwork
  let [alice, bob] = ['', '']
  before(async () => {
    network = await startTestNetwork()
    const { v1, v2, s1 } = network
    alice = await v1.allocate('alice', s1)
    bob = await v2.allocate('bob', s1)
  })
  after(() => network[Symbol.asyncDispose]())

  const fail = { code: 'PARTICIPANT_BACKPRESSURE' }
  const statuses = async () => {
    const { v1, v2, s1 } = network
    return [(await create(v1, alice, s1)).status, (await create(v2, bob, s1)).status]
  }

  test('strike at every participant, whichever is asked', async () => {
    await network.v3.ask('/dev/faults', { fail, times: 2 })
    assert.deepEqual(await statuses(), [409, 409])
    assert.deepEqual(await statuses(), [200, 200])
  })

  test('strike at the participant that they match alone', async () => {
    const { fault } = await network.v1.ask('/dev/faults', { fail, times: 0, match: { participant: 'pebblebox' } })
    assert.equal(fault.match.participant, 'pebblebox')
    assert.deepEqual(await statuses(), [200, 409])
    const { faults } = await network.v3.ask('/dev/faults')
    assert.equal(faults[0].struck, 1)
    const cancelled = await fetch(`${network.v2.url}/dev/faults/${fault.id}`, { method: 'DELETE' })
    assert.equal(cancelled.status, 200)
    assert.deepEqual(await statuses(), [200, 200])
    const { status, text } = await network.v1.post('/dev/faults', { fail, match: { participant: 'nobody' } })
    assert.equal(status, 400)
    assert.match(text, /match\.participant.*there is no participant 'nobody'; there are sandbox, pebblebox, sidebox/)
  })
})

test('a fault of the test kit strikes at its participant, and one of the network everywhere', async () => {
  await using network = await startNetwork({ participants: ['customer', 'bank'] })
  const { customer, bank } = network.participants
  const [alice, dealer] = [await customer.party('alice'), await bank.party('dealer')]
  const create = (node: typeof bank, party: string) =>
    node.submit([iou(party)], { actAs: party }).then(
      () => 'done',
      ({ code }) => code,
    )
  const both = async () => [await create(customer, alice), await create(bank, dealer)]
  const fail = { code: 'PARTICIPANT_BACKPRESSURE' }
  await bank.orderFault({ fail })
  assert.deepEqual(await both(), ['done', fail.code])
  await network.orderFault({ fail, times: 0 })
  assert.deepEqual(await both(), [fail.code, fail.code])
  await network.cancelFaults()
  assert.deepEqual(await both(), ['done', 'done'])
})

test('a watched DAR that changes is uploaded to every participant', async () => {
  using folder = temporaryFolder()
  const dar = join(folder.path, 'app.dar')
  copyFileSync(effectsDar, dar)
  await using network = await startTestNetwork({ settings: { dars: [dar], watch: true } })
  const names = async (at: TestParticipant) => (await at.ask('/v2/packages')).packageIds.length
  const { v1, v2, v3 } = network
  const before = [await names(v1), await names(v2), await names(v3)]
  copyFileSync(keysDar, dar)
  for (const [index, at] of [v1, v2, v3].entries()) await until(async () => (await names(at)) > before[index])
})

for (const store of stores) {
  test(`a ledger in ${store} is asked in SQL and pruned for each participant`, async () => {
    await using database = store === 'postgres' ? await createTestDatabase() : undefined
    const place = database && { postgresUrl: database.url }
    await using network = await startTestNetwork({ store, ...place })
    const { node, v1, v2, s1 } = network
    const [alice, bob] = [await v1.allocate('alice', s1), await v2.allocate('bob', s1)]
    await create(v1, alice, s1)
    for (let round = 0; round < 3; round += 1) assert.equal((await create(v2, bob, s1)).status, 200)
    const end = await v2.end()
    const settings = testSettings({ store: place ? { kind: store, ...place } : { kind: store, data: node.folder } })
    const ask = (participant: string | undefined) =>
      queryLedger(settings, { sql: 'SELECT contract_id FROM active_contracts', participant }, async ({ rows }) => {
        let count = 0
        for await (const batch of rows) count += batch.length
        return count
      })
    const counts = [await ask(undefined), await ask('sandbox'), await ask('pebblebox'), await ask('sidebox')]
    assert.deepEqual(counts, [1, 1, 3, 0])
    await assert.rejects(ask('nobody'), /there is no participant nobody; the ledger has sandbox, pebblebox, sidebox$/)
    const where = place ? ['--postgres', place.postgresUrl] : ['--data', node.folder]
    const question = ['sql', 'SELECT count(*) AS n FROM contracts', '--participant', 'pebblebox', '--json']
    assert.deepEqual(JSON.parse((await call([...question, ...where])).output), [{ n: 3 }])

    await node.node[Symbol.asyncDispose]()
    const watch = async ({ progress }: { progress(): Promise<Json> }) => {
      await until(async () => !(await progress()).isRunning)
    }
    const upTo = BigInt(end - 1)
    assert.equal(await pruneLedger(settings, { upTo, participant: 'pebblebox' }, watch), upTo)
    const unknown = { upTo, participant: 'nobody' }
    await assert.rejects(pruneLedger(settings, unknown, watch), /there is no participant nobody/)
    await node.restart()
    const pruned = async (at: TestParticipant) => (await at.ask('/v2/pruning')).prunedUpTo
    assert.deepEqual([await pruned(v1), await pruned(v2)], [0, end - 1])
  })
}

test('contracts that a participant has only seen are none of its contracts in SQL', async () => {
  await using network = await startEffectsNetwork({ store: 'sqlite' })
  const { node, v1, alice, bob } = network
  const contractId = createdIn(await network.transactionOf(v1, alice, createTarget([alice], [bob], 'shared')))
  const consume = exercise(template, contractId, 'Consume', doing([alice], make([alice], [], 'seen')))
  await network.transactionOf(v1, alice, consume)
  const settings = testSettings({ store: { kind: 'sqlite', data: node.folder } })
  const sql = "SELECT payload ->> 'note' FROM contracts"
  const notesAt = (participant: string) =>
    queryLedger(settings, { sql, participant }, async ({ rows }) => (await Array.fromAsync(rows)).flat(2))
  assert.deepEqual([await notesAt('sandbox'), await notesAt('pebblebox')], [['shared', 'seen'], ['shared']])
})

test('a token for a user of any participant is issued while the network is stopped', async () => {
  const { auth: _, ...settings } = networkSettings
  await using node = await startTestNode({ store: 'sqlite', settings })
  const { participantId } = node.node.participants[1]!
  await node.node[Symbol.asyncDispose]()
  const words = ['token', '--user', 'participant_admin', '--participant', 'pebblebox', '--data', node.folder]
  const { output } = await call(words)
  const payload = JSON.parse(Buffer.from(output.split('.')[1]!, 'base64url').toString())
  assert.ok(JSON.stringify(payload.aud).includes(participantId))
  await node.restart()
})
