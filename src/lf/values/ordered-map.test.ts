import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/fixtures/seed.ts'
import { OrderedMap } from './ordered-map.ts'
import type { LfValue } from './values.ts'

const byNumber = (a: LfValue, b: LfValue): number => (a as number) - (b as number)

const changes = fc.array(fc.record({ key: fc.nat(60), isRemoved: fc.boolean() }), { maxLength: 300 })

test('a map does what a sorted array does, and older versions of it stay as they are', () => {
  fc.assert(
    fc.property(changes, (steps) => {
      let map = OrderedMap.empty(byNumber)
      let model = new Map<number, number>()
      const versions: [OrderedMap, Map<number, number>][] = []
      for (const [index, { key, isRemoved }] of steps.entries()) {
        model = new Map(model)
        if (isRemoved) {
          const shrunk = map.without(key)
          assert.equal(shrunk === map, !model.delete(key))
          map = shrunk
        } else {
          map = map.with(key, index)
          model.set(key, index)
        }
        versions.push([map, model])
      }
      for (const [version, want] of versions) assertSame(version, want)
    }),
    { numRuns: 50 },
  )
})

function assertSame(map: OrderedMap, model: ReadonlyMap<number, number>): void {
  const want = [...model].sort(([a], [b]) => a - b)
  assert.equal(map.size, want.length)
  assert.deepEqual([...map.entries()], want)
  assert.deepEqual(
    [...map.keys()],
    [...want.keys()].map((index) => want[index]![0]),
  )
  const backwards: LfValue[] = []
  map.reduceRight((found, _key, value) => {
    found.push(value)
    return found
  }, backwards)
  assert.deepEqual(backwards, want.map(([, value]) => value).reverse())
  for (let key = 0; key <= 60; key += 1) {
    assert.equal(map.get(key), model.get(key))
    assert.equal(map.has(key), model.has(key))
  }
}

const textChanges = fc.array(
  fc.record({
    /** Mostly the newest; sometimes an older version, by how many changes it is older. */
    back: fc.oneof({ arbitrary: fc.constant(0), weight: 30 }, { arbitrary: fc.nat(60), weight: 1 }),
    key: fc.nat(60).map((number) => `key ${number}`),
    kind: fc.oneof(
      { arbitrary: fc.constant('insert' as const), weight: 30 },
      { arbitrary: fc.constantFrom('find' as const, 'remove' as const, 'list' as const), weight: 1 },
    ),
  }),
  { minLength: 20, maxLength: 120, size: 'max' },
)
const byUnits = (a: LfValue, b: LfValue): number => ((a as string) < (b as string) ? -1 : a === b ? 0 : 1)

test('maps of texts that are built by insertion are no different, however their versions are used', () => {
  fc.assert(
    fc.property(textChanges, (steps) => {
      const versions: [OrderedMap, Map<string, number>][] = [[OrderedMap.empty(byUnits), new Map()]]
      for (const [index, { back, key, kind }] of steps.entries()) {
        const [map, model] = versions.at(-1 - back) ?? versions.at(0)!
        const changed = new Map(model)
        if (kind === 'insert') versions.push([map.with(key, index), changed.set(key, index)])
        else if (kind === 'find') assert.equal(map.get(key), model.get(key))
        else if (kind === 'list') assert.deepEqual([...map.entries()], sortedEntries(model))
        else {
          changed.delete(key)
          versions.push([map.without(key), changed])
        }
      }
      for (const [map, model] of versions) {
        assert.equal(map.size, model.size)
        for (const key of ['key 1', 'key 30', 'none']) assert.equal(map.get(key), model.get(key))
        assert.deepEqual([...map.entries()], sortedEntries(model))
      }
    }),
    { numRuns: 25 },
  )
})

const sortedEntries = (model: ReadonlyMap<string, number>) => [...model].sort(([a], [b]) => byUnits(a, b))

test('two maps that grow from the same one know nothing of each other', () => {
  let map = OrderedMap.empty(byUnits)
  for (let i = 0; i < 30; i += 1) map = map.with(`key ${i}`, i)
  const one = map.with('one', 1).with('more', 1)
  const other = map.with('other', 2).with('more', 2)
  const added = (of: OrderedMap) => ['one', 'other', 'more'].map((key) => of.get(key))
  assert.deepEqual(
    [added(one), added(other), added(map)],
    [[1, undefined, 1], [undefined, 2, 2], Array(3).fill(undefined)],
  )
  assert.deepEqual([one.size, other.size, map.size], [32, 32, 30])
})

test('a map of many texts is built, and its old versions stay, whatever is inserted', () => {
  const keyOf = { many: (i: number) => `${(i * 7919) % 5_003}`, few: (i: number) => `${i % 20}` }
  for (const key of Object.values(keyOf)) {
    const sizes: number[] = []
    const versions: OrderedMap[] = []
    let map = OrderedMap.empty(byUnits)
    for (let i = 0; i < 5_000; i += 1) {
      map = map.with(key(i), i)
      if (i % 999 === 0) {
        versions.push(map)
        sizes.push(map.size)
      }
    }
    assert.deepEqual([...map.keys()], [...map.keys()].toSorted(byUnits))
    assert.deepEqual(
      versions.map((version) => [...version.keys()].length),
      sizes,
    )
    assert.equal(versions[5]!.get(key(4_995)), 4_995)
    assert.equal(map.get(key(4_999)), 4_999)
  }
})

test('finding a key among many takes few comparisons, in whatever order they came', () => {
  const size = 10_000
  const orders = [(i: number) => i, (i: number) => size - i, (i: number) => (i * 7919) % size]
  for (const order of orders) {
    let compared = 0
    const counting = (a: LfValue, b: LfValue): number => {
      compared += 1
      return byNumber(a, b)
    }
    let map = OrderedMap.empty(counting)
    for (let i = 0; i < size; i += 1) map = map.with(order(i), i)
    for (let i = 0; i < size; i += 3) map = map.without(order(i))
    for (let key = 0; key < size; key += 1) {
      compared = 0
      map.get(key)
      assert.ok(compared <= 20, `${compared} comparisons`)
    }
  }
})

test('an existing key keeps its form', () => {
  const byText = (a: LfValue, b: LfValue): number => Number(a) - Number(b)
  assert.deepEqual([...OrderedMap.empty(byText).with(1, 'a').with('1', 'b').entries()], [[1, 'b']])
})

test('texts of any length are ordered by code points, whichever came first', () => {
  const codePoints = (text: LfValue): number[] => Array.from(text as string, (one) => one.codePointAt(0)!)
  const byCodePoints = (a: LfValue, b: LfValue): number => {
    const [left, right] = [codePoints(a), codePoints(b)]
    const index = left.findIndex((one, i) => one !== right[i])
    return index < 0 ? left.length - right.length : left[index]! - (right[index] ?? -1)
  }
  const texts = ['', 'a', 'b', 'ab', '\u{10000}', '\uffff', '\ue000', 'z\u{10ffff}', 'z\uff00', 'a'.repeat(100), 'Å']
  fc.assert(
    fc.property(fc.shuffledSubarray(texts), fc.constantFrom(...texts), (keys, removed) => {
      const map = keys.reduce((built, key) => built.with(key, key.length), OrderedMap.empty(byCodePoints))
      assert.deepEqual([...map.keys()], keys.toSorted(byCodePoints))
      for (const key of texts) assert.equal(map.get(key), keys.includes(key) ? key.length : undefined)
      const rest = keys.filter((key) => key !== removed).toSorted(byCodePoints)
      assert.deepEqual([...map.without(removed).keys()], rest)
    }),
  )
})
