import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { testSettings } from '../../../test/fixtures/node.ts'
import { isStoreUnavailable, storeUnavailable } from '../../base/errors.ts'
import { uploadDars } from './first-packages.ts'
import type { Packages } from './packages.ts'

const quickstart = fileURLToPath(new URL('../../../packages/quickstart/quickstart.dar', import.meta.url))

test('a database that is away while the first packages are uploaded is no problem of their files', async () => {
  const upload = async () => {
    throw storeUnavailable('it is away')
  }
  const settings = testSettings({ development: false, dars: [quickstart] })
  // Who starts the node tries again then.
  await assert.rejects(uploadDars(settings, { upload } as unknown as Packages), isStoreUnavailable)
})
