// Library packages are taken as they are where they have what they refer to, and are checked everywhere else.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { stablePackages } from '../archive/stable-packages.ts'
import { openDar } from '../dar/dar.ts'
import { checkDar } from './check-dar.ts'
import { createPackageChecker } from './check-package.ts'
import { libraryPackages, referredByLibrary } from './library-packages.ts'

const dar = openDar(readFileSync(new URL('../../../test/lf/scripts-lf23.dar', import.meta.url)))

/** What was checked, what was found, and what each package refers to. */
function checkWith(libraries: (id: string) => ReadonlySet<string> | undefined) {
  const referred = new Map<string, ReadonlySet<string>>()
  const { packages, problems } = checkDar(dar, {
    isTrusted: () => false,
    libraries,
    createChecker(find) {
      const checker = createPackageChecker(find)
      return {
        ...checker,
        check(one) {
          referred.set(one.package.id, checker.check(one))
          return referred.get(one.package.id)!
        },
      }
    },
  })
  return {
    referred,
    found: packages.map(({ package: { id, name }, dependencies }) => ({ id, name, dependencies })),
    problems,
  }
}

test('a library package is not checked, and its dependencies are known', () => {
  const all = checkWith(() => undefined)
  assert.deepEqual(all.problems, [])
  const [mainId] = [dar.packages[0]!.id]
  const some = checkWith((id) => (id === mainId ? undefined : all.referred.get(id)))
  assert.deepEqual([...some.referred.keys()], [mainId])
  assert.deepEqual(some.found, all.found)
  assert.deepEqual(some.problems, [])
})

test('a library package without one that it refers to is checked', () => {
  const all = checkWith(() => undefined)
  const missing = new Set(['0'.repeat(64)])
  assert.deepEqual([...checkWith(() => missing).referred.keys()], [...all.referred.keys()])
})

test('the table of library packages refers to packages that there are', () => {
  const known = new Set([...libraryPackages.map(({ id }) => id), ...stablePackages.keys()])
  for (const { id, what, libraries, stable } of libraryPackages) {
    const referred = referredByLibrary(id)!
    assert.equal(referred.size, libraries.length + stable.split(' ').length, what)
    assert.ok(referred.isSubsetOf(known), what)
  }
})
