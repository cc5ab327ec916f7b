// A package that is read as it is used is the same as one that is read in full.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { openDar } from '../dar/dar.ts'
import { LateMap } from './late-map.ts'

for (const dar of globSync(['packages/*/*.dar', 'test/lf/*.dar'])) {
  test(`the packages of ${dar} are the same, read late`, () => {
    for (const one of openDar(readFileSync(dar)).packages) {
      const [full, late] = [one.decode(), one.decodeKnown()]
      assert.deepEqual(plain(late.package), plain(full.package))
      assert.deepEqual(one.decodeKnown().checkBodies(), full.checkBodies())
    }
  })
}

test('a value is read without the others', () => {
  const [one] = openDar(readFileSync('packages/quickstart/quickstart.dar')).packages
  const [full, late] = [one!.decode().package, one!.decodeKnown().package]
  for (const [name, { values }] of full.modules) {
    for (const value of [...values.keys()].reverse()) {
      const found = late.modules.get(name)!.values.get(value)
      assert.deepEqual(plain(found), plain(values.get(value)))
    }
  }
  assert.equal(late.modules.get('Nowhere'), undefined)
})

test('a late map makes each value once', () => {
  const made: number[] = []
  const map = new LateMap(new Map([...'abc'].map((name, place) => [name, place])), (place) => {
    made.push(place)
    return place * 10
  })
  assert.equal(map.size, 3)
  assert.equal(map.has('b'), true)
  assert.equal(map.get('b'), 10)
  assert.equal(map.get('d'), undefined)
  assert.deepEqual([...map], Object.entries({ a: 0, b: 10, c: 20 }))
  assert.deepEqual([...map.values()], [0, 10, 20])
  const seen: unknown[] = []
  map.forEach((value, name) => {
    seen.push(name, value)
  })
  assert.deepEqual(seen, ['a', 0, 'b', 10, 'c', 20])
  assert.deepEqual(made, [1, 0, 2])
})

/** With maps as entries, and bodies read. */
function plain(value: unknown): unknown {
  if (typeof value === 'function') return plain(value())
  if (value instanceof Map || value instanceof LateMap) return [...value].map(([name, one]) => [name, plain(one)])
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]))
}
