// What the explorer reads about a network: where its participants are, and an update as each of them shows it.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Json } from '../fixtures/ledger.ts'
import { networkSettings, startTestNetwork, type TestNetwork } from '../fixtures/network.ts'
import { startTestNode } from '../fixtures/node.ts'

const submitPath = '/v2/commands/submit-and-wait-for-transaction'
const noUpdate = `1220${'0'.repeat(64)}`

describe('an update as each participant sees it', () => {
  let network: TestNetwork
  let [alice, bob] = ['', '']

  before(async () => {
    network = await startTestNetwork()
    const { v1, v2, s1, s2 } = network
    alice = await v1.allocate('alice', s1, s2)
    bob = await v2.allocate('bob', s1, s2)
  })
  after(() => network[Symbol.asyncDispose]())

  test('lists where each participant listens', async () => {
    const { v1, v2, v3 } = network
    const { participants } = await v2.ask('/dev/network')
    assert.deepEqual(
      participants.map(({ url }: Json) => url),
      [v1.url, v2.url, v3.url],
    )
  })

  test('is what the participant itself answers, and null where it sees nothing', async () => {
    const { v1, v2, v3, s1 } = network
    const iou = { issuer: alice, owner: bob, amount: '10.0', currency: 'EUR', observers: [] }
    const create = { CreateCommand: { templateId: '#quickstart:Iou:IouProposal', createArguments: { iou } } }
    const commands = { commands: [create], commandId: 'propose', userId: 'u', actAs: [alice], synchronizerId: s1 }
    const { updateId } = (await v1.ask(submitPath, { commands })).transaction
    const eventFormat = { filtersForAnyParty: {} }
    const updateFormat = {
      includeTransactions: { eventFormat, transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' },
    }
    const shownBy = async (at: typeof v1) =>
      (await at.ask('/v2/updates/update-by-id', { updateId, updateFormat })).update
    const { participants } = await v3.ask(`/dev/network/updates/${updateId}`)
    assert.deepEqual(participants, [
      { participant: 'sandbox', update: await shownBy(v1) },
      { participant: 'pebblebox', update: await shownBy(v2) },
      { participant: 'sidebox', update: null },
    ])
    const commandIds = participants.map(({ update }: Json) => update?.Transaction.value.commandId)
    assert.deepEqual(commandIds, ['propose', '', undefined])
  })

  test('includes changes of the topology', async () => {
    const { v1, v2 } = network
    const updateFormat = { includeTopologyEvents: { includeParticipantAuthorizationEvents: { parties: [] } } }
    const { update } = await v1.ask('/v2/updates/update-by-offset', { offset: 1, updateFormat })
    const { participants } = await v2.ask(`/dev/network/updates/${update.TopologyTransaction.value.updateId}`)
    assert.deepEqual(participants[0].update, update)
  })

  test('is null everywhere if nobody has it, and refused if the id is none', async () => {
    const { participants } = await network.v1.ask(`/dev/network/updates/${noUpdate}`)
    assert.deepEqual(
      participants.map(({ update }: Json) => update),
      [null, null, null],
    )
    assert.equal((await network.v1.get('/dev/network/updates/nothing')).status, 400)
  })
})

describe('who may ask', () => {
  const { auth: _, ...settings } = networkSettings

  test('an administrator may, other users and strangers may not', async () => {
    await using node = await startTestNode({ settings })
    await node.call('POST', '/v2/users', { body: { user: { id: 'reader' }, rights: [readsAll] } })
    const path = `/dev/network/updates/${noUpdate}`
    const statusFor = async (token: string | null) => (await node.call('GET', path, { token })).status
    const statuses = [node.adminToken, await node.token('reader'), null].map(statusFor)
    assert.deepEqual(await Promise.all(statuses), [200, 403, 401])
  })

  test('a node that is not for development does not have it', async () => {
    await using node = await startTestNode({ settings: { ...networkSettings, development: false } })
    assert.equal((await node.call('GET', `/dev/network/updates/${noUpdate}`, { token: null })).status, 404)
  })

  test('a participant alone shows nothing', async () => {
    await using node = await startTestNode()
    const { status, json } = await node.call('GET', `/dev/network/updates/${noUpdate}`)
    assert.deepEqual([status, json], [200, { participants: [] }])
  })

  test('the key of a link signs in at every participant', async () => {
    await using node = await startTestNode({ settings })
    const { key } = (await node.call('POST', '/dev/sign-in-keys')).json
    for (const { url } of node.node.participants) {
      const body = JSON.stringify({ key })
      const headers = { 'content-type': 'application/json' }
      const signIn = await fetch(`${url}/dev/sign-in`, { method: 'POST', headers, body })
      const { token } = (await signIn.json()) as Json
      const network = await fetch(`${url}/dev/network`, { headers: { authorization: `Bearer ${token}` } })
      assert.equal(network.status, 200)
    }
  })
})

const readsAll = { kind: { CanReadAsAnyParty: { value: {} } } }
