import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { testSettings } from '../../../test/fixtures/node.ts'
import { sampleArchive, sampleDar } from '../../../test/support/lf/sample-package.ts'
import { wallClock } from '../../base/clock.ts'
import { createSeededRandom } from '../../base/random.ts'
import { decodeArchive } from '../../lf/archive/archive.ts'
import type { Package } from '../../lf/syntax/ast.ts'
import type { PackageRecord, VettedPackage } from '../../store/core/administration-records.ts'
import { createStore } from '../../store/records/create-store.ts'
import { migrate } from '../../store/schema/migrate.ts'
import { openSqliteInMemory } from '../../store/sqlite/sqlite.ts'
import { createWallTime } from '../model/ledger-time.ts'
import { loadSynchronizers } from '../model/synchronizers.ts'
import type { Contents } from './known-packages.ts'
import { contentsOf, createPackageState } from './known-packages.ts'
import { createPackageContents } from './package-contents.ts'
import { createPackages } from './packages.ts'
import { createUpgradeChecks } from './upgrade-checks.ts'

const sample = decodeArchive(sampleArchive(1, undefined, undefined, false)).package

const api: Contents = { interfaces: ['Api:Holding'], templates: {} }
const iou = (...implemented: string[]): Contents => ({ interfaces: [], templates: { 'Main:Iou': implemented } })
const holding = 'api:Api:Holding'

/** Packages with their contents; undefined for one stored without. */
type Row = [id: string, name: string, version: string, contents: Contents | undefined]

