import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/fixtures/seed.ts'
import { evaluate, numeric, plain } from '../../../test/support/engine/evaluate.ts'
import type { BuiltinName } from '../../lf/syntax/builtins.ts'
import { numericOf } from '../../lf/values/numeric.ts'
import { ContractId, int64, type LfValue } from '../../lf/values/values.ts'

const raised = (call: string) => `raised: ArithmeticError while evaluating (${call}).`
const zeros = '0'.repeat(1_000_000)
const id = new ContractId(`00${'ab'.repeat(32)}`)

const cases: [name: BuiltinName, args: LfValue[], want: unknown][] = [
  ['INT64_TO_NUMERIC', [numeric('0.00'), -7], '-7.00'],
  ['INT64_TO_NUMERIC', [numeric(`0.${'0'.repeat(37)}`), 9], `9.${'0'.repeat(37)}`],
  ['INT64_TO_NUMERIC', [numeric(`0.${'0'.repeat(37)}`), 10], raised('INT64_TO_NUMERIC 0.0 10')],
  ['NUMERIC_TO_INT64', [numeric('1.99')], 1],
  ['NUMERIC_TO_INT64', [numeric('-0.99')], 0],
  ['NUMERIC_TO_INT64', [numeric('9223372036854775807.9')], 2n ** 63n - 1n],
  ['NUMERIC_TO_INT64', [numeric('9223372036854775808.0')], raised('NUMERIC_TO_INT64 9223372036854775808.0')],
  ['INT64_TO_TEXT', [-(2n ** 63n)], '-9223372036854775808'],
  ['NUMERIC_TO_TEXT', [numeric('100.')], '100.0'],
  ['NUMERIC_TO_TEXT', [numeric('-0.0500')], '-0.05'],
  ['NUMERIC_TO_TEXT', [numeric('0.00')], '0.0'],
  ['NUMERIC_TO_TEXT', [numeric('0.0000000000000000000000000000000000001')], '0.0000000000000000000000000000000000001'],
  ['TEXT_TO_INT64', ['+007'], { some: 7 }],
  ['TEXT_TO_INT64', ['-0'], { some: 0 }],
  ['TEXT_TO_INT64', ['-9223372036854775808'], { some: -(2n ** 63n) }],
  ['TEXT_TO_INT64', ['9223372036854775808'], null],
  ['TEXT_TO_INT64', [`${zeros}1`], { some: 1 }],
  ['TEXT_TO_INT64', ['9'.repeat(1_000_000)], null],
  ['TEXT_TO_INT64', [''], null],
  ['TEXT_TO_INT64', ['--1'], null],
  ['TEXT_TO_INT64', [' 1'], null],
  ['TEXT_TO_INT64', ['1\n'], null],
  ['TEXT_TO_INT64', ['1.0'], null],
  ['TEXT_TO_INT64', ['٣'], null],
  ['TEXT_TO_NUMERIC', [numeric('0.00'), '+1.5'], { some: '1.50' }],
  ['TEXT_TO_NUMERIC', [numeric('0.00'), '-0.0'], { some: '0.00' }],
  ['TEXT_TO_NUMERIC', [numeric('0.00'), '1.505'], null],
  ['TEXT_TO_NUMERIC', [numeric('0.00'), '1.500'], { some: '1.50' }],
  ['TEXT_TO_NUMERIC', [numeric('0.00'), '1.'], null],
  ['TEXT_TO_NUMERIC', [numeric('0.00'), '.5'], null],
  ['TEXT_TO_NUMERIC', [numeric('0.00'), '1e2'], null],
  ['TEXT_TO_NUMERIC', [numeric('0.'), '9'.repeat(38)], { some: `${'9'.repeat(38)}.` }],
  ['TEXT_TO_NUMERIC', [numeric('0.'), '9'.repeat(39)], null],
  ['TEXT_TO_NUMERIC', [numeric('0.00'), `${zeros}1.5${zeros}`], { some: '1.50' }],
  ['TEXT_TO_NUMERIC', [numeric('0.00'), `${zeros}x`], null],
  ['TEXT_TO_PARTY', ['Alice::1220ab -_'], { some: 'Alice::1220ab -_' }],
  ['TEXT_TO_PARTY', [''], null],
  ['TEXT_TO_PARTY', ['a.b'], null],
  ['TEXT_TO_PARTY', ['é'], null],
  ['TEXT_TO_PARTY', ['p'.repeat(255)], { some: 'p'.repeat(255) }],
  ['TEXT_TO_PARTY', ['p'.repeat(256)], null],
  ['PARTY_TO_TEXT', ['Alice'], 'Alice'],
  ['COERCE_CONTRACT_ID', [id], id],
]

for (const [name, args, want] of cases) {
  const texts = args.map((arg) => String(plain(arg)).slice(0, 60))
  test(`${name} ${texts.join(' ')}`, () => assert.deepEqual(evaluate(name, args), want))
}

test('an Int64 round-trips through its text', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
      const text = evaluate('INT64_TO_TEXT', [int64(value)])
      assert.deepEqual(evaluate('TEXT_TO_INT64', [text]), { some: int64(value) })
    }),
  )
})

test('a Numeric round-trips through its text', () => {
  const unscaled = fc.bigInt({ min: 1n - 10n ** 38n, max: 10n ** 38n - 1n })
  fc.assert(
    fc.property(unscaled, fc.integer({ min: 0, max: 37 }), (value, scale) => {
      const number = numericOf(value, scale)
      const text = evaluate('NUMERIC_TO_TEXT', [number])
      assert.deepEqual(evaluate('TEXT_TO_NUMERIC', [number, text]), { some: plain(number) })
    }),
  )
})
