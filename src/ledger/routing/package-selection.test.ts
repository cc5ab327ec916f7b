import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { testSettings } from '../../../test/fixtures/node.ts'
import { LedgerError } from '../../base/errors.ts'
import { createSeededRandom } from '../../base/random.ts'
import type { PackageRecord, VettedPackage } from '../../store/core/administration-records.ts'
import { createStore } from '../../store/records/create-store.ts'
import { migrate } from '../../store/schema/migrate.ts'
import { openSqliteInMemory } from '../../store/sqlite/sqlite.ts'
import { loadSynchronizers } from '../model/synchronizers.ts'
import { createHostVetting } from '../packages/host-vetting.ts'
import { createPackageState } from '../packages/known-packages.ts'
import { createPackageSelection } from './package-selection.ts'

const [iou1, iou2, iou10, other] = ['1', '2', 'a', 'f'].map((digit) => digit.repeat(64)) as [
  string,
  string,
  string,
  string,
]
const unknown = 'e'.repeat(64)
const alice = `alice::1220${'a'.repeat(64)}`
const shortAlice = 'alice::1220aaaaaaaa...'

const packages: [id: string, name: string, version: string][] = [
  [iou10, 'iou', '1.10.0'],
  [iou1, 'iou', '1.1.0'],
  [other, 'other', '0.0.1'],
  [iou2, 'iou', '1.2.0'],
]

type Bounds = readonly [from: bigint | undefined, until: bigint | undefined]
const always: Bounds = [undefined, undefined]

