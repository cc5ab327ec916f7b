import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DecodedPackage } from '../../lf/archive/package.ts'
import { createDecodedPackages } from './decoded-packages.ts'

const decoded = {} as DecodedPackage

test('the package that was not used for the longest time goes first', () => {
  const packages = createDecodedPackages(100)
  for (const id of ['a', 'b', 'c']) packages.add(id, decoded, 30)
  packages.get('a')
  packages.add('d', decoded, 30)
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((id) => packages.get(id) !== undefined),
    [true, false, true, true],
  )
})

test('a package that is added again counts once, and one that is too large is not kept', () => {
  const packages = createDecodedPackages(100)
  for (let i = 0; i < 5; i += 1) packages.add('a', decoded, 60)
  packages.add('b', decoded, 40)
  assert.ok(packages.get('a') && packages.get('b'))
  packages.add('c', decoded, 101)
  assert.equal(packages.get('c'), undefined)
})
