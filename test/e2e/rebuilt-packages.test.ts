// A rebuilt package takes over the name and version of the one before, on development nodes and when it is asked to; the
// operations of the API refuse it as Canton does.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  exercise,
  filtersFor,
  iouType,
  type Json,
  quickstart,
  startTestLedger,
  type TestLedger,
  templateFilter,
} from '../fixtures/ledger.ts'
import { refusalOf, startTestNode, stores, type TestNode } from '../fixtures/node.ts'
import { quickstartBytes, rebuiltQuickstart } from '../fixtures/rebuilt-dar.ts'
import { intType, optionalType, partyType, testId, textType, unitType } from '../support/lf/data-package.ts'
import { darWith, type WrittenPackage, writePackage } from '../support/lf/described-package.ts'

const rebuilt = rebuiltQuickstart()
const named = (packageId: string) => ({ packageId, packageName: 'quickstart', packageVersion: '1.0.0' })

const upload = (node: TestNode, body: Uint8Array, path = '/dev/dars') => node.call('POST', path, { body })

/** Ids of the vetted packages of this name, by synchronizer. */
async function vetted(node: TestNode, name = 'quickstart'): Promise<string[][]> {
  const { json } = await node.call('POST', '/v2/package-vetting/list', { body: {} })
  return json.vettedPackages.map(({ packages }: Json) =>
    packages.filter(({ packageName }: Json) => packageName === name).map(({ packageId }: Json) => packageId),
  )
}

async function active(ledger: TestLedger): Promise<Json[]> {
  const eventFormat = filtersFor([ledger.alice], templateFilter(iouType))
  const body = { activeAtOffset: await ledger.end(), eventFormat }
  const { json } = await ledger.post('/v2/state/active-contracts', body)
  return json.map(({ contractEntry }: Json) => contractEntry.JsActiveContract.createdEvent)
}

for (const store of stores) {
  describe(`a rebuilt package on ${store}`, () => {
    test('takes over: the old one is unvetted, its contracts are read and used, and so it stays after a restart', async () => {
      await using ledger = await startTestLedger({ store })
      const { node } = ledger
      const { contractId: old } = await ledger.submit([ledger.createIou()])
      for (const path of ['/v2/dars', '/v2/packages']) {
        assert.equal((await upload(node, rebuilt.bytes, path)).json.code, 'KNOWN_PACKAGE_VERSION')
      }
      const answer = await upload(node, rebuilt.bytes)
      assert.deepEqual(answer.json, { package: named(rebuilt.id), replaced: [named(quickstart)], outdated: [] })
      assert.deepEqual((await upload(node, rebuilt.bytes)).json, {
        package: named(rebuilt.id),
        replaced: [],
        outdated: [],
      })
      assert.deepEqual(await vetted(node), [[rebuilt.id], [rebuilt.id]])
      await ledger.submit([ledger.createIou()])
      const refused = await ledger.post(
        '/v2/commands/submit-and-wait',
        ledger.commandsOf([ledger.createIou({ amount: '0' })]),
      )
      assert.match(refused.text, /not above 0!/)
      await node.restart()
      assert.deepEqual(await vetted(node), [[rebuilt.id], [rebuilt.id]])
      const held = await active(ledger)
      assert.deepEqual(
        held.map(({ templateId }) => templateId),
        [`${quickstart}:Iou:Iou`, `${rebuilt.id}:Iou:Iou`],
      )
      const { transaction } = await ledger.submit([exercise(iouType, old, 'Iou_Split', { amount: '30' })])
      assert.equal(transaction.events[0].ExercisedEvent.templateId, `${rebuilt.id}:Iou:Iou`)
      assert.deepEqual(
        (await active(ledger)).map(({ packageName, templateId }) => [packageName, templateId]),
        Array(3).fill(['quickstart', `${rebuilt.id}:Iou:Iou`]),
      )
      // Back to the older source.
      assert.equal((await upload(node, quickstartBytes, '/v2/packages')).json.code, 'KNOWN_PACKAGE_VERSION')
      assert.deepEqual((await upload(node, quickstartBytes)).json, {
        package: named(quickstart),
        replaced: [named(rebuilt.id)],
        outdated: [],
      })
      assert.deepEqual(await vetted(node), [[quickstart], [quickstart]])
    })

    test('is checked against the other versions, and not against the one that it replaces', async () => {
      await using node = await startTestNode({ store })
      const fields = { owner: partyType, note: optionalType(textType) }
      const [first, second] = [assetOf('1.0.0', { owner: partyType }), assetOf('1.1.0', fields)]
      for (const one of [first, second]) await upload(node, darWith(one))
      const mistaken = assetOf('1.1.0', { owner: partyType, count: intType })
      const refused = await upload(node, darWith(mistaken))
      assert.deepEqual(refusalOf(refused).slice(0, 2), [400, 'NOT_VALID_UPGRADE_PACKAGE'])
      assert.match(refused.json.cause, new RegExp(`${mistaken.id} .* cannot be an upgrade of ${first.id} `))
      assert.deepEqual((await vetted(node, 'asset'))[0], [first.id, second.id])
      // It does not upgrade the one that it replaces: the note is gone.
      const other = assetOf('1.1.0', { owner: partyType, count: optionalType(intType) })
      assert.deepEqual(
        (await upload(node, darWith(other))).json.replaced.map(({ packageId }: Json) => packageId),
        [second.id],
      )
      assert.deepEqual((await vetted(node, 'asset'))[0], [first.id, other.id])
    })
  })
}

