import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setOrder } from './scala-order.ts'

test('a small set keeps its order, without duplicates', () => {
  assert.deepEqual(setOrder(['d', 'c', 'd', 'b', 'a']), ['d', 'c', 'b', 'a'])
})

// As Canton 3.5 lists them: in the refusal of a command, and in the context of one.
const seen = [
  ['observers', 'issuer', 'amount', 'currency', 'owner'],
  ['readAs', 'deduplicationPeriod', 'submittedAt', 'submissionId', 'actAs', 'commandId', 'userId', 'workflowId'],
]
for (const names of seen) {
  test(`a larger set has the order of its hashes: ${names.join(', ')}`, () => {
    assert.deepEqual(setOrder(names.toSorted()), names)
  })
}
