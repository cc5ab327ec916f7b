// Numeric arithmetic: decimals of a fixed scale with at most 38 digits, rounded half to even. Where the result has
// another scale than the operands, the first argument is there only to give it.
import { asInt64, asNumeric, wrongKind } from '../../lf/values/kinds.ts'
import { type Int64, Numeric } from '../../lf/values/values.ts'
import { arithmeticError } from '../values/arithmetic-error.ts'
import { numericDigitsMax, powerOfTen } from '../values/numeric-text.ts'
import type { Rows } from './rows.ts'

export const numericBuiltins = {
  ADD_NUMERIC(a: Numeric, b: Numeric): Numeric {
    checkScales(a, b)
    const sum = a.unscaled + b.unscaled
    if (!fits(sum)) throw arithmeticError('ADD_NUMERIC', a, b)
    return new Numeric(sum, a.scale)
  },

  SUB_NUMERIC(a: Numeric, b: Numeric): Numeric {
    checkScales(a, b)
    const difference = a.unscaled - b.unscaled
    if (!fits(difference)) throw arithmeticError('SUB_NUMERIC', a, b)
    return new Numeric(difference, a.scale)
  },

  MUL_NUMERIC(like: Numeric, a: Numeric, b: Numeric): Numeric {
    checkAll(like, a, b)
    const product = a.unscaled * b.unscaled
    const excess = a.scale + b.scale - like.scale
    const rounded = excess > 0 ? divideHalfEven(product, powerOfTen(excess)) : product * powerOfTen(-excess)
    if (!fits(rounded)) throw arithmeticError('MUL_NUMERIC', like, a, b)
    return new Numeric(rounded, like.scale)
  },

  DIV_NUMERIC(like: Numeric, a: Numeric, b: Numeric): Numeric {
    checkAll(like, a, b)
    if (b.unscaled === 0n) throw arithmeticError('DIV_NUMERIC', like, a, b)
    const shift = like.scale + b.scale - a.scale
    const quotient =
      shift < 0
        ? divideHalfEven(a.unscaled, b.unscaled * powerOfTen(-shift))
        : divideHalfEven(a.unscaled * powerOfTen(shift), b.unscaled)
    if (!fits(quotient)) throw arithmeticError('DIV_NUMERIC', like, a, b)
    return new Numeric(quotient, like.scale)
  },

  /** Digits after the point; a negative number rounds to tens, hundreds and so on. */
  ROUND_NUMERIC(digits: Int64, a: Numeric): Numeric {
    asInt64(digits)
    asNumeric(a)
    if (digits > a.scale || digits <= a.scale - numericDigitsMax) throw arithmeticError('ROUND_NUMERIC', digits, a)
    const step = powerOfTen(a.scale - Number(digits))
    const rounded = divideHalfEven(a.unscaled, step) * step
    if (!fits(rounded)) throw arithmeticError('ROUND_NUMERIC', digits, a)
    return new Numeric(rounded, a.scale)
  },

  /** Exact, or an error. */
  CAST_NUMERIC(like: Numeric, a: Numeric): Numeric {
    asNumeric(like)
    asNumeric(a)
    const excess = a.scale - like.scale
    if (excess > 0) {
      const divisor = powerOfTen(excess)
      if (a.unscaled % divisor !== 0n) throw arithmeticError('CAST_NUMERIC', like, a)
      return new Numeric(a.unscaled / divisor, like.scale)
    }
    const unscaled = a.unscaled * powerOfTen(-excess)
    if (!fits(unscaled)) throw arithmeticError('CAST_NUMERIC', like, a)
    return new Numeric(unscaled, like.scale)
  },

  /** The same digits with the point moved. */
  SHIFT_NUMERIC(like: Numeric, a: Numeric): Numeric {
    return new Numeric(asNumeric(a).unscaled, asNumeric(like).scale)
  },
} satisfies Partial<Rows>

const limit = powerOfTen(numericDigitsMax)
const lowerLimit = -limit

/** V8 answers the first question with machine integers. */
export const fits = (unscaled: bigint): boolean => {
  return BigInt.asIntN(64, unscaled) === unscaled || (unscaled < limit && unscaled > lowerLimit)
}

function checkAll(like: Numeric, a: Numeric, b: Numeric): void {
  asNumeric(like)
  asNumeric(a)
  asNumeric(b)
}

/** Numerics that are added must have the same scale. */
function checkScales(a: Numeric, b: Numeric): void {
  if (asNumeric(a).scale !== asNumeric(b).scale) wrongKind(`a Numeric ${a.scale}`)
}

/** Twice the remainder of a division by this or less fits into 64 bits, with its sign. */
const machineDivisorMax = 2n ** 62n

function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  if (divisor < 0n) return divideHalfEven(-dividend, -divisor)
  if (dividend < 0n) return -divideHalfEven(-dividend, divisor)
  const quotient = dividend / divisor
  const excess =
    divisor <= machineDivisorMax
      ? BigInt.asIntN(64, 2n * (dividend - quotient * divisor) - divisor) // V8 computes this with machine integers.
      : 2n * (dividend - quotient * divisor) - divisor
  return excess < 0n || (excess === 0n && quotient % 2n === 0n) ? quotient : quotient + 1n
}
