import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doubledTypePackage } from '../../../test/support/lf/doubled-type-package.ts'
import { invalidPackages } from '../../../test/support/lf/invalid-packages.ts'
import { decodeArchive } from '../archive/archive.ts'
import type { DecodedPackage } from '../archive/package.ts'
import { createPackageChecker, type PackageChecker } from './check-package.ts'

const packages = invalidPackages().map(({ name, archive }) => ({ name, decoded: decodeArchive(archive) }))
const byId = new Map(packages.map(({ decoded }) => [decoded.package.id, decoded.package]))
const newChecker = (): PackageChecker => createPackageChecker((id) => byId.get(id))
const alone = new Map(packages.map(({ name, decoded }) => [name, verdict(newChecker(), decoded)]))

for (const [order, listed] of [
  ['in order', packages],
  ['in reverse', packages.toReversed()],
] as const) {
  test(`a package that is invalid leaves nothing behind for the next, ${order}`, () => {
    const checker = newChecker()
    for (const { name, decoded } of listed) {
      const found = verdict(checker, decoded)
      assert.equal(found, alone.get(name), name)
      assert.notEqual(found, 'ok', name)
      assert.equal(verdict(checker, decoded), found, `${name}, once more`)
    }
  })
}

test('types that share their parts are checked once for each part, not as often as they unfold', () => {
  const decoded = decodeArchive(doubledTypePackage('doubled', 10_000))
  const before = process.threadCpuUsage()
  newChecker().check(decoded)
  const { user } = process.threadCpuUsage(before)
  // 10,000 fields of 2^15 parts take five seconds one by one, and 50 ms otherwise.
  assert.ok(user < 1_500_000, `${user} µs`)
})

function verdict(checker: PackageChecker, decoded: DecodedPackage): string {
  try {
    checker.check(decoded)
    return 'ok'
  } catch (error) {
    return (error as Error).message
  }
}
