import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testSettings } from '../../../test/fixtures/node.ts'
import { createTestClock } from '../../base/clock.ts'
import type { Store } from '../../store/core/store.ts'
import { createUsers } from './users.ts'

test('a page has at most a thousand users, whatever its request says', async () => {
  const limits: number[] = []
  const list = async (_: string, { limit }: { limit: number }) => {
    limits.push(limit)
    return { records: [], isCut: false }
  }
  const users = createUsers({ users: { list } } as unknown as Store, testSettings({}).limits, createTestClock(0))
  for (const pageSize of [0, 1, 1000, 1001, 2 ** 31 - 1]) await users.list('', { pageSize, pageToken: '' })
  assert.deepEqual(limits, [1000, 1, 1000, 1000, 1000])
})
