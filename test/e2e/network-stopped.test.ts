// A participant that is stopped is as a process that is down: no transport answers, and what was open ends.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openAdmin } from '../fixtures/admin-client.ts'
import { openGrpc, requestBytes } from '../fixtures/grpc.ts'
import { networkSettings, startTestNetwork, type TestNetwork } from '../fixtures/network.ts'
import { createTestDatabase, needsPostgres } from '../fixtures/postgres.ts'
import { until } from '../fixtures/until.ts'
import { type HandshakeRefused, openSocket } from '../fixtures/websocket.ts'

const unavailable = 14
const stateService = '/com.daml.ledger.api.v2.StateService/GetLedgerEnd'
const updateService = '/com.daml.ledger.api.v2.UpdateService/GetUpdates'
const updateFormat = {
  includeTransactions: { eventFormat: { filtersForAnyParty: {} }, transactionShape: 'TRANSACTION_SHAPE_ACS_DELTA' },
}

describe('a stopped participant', () => {
  let network: TestNetwork
  before(async () => {
    network = await startTestNetwork({ settings: { ...networkSettings, grpc: { port: 0 }, admin: { port: 0 } } })
  })
  after(() => network[Symbol.asyncDispose]())

  const order = (participant: string, action: string) => network.v3.ask('/dev/network', { participant, action })

  test('answers no call over gRPC, of whichever service, until it is resumed', async () => {
    const { grpcUrl, adminUrl } = network.node.node.participants[1]!
    await using grpc = openGrpc(grpcUrl!)
    using admin = openAdmin(adminUrl!)
    const ask = async (path = stateService) => (await grpc.call(path, new Uint8Array())).code
    assert.equal(await ask(), 0)
    await order('pebblebox', 'stop')
    assert.equal(await ask(), unavailable)
    assert.equal(await ask('/grpc.health.v1.Health/Check'), unavailable)
    await assert.rejects(admin.call('ParticipantStatusService/ParticipantStatus'), /UNAVAILABLE|14|stopped/)
    await order('pebblebox', 'resume')
    assert.equal(await ask(), 0)
    assert.equal(await ask('/grpc.health.v1.Health/Check'), 0)
  })

  test('ends streams over gRPC and WebSockets, and takes no new WebSocket', async () => {
    const { grpcUrl, url } = network.node.node.participants[1]!
    await using grpc = openGrpc(grpcUrl!)
    const request = requestBytes(updateService, { beginExclusive: 0, updateFormat })
    const stream = grpc.call(updateService, request)
    await using socket = await openSocket(`${url}/v2/updates`, { request: { beginExclusive: 0, updateFormat } })
    await using silent = await openSocket(`${url}/v2/updates`)
    const { v1, v2, s1 } = network
    await v2.allocate('bob', s1)
    await until(async () => (await v1.get('/metrics')).text.includes('transport="websocket"'))
    await order('pebblebox', 'stop')
    assert.equal((await stream).code, unavailable)
    assert.equal((await socket.rest()).at(-1).code, 'SERVICE_NOT_RUNNING')
    await assert.rejects(openSocket(`${url}/v2/updates`), (error: HandshakeRefused) => error.status === 503)
    silent.send({ beginExclusive: 0, updateFormat })
    assert.deepEqual(await silent.ended, [1001, 'The participant is stopped (/dev/network).'])
    await order('pebblebox', 'resume')
    await using again = await openSocket(`${url}/v2/updates`, { request: { beginExclusive: 0, updateFormat } })
    assert.ok(again)
  })

  test('ends a command that waits for the confirmation of another participant', async () => {
    const { v1, v2, s1 } = network
    const [alice, bob] = [await v1.allocate('alice', s1), await v2.allocate('bert', s1)]
    const iou = { issuer: bob, owner: alice, amount: '10.0', currency: 'EUR', observers: [] }
    const create = { CreateCommand: { templateId: '#quickstart:Iou:IouProposal', createArguments: { iou } } }
    const commands = { commands: [create], commandId: 'propose', userId: 'u', actAs: [bob], synchronizerId: s1 }
    const { transaction } = await v2.ask('/v2/commands/submit-and-wait-for-transaction', { commands })
    const { contractId } = transaction.events[0].CreatedEvent
    await order('pebblebox', 'stop')
    const accept = { contractId, choice: 'IouProposal_Accept', choiceArgument: {} }
    const exercise = { ExerciseCommand: { templateId: '#quickstart:Iou:IouProposal', ...accept } }
    const waiting = v1.post('/v2/commands/submit-and-wait', {
      ...{ commands: [exercise], commandId: 'accept', userId: 'u', actAs: [alice] },
    })
    await until(async () => {
      const { participants } = await network.v3.ask('/dev/network')
      return participants[1].synchronizers[0].waiting > 0
    })
    await order('sandbox', 'stop')
    const { status, json } = await waiting
    assert.deepEqual([status, json.code], [503, 'SERVICE_NOT_RUNNING'])
    const stopped = await network.v1.post('/dev/network', { participant: 'sandbox', action: 'resume' })
    assert.equal(stopped.status, 200)
    await order('pebblebox', 'resume')
  })
})

describe('two processes of a network on PostgreSQL', needsPostgres, () => {
  test('know of each other that a participant is stopped or delayed', async () => {
    await using database = await createTestDatabase()
    const options = { store: 'postgres' as const, postgresUrl: database.url }
    await using one = await startTestNetwork(options)
    await using other = await startTestNetwork(options)
    const stateAt = async ({ v1 }: TestNetwork) => {
      const { participants } = await v1.ask('/dev/network')
      return [participants[1].isStopped, participants[1].delayMs]
    }
    const order = (body: object) => one.v1.ask('/dev/network', { participant: 'pebblebox', ...body })
    await order({ action: 'stop' })
    await until(async () => (await other.v2.get('/v2/state/ledger-end')).status === 503)
    await order({ action: 'delay', delayMs: 5 })
    await until(async () => (await stateAt(other)).join() === 'true,5')
    await using third = await startTestNetwork(options)
    assert.deepEqual(await stateAt(third), [true, 5])
    await other.v1.ask('/dev/network', { participant: 'pebblebox', action: 'resume' })
    await until(async () => (await one.v2.get('/v2/state/ledger-end')).status === 200)
    assert.deepEqual(await stateAt(one), [false, 5])
  })
})