async function openSelection(vetted: Readonly<Record<string, Bounds>>) {
  const database = openSqliteInMemory()
  await migrate(database)
  const store = createStore(database)
  const synchronizers = await loadSynchronizers(
    store,
    createSeededRandom('selection'),
    testSettings({ synchronizers: [{ alias: 'global', priority: 0 }] }),
  )
  const state = createPackageState(store)
  const participantId = `participant::1220${'b'.repeat(64)}`
  let serial = 0

  const entry = ([packageId, [validFrom, validUntil]]: [string, Bounds]): VettedPackage => {
    return { packageId, validFrom, validUntil }
  }
  const vet = (vetted: Readonly<Record<string, Bounds>>, unvetted: readonly string[] = []) => {
    serial += 1
    const vetting = { synchronizer: 1n, serial, vetted: Object.entries(vetted).map(entry), unvetted }
    return state.change(async (records) => {
      await records.vetting.change(vetting)
      return { result: undefined, change: { vettings: [vetting] } }
    })
  }
  const upload = (id: string, name: string, version: string) =>
    state.change(async (records) => {
      const record = recordOf(id, name, version)
      await records.packages.insert(record, new Uint8Array())
      return { result: undefined, change: { added: [{ record, contents: { interfaces: [], templates: {} } }] } }
    })

  for (const row of packages) await upload(...row)
  await vet(vetted)
  const hosting = {
    of: (party: string) => (party === alice ? synchronizers.all().map(({ number }) => number) : []),
    hosts: () => [],
  }
  const vettings = createHostVetting({ state, participantId, hosting })
  return {
    ...createPackageSelection({ state, synchronizers, participantId, hosting, vettings }),
    vet,
    upload,
    synchronizerId: synchronizers.list()[0]!.id,
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

function recordOf(id: string, name: string, version: string): PackageRecord {
  return { id, name, version, languageVersion: '2.1', isUpgradable: true, size: 0, uploadedAtMs: 0 }
}

const request = { preference: [] as string[], party: alice, synchronizerId: '', now: 100n }
const global = 'global::1220018db744...'

const refused = (code: string, message: string | RegExp) => (error: unknown) => {
  assert.ok(error instanceof LedgerError)
  assert.equal(error.code, code)
  if (typeof message === 'string') assert.equal(error.message, message)
  else assert.match(error.message, message)
  return true
}

const invalid = (reason: string) => `The submitted request has invalid arguments: ${reason}`

describe('a package name', () => {
  const rows: [title: string, vetted: Record<string, Bounds>, preference: string[], want: string][] = [
    ['is its highest version, by number', { [iou1]: always, [iou2]: always, [iou10]: always }, [], iou10],
    ['is its highest vetted version', { [iou1]: always, [iou2]: always }, [], iou2],
    ['is not a version that is not yet valid', { [iou1]: always, [iou2]: [101n, undefined] }, [], iou1],
    ['is a version that begins to be valid now', { [iou1]: always, [iou2]: [100n, undefined] }, [], iou2],
    ['is not a version that is no longer valid', { [iou1]: always, [iou2]: [undefined, 100n] }, [], iou1],
    ['is a version that is still valid', { [iou1]: always, [iou2]: [undefined, 101n] }, [], iou2],
    ['is what the command prefers', { [iou1]: always, [iou2]: always }, [iou1], iou1],
    ['is not affected by a preference for another', { [iou1]: always, [other]: always }, [other], iou1],
  ]
  for (const [title, vetted, preference, want] of rows) {
    test(title, async () => {
      await using selection = await openSelection(vetted)
      const resolved = await selection.resolve(['#iou'], { ...request, preference })
      assert.deepEqual([...resolved], [['#iou', want]])
    })
  }

  test('follows uploads and changes of vetting', async () => {
    await using selection = await openSelection({ [iou1]: always })
    const iou = async () => (await selection.resolve(['#iou'], request)).get('#iou')
    assert.equal(await iou(), iou1)
    await selection.vet({ [iou2]: always })
    assert.equal(await iou(), iou2)
    await selection.vet({}, [iou2])
    assert.equal(await iou(), iou1)
    const newest = 'c'.repeat(64)
    await selection.upload(newest, 'iou', '2.0.0')
    assert.equal(await iou(), iou1)
    await selection.vet({ [newest]: always })
    assert.equal(await iou(), newest)
  })

  const failing: [title: string, references: string[], change: Partial<typeof request>, code: string, text: string][] =
    [
      [
        'is refused when it is unknown, together with all other unknown ones',
        ['#iou', '#no', '#nor'],
        {},
        'PACKAGE_NAMES_NOT_FOUND',
        'The following package names do not match upgradable packages uploaded on this participant: [no, nor].',
      ],
      [
        'is refused when no version is vetted',
        ['#other'],
        {},
        'JSON_API_PACKAGE_SELECTION_FAILED',
        `No synchronizer satisfies the vetting requirements. Discarded synchronizers: List((${global}::35-0,` +
          `No package with package-name 'other' is consistently vetted by all hosting participants of party ${shortAlice}.))`,
      ],
      [
        'is refused when the preferred version is not vetted',
        ['#iou'],
        { preference: [iou2] },
        'JSON_API_PACKAGE_SELECTION_FAILED',
        `No synchronizer satisfies the vetting requirements. Discarded synchronizers: List((${global}::35-0,` +
          "No vetted package candidate satisfies the package-id filter 'Commands.packageIdSelectionPreferences'=" +
          'iou -> 222222222222....\nCandidates: 111111111111...))',
      ],
      [
        'is refused with an unknown preference',
        ['#no'],
        { preference: [unknown] },
        'JSON_API_PACKAGE_SELECTION_FAILED',
        'Package-id eeeeeeeeeeee... not known',
      ],
      [
        'is refused with a malformed preference',
        ['#no'],
        { preference: ['a%'] },
        'INVALID_ARGUMENT',
        invalid('packageIdSelectionPreferences: non expected character 0x25 in Daml-LF Package ID "a%"'),
      ],
      [
        'is refused when it is malformed',
        ['###x'],
        {},
        'INVALID_ARGUMENT',
        invalid(
          'Value does not match the package-id or package-name formats: ' +
            'non expected character 0x23 in Daml-LF Package Name "##x"',
        ),
      ],
      [
        'is refused for an unknown party, after unknown names',
        ['#iou'],
        { party: 'bob::1220' },
        'UNKNOWN_INFORMEES',
        'The participant is not connected to any synchronizer where the given informees are known.',
      ],
      [
        'is refused on an unknown synchronizer, before an unknown party',
        ['#iou'],
        { party: 'bob::1220', synchronizerId: 'sync::1220' },
        'INVALID_PRESCRIBED_SYNCHRONIZER_ID',
        'Cannot submit transaction to prescribed synchronizer `sync::1220` because: cannot resolve to physical ' +
          'synchronizer; ensure the node is connected to sync::1220',
      ],
      [
        'is refused on a malformed synchronizer id, before unknown names',
        ['#no'],
        { synchronizerId: 'x' },
        'INVALID_FIELD',
        'The submitted command has a field with invalid value: Invalid field synchronizer_id: ' +
          'Invalid unique identifier `x` with missing namespace.',
      ],
    ]
  for (const [title, references, change, code, text] of failing) {
    test(title, async () => {
      await using selection = await openSelection({ [iou1]: always })
      await assert.rejects(selection.resolve(references, { ...request, ...change }), refused(code, text))
    })
  }
})

test('a package id stands for itself, known or not, vetted or not', async () => {
  await using selection = await openSelection({})
  const references = [other, unknown]
  const resolved = await selection.resolve(references, { ...request, preference: [unknown], party: 'bob' })
  assert.deepEqual(
    [...resolved],
    [
      [other, other],
      [unknown, unknown],
    ],
  )
})

describe('preferences', () => {
  test('are the highest vetted version of each name', async () => {
    await using selection = await openSelection({ [iou2]: always, [iou10]: [200n, 300n], [other]: always })
    const at = async (now: bigint) => (await selection.preferences(now)).byName
    assert.deepEqual(await at(100n), { iou: iou2, other })
    assert.deepEqual(await at(200n), { iou: iou10, other })
    assert.deepEqual(await at(300n), { iou: iou2, other })
  })

  test('get a new version number when they, packages or vetting change, and only then', async () => {
    await using selection = await openSelection({ [iou2]: always, [iou10]: [200n, 300n] })
    const versions = []
    for (const now of [100n, 150n, 199n, 200n, 299n, 300n]) versions.push((await selection.preferences(now)).version)
    assert.deepEqual(versions, [1, 1, 1, 2, 2, 3])
    await selection.vet({ [iou1]: always })
    assert.equal((await selection.preferences(301n)).version, 4)
    await selection.vet({}, [iou2])
    const { version, byName } = await selection.preferences(301n)
    assert.deepEqual([version, byName], [5, { iou: iou1 }])
  })

  test('are the same object until they change', async () => {
    await using selection = await openSelection({ [iou2]: always })
    assert.equal(await selection.preferences(1n), await selection.preferences(2n))
  })
})

describe('the packages that a transaction needs', () => {
  const problemsOf = async (vetted: Readonly<Record<string, Bounds>>, needed: readonly string[]) => {
    await using selection = await openSelection(vetted)
    const found = await selection.vettingProblems({ packages: needed }, selection.candidates(''), 100n)
    return [...found.values()].flatMap(({ problem }) => problem ?? [])
  }

  test('pass when all are vetted', async () => {
    assert.deepEqual(await problemsOf({ [iou1]: always, [other]: [100n, 101n] }, [iou1, other]), [])
  })

  test('are listed when they are not vetted', async () => {
    const reason =
      `Some packages are not known to all informees on synchronizer ${global}::35-0\n` +
      'Participant PAR::participant::1220bbbbbbbb... has not vetted 222222222222...\n' +
      'Participant PAR::participant::1220bbbbbbbb... has not vetted ffffffffffff...'
    assert.deepEqual(await problemsOf({ [iou1]: always, [other]: [undefined, 100n] }, [iou1, iou2, other]), [reason])
  })

  test('are listed when nothing was ever vetted', async () => {
    assert.match((await problemsOf({}, [iou1]))[0]!, /has not vetted/)
  })
})

describe('a preference', () => {
  test('names one package of each name', async () => {
    await using selection = await openSelection({})
    const preferred = await selection.checkPreference([iou1, other])
    assert.deepEqual(Object.fromEntries(preferred), { iou: iou1, other })
  })

  const rows: [title: string, preference: string[], text: string][] = [
    [
      'is refused when it is malformed',
      [''],
      'package_id_selection_preference parsing failed with `Daml-LF Package ID is empty`. ' +
        'The package_id_selection_preference field must contain non-empty and valid package ids',
    ],
    ['is refused when it is unknown', [unknown], `user-specified pkg id (${unknown}) could not be found`],
    ['is refused with a duplicate name', [iou1, iou2], `duplicate preference for package-name iou: ${iou1} vs ${iou2}`],
    [
      'is refused with the same package twice',
      [iou1, iou1],
      `duplicate preference for package-name iou: ${iou1} vs ${iou1}`,
    ],
    [
      'is refused as unknown before it is refused as a duplicate',
      [iou1, iou1, unknown],
      `user-specified pkg id (${unknown}) could not be found`,
    ],
  ]
  for (const [title, preference, text] of rows) {
    test(title, async () => {
      await using selection = await openSelection({})
      await assert.rejects(selection.checkPreference(preference), refused('INVALID_ARGUMENT', invalid(text)))
    })
  }
})
