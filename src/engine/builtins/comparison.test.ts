import assert from 'node:assert/strict'
import { test } from 'node:test'
import { evaluate } from '../../../test/support/engine/evaluate.ts'
import type { BuiltinName } from '../../lf/syntax/builtins.ts'
import { type LfValue, none, Some } from '../../lf/values/values.ts'

const names: BuiltinName[] = ['EQUAL', 'LESS', 'LESS_EQ', 'GREATER', 'GREATER_EQ']

const ascending: [what: string, low: LfValue, high: LfValue][] = [
  ['numbers', 1, 2],
  ['a number and a bigint', 1, 2n ** 60n],
  ['texts', '\uffff', '\u{10000}'],
  ['Bools', false, true],
  ['Optionals', none, new Some(0)],
]

for (const [what, low, high] of ascending) {
  test(`the five comparisons of ${what}`, () => {
    const all = (a: LfValue, b: LfValue) => names.map((name) => evaluate(name, [a, b]))
    assert.deepEqual(all(low, high), [false, true, true, false, false])
    assert.deepEqual(all(high, low), [false, false, false, true, true])
    assert.deepEqual(all(low, low), [true, false, true, false, true])
  })
}
