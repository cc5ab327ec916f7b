import assert from 'node:assert/strict'
import { test } from 'node:test'
import { evaluate } from '../../../test/support/engine/evaluate.ts'
import type { BuiltinName } from '../../lf/syntax/builtins.ts'
import type { Int64 } from '../../lf/values/values.ts'

const raised = (call: string) => `raised: ArithmeticError while evaluating (${call}).`

const cases: [name: BuiltinName, arg: Int64, want: Int64 | string][] = [
  ['DATE_TO_TEXT', -719162, '0001-01-01'],
  ['DATE_TO_TEXT', -1, '1969-12-31'],
  ['DATE_TO_TEXT', 11016, '2000-02-29'],
  ['DATE_TO_TEXT', 2932896, '9999-12-31'],
  ['DATE_TO_UNIX_DAYS', -719162, -719162],
  ['UNIX_DAYS_TO_DATE', -719163, raised('UNIX_DAYS_TO_DATE -719163')],
  ['UNIX_DAYS_TO_DATE', -719162, -719162],
  ['UNIX_DAYS_TO_DATE', 2932896, 2932896],
  ['UNIX_DAYS_TO_DATE', 2932897, raised('UNIX_DAYS_TO_DATE 2932897')],
  ['UNIX_DAYS_TO_DATE', 2n ** 63n - 1n, raised(`UNIX_DAYS_TO_DATE ${2n ** 63n - 1n}`)],
  ['TIMESTAMP_TO_TEXT', -62135596800000000n, '0001-01-01T00:00:00Z'],
  ['TIMESTAMP_TO_TEXT', -62135596799999999n, '0001-01-01T00:00:00.000001Z'],
  ['TIMESTAMP_TO_TEXT', -1000001, '1969-12-31T23:59:58.999999Z'],
  ['TIMESTAMP_TO_TEXT', -1000, '1969-12-31T23:59:59.999Z'],
  ['TIMESTAMP_TO_TEXT', -1, '1969-12-31T23:59:59.999999Z'],
  ['TIMESTAMP_TO_TEXT', 0, '1970-01-01T00:00:00Z'],
  ['TIMESTAMP_TO_TEXT', 10, '1970-01-01T00:00:00.000010Z'],
  ['TIMESTAMP_TO_TEXT', 100000, '1970-01-01T00:00:00.100Z'],
  ['TIMESTAMP_TO_TEXT', 253402300799999999n, '9999-12-31T23:59:59.999999Z'],
  ['TIMESTAMP_TO_UNIX_MICROSECONDS', 253402300799999999n, 253402300799999999n],
  ['UNIX_MICROSECONDS_TO_TIMESTAMP', 0, 0],
  ['UNIX_MICROSECONDS_TO_TIMESTAMP', -62135596800000000n, -62135596800000000n],
  ['UNIX_MICROSECONDS_TO_TIMESTAMP', -62135596800000001n, raised('UNIX_MICROSECONDS_TO_TIMESTAMP -62135596800000001')],
  ['UNIX_MICROSECONDS_TO_TIMESTAMP', 253402300800000000n, raised('UNIX_MICROSECONDS_TO_TIMESTAMP 253402300800000000')],
]

for (const [name, arg, want] of cases) {
  test(`${name} ${arg} is ${want}`, () => assert.deepEqual(evaluate(name, [arg]), want))
}
