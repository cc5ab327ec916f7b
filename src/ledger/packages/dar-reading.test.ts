// A DAR read in its own thread gives the same result as one read in place.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { darOf, enlargedDar } from '../../../test/support/lf/package-writer.ts'
import { sampleDar } from '../../../test/support/lf/sample-package.ts'
import { createSeededRandom } from '../../base/random.ts'
import { createPackageChecker } from '../../lf/checking/check-package.ts'
import { type OpenPackage, openDar } from '../../lf/dar/dar.ts'
import { describeAndCheck, readDar } from './dar-reading.ts'
import { createDecodedPackages } from './decoded-packages.ts'
import type { KnownPackage, ReadDar, ReadingParts } from './package-tasks.ts'
import { readDarAside } from './reading-aside.ts'

const root = new URL('../../../', import.meta.url)
const small = sampleDar(1)
const large = enlargedDar(small)

function shown(dar: ReadDar) {
  return dar.map((one) => ('bytes' in one ? { ...one, bytes: Buffer.from(one.bytes).toString('hex') } : one))
}

const knowing = (...known: KnownPackage[]): ReadingParts => ({
  fileName: 'a.dar',
  knownAmong: async () => known,
  createChecker: createPackageChecker,
})

test('a DAR of any size has the same packages in a thread as in place', async () => {
  assert.ok(large.length > 400_000)
  const want = shown(await readDar(small, knowing()))
  for (const dar of [small, large]) assert.deepEqual(shown(await readDarAside(dar, knowing())), want)
})

for (const file of globSync(['packages/*/*.dar', 'test/lf/*.dar'], { cwd: root })) {
  test(`${file} is described before its check as after it`, async () => {
    const bytes = readFileSync(new URL(file, root))
    const described: ReadDar[] = []
    await describeAndCheck(bytes, knowing(), (dar) => described.push(dar))
    assert.deepEqual(described.map(shown), [shown(await readDar(bytes, knowing()))])
  })
}

test('a large file that is not a DAR is refused like a small one', async () => {
  const random = createSeededRandom('no DAR')
  for (const bytes of [random.bytes(300_000), random.bytes(300)]) {
    await assert.rejects(readDarAside(bytes, knowing()), { code: 'INVALID_DAR', message: 'Dar file is corrupt' })
  }
})

test('several DARs are read at once', async () => {
  const read = await Promise.all([1, 2, 3].map(() => readDarAside(large, knowing())))
  assert.equal(new Set(read.map((dar) => JSON.stringify(shown(dar)))).size, 1)
})

test('a thread that is free reads what it read before, as an upload and as a known package', async () => {
  const want = shown(await readDar(small, knowing()))
  for (let i = 0; i < 3; i += 1) assert.deepEqual(shown(await readDarAside(large, knowing())), want)
  const known = want.map((one): KnownPackage => {
    assert.ok('bytes' in one)
    return { id: one.id, languageVersion: one.languageVersion, dependencies: one.contents.dependencies }
  })
  const ids = known.map(({ id }) => ({ knownId: id }))
  assert.deepEqual(await readDarAside(large, knowing(...known)), ids)
})

test('a package that was checked is not checked again, and still needs what it depends on', async () => {
  const bytes = readFileSync(new URL('../../../test/lf/scripts-lf23.dar', import.meta.url))
  const [main, ...others] = openDar(bytes).packages
  const dalfs = (all: readonly OpenPackage[]) => Object.fromEntries(all.map((one) => [`${one.id}.dalf`, one.bytes]))
  const incomplete = darOf(dalfs([main!, ...others.slice(1)]))
  const refusalOf = (dar: Uint8Array, parts: ReadingParts) =>
    readDar(dar, parts).then(
      () => 'it was taken',
      ({ message }: Error) => message,
    )
  let checks = 0
  const decoded = createDecodedPackages(2 ** 25)
  const createChecker: ReadingParts['createChecker'] = (find) => {
    const checker = createPackageChecker(find)
    return {
      ...checker,
      check(one) {
        checks += 1
        return checker.check(one)
      },
    }
  }
  const remembering = { ...knowing(), decoded, createChecker }
  const first = shown(await readDar(bytes, remembering))
  const checked = checks
  assert.ok(checked > 0)
  assert.deepEqual(shown(await readDar(bytes, remembering)), first)
  assert.equal(checks, checked)
  assert.equal(await refusalOf(incomplete, remembering), await refusalOf(incomplete, knowing()))
})

test('readings that fail halfway leave threads for others', async () => {
  const failing = { fileName: 'a.dar', knownAmong: () => Promise.reject(new Error('no database')) }
  for (let i = 0; i < 3; i += 1) await assert.rejects(readDarAside(large, failing), { message: 'no database' })
  assert.equal((await readDarAside(large, knowing())).length, (await readDar(small, knowing())).length)
})

test('the package of a first start, which is not checked then, is well typed', async () => {
  const quickstart = readFileSync(new URL('../../../packages/quickstart/quickstart.dar', import.meta.url))
  assert.equal((await readDarAside(quickstart, knowing())).length, 2)
})
