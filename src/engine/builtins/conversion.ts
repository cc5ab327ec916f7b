// Conversions between numbers, texts, parties and contract ids. Parsing a text returns an Optional: it may be anything.
import { partyProblem } from '../../base/names.ts'
import { asContractId, asInt64, asNumeric, asText } from '../../lf/values/kinds.ts'
import { type Numeric, numericOf, numericOfNumber } from '../../lf/values/numeric.ts'
import { timesPowerOfTen, wholePart } from '../../lf/values/numeric-arithmetic.ts'
import {
  type ContractId,
  type Int64,
  int64,
  int64Max,
  int64Min,
  type LfValue,
  none,
  Some,
} from '../../lf/values/values.ts'
import { steps } from '../failures/steps.ts'
import { arithmeticError } from '../values/arithmetic-error.ts'
import { numericFromText, numericToText } from '../values/numeric-text.ts'
import type { Rows } from './rows.ts'

export const conversionBuiltins = {
  INT64_TO_NUMERIC(like: Numeric, a: Int64): Numeric {
    const whole = typeof a === 'number' ? numericOfNumber(a, 0) : numericOf(BigInt(asInt64(a)), 0)
    const { scale } = asNumeric(like)
    const result = timesPowerOfTen(whole, scale, scale)
    if (result === undefined) throw arithmeticError('INT64_TO_NUMERIC', like, a)
    return result
  },

  /** Truncates. */
  NUMERIC_TO_INT64(a: Numeric): Int64 {
    const whole = wholePart(asNumeric(a))
    if (typeof whole === 'number') return whole
    if (whole < int64Min || whole > int64Max) throw arithmeticError('NUMERIC_TO_INT64', a)
    return int64(whole)
  },

  INT64_TO_TEXT(a: Int64): string {
    return String(asInt64(a))
  },

  NUMERIC_TO_TEXT(a: Numeric): string {
    return numericToText(asNumeric(a))
  },

  PARTY_TO_TEXT(party: string): string {
    return asText(party)
  },

  TEXT_TO_PARTY(text: string): LfValue {
    return partyProblem(asText(text)) === undefined ? new Some(text) : none
  },

  TEXT_TO_INT64(text: string): LfValue {
    steps.charge(asText(text).length)
    const value = int64FromText(text)
    return value === undefined ? none : new Some(value)
  },

  TEXT_TO_NUMERIC(like: Numeric, text: string): LfValue {
    steps.charge(asText(text).length)
    const value = numericFromText(text, asNumeric(like).scale)
    return value === undefined ? none : new Some(value)
  },

  COERCE_CONTRACT_ID(id: ContractId): ContractId {
    return asContractId(id)
  },
} satisfies Partial<Rows>

function int64FromText(text: string): Int64 | undefined {
  const match = /^([+-]?)0*(\d{1,19})$/.exec(text)
  if (match === null) return undefined
  const value = BigInt(`${match[1]}${match[2]}`)
  return value < int64Min || value > int64Max ? undefined : int64(value)
}