async function openContents(rows: readonly Row[]) {
  const database = openSqliteInMemory()
  await migrate(database)
  const store = createStore(database)
  const synchronizers = await loadSynchronizers(
    store,
    createSeededRandom('contents'),
    testSettings({ synchronizers: [{ alias: 'global', priority: 0 }] }),
  )
  const state = createPackageState(store)
  const decoded: string[] = []
  const decode = async (id: string): Promise<Package> => {
    decoded.push(id)
    return sample
  }
  const upload = ([id, name, version, contents]: Row) =>
    state.change(async (records) => {
      const record = recordOf(id, name, version)
      await records.packages.insert(record, new Uint8Array())
      if (contents === undefined) return { result: undefined, change: {} }
      await records.packages.putContents(new Map([[id, JSON.stringify(contents)]]))
      return { result: undefined, change: { added: [{ record, contents }] } }
    })
  const vet = (vetted: readonly VettedPackage[], unvetted: readonly string[] = []) =>
    state.change(async (records) => {
      const vetting = { synchronizer: 1n, serial: 1, vetted, unvetted }
      await records.vetting.change(vetting)
      return { result: undefined, change: { vettings: [vetting] } }
    })
  for (const row of rows) await upload(row)
  const open = () => createPackageContents({ store, state, synchronizers, participantId: 'node::1220ab', decode })
  return {
    open,
    upload,
    vet,
    decoded,
    store,
    state,
    synchronizers,
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

function recordOf(id: string, name: string, version: string): PackageRecord {
  return { id, name, version, languageVersion: '2.1', isUpgradable: true, size: 0, uploadedAtMs: 0 }
}

const always = (packageId: string): VettedPackage => ({ packageId, validFrom: undefined, validUntil: undefined })

const rows: Row[] = [
  ['v1', 'iou', '1.0.0', iou()],
  ['v2', 'iou', '2.0.0', iou(holding)],
  ['v10', 'iou', '10.0.0', iou(holding)],
  ['api', 'api', '1.0.0', api],
]

describe('the contents of packages', () => {
  test('are the templates, interfaces and choices of a package, and which template implements which interface', () => {
    assert.deepEqual(contentsOf(sample), {
      interfaces: ['Main:Holding'],
      templates: { 'Main:Iou': [`${sample.id}:Main:Holding`] },
      choices: { 'Main:Holding': ['Lock'], 'Main:Iou': ['Transfer'] },
    })
  })

  test('are found by name', async () => {
    await using parts = await openContents(rows)
    const contents = await parts.open().load()
    assert.deepEqual(['iou', 'api', 'no'].map(contents.hasPackage), [true, true, false])
    assert.deepEqual(['#iou:Main:Iou', '#api:Api:Holding', '#no:Main:Iou'].map(contents.hasTemplate), [
      true,
      false,
      false,
    ])
    assert.deepEqual(['#api:Api:Holding', '#iou:Main:Iou'].map(contents.hasInterface), [true, false])
    assert.deepEqual(contents.implementersOf('#api:Api:Holding'), ['#iou:Main:Iou'])
    assert.deepEqual(contents.implementersOf('#iou:Main:Iou'), [])
  })

  test('name the highest version that implements an interface and is vetted without end', async () => {
    await using parts = await openContents(rows)
    const contents = await parts.open().load()
    const version = () => contents.implementation('#iou:Main:Iou', '#api:Api:Holding')?.templateId
    assert.equal(version(), undefined)
    await parts.vet([always('v1')])
    assert.equal(version(), undefined)
    await parts.vet([always('v2')])
    assert.deepEqual(contents.implementation('#iou:Main:Iou', '#api:Api:Holding'), {
      interfaceId: holding,
      templateId: 'v2:Main:Iou',
    })
    await parts.vet([always('v10')])
    assert.equal(version(), 'v10:Main:Iou')
    await parts.vet([{ ...always('v10'), validUntil: 9n }])
    assert.equal(version(), 'v2:Main:Iou')
    await parts.vet([], ['v2'])
    assert.equal(version(), undefined)
    assert.equal(contents.implementation('#iou:Main:Iou', '#no:Api:Holding'), undefined)
    assert.equal(contents.implementation('#no:Main:constructor', '#api:Api:Holding'), undefined)
  })

  test('say why no version that implements an interface can be used', async () => {
    await using parts = await openContents(rows)
    const contents = await parts.open().load()
    const { id } = parts.synchronizers.list()[0]!
    const shown = `${id.replace(/(1220[0-9a-f]{8})[0-9a-f]*/, '$1...')}::35-0`
    const expectReason = (reason: string) => {
      const found = contents.implementation('#iou:Main:Iou', '#api:Api:Holding')
      assert.ok(found !== undefined && found.templateId === undefined)
      assert.deepEqual(
        [found.interfaceId, found.problem.code, found.problem.message],
        [
          holding,
          'NO_VETTED_INTERFACE_IMPLEMENTATION_PACKAGE',
          "No vetted package for rendering the interface view for package-name 'iou'. Reason: No synchronizer satisfies " +
            `the vetting requirements. Discarded synchronizers: List((${shown},${reason}))`,
        ],
      )
    }
    expectReason(
      "No package with package-name 'iou' is consistently vetted by all hosting participants of party node::1220ab.",
    )
    await parts.vet([always('v1')])
    expectReason(
      "No vetted package candidate satisfies the package-id filter 'Package-ids with interface instances for the " +
        "requested interface'=iou -> Set(v2, v10).\nCandidates: v1",
    )
  })

  test('follow uploads', async () => {
    await using parts = await openContents(rows)
    const contents = await parts.open().load()
    await parts.upload(['more', 'more', '1.0.0', { interfaces: ['M:I'], templates: { 'M:T': [holding, 'more:M:I'] } }])
    assert.deepEqual([contents.hasTemplate('#more:M:T'), contents.hasInterface('#more:M:I')], [true, true])
    assert.deepEqual(contents.implementersOf('#api:Api:Holding'), ['#iou:Main:Iou', '#more:M:T'])
    assert.deepEqual(contents.implementersOf('#more:M:I'), ['#more:M:T'])
  })

  test('are stored at upload, so that nothing is read again', async () => {
    await using parts = await openContents([])
    const { store, state, synchronizers } = parts
    const upgrades = createUpgradeChecks({ store, state })
    const packages = createPackages({
      store,
      state,
      synchronizers,
      clock: wallClock,
      time: createWallTime(wallClock, 0n),
      upgrades,
    })
    await packages.upload({ bytes: sampleDar(1), synchronizerId: '', vetAllPackages: true })
    const contents = await parts.open().load()
    assert.deepEqual(parts.decoded, [])
    assert.deepEqual(contents.implementation('#test-package:Main:Iou', '#test-package:Main:Holding'), {
      interfaceId: `${sample.id}:Main:Holding`,
      templateId: `${sample.id}:Main:Iou`,
    })
  })

  test('that were not stored are read from the package, once', async () => {
    await using parts = await openContents([['old', 'old', '1.0.0', undefined], ...rows])
    for (let start = 0; start < 2; start++) {
      const contents = await parts.open().load()
      assert.ok(contents.hasTemplate('#old:Main:Iou'))
      assert.deepEqual(parts.decoded, ['old'])
    }
  })
})
