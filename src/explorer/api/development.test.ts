import assert from 'node:assert/strict'
import { test } from 'node:test'
import { effectOf, type FaultOrder, targetOf } from './development.ts'

test('faults in words', () => {
  const table: [FaultOrder, string, string][] = [
    [{ fail: { code: 'CONTRACT_NOT_FOUND' } }, 'refuses with CONTRACT_NOT_FOUND', 'each submission, once'],
    [{ fail: null, delayMs: 50, times: 0 }, 'delays by 50 ms', 'each submission, until cancelled'],
    [{ loseAnswer: true, every: 3 }, 'commits and loses the answer', 'each 3. submission, once'],
    [
      { endStreams: true, times: 2, match: { userId: 'app', commandId: '' } },
      'ends all open streams',
      'each submission of user app, 2 times',
    ],
  ]
  for (const [order, effect, target] of table) assert.deepEqual([effectOf(order), targetOf(order)], [effect, target])
})
