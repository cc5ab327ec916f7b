// Numeric arithmetic: decimals of a fixed scale with at most 38 digits, rounded half to even. Where the result has
// another scale than the operands, the first argument is there only to give it.
import { asInt64, asNumeric, wrongKind } from '../../lf/values/kinds.ts'
import { difference, type Numeric, numericDigitsMax, shifted, sum } from '../../lf/values/numeric.ts'
import { byPowerOfTen, product, quotient, rounded, timesPowerOfTen } from '../../lf/values/numeric-arithmetic.ts'
import type { Int64 } from '../../lf/values/values.ts'
import { arithmeticError } from '../values/arithmetic-error.ts'
import type { Rows } from './rows.ts'

export const numericBuiltins = {
  ADD_NUMERIC(a: Numeric, b: Numeric): Numeric {
    checkScales(a, b)
    const result = sum(a, b)
    if (result === undefined) throw arithmeticError('ADD_NUMERIC', a, b)
    return result
  },

  SUB_NUMERIC(a: Numeric, b: Numeric): Numeric {
    checkScales(a, b)
    const result = difference(a, b)
    if (result === undefined) throw arithmeticError('SUB_NUMERIC', a, b)
    return result
  },

  MUL_NUMERIC(like: Numeric, a: Numeric, b: Numeric): Numeric {
    checkAll(like, a, b)
    const result = product(a, b, like.scale)
    if (result === undefined) throw arithmeticError('MUL_NUMERIC', like, a, b)
    return result
  },

  DIV_NUMERIC(like: Numeric, a: Numeric, b: Numeric): Numeric {
    checkAll(like, a, b)
    const result = quotient(a, b, like.scale)
    if (result === undefined) throw arithmeticError('DIV_NUMERIC', like, a, b)
    return result
  },

  /** Digits after the point; a negative number rounds to tens, hundreds and so on. */
  ROUND_NUMERIC(digits: Int64, a: Numeric): Numeric {
    asInt64(digits)
    asNumeric(a)
    if (digits > a.scale || digits <= a.scale - numericDigitsMax) throw arithmeticError('ROUND_NUMERIC', digits, a)
    const result = rounded(a, a.scale - Number(digits))
    if (result === undefined) throw arithmeticError('ROUND_NUMERIC', digits, a)
    return result
  },

  /** Exact, or an error. */
  CAST_NUMERIC(like: Numeric, a: Numeric): Numeric {
    const { scale } = asNumeric(like)
    const excess = asNumeric(a).scale - scale
    const result = excess > 0 ? byPowerOfTen(a, excess, scale) : timesPowerOfTen(a, -excess, scale)
    if (result === undefined) throw arithmeticError('CAST_NUMERIC', like, a)
    return result
  },

  /** The same digits with the point moved. */
  SHIFT_NUMERIC(like: Numeric, a: Numeric): Numeric {
    return shifted(asNumeric(a), asNumeric(like).scale)
  },
} satisfies Partial<Rows>

function checkAll(like: Numeric, a: Numeric, b: Numeric): void {
  asNumeric(like)
  asNumeric(a)
  asNumeric(b)
}

/** Numerics that are added must have the same scale. */
function checkScales(a: Numeric, b: Numeric): void {
  if (asNumeric(a).scale !== asNumeric(b).scale) wrongKind(`a Numeric ${a.scale}`)
}
