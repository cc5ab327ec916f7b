import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from './clock.ts'
import { createSecondLook, paceMs, reconsidered } from './second-look.ts'

function lookingAt(database: { version: number }) {
  const clock = createTestClock(0)
  const memory = { version: 0, looks: 0 }
  const secondLook = createSecondLook(
    {
      changes: () => memory.version,
      async look() {
        memory.looks += 1
        memory.version = database.version
      },
    },
    clock,
  )
  const refusedBefore = (version: number) => async () => {
    if (memory.version < version) throw new Error(`refused at ${memory.version}`)
    return 'done'
  }
  const always = () => true
  return { clock, memory, secondLook, refusedBefore, always }
}

test('what is refused on outdated memory is done after a look', async () => {
  const { secondLook, memory, refusedBefore, always } = lookingAt({ version: 1 })
  assert.equal(await reconsidered(refusedBefore(1), always, secondLook), 'done')
  assert.equal(memory.looks, 1)
})

test('what is refused on current memory is not tried again', async () => {
  const { secondLook, memory, always } = lookingAt({ version: 0 })
  let attempts = 0
  const work = async () => {
    attempts += 1
    throw new Error('refused')
  }
  await assert.rejects(reconsidered(work, always, secondLook), /refused/)
  assert.deepEqual([attempts, memory.looks], [1, 1])
  const never = () => false
  await assert.rejects(reconsidered(work, never, secondLook), /refused/)
  assert.deepEqual([attempts, memory.looks], [2, 1], 'there is no look for what memory cannot be the reason of')
})

test('any number of refusals within a moment cost two looks, and a later one sees later changes', async () => {
  const database = { version: 0 }
  const { clock, secondLook, memory, refusedBefore, always } = lookingAt(database)
  await assert.rejects(reconsidered(refusedBefore(1), always, secondLook))
  const many = Promise.allSettled(
    Array.from({ length: 1_000 }, () => reconsidered(refusedBefore(1), always, secondLook)),
  )
  await new Promise(setImmediate)
  assert.equal(memory.looks, 1)
  database.version = 1
  clock.advance(paceMs)
  const outcomes = await many
  assert.equal(memory.looks, 2)
  assert.ok(outcomes.every(({ status }) => status === 'fulfilled'))
})
