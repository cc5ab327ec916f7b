import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtinsInTests, evaluate, outcomeOf, plain } from '../../../test/support/engine/evaluate.ts'
import type { BuiltinName } from '../../lf/syntax/builtins.ts'
import type { OrderedMap } from '../../lf/values/ordered-map.ts'
import { ContractId, type LfValue, listFromArray } from '../../lf/values/values.ts'

const call = (name: BuiltinName, ...args: LfValue[]) =>
  (builtinsInTests[name] as (...args: LfValue[]) => LfValue)(...args)
const list = (...items: LfValue[]) => listFromArray(items)

/** Its result shows the order in which the steps ran. */
const step = (a: LfValue, b: LfValue) => `(${a} ${b})`
const curriedStep = (a: LfValue) => (b: LfValue) => step(a, b)
const less = (a: LfValue, b: LfValue) => (a as number) < (b as number)
const identity = (x: LfValue) => x

const lists: [what: string, name: BuiltinName, args: LfValue[], want: unknown][] = [
  ['from the left', 'FOLDL', [step, 0, list(1, 2, 3)], '(((0 1) 2) 3)'],
  ['from the right', 'FOLDR', [step, 0, list(1, 2, 3)], '(1 (2 (3 0)))'],
  ['nothing', 'FOLDL', [step, 0, list()], 0],
  ['nothing', 'FOLDR', [step, 0, list()], 0],
  ['with a function of one argument', 'FOLDL', [curriedStep, 0, list(1, 2)], '((0 1) 2)'],
  ['with a function of one argument', 'FOLDR', [curriedStep, 0, list(1, 2)], '(1 (2 0))'],
  ['of the same length', 'EQUAL_LIST', [Object.is, list(1, 2), list(1, 2)], true],
  ['with a difference', 'EQUAL_LIST', [Object.is, list(1, 2), list(1, 3)], false],
  ['one shorter', 'EQUAL_LIST', [Object.is, list(1), list(1, 2)], false],
  ['one longer', 'EQUAL_LIST', [Object.is, list(1, 2), list(1)], false],
  ['with the lists changing sides', 'EQUAL_LIST', [less, list(2, 1), list(1, 2)], true],
  ['with the lists changing sides', 'EQUAL_LIST', [less, list(2, 2), list(1, 1)], false],
]

for (const [what, name, args, want] of lists) {
  test(`${name} ${what} is ${want}`, () => assert.deepEqual(evaluate(name, args), want))
}

test('folds take no stack', () => {
  const million = listFromArray(Array.from({ length: 1_000_000 }, () => 1))
  const add = builtinsInTests.ADD_INT64
  assert.equal(evaluate('FOLDL', [add, 0, million]), 1_000_000)
  assert.equal(evaluate('FOLDR', [add, 0, million]), 1_000_000)
  assert.equal(evaluate('EQUAL_LIST', [builtinsInTests.EQUAL, million, million]), true)
})

for (const kind of ['TEXTMAP', 'GENMAP'] as const) {
  const { [`${kind}_EMPTY` as const]: empty } = builtinsInTests
  const of = (...entries: [string, LfValue][]) =>
    entries.reduce<LfValue>((map, [key, value]) => call(`${kind}_INSERT`, key, value, map), empty)
  const map = of(['\uffff', 3], ['a', 1], ['\u{10000}', 4], ['B', 0]) as OrderedMap

  test(`${kind}: entries are in the order of their keys`, () => {
    assert.deepEqual(plain(map), [
      ['B', 0],
      ['a', 1],
      ['\uffff', 3],
      ['\u{10000}', 4],
    ])
    assert.equal(call(`${kind}_SIZE`, map), 4)
    assert.equal(call(`${kind}_SIZE`, empty), 0)
  })

  test(`${kind}: inserting and deleting make new maps`, () => {
    assert.deepEqual(plain(call(`${kind}_INSERT`, 'a', 9, of(['a', 1], ['b', 2]))), [
      ['a', 9],
      ['b', 2],
    ])
    assert.deepEqual(plain(call(`${kind}_DELETE`, 'a', of(['a', 1], ['b', 2]))), [['b', 2]])
    assert.deepEqual(plain(call(`${kind}_DELETE`, 'x', of(['a', 1]))), [['a', 1]])
    assert.equal(map.size, 4)
  })

  test(`${kind}: looking up gives an Optional`, () => {
    assert.deepEqual(evaluate(`${kind}_LOOKUP`, ['a', map]), { some: 1 })
    assert.equal(evaluate(`${kind}_LOOKUP`, ['x', map]), null)
    assert.equal(evaluate(`${kind}_LOOKUP`, ['x', empty]), null)
  })

  if (kind === 'TEXTMAP') {
    test('TEXTMAP_TO_LIST gives structs of key and value', () => {
      assert.deepEqual(evaluate('TEXTMAP_TO_LIST', [of(['b', 2], ['a', 1])]), [
        [
          ['key', 'a'],
          ['value', 1],
        ],
        [
          ['key', 'b'],
          ['value', 2],
        ],
      ])
    })
  } else {
    test('GENMAP_KEYS and GENMAP_VALUES follow the order of the keys', () => {
      assert.deepEqual(evaluate('GENMAP_KEYS', [map]), ['B', 'a', '\uffff', '\u{10000}'])
      assert.deepEqual(evaluate('GENMAP_VALUES', [map]), [0, 1, 3, 4])
    })
  }
}

test('a GenMap key must be comparable, even in an empty map', () => {
  const empty = builtinsInTests.GENMAP_EMPTY
  const want = 'NON_COMPARABLE_VALUES: functions are not comparable'
  assert.equal(evaluate('GENMAP_INSERT', [identity, 1, empty]), want)
  assert.equal(evaluate('GENMAP_LOOKUP', [list(identity), empty]), want)
  assert.equal(evaluate('GENMAP_DELETE', [identity, empty]), want)
})

test('GenMap keys that cannot be compared with each other are refused', () => {
  const local = new ContractId(`00${'ab'.repeat(32)}`)
  const suffixed = new ContractId(`${local.text}ca12`)
  const map = call('GENMAP_INSERT', local, 1, builtinsInTests.GENMAP_EMPTY)
  assert.match(String(outcomeOf(() => call('GENMAP_LOOKUP', suffixed, map))), /^CONTRACT_ID_COMPARABILITY: /)
})
