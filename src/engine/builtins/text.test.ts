import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyText } from '../../../test/fixtures/any-text.ts'
import { fc } from '../../../test/fixtures/seed.ts'
import { builtinsInTests, evaluate } from '../../../test/support/engine/evaluate.ts'
import type { BuiltinName } from '../../lf/syntax/builtins.ts'
import { type Int64, type LfValue, type List, listFromArray } from '../../lf/values/values.ts'

const invalid = (hex: string) => `INTERPRETER_ERROR: invalid code point 0x${hex}.`

// Arrays stand for lists.
const cases: [name: BuiltinName, args: (string | Int64[] | string[])[], want: unknown][] = [
  ['APPEND_TEXT', ['a', '😀'], 'a😀'],
  ['APPEND_TEXT', ['', ''], ''],
  ['EXPLODE_TEXT', [''], []],
  ['EXPLODE_TEXT', ['e\u0301'], ['e', '\u0301']],
  ['EXPLODE_TEXT', ['👩\u200d🚀'], ['👩', '\u200d', '🚀']],
  ['IMPLODE_TEXT', [[]], ''],
  ['IMPLODE_TEXT', [['a', '', '😀']], 'a😀'],
  ['TEXT_TO_CODE_POINTS', ['a😀'], [97, 0x1f600]],
  ['CODE_POINTS_TO_TEXT', [[0, 0xd7ff, 0xe000, 0xffff, 0x10ffff]], '\0\ud7ff\ue000\uffff\u{10ffff}'],
  ['CODE_POINTS_TO_TEXT', [[0x110000]], invalid('110000')],
  ['CODE_POINTS_TO_TEXT', [[0xd83d, 0xde00]], invalid('d83d')],
  ['CODE_POINTS_TO_TEXT', [[0xdfff]], invalid('dfff')],
  ['CODE_POINTS_TO_TEXT', [[97, -1, 0xd800]], invalid('ffffffffffffffff')],
  ['CODE_POINTS_TO_TEXT', [[2n ** 63n - 1n]], invalid('7fffffffffffffff')],
]

for (const [name, args, want] of cases) {
  test(`${name} ${JSON.stringify(args, (_, value) => (typeof value === 'bigint' ? String(value) : value))}`, () => {
    const values = args.map((arg) => (Array.isArray(arg) ? listFromArray(arg) : arg))
    assert.deepEqual(evaluate(name, values), want)
  })
}

const call = (name: BuiltinName, arg: LfValue) => (builtinsInTests[name] as (arg: LfValue) => LfValue)(arg)

test('a text round-trips through code points, characters and hex', () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      assert.equal(call('CODE_POINTS_TO_TEXT', call('TEXT_TO_CODE_POINTS', text)), text)
      assert.equal(call('IMPLODE_TEXT', call('EXPLODE_TEXT', text) as List), text)
      assert.equal(call('HEX_TO_TEXT', call('TEXT_TO_HEX', text)), text)
    }),
  )
})
