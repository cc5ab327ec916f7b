import assert from 'node:assert/strict'
import { test } from 'node:test'
import { comparePackageVersions, isPackageVersion } from './names.ts'

const versions: readonly (readonly [text: string, isValid: boolean])[] = [
  ['0', true],
  ['1.0.0', true],
  ['3.3.0.20250502.13767.0', true],
  ['2147483647', true],
  ['2147483648', false],
  ['', false],
  ['1.', false],
  ['01', false],
  ['1.0-rc1', false],
  [`1${'.1'.repeat(127)}`, true],
  [`1${'.1'.repeat(128)}`, false],
]

for (const [text, isValid] of versions) {
  test(`${JSON.stringify(text.slice(0, 40))} is ${isValid ? '' : 'not '}a package version`, () => {
    assert.equal(isPackageVersion(text), isValid)
  })
}

test('versions are ordered as numbers, segment by segment', () => {
  const ordered = ['0.9', '1', '1.0', '1.2', '1.10', '2']
  assert.deepEqual(ordered.toReversed().sort(comparePackageVersions), ordered)
})
