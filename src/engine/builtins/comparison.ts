// Equality and order of any two values of one type, with a fast path for numbers, the most frequent case.
import type { LfValue } from '../../lf/values/values.ts'
import { compareValues, equalValues } from '../values/order.ts'
import type { Rows } from './rows.ts'

export const comparisonBuiltins = {
  EQUAL: equalValues,

  LESS(a: LfValue, b: LfValue): boolean {
    return typeof a === 'number' && typeof b === 'number' ? a < b : compareValues(a, b) < 0
  },

  LESS_EQ(a: LfValue, b: LfValue): boolean {
    return typeof a === 'number' && typeof b === 'number' ? a <= b : compareValues(a, b) <= 0
  },

  GREATER(a: LfValue, b: LfValue): boolean {
    return typeof a === 'number' && typeof b === 'number' ? a > b : compareValues(a, b) > 0
  },

  GREATER_EQ(a: LfValue, b: LfValue): boolean {
    return typeof a === 'number' && typeof b === 'number' ? a >= b : compareValues(a, b) >= 0
  },
} satisfies Partial<Rows>
