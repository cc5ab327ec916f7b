import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/fixtures/seed.ts'
import { evaluate, numeric } from '../../../test/support/engine/evaluate.ts'
import type { BuiltinName } from '../../lf/syntax/builtins.ts'
import { type Numeric, numericOf } from '../../lf/values/numeric.ts'
import type { Int64 } from '../../lf/values/values.ts'

const raised = (call: string) => `raised: ArithmeticError while evaluating (${call}).`
const largest = '9'.repeat(28)

// A text is a Numeric with as many decimals as it shows. The first argument of some builtins only gives the scale.
const cases: [name: BuiltinName, args: (string | Int64)[], want: string][] = [
  ['ADD_NUMERIC', ['1.50', '-1.50'], '0.00'],
  ['ADD_NUMERIC', [`${largest}.9999999999`, '0.0000000001'], raised(`ADD_NUMERIC ${largest}.9999999999 0.0000000001`)],
  ['SUB_NUMERIC', [`-${'9'.repeat(38)}.`, '1.'], raised(`SUB_NUMERIC -${'9'.repeat(38)}.0 1.0`)],
  ['MUL_NUMERIC', ['0.0', '0.10', '0.500'], '0.0'],
  ['MUL_NUMERIC', ['0.0', '0.10', '1.500'], '0.2'],
  ['MUL_NUMERIC', ['0.0', '-0.10', '1.500'], '-0.2'],
  ['MUL_NUMERIC', ['0.0', '0.10', '2.500'], '0.2'],
  ['MUL_NUMERIC', ['0.0', '0.10', '2.501'], '0.3'],
  ['MUL_NUMERIC', ['0.0000', '1.5', '2.5'], '3.7500'],
  ['MUL_NUMERIC', ['0.', '1000000000000000000.', '10000000000000000000.'], `1${'0'.repeat(37)}.`],
  ['MUL_NUMERIC', ['0.', `1${'0'.repeat(37)}.`, '10.'], raised(`MUL_NUMERIC 0.0 1${'0'.repeat(37)}.0 10.0`)],
  ['DIV_NUMERIC', ['0.0', '0.10', '-0.500'], '-0.2'],
  ['DIV_NUMERIC', ['0.', '5.', '2.'], '2.'],
  ['DIV_NUMERIC', ['0.', '7.', '2.'], '4.'],
  ['DIV_NUMERIC', ['0.', '-7.', '2.'], '-4.'],
  ['DIV_NUMERIC', ['0.', '5.000', '2.'], '2.'],
  ['DIV_NUMERIC', ['0.0000000000', '1.0000000000', '3.0000000000'], '0.3333333333'],
  ['DIV_NUMERIC', ['0.0', '1.0', '0.0'], raised('DIV_NUMERIC 0.0 1.0 0.0')],
  ['ROUND_NUMERIC', [0, '2.5'], '2.0'],
  ['ROUND_NUMERIC', [0, '-3.5'], '-4.0'],
  ['ROUND_NUMERIC', [-1, '25.'], '20.'],
  ['ROUND_NUMERIC', [1, '2.5'], '2.5'],
  ['ROUND_NUMERIC', [2, '2.5'], raised('ROUND_NUMERIC 2 2.5')],
  ['ROUND_NUMERIC', [-37, '15.'], '0.'],
  ['ROUND_NUMERIC', [-38, '15.'], raised('ROUND_NUMERIC -38 15.0')],
  ['ROUND_NUMERIC', [2n ** 63n - 1n, '15.'], raised(`ROUND_NUMERIC ${2n ** 63n - 1n} 15.0`)],
  ['ROUND_NUMERIC', [-37, `${'9'.repeat(38)}.`], raised(`ROUND_NUMERIC -37 ${'9'.repeat(38)}.0`)],
  ['CAST_NUMERIC', ['0.0', '1.500'], '1.5'],
  ['CAST_NUMERIC', ['0.0', '1.510'], raised('CAST_NUMERIC 0.0 1.51')],
  ['CAST_NUMERIC', ['0.0000000000', '-1.25'], '-1.2500000000'],
  ['CAST_NUMERIC', ['0.00', `${'9'.repeat(38)}.`], raised(`CAST_NUMERIC 0.0 ${'9'.repeat(38)}.0`)],
  ['SHIFT_NUMERIC', ['0.00', '0.0000000001'], '0.01'],
  ['SHIFT_NUMERIC', ['0.', '-1.25'], '-125.'],
]

for (const [name, texts, want] of cases) {
  test(`${name} ${texts.join(' ')} is ${want}`, () => {
    const args = texts.map((text) => (typeof text === 'string' ? numeric(text) : text))
    assert.deepEqual(evaluate(name, args), want)
  })
}

const scales = fc.integer({ min: 0, max: 37 })
const numerics = fc
  .tuple(fc.integer({ min: 1, max: 38 }), scales)
  .chain(([digits, scale]) =>
    fc
      .bigInt({ min: 1n - 10n ** BigInt(digits), max: 10n ** BigInt(digits) - 1n })
      .map((unscaled) => numericOf(unscaled, scale)),
  )

/** A fraction with a positive denominator. */
type Rational = [numerator: bigint, denominator: bigint]

const rational = ({ unscaled, scale }: Numeric): Rational => [unscaled, 10n ** BigInt(scale)]

/** The nearest whole number, ties to even: floor(x + 1/2), less one where a tie gave an odd number. */
function nearest([numerator, denominator]: Rational): bigint {
  const [top, bottom] = [2n * numerator + denominator, 2n * denominator]
  const floor = (top - (((top % bottom) + bottom) % bottom)) / bottom
  return floor * bottom === top && floor % 2n !== 0n ? floor - 1n : floor
}

const products: [name: BuiltinName, of: (a: Rational, b: Rational) => Rational | undefined][] = [
  ['MUL_NUMERIC', ([a, b], [c, d]) => [a * c, b * d]],
  ['DIV_NUMERIC', ([a, b], [c, d]) => (c === 0n ? undefined : c < 0n ? [-a * d, -b * c] : [a * d, b * c])],
]

for (const [name, of] of products) {
  test(`${name} is the exact result rounded once, half to even, or raises`, () => {
    fc.assert(
      fc.property(scales, numerics, numerics, (scale, a, b) => {
        const exact = of(rational(a), rational(b))
        const unscaled = exact && nearest([exact[0] * 10n ** BigInt(scale), exact[1]])
        const outcome = evaluate(name, [numericOf(0n, scale), a, b])
        if (unscaled === undefined || unscaled >= 10n ** 38n || unscaled <= -(10n ** 38n)) {
          assert.match(outcome as string, /^raised: ArithmeticError while evaluating/)
        } else {
          assert.equal(numeric(outcome as string).unscaled, unscaled)
          assert.equal(numeric(outcome as string).scale, scale)
        }
      }),
    )
  })
}
