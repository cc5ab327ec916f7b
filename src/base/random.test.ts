// Seeded randomness is repeatable, and ids have the standard form.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/fixtures/seed.ts'
import { createSeededRandom, randomUuid, systemRandom } from './random.ts'

test('the same seed gives the same bytes, another seed others', () => {
  const draw = (seed: string) => {
    const random = createSeededRandom(seed)
    return [5, 32, 33, 100].map((length) => random.bytes(length).toString('hex'))
  }
  assert.deepEqual(draw('a'), draw('a'))
  assert.notDeepEqual(draw('a'), draw('b'))
})

test('each call returns as many bytes as asked for, and different ones', () => {
  const random = createSeededRandom('x')
  fc.assert(fc.property(fc.nat(300), (length) => assert.equal(random.bytes(length).length, length)))
  for (const source of [random, systemRandom]) assert.notDeepEqual(source.bytes(16), source.bytes(16))
})

test('a UUID is of version 4, and each is different', () => {
  const random = createSeededRandom('uuid')
  const ids = Array.from({ length: 1000 }, () => randomUuid(random))
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.equal(new Set(ids).size, ids.length)
})
