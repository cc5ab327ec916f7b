// Int64 arithmetic. Results that are safe integers stay numbers; beyond that, bigint computes and checks the range.
import type { BuiltinName } from '../../lf/syntax/builtins.ts'
import { asInt64 } from '../../lf/values/kinds.ts'
import { type Int64, int64, int64Max, int64Min } from '../../lf/values/values.ts'
import { arithmeticError } from '../values/arithmetic-error.ts'
import type { Rows } from './rows.ts'

// Adding zero turns JavaScript's -0, which Int64 does not have, into 0.
export const int64Builtins = {
  ADD_INT64(a: Int64, b: Int64): Int64 {
    if (typeof a === 'number' && typeof b === 'number') {
      const sum = a + b
      if (Number.isSafeInteger(sum)) return sum
    }
    return inRange(exact(a) + exact(b), 'ADD_INT64', a, b)
  },

  SUB_INT64(a: Int64, b: Int64): Int64 {
    if (typeof a === 'number' && typeof b === 'number') {
      const difference = a - b
      if (Number.isSafeInteger(difference)) return difference
    }
    return inRange(exact(a) - exact(b), 'SUB_INT64', a, b)
  },

  MUL_INT64(a: Int64, b: Int64): Int64 {
    if (typeof a === 'number' && typeof b === 'number') {
      const product = a * b
      if (Number.isSafeInteger(product)) return product + 0
    }
    return inRange(exact(a) * exact(b), 'MUL_INT64', a, b)
  },

  /** Truncates. */
  DIV_INT64(a: Int64, b: Int64): Int64 {
    if (b === 0) throw arithmeticError('DIV_INT64', asInt64(a), b)
    if (typeof a === 'number' && typeof b === 'number') return (a - (a % b)) / b + 0
    return inRange(exact(a) / exact(b), 'DIV_INT64', a, b)
  },

  /** The result has the sign of the dividend. */
  MOD_INT64(a: Int64, b: Int64): Int64 {
    if (b === 0) throw arithmeticError('MOD_INT64', asInt64(a), b)
    if (typeof a === 'number' && typeof b === 'number') return (a % b) + 0
    return int64(exact(a) % exact(b))
  },

  EXP_INT64(base: Int64, exponent: Int64): Int64 {
    if (asInt64(exponent) < 0) throw arithmeticError('EXP_INT64', base, exponent)
    return raise(exact(base), exact(exponent)) ?? fail('EXP_INT64', base, exponent)
  },
} satisfies Partial<Rows>

/** BigInt alone would accept texts and booleans too. */
const exact = (value: Int64): bigint => BigInt(asInt64(value))

const fits = (value: bigint): boolean => value >= int64Min && value <= int64Max

function inRange(value: bigint, builtin: BuiltinName, a: Int64, b: Int64): Int64 {
  return fits(value) ? int64(value) : fail(builtin, a, b)
}

function fail(builtin: BuiltinName, a: Int64, b: Int64): never {
  throw arithmeticError(builtin, a, b)
}

/** By squaring. The exponent may be huge: only -1, 0 and 1 stay in range then. Undefined when out of range. */
function raise(base: bigint, exponent: bigint): Int64 | undefined {
  if (exponent === 0n) return 1
  let square = base
  let odd = 1n
  for (let rest = exponent; rest > 1n; rest >>= 1n) {
    if ((rest & 1n) === 1n) odd *= square
    square *= square
    if (!fits(odd) || !fits(square)) return undefined
  }
  const power = square * odd
  return fits(power) ? int64(power) : undefined
}
