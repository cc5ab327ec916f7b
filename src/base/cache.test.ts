// What the cache keeps, how long, and which stale values it must not store.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCache } from './cache.ts'
import { createTestClock } from './clock.ts'

/** A cache of three entries for 100 ms, and a loader that counts. */
function setUp() {
  const clock = createTestClock(0)
  const cache = createCache<string | undefined>(clock, 3, 100)
  const loads: string[] = []
  const get = async (key: string) =>
    cache.get(key, async () => {
      loads.push(key)
      return `value of ${key}`
    })
  return { clock, cache, loads, get }
}

test('a value is loaded once while it lives', async () => {
  const { clock, loads, get } = setUp()
  assert.equal(await get('a'), 'value of a')
  clock.advance(99)
  assert.equal(await get('a'), 'value of a')
  assert.deepEqual(loads, ['a'])
  clock.advance(1)
  await get('a')
  assert.deepEqual(loads, ['a', 'a'])
})

test('a cached value is returned at once, not as a promise', async () => {
  const { cache, get } = setUp()
  await get('a')
  assert.equal(
    cache.get('a', () => assert.fail('loads again')),
    'value of a',
  )
})

test('the absence of a value is cached, too', async () => {
  const { cache } = setUp()
  await cache.get('a', async () => undefined)
  assert.equal(
    cache.get('a', () => assert.fail('loads again')),
    undefined,
  )
})

test('the oldest entry is evicted', async () => {
  const { loads, get } = setUp()
  for (const key of ['a', 'b', 'c', 'd', 'b', 'c', 'd', 'a']) await get(key)
  assert.deepEqual(loads, ['a', 'b', 'c', 'd', 'a'])
})

test('a deleted entry is loaded again, and only that', async () => {
  const { cache, loads, get } = setUp()
  await get('a')
  await get('b')
  cache.delete('a')
  await get('a')
  await get('b')
  assert.deepEqual(loads, ['a', 'b', 'a'])
  cache.clear()
  await get('b')
  assert.deepEqual(loads, ['a', 'b', 'a', 'b'])
})

for (const forget of ['delete', 'clear'] as const) {
  test(`a load that began before a ${forget} does not store the old value`, async () => {
    const { cache } = setUp()
    const { promise, resolve } = Promise.withResolvers<string>()
    const slow = cache.get('a', () => promise)
    cache[forget]('a')
    resolve('old')
    assert.equal(await slow, 'old')
    assert.equal(await cache.get('a', async () => 'new'), 'new')
    assert.equal(
      cache.get('a', () => assert.fail('loads again')),
      'new',
    )
  })
}

test('a failed load is not cached', async () => {
  const { cache, get } = setUp()
  await assert.rejects(async () => cache.get('a', () => Promise.reject(new Error('no'))), { message: 'no' })
  assert.equal(await get('a'), 'value of a')
})

test('a lifetime of zero caches nothing', async () => {
  const cache = createCache<number>(createTestClock(0), 10, 0)
  let loads = 0
  for (let turn = 0; turn < 3; turn += 1) await cache.get('a', async () => ++loads)
  assert.equal(loads, 3)
})
