// The test kit: nodes in this process, as an application's tests use them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startNode } from '../../src/kit/test-node.ts'
import { effectsDar } from '../fixtures/ledger.ts'
import { rebuiltQuickstart } from '../fixtures/rebuilt-dar.ts'

const iou = { templateId: '#quickstart:Iou:Iou' }
type Described = {
  readonly templateId: string
  readonly describes?: {
    payload: { issuer: string; owner: string; amount: string; currency: string; observers: string[] }
    choices: { Iou_Split: { argument: { amount: string }; result: { split: string; rest: string } } }
  }
}
const typedIou: Described = iou

test('a node is started, used and closed', async () => {
  await using node = await startNode()
  const [bank, alice] = [await node.party('bank'), await node.party('alice')]
  assert.equal(await node.party('alice'), alice)
  const payload = { issuer: bank, owner: alice, amount: '100', currency: 'EUR', observers: [] }
  const created = await node.create(typedIou, payload, { actAs: [bank, alice] })
  assert.equal(created.payload.amount, '100.0000000000')
  const { split, rest } = await node.exercise(
    typedIou,
    created.contractId,
    'Iou_Split',
    { amount: '30' },
    { actAs: alice },
  )
  const held = await node.contracts(typedIou, alice)
  assert.deepEqual(held.map(({ contractId }) => contractId).sort(), [split, rest].sort())
})

test('a token has just the rights that were asked for', async () => {
  await using node = await startNode()
  const alice = await node.party('alice')
  const authorization = `Bearer ${await node.token({ readAs: alice })}`
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${node.url}${path}`, { ...init, headers: { authorization } })
  assert.equal((await ask('/v2/state/ledger-end')).status, 200)
  assert.equal((await ask('/v2/users')).status, 403)
})

test('a ledger returns to a snapshot, and to its start', async () => {
  await using node = await startNode({ dars: [effectsDar] })
  const alice = await node.party('alice')
  const name = await node.snapshot()
  const payload = { issuer: alice, owner: alice, amount: '1', currency: 'EUR', observers: [] }
  await node.create(iou, payload, { actAs: alice })
  await node.restore(name)
  assert.deepEqual(await node.contracts(iou), [])
  await node.reset()
  const { partyDetails } = await node.call('GET', '/v2/parties')
  assert.deepEqual(
    partyDetails.map(({ party }: { party: string }) => party),
    [node.participantId],
  )
  assert.equal((await node.call('GET', '/v2/packages')).packageIds.length > 2, true)
})

test('a rebuilt package takes over if it is told to', async () => {
  await using node = await startNode()
  const { id, bytes } = rebuiltQuickstart()
  await assert.rejects(node.upload(bytes), { code: 'KNOWN_PACKAGE_VERSION' })
  await node.upload(bytes, { replace: true })
  const alice = await node.party('alice')
  const payload = { issuer: alice, owner: alice, amount: '1', currency: 'EUR', observers: [] }
  const { templateId } = await node.create(iou, payload, { actAs: alice })
  assert.equal(templateId, `${id}:Iou:Iou`)
})

test('a fault strikes the submissions that match, until it is cancelled', async () => {
  await using node = await startNode()
  const alice = await node.party('alice')
  const payload = { issuer: alice, owner: alice, amount: '1', currency: 'EUR', observers: [] }
  const code = 'PARTICIPANT_BACKPRESSURE'
  const id = await node.orderFault({ match: { templateId: 'Iou:Iou' }, times: 0, fail: { code } })
  await assert.rejects(node.create(iou, payload, { actAs: alice }), { code })
  await node.cancelFaults(id)
  await node.create(iou, payload, { actAs: alice })
  await assert.rejects(node.cancelFaults(id), { code: 'FAULT_NOT_FOUND' })
  await node.orderFault({ fail: { code } })
  await node.cancelFaults()
  await node.create(iou, payload, { actAs: alice })
})

test('time stands still, and moves when it is told to', async () => {
  await using node = await startNode({ staticTime: '2030-01-01T00:00:00Z', seed: 'time' })
  assert.equal(await node.time(), '2030-01-01T00:00:00Z')
  assert.equal(await node.advanceTime('P1D'), '2030-01-02T00:00:00Z')
})

test('a refusal is thrown, with its code', async () => {
  await using node = await startNode()
  const alice = await node.party('alice')
  const archive = node.exercise('#quickstart:Iou:Iou', '00ab', 'Archive', {}, { actAs: alice })
  await assert.rejects(archive, { name: 'Error', status: 400, code: 'INVALID_FIELD' })
})

test('a refusal says what the answer holds: code, cause, hint and place', async () => {
  await using node = await startNode()
  const alice = await node.party('alice')
  const payload = { issuer: alice, owner: alice, amount: '1', currency: 'EUR', observers: [] }
  const misspelt = node.create('#quickstart:Iou:Iuo', payload, { actAs: alice })
  await assert.rejects(misspelt, {
    message: /^[A-Z_]+: .*Iuo.*\n {2}hint: did you mean `#quickstart:Iou:Iou`\?$/,
    hint: 'did you mean `#quickstart:Iou:Iou`?',
  })
  const negative = node.create(iou, { ...payload, amount: '-1' }, { actAs: alice })
  await assert.rejects(negative, { message: /^DAML_FAILURE: .*: not positive\n {2}in: Iou:require$/ })
  await assert.rejects(node.call('GET', '/v2/usres'), { code: '', hint: 'did you mean /v2/users?' })
})

test('a command without actAs says that it needs one', async () => {
  await using node = await startNode()
  const untyped: { create(...parts: unknown[]): Promise<unknown>; exercise: typeof untyped.create } = node as never
  const wanted = { name: 'TypeError', message: /^a command needs actAs: .*\{ actAs: alice \}/ }
  await assert.rejects(untyped.create(iou, {}), wanted)
  await assert.rejects(untyped.create(iou, {}, { readAs: 'alice' }), wanted)
  await assert.rejects(untyped.exercise(iou, '00', 'Archive', {}, { actAs: [] }), wanted)
})

test('many nodes live side by side, each with its own ledger', async () => {
  await using nodes = new AsyncDisposableStack()
  const started = await Promise.all(Array.from({ length: 8 }, async () => nodes.use(await startNode())))
  const ids = await Promise.all(started.map((node) => node.party('alice')))
  assert.equal(new Set(ids).size, 8)
  const payloads = ids.map((alice) => ({ issuer: alice, owner: alice, amount: '1', currency: 'EUR', observers: [] }))
  await Promise.all(started.map((node, index) => node.create(iou, payloads[index], { actAs: ids[index]! })))
  const counts = await Promise.all(started.map(async (node) => (await node.contracts(iou)).length))
  assert.deepEqual(counts, Array(8).fill(1))
})
