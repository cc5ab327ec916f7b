import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/fixtures/seed.ts'
import { evaluate } from '../../../test/support/engine/evaluate.ts'
import type { BuiltinName } from '../../lf/syntax/builtins.ts'
import { type Int64, int64 } from '../../lf/values/values.ts'

const MAX = 2n ** 63n - 1n
const MIN = -(2n ** 63n)
const SAFE = Number.MAX_SAFE_INTEGER
const raised = (call: string) => `raised: ArithmeticError while evaluating (${call}).`

const cases: [name: BuiltinName, args: [Int64, Int64], want: Int64 | string][] = [
  ['ADD_INT64', [1, 2], 3],
  ['ADD_INT64', [SAFE, 1], 2n ** 53n],
  ['ADD_INT64', [2n ** 53n, -1], SAFE],
  ['ADD_INT64', [MAX, 1], raised(`ADD_INT64 ${MAX} 1`)],
  ['ADD_INT64', [MIN, MIN], raised(`ADD_INT64 ${MIN} ${MIN}`)],
  ['ADD_INT64', [MAX, MIN], -1],
  ['SUB_INT64', [1, 2], -1],
  ['SUB_INT64', [-SAFE, 1], -(2n ** 53n)],
  ['SUB_INT64', [0, MIN], raised(`SUB_INT64 0 ${MIN}`)],
  ['SUB_INT64', [MIN, MIN], 0],
  ['MUL_INT64', [0, -5], 0],
  ['MUL_INT64', [94906267, 94906267], 9007199515875289n],
  ['MUL_INT64', [3037000500, 3037000500], raised('MUL_INT64 3037000500 3037000500')],
  ['MUL_INT64', [MIN, -1], raised(`MUL_INT64 ${MIN} -1`)],
  ['DIV_INT64', [-7, 2], -3],
  ['DIV_INT64', [7, -2], -3],
  ['DIV_INT64', [-1, 2], 0],
  ['DIV_INT64', [MAX, 2], 2n ** 62n - 1n],
  ['DIV_INT64', [1, 0], raised('DIV_INT64 1 0')],
  ['DIV_INT64', [MIN, 0], raised(`DIV_INT64 ${MIN} 0`)],
  ['DIV_INT64', [MIN, -1], raised(`DIV_INT64 ${MIN} -1`)],
  ['MOD_INT64', [-7, 2], -1],
  ['MOD_INT64', [7, -2], 1],
  ['MOD_INT64', [-4, 2], 0],
  ['MOD_INT64', [1, 0], raised('MOD_INT64 1 0')],
  ['MOD_INT64', [MIN, -1], 0],
  ['EXP_INT64', [2, 62], 2n ** 62n],
  ['EXP_INT64', [-2, 63], MIN],
  ['EXP_INT64', [2, 63], raised('EXP_INT64 2 63')],
  ['EXP_INT64', [0, 0], 1],
  ['EXP_INT64', [-1, MAX], -1],
  ['EXP_INT64', [2, MAX], raised(`EXP_INT64 2 ${MAX}`)],
  ['EXP_INT64', [1, -1], raised('EXP_INT64 1 -1')],
]

for (const [name, args, want] of cases) {
  test(`${name} ${args.join(' ')} is ${want}`, () => assert.deepEqual(evaluate(name, args), want))
}

/** Around the limits of Int64 and of safe integers, where the two representations of an Int64 meet. */
const wide = fc.oneof(
  fc.bigInt({ min: MIN, max: MAX }),
  fc.bigInt({ min: -(2n ** 54n), max: 2n ** 54n }),
  fc.bigInt({ min: -20n, max: 20n }),
)

const exact: [name: BuiltinName, of: (a: bigint, b: bigint) => bigint | undefined][] = [
  ['ADD_INT64', (a, b) => a + b],
  ['SUB_INT64', (a, b) => a - b],
  ['MUL_INT64', (a, b) => a * b],
  ['DIV_INT64', (a, b) => (b === 0n ? undefined : a / b)],
  ['MOD_INT64', (a, b) => (b === 0n ? undefined : a % b)],
]

for (const [name, of] of exact) {
  test(`${name} is exact, in the canonical representation, or raises`, () => {
    fc.assert(
      fc.property(wide, wide, (a, b) => {
        const result = of(a, b)
        const isRaised = result === undefined || result < MIN || result > MAX
        assert.deepEqual(evaluate(name, [int64(a), int64(b)]), isRaised ? raised(`${name} ${a} ${b}`) : int64(result))
      }),
    )
  })
}
