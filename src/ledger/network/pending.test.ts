// Commands that wait in a line which several processes empty: a place may be taken again before its first command is known
// to be published.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '../../base/clock.ts'
import { createLog } from '../../base/log.ts'
import type { Store } from '../../store/core/store.ts'
import type { Decision } from '../commit/commit-item.ts'
import type { Held } from '../commit/other-participants.ts'
import type { Member } from './member.ts'
import { createPending } from './pending.ts'

const synchronizer = { number: 1n, id: 'global::1220' }

function heldAt(number: bigint, recordTime: bigint): Held {
  const updateId = `update ${recordTime}`
  const item = { kind: 'transaction', userId: 'u', commandId: updateId, actAs: [], synchronizer, traceContext: null }
  const decision = { kind: 'accepted', offset: 1n, updateId, deduplicationOffset: undefined }
  const decided = { kind: 'transaction', item, recordTime, decision }
  return { item, number, since: 0n, decided, missing: [], places: new Map() } as unknown as Held
}

test('each of two commands in the same place is answered with its own offset', async () => {
  const pending = createPending(
    {} as Member,
    () => [],
    { ownPart: () => assert.fail(), partFor: () => assert.fail() },
    { store: {} as Store, clock: createTestClock(0), log: createLog('silent'), limits: { confirmationMs: 1000 } },
  )
  const [first, second] = [Promise.withResolvers<Decision>(), Promise.withResolvers<Decision>()]
  pending.follow(heldAt(1n, 100n), first)
  pending.follow(heldAt(1n, 200n), second) // Another process has published the first.
  pending.settle({ synchronizer: 1n, recordTime: 200n }, 8n)
  pending.settle({ synchronizer: 1n, recordTime: 100n }, 7n)
  const shown = ({ offset, ...decision }: Decision) => [offset, 'updateId' in decision && decision.updateId]
  assert.deepEqual(shown(await first.promise), [7n, 'update 100'])
  assert.deepEqual(shown(await second.promise), [8n, 'update 200'])
})
