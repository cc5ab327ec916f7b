import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { openMemoryStore } from '../../../test/fixtures/stores.ts'
import { decodeDar } from '../../lf/dar/dar.ts'
import type { PackageRecord } from '../../store/core/administration-records.ts'
import { contentsOf, createPackageState } from './known-packages.ts'
import { createNameIndex } from './name-index.ts'

const quickstart = new URL('../../../packages/quickstart/quickstart.dar', import.meta.url)

async function withPackage(isMain: boolean, withoutChoices = false) {
  const { main } = decodeDar(readFileSync(quickstart))
  const { id, name, version, languageVersion } = main.package
  const store = await openMemoryStore()
  const record: PackageRecord = {
    ...{ id, name, version, languageVersion, isUpgradable: true, size: 1, uploadedAtMs: 0 },
  } as PackageRecord
  await store.packages.insert(record, new Uint8Array())
  const { choices, ...contents } = contentsOf(main.package)
  const stored = { ...contents, dependencies: ['kept'], ...(!withoutChoices && { choices }) }
  await store.packages.putContents(new Map([[id, JSON.stringify(stored)]]))
  if (isMain) await store.dars.put({ hash: 'h', mainPackageId: id, isVetted: true })
  const state = createPackageState(store)
  let decoded = 0
  const names = createNameIndex({
    store,
    state,
    newest: async (of) => (await state.load()).named(of).at(-1),
    decode: async () => {
      decoded += 1
      return main.package
    },
  })
  return { names, store, id, decoded: () => decoded }
}

describe('the index of names', () => {
  test('has the templates, interfaces and choices of the newest version', async () => {
    const { names, id, decoded } = await withPackage(true)
    const { packages } = JSON.parse(String((await names()).json))
    assert.equal(packages.length, 1)
    const [{ packageId, name, isLibrary, templates, interfaces }] = packages
    assert.deepEqual([packageId, name, isLibrary], [id, 'quickstart', false])
    assert.deepEqual(templates['Iou:IouProposal'], ['IouProposal_Accept', 'IouProposal_Reject'])
    assert.deepEqual(interfaces, { 'Holding:Holding': ['Holding_Redeem'] })
    assert.equal(decoded(), 0)
  })

  test('is the same until packages change', async () => {
    const { names, store, id } = await withPackage(false)
    const first = await names()
    assert.equal(await names(), first)
    assert.equal(JSON.parse(String(first.json)).packages[0].isLibrary, true)
    await store.dars.put({ hash: 'h', mainPackageId: id, isVetted: true })
    assert.notEqual((await names()).etag, first.etag)
  })

  test('decodes a package of an older ledger once, and keeps the choices', async () => {
    const { names, store, id, decoded } = await withPackage(true, true)
    const { packages } = JSON.parse(String((await names()).json))
    assert.ok(packages[0].templates['Iou:Iou'].includes('Iou_Split'))
    assert.equal(decoded(), 1)
    const stored = JSON.parse((await store.packages.contents()).get(id)!)
    assert.ok(stored.choices['Iou:Iou'].includes('Iou_Split'))
    assert.deepEqual(stored.dependencies, ['kept'])
  })
})
