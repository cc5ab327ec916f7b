import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createSharedReads } from './shared-reads.ts'

describe('shared reads', () => {
  const counting = (isSmall = true) => {
    const asked: string[] = []
    const reads = createSharedReads<string>(2, () => isSmall)
    return { asked, read: (key: string) => reads(key, async () => `${key}${asked.push(key)}`) }
  }

  test('read once for concurrent equal requests', async () => {
    const { asked, read } = counting()
    assert.deepEqual(await Promise.all([read('a'), read('a'), read('b')]), ['a1', 'a1', 'b2'])
    assert.equal(await read('a'), 'a1')
    assert.deepEqual(asked, ['a', 'b'])
  })

  test('cache the last few', async () => {
    const { asked, read } = counting()
    for (const key of ['a', 'b', 'c', 'b', 'a']) await read(key)
    assert.deepEqual(asked, ['a', 'b', 'c', 'a'])
  })

  test('share large results without caching them', async () => {
    const { asked, read } = counting(false)
    await Promise.all([read('a'), read('a')])
    await read('a')
    assert.deepEqual(asked, ['a', 'a'])
  })

  test('do not cache a failure', async () => {
    const reads = createSharedReads<string>(2, () => true)
    const failing = () => Promise.reject(new Error('no database'))
    await assert.rejects(reads('a', failing), /no database/)
    assert.equal(await reads('a', async () => 'again'), 'again')
  })
})
