import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Snapshot } from '../../store/core/store.ts'
import { createSnapshots, type SnapshotKeeper } from './snapshots.ts'

test('a snapshot from elsewhere is kept before it is disposed of, however long the list of the others takes', async () => {
  const events: string[] = []
  const kept: Snapshot[] = []
  const none = async () => {
    throw new Error('not used here')
  }
  const keeper: SnapshotKeeper = {
    async list() {
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
      return kept
    },
    ...{ take: none, delete: none, restore: none, read: none },
    receive: async () => ({
      async keep(name) {
        events.push('kept')
        kept.push({ name, takenAtMs: 0, bytes: 0, offset: 0n })
      },
      async [Symbol.asyncDispose]() {
        events.push('disposed')
      },
    }),
  }
  const added = await createSnapshots(keeper).add('theirs', (async function* () {})())
  assert.equal(added.name, 'theirs')
  assert.deepEqual(events, ['kept', 'disposed'])
})
