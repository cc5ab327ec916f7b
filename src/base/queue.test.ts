// Tasks run one at a time and in order, even if earlier ones fail.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createQueue } from './queue.ts'

test('tasks run one at a time, in order of arrival', async () => {
  const queue = createQueue()
  const events: string[] = []
  const task = (name: string, turns: number) => async () => {
    events.push(`${name} begins`)
    for (let turn = 0; turn < turns; turn += 1) await setImmediate()
    events.push(`${name} ends`)
    return name
  }
  const results = await Promise.all([queue(task('a', 3)), queue(task('b', 0)), queue(task('c', 1))])
  assert.deepEqual(results, ['a', 'b', 'c'])
  assert.deepEqual(events, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
})

test('a failing task, synchronous or not, does not affect the others', async () => {
  const queue = createQueue()
  const thrown = queue(() => {
    throw new Error('at once')
  })
  const rejected = queue(async () => {
    await setImmediate()
    throw new Error('later')
  })
  const fine = queue(async () => 'fine')
  await Promise.all([
    assert.rejects(thrown, { message: 'at once' }),
    assert.rejects(rejected, { message: 'later' }),
    fine.then((result) => assert.equal(result, 'fine')),
  ])
})

test('a task added while another runs comes after it', async () => {
  const queue = createQueue()
  const order: string[] = []
  let inner: Promise<void> | undefined
  await queue(async () => {
    inner = queue(async () => {
      order.push('inner')
    })
    await setImmediate()
    order.push('outer')
  })
  await inner
  assert.deepEqual(order, ['outer', 'inner'])
})
