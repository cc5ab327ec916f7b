import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createPackageChecker } from '../../lf/checking/check-package.ts'
import { readDar } from './dar-reading.ts'
import { readOwnDar } from './own-dar.ts'

test('our own packages are described as reading and checking them does', async () => {
  const bytes = readFileSync('packages/quickstart/quickstart.dar')
  const parts = { fileName: 'quickstart.dar', knownAmong: async () => [], createChecker: createPackageChecker }
  const read = await readDar(bytes, parts)
  assert.deepEqual(plain(readOwnDar(bytes)!), plain(read))
})

test('other packages are not our own', () => {
  assert.equal(readOwnDar(readFileSync('test/lf/keys-lf23.dar')), undefined)
})

function plain(dar: NonNullable<ReturnType<typeof readOwnDar>>): unknown {
  return dar.map((one) => ('bytes' in one ? { ...one, bytes: [...one.bytes] } : one))
}