describe('a rebuilt package', () => {
  test('takes a rebuilt dependency along, and names what was built with the old one', async () => {
    await using node = await startTestNode()
    const libraries = [{ owner: partyType }, { owner: partyType, note: textType }].map((record) =>
      writePackage({ name: 'library', version: '1.0.0', modules: { Main: { data: { Asset: { record } } } } }),
    )
    const using = (name: string, library: WrittenPackage) => {
      const asset = { kind: 'constructor', id: testId('Asset', library.id), args: [] } as const
      return writePackage({ name, modules: { Main: { data: { Held: { record: { asset } } } } } })
    }
    const [old, other] = [using('app', libraries[0]!), using('other', libraries[0]!)]
    for (const one of [old, other]) assert.equal((await upload(node, darWith(one, libraries[0]!))).status, 200)
    const renewed = using('app', libraries[1]!)
    const { json } = await upload(node, darWith(renewed, libraries[1]!))
    const ids = (packages: Json[]) => packages.map(({ packageId }) => packageId).sort()
    assert.deepEqual(ids(json.replaced), [old.id, libraries[0]!.id].sort())
    assert.deepEqual(ids(json.outdated), [other.id])
    assert.deepEqual([...(await vetted(node, 'library')), ...(await vetted(node, 'app'))].flat(), [
      ...[libraries[1]!.id, libraries[1]!.id],
      ...[renewed.id, renewed.id],
    ])
  })

  test('takes over on one synchronizer, if that is asked for', async () => {
    await using node = await startTestNode()
    const { json } = await node.call('GET', '/v2/state/connected-synchronizers', { body: {} })
    const [{ synchronizerId }] = json.connectedSynchronizers
    await upload(node, rebuilt.bytes, `/dev/dars?synchronizerId=${synchronizerId}`)
    assert.deepEqual(await vetted(node), [[rebuilt.id], [quickstart]])
  })

  test('is what the description of its name shows', async () => {
    await using node = await startTestNode()
    const described = rebuiltQuickstart('currency', 'coinages')
    for (const { bytes } of [described, rebuilt, described]) {
      await upload(node, bytes)
      const { text } = await node.call('GET', '/docs/openapi?package=quickstart')
      assert.equal(text.includes('coinages'), bytes === described.bytes)
    }
  })

  test('is gone when the ledger returns to a snapshot from before', async () => {
    await using node = await startTestNode()
    await node.call('POST', '/dev/snapshots', { body: { name: 'before' } })
    await upload(node, rebuilt.bytes)
    await node.call('POST', '/dev/snapshots/before/restore')
    assert.deepEqual(await vetted(node), [[quickstart], [quickstart]])
    assert.deepEqual((await upload(node, rebuilt.bytes)).json.replaced, [named(quickstart)])
  })

  test('is taken from administrators of development nodes only', async () => {
    await using ledger = await startTestLedger()
    assert.equal((await ledger.post('/dev/dars', rebuilt.bytes)).status, 403)
    assert.equal((await upload(ledger.node, Buffer.from('hello'))).json.code, 'INVALID_DAR')
    const keys = [{ type: 'hs256' as const, secret: 'x'.repeat(32) }]
    await using other = await startTestNode({ settings: { development: false, auth: { keys } } })
    assert.equal((await upload(other, rebuilt.bytes)).status, 404)
  })
})

function assetOf(version: string, fields: Readonly<Record<string, typeof intType>>): WrittenPackage {
  const Main = { data: { Asset: { record: fields } }, templates: { Asset: { choices: { Use: unitType } } } }
  return writePackage({ name: 'asset', version, modules: { Main } })
}
