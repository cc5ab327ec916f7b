import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTurns } from './turns.ts'

test('one task has a turn at a time, and owners alternate', async () => {
  const turns = createTurns()
  const taken: string[] = []
  let turn = 0
  const count = () => {
    turn += 1
    if (taken.length < 6) setImmediate(count)
  }
  setImmediate(count)
  const all = ['a', 'a', 'a', 'a', 'b', 'c'].map(async (owner, index) => {
    await turns.next(owner)
    taken.push(`${owner}${index}`)
    return turn
  })
  const when = await Promise.all(all)
  assert.deepEqual(taken, ['a0', 'b4', 'c5', 'a1', 'a2', 'a3'])
  assert.equal(new Set(when).size, 6)
})
