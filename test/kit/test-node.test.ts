// The test kit as an application's tests use it: nodes in this process, and in a child process.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { transactionText } from '../../src/base/transaction-text.ts'
import type { StartNode } from '../../src/kit/api.ts'
import { startInChild } from '../../src/kit/child-process.ts'
import { startInProcess } from '../../src/kit/in-process.ts'
import { createTestNode } from '../../src/kit/test-node.ts'
import { effectsDar, target, targetType } from '../fixtures/ledger.ts'
import { temporaryFolder } from '../fixtures/process.ts'
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
type View = { issuer: string; owner: string; amount: string; currency: string }
const holding: {
  readonly interfaceId: string
  readonly describes?: { view: View; choices: { Holding_Redeem: { argument: object; result: View } } }
} = { interfaceId: '#quickstart:Holding:Holding' }

const places: [where: string, start: typeof startInProcess][] = [
  ['in this process', startInProcess],
  ['in a child process', startInChild],
]
for (const [where, start] of places) {
  const startNode: StartNode = async (options = {}) => createTestNode(await start(options))
  describe(`a node ${where}`, () => suite(startNode))
}

function suite(startNode: StartNode): void {
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
    await using node = await startNode({ time: '2030-01-01T00:00:00Z', seed: 'time' })
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
      message: /^[A-Z_]+: .*Iuo.*\n {2}hint: did you mean `#quickstart:Iou:Iou`\?$/m,
      hint: 'did you mean `#quickstart:Iou:Iou`?',
    })
    const negative = node.create(iou, { ...payload, amount: '-1' }, { actAs: alice })
    await assert.rejects(negative, {
      message: /^DAML_FAILURE: .*: not positive\n {2}in: Iou:require\n {2}submitted by alice:\n {2}└─ create Iou:Iou /,
    })
    const { contractId } = await node.create(iou, payload, { actAs: alice })
    await assert.rejects(node.as(alice).exercise(iou, contractId, 'Iou_Split', { amount: '300' }), {
      message: /\n {2}└─ exercise Iou_Split of Iou:Iou 00\w{10}… \{amount: 300\}\n {5}└─ failed here$/,
    })
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

  test('a package that one node has is unknown to another', async () => {
    await using one = await startNode({ dars: [effectsDar] })
    await using another = await startNode()
    const create = async (node: typeof one) => {
      const alice = await node.party('alice')
      return node.create({ templateId: targetType }, target([alice]), { actAs: alice })
    }
    await create(one)
    await assert.rejects(create(another), /TEMPLATES_OR_INTERFACES_NOT_FOUND/)
  })

  test('the options say what the ledger begins with, and how it is reached', async () => {
    using folder = temporaryFolder()
    const world = join(folder.path, 'world.yaml')
    writeFileSync(world, 'parties: {carol: {}}\n')
    await using node = await startNode({ world, grpcPort: 0, dars: [effectsDar], time: '2030-01-01T00:00:00Z' })
    assert.equal(await node.time(), '2030-01-01T00:00:00Z')
    assert.match(node.grpcUrl!, /^http:\/\/127\.0\.0\.1:\d+$/)
    const { partyDetails } = await node.call('GET', '/v2/parties')
    assert.match(partyDetails.map(({ party }: { party: string }) => party).join(' '), /carol::/)
    await using other = await startNode({ time: 'static' })
    assert.deepEqual([await other.time(), other.grpcUrl], ['1970-01-01T00:00:00Z', undefined])
  })

  test('a mistake in the options is told in the same words everywhere', async () => {
    await using node = await startNode()
    const port = Number(new URL(node.url).port)
    await assert.rejects(startNode({ port }), { name: 'Error', message: new RegExp(`port ${port}`) })
    const dar = join(import.meta.dirname, 'test-node.test.ts')
    await assert.rejects(startNode({ dars: [dar] }), { message: /test-node\.test\.ts/ })
    const message = 'time: tomorrow is neither wall nor static nor a time such as 2030-01-01T00:00:00Z'
    await assert.rejects(startNode({ time: 'tomorrow' }), { message })
    await assert.rejects(startNode({ staticTime: 'x' } as object), { message: /^there is no option staticTime; / })
  })

  test('a dry run tells what would happen, and nothing does', async () => {
    await using node = await startNode()
    const alice = await node.party('alice')
    const payload = { issuer: alice, owner: alice, amount: '1', currency: 'EUR', observers: [] }
    const create = { CreateCommand: { templateId: iou.templateId, createArguments: payload } }
    const dryRun = await node.dryRun(create, { actAs: alice })
    assert.match(transactionText(dryRun), /^└─ create Iou:Iou 00[0-9a-f]{10}… \{issuer: alice, /)
    assert.deepEqual(await node.contracts(iou), [])
    const negative = { CreateCommand: { templateId: iou.templateId, createArguments: { ...payload, amount: '-1' } } }
    await assert.rejects(node.as(alice).dryRun(negative), { code: 'DAML_FAILURE' })
  })

  test('updates are followed until break, and end with the ledger', async () => {
    await using node = await startNode()
    const alice = await node.party('alice')
    const payload = { issuer: alice, owner: alice, amount: '1', currency: 'EUR', observers: [] }
    const issue = (commandId: string) => node.create(iou, payload, { actAs: alice, commandId })
    await issue('first')
    const after = await node.offset()
    const later = (async () => {
      for await (const { commandId } of node.updates({ after, templates: [iou] })) return commandId
      return undefined
    })()
    await issue('second')
    assert.equal(await later, 'second')
    const updates = node.updates({ parties: alice })
    const seen = [await updates.next(), await updates.next()].map(({ value }) => value.commandId)
    assert.deepEqual(seen, ['first', 'second'])
    await node.reset()
    assert.deepEqual(await updates.next(), { done: true, value: undefined })
    await assert.rejects(node.updates({ templates: ['#quickstart:Iou:Iuo'] }).next(), { hint: /did you mean/ })
  })

  test('a contract is waited for', async () => {
    await using node = await startNode()
    const alice = await node.party('alice')
    const payload = { issuer: alice, owner: alice, amount: '1', currency: 'EUR', observers: [] }
    const issue = (currency: string) => node.create(typedIou, { ...payload, currency }, { actAs: alice })
    const dollars = node.contract(typedIou, ({ currency }) => currency === 'USD', { timeout: 240_000 })
    const euros = await issue('EUR')
    const { contractId } = await issue('USD')
    assert.equal((await dollars).contractId, contractId)
    assert.equal((await node.contract(typedIou, (_, { offset }) => offset === euros.offset)).payload.currency, 'EUR')
    const none = node.contract(typedIou, ({ currency }) => currency === 'CHF', { timeout: 1, parties: alice })
    await assert.rejects(none, {
      message:
        /^no contract of #quickstart:Iou:Iou came within 1 ms that is wanted; active are\n {2}\{issuer: alice, .*\n.*USD/,
    })
  })

  test('waiting for a contract ends with the ledger', async () => {
    await using node = await startNode()
    const alice = await node.party('alice')
    const payload = { issuer: alice, owner: alice, amount: '1', currency: 'EUR', observers: [] }
    const issue = (currency: string) => node.create(typedIou, { ...payload, currency }, { actAs: alice })
    await issue('EUR')
    const [active, streamed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const waiting = node.contract(
      typedIou,
      ({ currency }) => {
        const { resolve } = currency === 'EUR' ? active : streamed
        resolve()
        return false
      },
      { timeout: 240_000 },
    )
    const ended = assert.rejects(waiting, { message: /^the node ended before there was a contract/ })
    await active.promise
    await issue('USD')
    await streamed.promise
    await node.reset()
    await ended
  })

  test('a party sees what it may see', async () => {
    await using node = await startNode()
    const [alice, bob] = [await node.party('alice'), await node.party('bob')]
    const [asAlice, asBob] = [node.as(alice), node.as(bob)]
    const payload = { issuer: alice, owner: alice, amount: '10', currency: 'EUR', observers: [] }
    const { contractId } = await asAlice.create(typedIou, payload)
    assert.equal((await asAlice.contract(typedIou)).contractId, contractId)
    assert.deepEqual(await asBob.contracts(typedIou), [])
    const split = asBob.exercise(typedIou, contractId, 'Iou_Split', { amount: '1' })
    await assert.rejects(split, {
      code: 'CONTRACT_NOT_FOUND',
      message: /\n {2}submitted by bob:\n {2}└─ exercise Iou_Split of Iou:Iou 00[0-9a-f]{10}… \{amount: 1\}$/,
    })
    await asAlice.exercise(typedIou, contractId, 'Iou_Split', { amount: '1' })
    const { value: first } = await asAlice.updates({ after: await node.offset().then((end) => end - 1) }).next()
    assert.equal(transactionText(first).split('\n').length, 3)
  })

  test('contracts are read and used through an interface', async () => {
    await using node = await startNode()
    const alice = await node.party('alice')
    const payload = { issuer: alice, owner: alice, amount: '10', currency: 'EUR', observers: [] }
    const { contractId } = await node.as(alice).create(iou, payload)
    const [held] = await node.contracts(holding)
    assert.deepEqual(
      [held!.contractId, held!.payload.currency, 'observers' in held!.payload],
      [contractId, 'EUR', false],
    )
    assert.equal((await node.as(alice).contract(holding, ({ owner }) => owner === alice)).contractId, contractId)
    const { amount } = await node.as(alice).exercise(holding, contractId, 'Holding_Redeem', {})
    assert.equal(amount, '10.0000000000')
  })

  test('snapshots are listed and deleted', async () => {
    await using node = await startNode()
    await node.snapshot('one')
    await node.snapshot('two')
    const names = async () => (await node.snapshots()).map(({ name }) => name).filter((name) => /one|two/.test(name))
    assert.deepEqual((await names()).sort(), ['one', 'two'])
    await node.deleteSnapshot('one')
    assert.deepEqual(await names(), ['two'])
  })
}
